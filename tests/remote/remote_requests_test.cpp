// What is sent with each request: settings as they are at that moment, several replies at once,
// tools.
#include "app/chat/call_messages.h"
#include "app/tools/tool_box.h"
#include "remote_fixture.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace fireside::test {
namespace {

const QByteArray kLlamaModels = R"({"data":[{"id":"NAME","owned_by":"llamacpp"}]})";

ServerAnswer endlessAnswer()
{
    ServerAnswer words =
        eventsAnswer("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"}}]}\n\n");
    words.chunked = false;
    words.endless = true;
    words.dripBytes = 200;
    return words;
}

class RemoteRequestsTest : public RemoteFixture
{
protected:
    /// As llama.cpp's server, which answers with the model it has, whatever it is asked for.
    ServerAnswer llamaAnswer(const ServerRequest &request)
    {
        if (request.path == "/v1/models")
            return jsonAnswer(200, QByteArray(kLlamaModels).replace("NAME", llamaModel));
        if (request.path == "/props")
            return jsonAnswer(200, "{\"total_slots\":" + QByteArray::number(slotCount) +
                                       ",\"default_generation_settings\":{\"n_ctx\":2048}}");
        return chatAnswer(request);
    }
    bool loadLlama()
    {
        server.setHandler([this](const ServerRequest &request) { return llamaAnswer(request); });
        return load(remotePath(id, QString::fromUtf8(llamaModel)));
    }
    void ask(qint64 job)
    {
        ReplyJob asked;
        asked.id = job;
        asked.messages = {{QStringLiteral("user"), QStringLiteral("Hi")}};
        engine.reply(asked);
    }
    int chatRequests() const
    {
        int count = 0;
        for (const ServerRequest &request : server.requests())
            count += request.path.endsWith("/chat/completions");
        return count;
    }
    QJsonObject lastBody() const
    {
        for (qsizetype i = server.requests().size(); i-- > 0;)
            if (const ServerRequest &request = server.requests()[i];
                request.path.endsWith("/chat/completions"))
                return QJsonDocument::fromJson(request.body).object();
        return {};
    }
    RemoteServer known() { return remote.servers().server(id).value(); }
    void store(const RemoteServer &changed, const std::optional<QByteArray> &key = std::nullopt)
    {
        QSignalSpy stored(&remote.servers(), &RemoteServers::stored);
        remote.servers().store(changed, key);
        EXPECT_TRUE(waitFor([&] { return !stored.isEmpty(); }));
    }

    std::function<ServerAnswer(const ServerRequest &)> chatAnswer = [this](const ServerRequest &) {
        return eventsAnswer(stream);
    };
    QByteArray llamaModel = "old.gguf";
    int slotCount = 4;
};

TEST_F(RemoteRequestsTest, ARemovedServerIsNotAskedAgain)
{
    ASSERT_TRUE(load(path));
    EXPECT_EQ(say("Hi").state, Message::State::Complete);
    const qsizetype asked = server.requests().size();
    remote.servers().remove(id);
    const Message reply = say("And now?");
    EXPECT_EQ(reply.state, Message::State::Failed);
    EXPECT_TRUE(reply.error.contains(QLatin1String("removed from the list")))
        << reply.error.toStdString();
    EXPECT_EQ(server.requests().size(), asked);
    EXPECT_EQ(engine.state(), EngineState::Ready);
}

TEST_F(RemoteRequestsTest, AChangedKeyIsSentWithTheNextRequest)
{
    RemoteServer keyed = known();
    keyed.key = KeyPlace::Session;
    store(keyed, QByteArray("first"));
    ASSERT_TRUE(load(path));
    say("Hi");
    EXPECT_EQ(server.requests().last().header("authorization"), "Bearer first");
    store(keyed, QByteArray("second"));
    ASSERT_TRUE(waitFor([this] { return !remote.modelsOf(id).asked; }));
    EXPECT_EQ(say("Hi").state, Message::State::Complete);
    EXPECT_EQ(server.requests().last().header("authorization"), "Bearer second");
    keyed.key = KeyPlace::None;
    store(keyed);
    ASSERT_TRUE(waitFor([this] { return !remote.modelsOf(id).asked; }));
    say("Hi");
    EXPECT_EQ(server.requests().last().header("authorization"), "");
}

