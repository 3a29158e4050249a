#include "app/chat/reply_replay.h"
#include "remote_fixture.h"

namespace fireside::test {
namespace {

class RemoteModelsTest : public RemoteFixture
{};

TEST_F(RemoteModelsTest, ItsRepliesAreChatsLikeOthers)
{
    ASSERT_TRUE(load(path)) << failure.toStdString();
    EXPECT_TRUE(engine.model().isElsewhere());
    EXPECT_EQ(engine.model().context, 4096);
    EXPECT_TRUE(engine.model().reason.contains(server.url({}).toString()));
    EXPECT_TRUE(engine.model().reason.contains(QLatin1String("nothing is computed here")));
    const Message reply = say("Hi");
    EXPECT_EQ(reply.state, Message::State::Complete) << reply.error.toStdString();
    EXPECT_TRUE(reply.text.endsWith(QLatin1String("Hello you")));
    EXPECT_EQ(reply.record[QLatin1String("model")], QLatin1String("big"));
    EXPECT_EQ(reply.record[QLatin1String("backend")], QLatin1String("server"));
    EXPECT_TRUE(reply.record[QLatin1String("device")].toString().startsWith(
        QLatin1String("vLLM at http://")));
    EXPECT_EQ(reply.record[QLatin1String("promptTokens")], 41);
    EXPECT_EQ(reply.record[QLatin1String("generatedTokens")], 4);
    EXPECT_FALSE(replayRefusal(reply).isEmpty());
    // Stored, too, and the next turn tells the answer but not the thoughts.
    EXPECT_EQ(store.path(reply.id).last().text, reply.text);
    say("And?");
    const QByteArray told = server.requests().last().body;
    EXPECT_TRUE(told.contains("Hello you"));
    EXPECT_FALSE(told.contains("Hm,"));
}

TEST_F(RemoteModelsTest, AModelThatIsNotThereIsNotLoaded)
{
    EXPECT_FALSE(load(remotePath(id, QStringLiteral("small"))));
    EXPECT_TRUE(failure.contains(QLatin1String("it has: big"))) << failure.toStdString();
    EXPECT_EQ(engine.state(), EngineState::NoModel);
    EXPECT_FALSE(load(remotePath(QStringLiteral("gone"), QStringLiteral("big"))));
    there = false;
    EXPECT_FALSE(load(path));
    EXPECT_TRUE(failure.contains(QLatin1String("down"))) << failure.toStdString();
}

TEST_F(RemoteModelsTest, AServerThatDoesNotAnswerLeavesTheModelOfThisComputer)
{
    ASSERT_TRUE(load(kStarterFile)) << failure.toStdString();
    bool restoring = false;
    QObject::connect(&engine, &EngineService::loadFailed, &engine,
                     [&] { restoring = engine.restoring(); });
    QSignalSpy progress(&engine, &EngineService::loadProgress),
        loaded(&engine, &EngineService::loaded);
    there = false;
    engine.loadModel(path, {});
    ASSERT_TRUE(waitFor([&] { return loaded.size() == 1; }));
    EXPECT_TRUE(restoring);
    EXPECT_FALSE(engine.restoring());
    EXPECT_TRUE(engine.loadFailure().message.contains(QLatin1String("down")));
    EXPECT_TRUE(progress.isEmpty()) << "it never went";
    EXPECT_EQ(engine.model().path, kStarterFile);
    EXPECT_EQ(say("Who are you?").state, Message::State::Complete);
    // And when the user gives up.
    engine.loadModel(path, {});
    engine.stop();
    EXPECT_EQ(engine.state(), EngineState::Ready);
    EXPECT_EQ(engine.model().path, kStarterFile);
    EXPECT_EQ(say("Who are you?").state, Message::State::Complete);
}

TEST_F(RemoteModelsTest, AFileThatCannotBeLoadedLeavesTheModelOfTheServer)
{
    ASSERT_TRUE(load(path)) << failure.toStdString();
    QSignalSpy loaded(&engine, &EngineService::loaded);
    engine.loadModel(folder.filePath(QStringLiteral("none.gguf")), {});
    ASSERT_TRUE(waitFor([&] { return loaded.size() == 1; }));
    EXPECT_EQ(engine.model().path, path);
    EXPECT_EQ(say("Hi").record[QLatin1String("backend")], QLatin1String("server"));
}

TEST_F(RemoteModelsTest, LoadingIsCancelledAtOnce)
{
    LyingServer silent([](const ServerRequest &) {
        ServerAnswer nothing;
        nothing.silent = true;
        return nothing;
    });
    RemoteServer slow;
    slow.address = silent.url(QStringLiteral("/v1"));
    const QString slowId = remote.servers().store(slow, std::nullopt);
    ASSERT_TRUE(waitFor([this] { return remote.servers().all().size() == 2; }));
    QSignalSpy failed(&engine, &EngineService::loadFailed);
    engine.loadModel(remotePath(slowId, QStringLiteral("x")), {});
    EXPECT_EQ(engine.state(), EngineState::Loading);
    engine.stop();
    ASSERT_EQ(failed.size(), 1);
    EXPECT_TRUE(failed.last().at(2).toBool());
    EXPECT_EQ(engine.state(), EngineState::NoModel);
}

TEST_F(RemoteModelsTest, ItStopsAndAnotherModelTakesOver)
{
    ASSERT_TRUE(load(path));
    LyingServer::Handler endless = [this](const ServerRequest &request) {
        if (request.path == "/v1/models")
            return answer(request);
        ServerAnswer words = eventsAnswer(
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"}}]}\n\n");
        words.chunked = false;
        words.endless = true;
        return words;
    };
    server.setHandler(endless);
    chat.send(QStringLiteral("talk"));
    ASSERT_TRUE(waitFor([this] { return chat.messages().last().text.size() > 50; }));
    chat.stop();
    ASSERT_TRUE(waitFor([this] { return !chat.replying(); }));
    EXPECT_EQ(chat.messages().last().state, Message::State::Stopped);
    chat.send(QStringLiteral("talk"));
    ASSERT_TRUE(waitFor([this] { return chat.messages().last().text.size() > 50; }));
    ASSERT_TRUE(load(kStarterFile)) << failure.toStdString(); // in the middle of the reply
    EXPECT_FALSE(chat.replying());
    EXPECT_EQ(chat.messages().last().state, Message::State::Stopped);
    EXPECT_FALSE(engine.model().isElsewhere());
    EXPECT_EQ(say("Who are you?").record[QLatin1String("backend")], QLatin1String("cpu"));
    ASSERT_TRUE(load(path));
    EXPECT_TRUE(engine.model().isElsewhere());
}

TEST_F(RemoteModelsTest, WithoutTheWishAFailureIsOne)
{
    ASSERT_TRUE(load(path));
    there = false;
    const Message reply = say("Hi");
    EXPECT_EQ(reply.state, Message::State::Failed);
    EXPECT_TRUE(reply.error.contains(QLatin1String("down"))) << reply.error.toStdString();
    EXPECT_EQ(engine.state(), EngineState::Ready);
    there = true;
    EXPECT_EQ(say("Hi").state, Message::State::Complete);
}

TEST_F(RemoteModelsTest, ThisComputerAnswersWhereThatIsWished)
{
    LoadSettings settings;
    settings.context = 512;
    settings.threads = 2;
    settings.backend = "cpu";
    engine.setFallback(kStarterFile, settings);
    ASSERT_TRUE(load(path));
    there = false;
    QStringList reasons;
    QObject::connect(&engine, &EngineService::moved, &engine,
                     [&](const ModelStatus &model) { reasons.append(model.reason); });
    Message reply = say("Who are you?");
    EXPECT_EQ(reply.state, Message::State::Complete) << reply.error.toStdString();
    EXPECT_FALSE(reply.text.isEmpty());
    EXPECT_EQ(reply.record[QLatin1String("backend")], QLatin1String("cpu"));
    const QString insteadOf = reply.record[QLatin1String("insteadOf")].toString();
    EXPECT_TRUE(insteadOf.contains(QLatin1String("on this computer"))) << insteadOf.toStdString();
    EXPECT_TRUE(insteadOf.contains(QLatin1String("down")));
    ASSERT_EQ(reasons.size(), 1);
    EXPECT_EQ(reasons[0], insteadOf);
    // The server is still the chosen one, and the panel says what happened.
    EXPECT_TRUE(engine.model().isElsewhere());
    EXPECT_TRUE(engine.model().reason.contains(QLatin1String("Not reached")));
    // Again, without loading; then the server is back.
    QSignalSpy progress(&engine, &EngineService::loadProgress);
    EXPECT_EQ(say("Again?").state, Message::State::Complete);
    EXPECT_TRUE(progress.isEmpty());
    there = true;
    reply = say("And now?");
    EXPECT_EQ(reply.record[QLatin1String("backend")], QLatin1String("server"));
    EXPECT_FALSE(reply.record.contains(QLatin1String("insteadOf")));
    EXPECT_TRUE(engine.model().reason.contains(QLatin1String("nothing is computed here")));
}

TEST_F(RemoteModelsTest, WithTheWishItIsChosenAlsoWhileItIsAway)
{
    engine.setFallback(kStarterFile, {});
    there = false;
    ASSERT_TRUE(load(path));
    EXPECT_TRUE(engine.model().reason.contains(QLatin1String("this computer answers")));
    there = true;
    EXPECT_EQ(say("Hi").record[QLatin1String("backend")], QLatin1String("server"));
    EXPECT_EQ(engine.model().context, 4096); // which only the server knew
}

TEST_F(RemoteModelsTest, AFallbackThatIsNotThereTellsBoth)
{
    engine.setFallback(folder.filePath(QStringLiteral("none.gguf")), {});
    ASSERT_TRUE(load(path));
    there = false;
    const Message reply = say("Hi");
    EXPECT_EQ(reply.state, Message::State::Failed);
    EXPECT_TRUE(reply.error.contains(QLatin1String("down"))) << reply.error.toStdString();
    EXPECT_TRUE(reply.error.contains(QLatin1String("none.gguf"))) << reply.error.toStdString();
    EXPECT_EQ(engine.state(), EngineState::Ready);
}

TEST_F(RemoteModelsTest, ItNamesChats)
{
    chat.namer().setOn(true);
    ASSERT_TRUE(load(path));
    stream = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"**A fine title**\"},"
             "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    say("Hi");
    EXPECT_TRUE(waitFor([this] { return chat.currentTitle() == QLatin1String("A fine title"); }))
        << chat.currentTitle().toStdString();
}

TEST_F(RemoteModelsTest, WhatOnlyThisComputerCanDoIsRefusedInWords)
{
    ASSERT_TRUE(load(path));
    QSignalSpy choices(&engine, &EngineService::choicesFound),
        counted(&engine, &EngineService::tokensCounted),
        measured(&engine, &EngineService::measured);
    engine.findChoices({});
    ASSERT_EQ(choices.size(), 1);
    EXPECT_FALSE(choices[0].at(2).toString().isEmpty());
    engine.countTokens(QStringLiteral("abc"));
    ASSERT_EQ(counted.size(), 1);
    EXPECT_EQ(counted[0].at(1).toInt(), -1);
    engine.measureModel(kStarterFile, {});
    ASSERT_EQ(measured.size(), 1);
    EXPECT_FALSE(measured[0].at(0).value<MeasureStatus>().problem.isEmpty());
    EXPECT_TRUE(
        engine.previewPlacement(path, {}).result().reason.contains(QLatin1String("http://")));
    engine.unload();
    EXPECT_EQ(engine.state(), EngineState::Ready);
}

TEST_F(RemoteModelsTest, ListingsTellContextsOfEachKind)
{
    ASSERT_TRUE(waitFor([this] { // what was asked when it was added
        const ServerModels known = remote.modelsOf(id);
        return !known.asked && !known.listing.models.isEmpty();
    }));
    server.setHandler([](const ServerRequest &request) {
        if (request.path == "/v1/models")
            return jsonAnswer(200, R"({"data":[{"id":"a","owned_by":"organization_owner"},{"id":"e",
                "owned_by":"organization_owner"}]})");
        return request.path == "/api/v0/models"
                   ? jsonAnswer(200, R"({"data":[{"id":"a","type":"llm","max_context_length":8192,
                        "loaded_context_length":2048},{"id":"e","type":"embeddings"}]})")
                   : jsonAnswer(404, "{}");
    });
    remote.refresh();
    ASSERT_TRUE(waitFor([this] {
        return !remote.modelsOf(id).asked &&
               remote.modelsOf(id).listing.kind == ServerKind::LmStudio;
    }));
    const ModelListing listing = remote.modelsOf(id).listing;
    ASSERT_EQ(listing.models.size(), 1);
    EXPECT_EQ(listing.models[0].context, 2048);
}

} // namespace
} // namespace fireside::test