TEST_F(RemoteRequestsTest, AChangedAddressIsAskedWithTheNextRequest)
{
    ASSERT_TRUE(load(path));
    LyingServer moved([](const ServerRequest &request) {
        return request.path == "/v1/models"
                   ? jsonAnswer(200, QByteArray(kVllmModels).replace("4096", "1234"))
                   : eventsAnswer(kVllm);
    });
    RemoteServer changed = known();
    changed.address = moved.url(QStringLiteral("/v1"));
    store(changed);
    const qsizetype asked = server.requests().size();
    EXPECT_EQ(say("Hi").state, Message::State::Complete);
    EXPECT_EQ(server.requests().size(), asked);
    EXPECT_EQ(moved.requests().last().path, "/v1/chat/completions");
    EXPECT_EQ(engine.model().context, 1234);
    EXPECT_TRUE(engine.model().reason.contains(moved.url({}).toString()));
    // A server without the model says so, before anything is sent to it.
    moved.setHandler([](const ServerRequest &request) {
        return request.path == "/v1/models"
                   ? jsonAnswer(200, R"({"data":[{"id":"small","owned_by":"vllm"}]})")
                   : eventsAnswer(kVllm);
    });
    changed.models = {QStringLiteral("other")};
    store(changed);
    const Message refused = say("Hi");
    EXPECT_EQ(refused.state, Message::State::Failed);
    EXPECT_TRUE(refused.error.contains(QLatin1String("it has: small")))
        << qPrintable(refused.error);
}

TEST_F(RemoteRequestsTest, OfflineNothingIsSentToTheLoadedModel)
{
    ASSERT_TRUE(load(path));
    const qsizetype asked = server.requests().size();
    connections.setOffline(true);
    const Message reply = say("Hi");
    EXPECT_EQ(reply.state, Message::State::Failed);
    EXPECT_TRUE(reply.error.contains(QLatin1String("offline"))) << qPrintable(reply.error);
    EXPECT_EQ(server.requests().size(), asked);
    connections.setOffline(false);
    EXPECT_EQ(say("Hi").state, Message::State::Complete);
}

TEST_F(RemoteRequestsTest, AServerRestartedWithAnotherModelIsCalledByIt)
{
    ASSERT_TRUE(loadLlama()) << failure.toStdString();
    EXPECT_EQ(say("Hi").record[QLatin1String("model")], QLatin1String("old.gguf"));
    llamaModel = "new.gguf";
    const Message reply = say("And you?");
    EXPECT_EQ(reply.state, Message::State::Complete) << qPrintable(reply.error);
    EXPECT_EQ(reply.record[QLatin1String("model")], QLatin1String("new.gguf"));
    EXPECT_EQ(reply.record[QLatin1String("path")].toString(),
              remotePath(id, QStringLiteral("new.gguf")));
    EXPECT_EQ(engine.model().name, QLatin1String("new.gguf"));
    EXPECT_EQ(lastBody()[QLatin1String("model")], QLatin1String("new.gguf"));
    EXPECT_EQ(chat.messages()[1].record[QLatin1String("model")], QLatin1String("old.gguf"));
    // Also when only the list is looked at.
    llamaModel = "third.gguf";
    remote.refresh();
    EXPECT_TRUE(waitFor([this] { return engine.model().name == QLatin1String("third.gguf"); }));
}

TEST_F(RemoteRequestsTest, AModelThatIsGoneIsSaidWithWhatThereIs)
{
    ASSERT_TRUE(load(path));
    server.setHandler([](const ServerRequest &request) {
        return request.path == "/v1/models"
                   ? jsonAnswer(200, R"({"data":[{"id":"huge","owned_by":"vllm"}]})")
                   : jsonAnswer(404, R"({"error":{"message":"The model `big` does not exist."}})");
    });
    const Message reply = say("Hi");
    EXPECT_EQ(reply.state, Message::State::Failed);
    EXPECT_TRUE(reply.error.contains(QLatin1String("it has: huge"))) << qPrintable(reply.error);
}

TEST_F(RemoteRequestsTest, AsManyRepliesAreWrittenAsTheServerHasSlots)
{
    slotCount = 2;
    chatAnswer = [](const ServerRequest &) { return endlessAnswer(); };
    engine.setChats(3);
    ASSERT_TRUE(loadLlama()) << failure.toStdString();
    QSignalSpy waits(&engine, &EngineService::replyWaits), text(&engine, &EngineService::textAdded),
        finished(&engine, &EngineService::replyFinished);
    const auto writes = [&](qint64 job) {
        return std::any_of(text.begin(), text.end(),
                           [job](const auto &one) { return one.at(0).toLongLong() == job; });
    };
    for (const qint64 job : {1, 2, 3})
        ask(job);
    ASSERT_TRUE(waitFor([&] { return writes(1) && writes(2); }));
    EXPECT_EQ(chatRequests(), 2);
    ASSERT_EQ(waits.size(), 1);
    EXPECT_EQ(waits[0].at(0).toLongLong(), 3);
    engine.stopReply(1);
    ASSERT_TRUE(waitFor([&] { return writes(3); }));
    EXPECT_EQ(finished.size(), 1);
    EXPECT_EQ(engine.state(), EngineState::Replying);
    engine.stop();
    EXPECT_EQ(finished.size(), 3);
    EXPECT_EQ(engine.state(), EngineState::Ready);
}

TEST_F(RemoteRequestsTest, AReplyThatTheServerHasNoRoomForWaitsForAnother)
{
    engine.setChats(2);
    ASSERT_TRUE(load(path));
    int refusals = 0;
    bool full = false;
    server.setHandler([&](const ServerRequest &request) {
        if (request.path == "/v1/models")
            return jsonAnswer(200, kVllmModels);
        if (full) {
            ++refusals;
            return jsonAnswer(429, R"({"error":{"message":"all slots are taken"}})");
        }
        full = true;
        return endlessAnswer();
    });
    QSignalSpy waits(&engine, &EngineService::replyWaits), text(&engine, &EngineService::textAdded),
        finished(&engine, &EngineService::replyFinished),
        failed(&engine, &EngineService::replyFailed);
    ask(1);
    ASSERT_TRUE(waitFor([&] { return !text.isEmpty(); }));
    ask(2);
    ASSERT_TRUE(waitFor([&] { return !waits.isEmpty(); }));
    EXPECT_EQ(refusals, 1);
    server.setHandler([&](const ServerRequest &) { return eventsAnswer(kVllm); });
    engine.stopReply(1);
    ASSERT_TRUE(waitFor([&] { return finished.size() == 2; }));
    EXPECT_TRUE(failed.isEmpty());
    EXPECT_EQ(finished[1].at(0).toLongLong(), 2);
    EXPECT_EQ(finished[1].at(1).value<ReplyStats>().finish, QLatin1String("end"));
}

TEST_F(RemoteRequestsTest, SeveralRepliesAreAnsweredHereOneAfterTheOther)
{
    LoadSettings settings;
    settings.context = 512;
    settings.threads = 2;
    settings.backend = "cpu";
    engine.setFallback(kStarterFile, settings);
    engine.setChats(2);
    ASSERT_TRUE(load(path));
    there = false;
    QSignalSpy finished(&engine, &EngineService::replyFinished),
        failed(&engine, &EngineService::replyFailed);
    for (const qint64 job : {1, 2}) {
        ReplyJob asked;
        asked.id = job;
        asked.messages = {{QStringLiteral("user"), QStringLiteral("Who are you?")}};
        asked.sampling.maxTokens = 4;
        engine.reply(asked);
    }
    ASSERT_TRUE(waitFor([&] { return finished.size() + failed.size() == 2; }));
    EXPECT_TRUE(failed.isEmpty()) << qPrintable(failed.value(0).value(1).toString());
    EXPECT_EQ(engine.state(), EngineState::Ready);
    EXPECT_TRUE(engine.model().isElsewhere());
}

TEST_F(RemoteRequestsTest, WhatToolsTakeIsNotClaimed)
{
    LoadSettings settings;
    settings.context = 512;
    settings.threads = 2;
    engine.setFallback(kStarterFile, settings);
    ASSERT_TRUE(load(path));
    there = false;
    ASSERT_EQ(say("Hi").state, Message::State::Complete) << "the starter model is in memory now";
    QSignalSpy counted(&engine, &EngineService::toolsCounted);
    const QList<ToolOffer> tools{
        {QStringLiteral("add"), QStringLiteral("Adds."), QStringLiteral(R"({"type":"object"})")}};
    engine.countTools(tools, tools);
    ASSERT_TRUE(waitFor([&] { return !counted.isEmpty(); }));
    EXPECT_EQ(counted[0].at(1).toInt(), -1);
}

/// Chats in which a server calls tools.
class RemoteToolsTest : public RemoteRequestsTest
{
protected:
    RemoteToolsTest()
    {
        chat.setToolBox(&tools);
        chat.setChatTools(
            {QStringLiteral("built-in/calculate"), QStringLiteral("built-in/read_text_file")});
        for (const Tool &tool : tools.tools())
            tools.allowAlways(tool);
    }
    static QByteArray callOf(const char *tool, const QByteArray &arguments, int index = 0,
                             bool last = true)
    {
        const QJsonObject function{{QStringLiteral("name"), QLatin1String(tool)},
                                   {QStringLiteral("arguments"), QString::fromUtf8(arguments)}};
        const QJsonObject call{{QStringLiteral("index"), index},
                               {QStringLiteral("id"), QStringLiteral("call_%1").arg(9 + index)},
                               {QStringLiteral("type"), QStringLiteral("function")},
                               {QStringLiteral("function"), function}};
        const QJsonObject delta{{QStringLiteral("tool_calls"), QJsonArray{call}}};
        const QJsonObject choice{{QStringLiteral("index"), 0},
                                 {QStringLiteral("delta"), delta},
                                 {QStringLiteral("finish_reason"), QStringLiteral("tool_calls")}};
        const QJsonObject chunk{{QStringLiteral("choices"), QJsonArray{choice}}};
        return "data: " + QJsonDocument(chunk).toJson(QJsonDocument::Compact) +
               (last ? "\n\ndata: [DONE]\n\n" : "\n\n");
    }
    /// The first reply calls, those after it answer.
    void answerCallFirst(const QByteArray &call)
    {
        server.setHandler([this, call, calls = 0](const ServerRequest &request) mutable {
            if (request.path == "/v1/models")
                return jsonAnswer(200, kVllmModels);
            return eventsAnswer(calls++ == 0 ? call : stream);
        });
    }

    NetworkGate gate{connections};
    ToolBox tools{&gate};
};

TEST_F(RemoteToolsTest, ArgumentsGoBackAsTheyCame)
{
    ASSERT_TRUE(load(path));
    const QByteArray received = "{\"expression\":   \"6*7\"\n}";
    answerCallFirst(callOf("calculate", received));
    const Message reply = say("What is it?");
    EXPECT_EQ(reply.state, Message::State::Complete) << qPrintable(reply.error);
    ASSERT_EQ(chat.messages().size(), 4);
    EXPECT_TRUE(chat.messages()[1].text.contains(QLatin1String("  \"expression\": \"6*7\"")))
        << "shown in lines";
    const QJsonArray sent = lastBody()[QLatin1String("messages")].toArray();
    ASSERT_GE(sent.size(), 3);
    const QJsonValue call = sent[sent.size() - 2][QLatin1String("tool_calls")][0];
    EXPECT_EQ(call[QLatin1String("function")][QLatin1String("arguments")].toString().toUtf8(),
              received);
    EXPECT_EQ(call[QLatin1String("id")], QLatin1String("call_9"));
    EXPECT_EQ(sent.last()[QLatin1String("content")], QLatin1String("42"));
    // From the store, too.
    const qint64 current = chat.currentConversation();
    chat.newConversation();
    chat.openConversation(current);
    say("And?");
    const QJsonValue again = lastBody()[QLatin1String("messages")].toArray()[sent.size() - 2];
    EXPECT_EQ(
        again[QLatin1String("tool_calls")][0][QLatin1String("function")][QLatin1String("arguments")]
            .toString()
            .toUtf8(),
        received);
}

TEST_F(RemoteToolsTest, TheRequestForATitleNamesTheToolsOfTheChat)
{
    ASSERT_TRUE(load(path));
    answerCallFirst(callOf("calculate", R"({"expression":"6*7"})"));
    chat.namer().setOn(true);
    stream = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Six times seven\"},"
             "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    say("What is it?");
    ASSERT_TRUE(
        waitFor([this] { return chat.currentTitle() == QLatin1String("Six times seven"); }));
    const QJsonObject asked = lastBody();
    const QJsonArray messages = asked[QLatin1String("messages")].toArray();
    EXPECT_TRUE(messages.last()[QLatin1String("content")].toString().contains(
        QLatin1String("write a title")));
    EXPECT_TRUE(messages[messages.size() - 4].toObject().contains(QLatin1String("tool_calls")));
    EXPECT_EQ(asked[QLatin1String("tools")].toArray().size(), 1);
    EXPECT_EQ(asked[QLatin1String("tool_choice")], QLatin1String("none"));
}

TEST_F(RemoteToolsTest, CallsOfAReplyThatDidNotComeToItsEndAreNotRun)
{
    ASSERT_TRUE(load(path));
    server.setHandler([](const ServerRequest &) {
        ServerAnswer nothing;
        nothing.silent = true;
        return nothing;
    });
    for (const bool stopped : {true, false}) {
        chat.newConversation();
        chat.setChatTools({QStringLiteral("built-in/calculate")});
        chat.send(QStringLiteral("What is it?"));
        const qint64 job = chat.writtenMessage();
        ASSERT_NE(job, 0);
        const QString arguments = QStringLiteral(R"({"expression": "6*7"})"),
                      before = QStringLiteral("```calculate\n");
        emit engine.partsChanged(job, {{.kind = MessagePart::Call,
                                        .start = before.size(),
                                        .length = arguments.size(),
                                        .name = QStringLiteral("calculate")}});
        emit engine.textAdded(job, before + arguments + QStringLiteral("\n```"), {});
        if (stopped)
            chat.stop();
        else
            emit engine.replyFailed(job, QStringLiteral("the connection was cut"));
        EXPECT_FALSE(chat.replying());
        for (int i = 0; i < 20; ++i)
            QCoreApplication::processEvents();
        ASSERT_EQ(chat.messages().size(), 2) << "nothing was called";
        EXPECT_EQ(callsOf(chat.messages()[1]).size(), 1);
        EXPECT_EQ(chat.messages()[1].state,
                  stopped ? Message::State::Stopped : Message::State::Failed);
        engine.stop();
    }
}

TEST_F(RemoteToolsTest, AStopAnswersEachCallThatHasNotRun)
{
    tools.forgetAllowed();
    ASSERT_TRUE(load(path));
    answerCallFirst(callOf("calculate", R"({"expression":"1+1"})", 0, false) +
                    callOf("calculate", R"({"expression":"2+2"})", 1));
    chat.send(QStringLiteral("What are they?"));
    ASSERT_TRUE(waitFor([this] { return chat.callQuestion().has_value(); }));
    EXPECT_TRUE(chat.callQuestion()->arguments.contains(QLatin1String("\n"))) << "shown in lines";
    chat.stop();
    EXPECT_FALSE(chat.replying());
    EXPECT_FALSE(chat.callQuestion());
    const qint64 current = chat.currentConversation();
    chat.newConversation();
    chat.openConversation(current); // as it is stored
    ASSERT_EQ(chat.messages().size(), 4);
    for (const int call : {2, 3}) {
        EXPECT_EQ(callRecordOf(chat.messages()[call])->kind, ToolResult::Stopped) << call;
        EXPECT_EQ(chat.messages()[call].state, Message::State::Stopped) << call;
    }
    say("And now?"); // with an answer to each call
    const QJsonArray sent = lastBody()[QLatin1String("messages")].toArray();
    int answers = 0;
    for (const QJsonValue &message : sent)
        answers += message[QLatin1String("role")] == QLatin1String("tool");
    EXPECT_EQ(answers, 2);
}

TEST_F(RemoteToolsTest, LongResultsAreCutToAPartOfTheContext)
{
    constexpr qsizetype kWhole = 20'000;
    QFile file(folder.filePath(QStringLiteral("long.txt")));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(kWhole, 'x'));
    file.close();
    tools.setFolder(folder.path());
    for (const Tool &tool : tools.tools())
        tools.allowAlways(tool);
    ASSERT_TRUE(load(path)); // a context of 4,096 tokens
    answerCallFirst(callOf("read_text_file", R"({"path":"long.txt"})"));
    EXPECT_EQ(say("Read it").state, Message::State::Complete);
    ASSERT_EQ(chat.messages().size(), 4);
    const auto record = callRecordOf(chat.messages()[2]);
    ASSERT_TRUE(record);
    EXPECT_GE(record->whole, kWhole);
    const QString sent =
        lastBody()[QLatin1String("messages")].toArray().last()[QLatin1String("content")].toString();
    EXPECT_GE(sent.count(QLatin1Char('x')), 3000);
    EXPECT_LE(sent.size(), 4096 + 300);
}

} // namespace
} // namespace fireside::test
