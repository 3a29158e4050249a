// The window's server: other programs and the window ask one model, through one scheduler.
#include "app/runtime/model_server.h"
#include "app/runtime/server_key.h"
#include "app/server/model_desk.h"
#include "engine_fixture.h"
#include "tests/support/fake_engine.h"

#include <QDataStream>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTcpServer>
#include <QTemporaryDir>

#include <httplib.h>
#include <nlohmann/json.hpp>

#include <future>

namespace fireside::test {
namespace {

using nlohmann::json;

/// A port that was free a moment ago.
int freePort()
{
    QTcpServer probe;
    probe.listen(QHostAddress::LocalHost);
    return probe.serverPort();
}

class ModelServerTest : public EngineTest
{
protected:
    explicit ModelServerTest(
        std::unique_ptr<EngineService> made = std::make_unique<EngineService>())
        : EngineTest(std::move(made))
    {
        settings.on = true;
        settings.port = freePort();
    }
    bool start(const SamplingChoice &choice = {})
    {
        service.modelServer().apply(settings, choice);
        return waitFor([&] {
            const ServerStatus status = service.modelServer().status();
            return status.running && (!service.hasModel() || !status.model.isEmpty());
        });
    }
    const server::ModelDesk &desk() { return service.modelServer().desk(); }
    static std::string id(const QString &path)
    {
        return QFileInfo(path).completeBaseName().toStdString();
    }
    /// The status, and the text or the error.
    std::future<std::pair<int, std::string>> ask(const std::string &model, int tokens,
                                                 const std::string &key = {}, bool greedy = true)
    {
        return std::async(std::launch::async, [=, port = settings.port] {
            httplib::Client client("127.0.0.1", port);
            client.set_read_timeout(120);
            if (!key.empty())
                client.set_bearer_token_auth(key);
            json body{{"model", model},
                      {"max_tokens", tokens},
                      {"messages", {{{"role", "user"}, {"content", "What is Fireside?"}}}}};
            if (greedy)
                body["temperature"] = 0;
            const auto got = client.Post("/v1/chat/completions", body.dump(), "application/json");
            if (!got)
                return std::pair(0, std::string());
            const json all = json::parse(got->body);
            return std::pair(got->status,
                             got->status == 200
                                 ? all["choices"][0]["message"]["content"].get<std::string>()
                                 : all["error"]["message"].get<std::string>());
        });
    }
    template <typename Result>
    Result wait(std::future<Result> &answer)
    {
        waitFor(
            [&] { return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
        return answer.get();
    }
    std::pair<int, std::string> answer(const std::string &model, int tokens,
                                       const std::string &key = {})
    {
        auto asked = ask(model, tokens, key);
        return wait(asked);
    }

    ServerSettings settings;
};

TEST_F(ModelServerTest, programsAndTheWindowAreAnsweredTogether)
{
    ASSERT_TRUE(load(kStarter, 512));
    service.reply(job(1, QStringLiteral("What is Fireside?"), 24));
    ASSERT_TRUE(waitForReply(1));
    const std::string alone = textOf(1).toStdString();
    ASSERT_TRUE(start());
    const std::string model = id(kStarter);
    EXPECT_EQ(answer(model, 24), std::pair(200, alone));
    auto first = ask(model, 24), second = ask(model, 24);
    service.reply(job(2, QStringLiteral("What is Fireside?"), 24));
    ASSERT_TRUE(waitForReply(2));
    EXPECT_FALSE(textOf(2).isEmpty());
    EXPECT_EQ(wait(first).first, 200);
    EXPECT_EQ(wait(second).first, 200);
    // The window alone again: as without a server.
    service.reply(job(3, QStringLiteral("What is Fireside?"), 24));
    ASSERT_TRUE(waitForReply(3));
    EXPECT_EQ(textOf(3).toStdString(), alone);
    const ServerStatus status = service.modelServer().status();
    ASSERT_EQ(status.clients.size(), 1);
    EXPECT_EQ(status.clients[0].requests, 3);
    EXPECT_EQ(status.clients[0].generatedTokens, 72);
    EXPECT_EQ(answer("other", 2).first, 200) << "the one model answers under any name";
    settings.on = false;
    service.modelServer().apply(settings, {});
    ASSERT_TRUE(waitFor([&] { return answer(model, 2).first == 0; })) << "nothing listens";
    service.reply(job(4, QStringLiteral("What is Fireside?"), 24));
    ASSERT_TRUE(waitForReply(4));
    EXPECT_EQ(textOf(4).toStdString(), alone);
    EXPECT_TRUE(failed.isEmpty());
}

TEST_F(ModelServerTest, aGrammarThatCannotBeFollowedIsRefusedAndTheWindowGoesOn)
{
    ASSERT_TRUE(load(kStarter, 512));
    ASSERT_TRUE(start());
    const std::string model = id(kStarter);
    service.reply(job(1, QStringLiteral("What is Fireside?"), 24));
    auto refused = std::async(std::launch::async, [&, port = settings.port] {
        httplib::Client client("127.0.0.1", port);
        client.set_read_timeout(120);
        const json body{
            {"model", model}, {"prompt", "x"}, {"grammar", "root ::= ((\"x\"?){60}){60}"}};
        const auto got = client.Post("/v1/completions", body.dump(), "application/json");
        return got ? std::pair(got->status, got->body) : std::pair(0, std::string());
    });
    const auto [status, body] = wait(refused);
    EXPECT_EQ(status, 400) << body;
    ASSERT_TRUE(waitForReply(1));
    EXPECT_TRUE(failed.isEmpty());
    EXPECT_EQ(answer(model, 8).first, 200);
}

TEST_F(ModelServerTest, aFileThatIsReplacedIsLoadedByTheNextRequest)
{
    const QTemporaryDir folder;
    const QString path = folder.path() + QStringLiteral("/model.gguf");
    const auto put = [&path](const QString &from) {
        QFile::remove(path);
        return QFile::copy(from, path) && QFile::setPermissions(path, QFile::Permissions(0x6644));
    };
    ASSERT_TRUE(put(kStarter));
    ASSERT_TRUE(load(path, 256));
    ASSERT_TRUE(start());
    const auto starter = answer("model", 6);
    EXPECT_EQ(starter.first, 200) << starter.second;
    ASSERT_TRUE(put(kTiny));
    const auto tiny = answer("model", 6);
    EXPECT_EQ(tiny.first, 200) << tiny.second;
    EXPECT_NE(tiny.second, starter.second);
    ASSERT_TRUE(put(kStarter));
    service.reply(job(1, QStringLiteral("What is Fireside?"), 6));
    ASSERT_TRUE(waitForReply(1));
    EXPECT_TRUE(failed.isEmpty()) << qPrintable(failed.value(0).value(1).toString());
    EXPECT_EQ(answer("model", 6), starter);
    ASSERT_TRUE(QFile::remove(path));
    const auto gone = answer("model", 6);
    EXPECT_EQ(gone.first, 503);
    EXPECT_NE(gone.second.find("model.gguf"), std::string::npos) << gone.second;
}

/// A copy of the tiny model whose maker recommends to take the likeliest token always.
QString certainModel(const QString &folder)
{
    QFile tiny(kTiny);
    EXPECT_TRUE(tiny.open(QIODevice::ReadOnly));
    QByteArray bytes = tiny.readAll();
    QByteArray added;
    QDataStream out(&added, QIODevice::WriteOnly);
    out.setByteOrder(QDataStream::LittleEndian);
    const auto text = [&](const QByteArray &value) {
        out << quint64(value.size());
        out.writeRawData(value.constData(), static_cast<int>(value.size()));
    };
    constexpr quint32 kInt32 = 5, kString = 8;
    text("general.sampling.top_k");
    out << kInt32 << qint32(1);
    text("general.note");
    out << kString;
    text(QByteArray(26, '.')); // tensors stay where they are, modulo 32
    EXPECT_EQ(added.size() % 32, 0);
    bytes.insert(24, added);
    bytes[16] = static_cast<char>(bytes[16] + 2); // pairs of metadata
    const QString path = folder + QStringLiteral("/certain.gguf");
    QFile certain(path);
    EXPECT_TRUE(certain.open(QIODevice::WriteOnly));
    certain.write(bytes);
    return path;
}

TEST_F(ModelServerTest, whatProgramsLeaveOpenIsTheModelsThenTheUsers)
{
    const QTemporaryDir folder;
    ASSERT_TRUE(load(certainModel(folder.path())));
    const auto same = [this](const SamplingChoice &choice) {
        settings.on = false;
        service.modelServer().apply(settings, {});
        EXPECT_TRUE(waitFor([&] { return desk().state() == server::ModelDesk::State::Away; }));
        settings.on = true;
        EXPECT_TRUE(start(choice));
        EXPECT_TRUE(waitFor([&] { return desk().state() == server::ModelDesk::State::Open; }));
        const auto reply = [&] {
            auto asked = ask("certain", 32, {}, false);
            const auto [status, said] = wait(asked);
            EXPECT_EQ(status, 200) << said;
            return said;
        };
        return reply() == reply();
    };
    EXPECT_TRUE(same({}));
    SamplingChoice varied;
    varied.own = {{"topK", 0}, {"temperature", 1.5}};
    EXPECT_FALSE(same(varied));
}

TEST_F(ModelServerTest, theWindowsModelChangesAndRestsAndComesBack)
{
    ASSERT_TRUE(start());
    EXPECT_EQ(answer("any", 2).first, 503);
    ASSERT_TRUE(load(kStarter, 256));
    const std::string model = id(kStarter);
    EXPECT_EQ(answer(model, 4).first, 200);
    service.unload();
    ASSERT_TRUE(waitFor([&] { return desk().state() == server::ModelDesk::State::Away; }));
    EXPECT_EQ(answer(model, 4).first, 200) << "it comes back when a program asks";
    ASSERT_TRUE(waitFor([&] { return service.model().residentBytes >= 0; }));
    // A reply in progress ends when the window takes another model.
    auto running = ask(model, 200);
    ASSERT_TRUE(waitFor([&] { return service.modelServer().status().requestsRunning == 1; }));
    ASSERT_TRUE(load(kTiny));
    const auto [status, said] = wait(running);
    EXPECT_TRUE(status == 200 || (status == 503 && said.find("unloaded") != std::string::npos))
        << status << ' ' << said;
    const auto tiny = answer(id(kTiny), 2);
    EXPECT_NE(tiny.first, 404);
    EXPECT_EQ(answer(model, 2), tiny) << "the new model answers under the old name too";
}

TEST_F(ModelServerTest, stopEndsTheWindowsReplyAlone)
{
    ASSERT_TRUE(load(kStarter, 512));
    ASSERT_TRUE(start());
    auto program = ask(id(kStarter), 60);
    service.reply(job(1, QStringLiteral("Tell me a long story about a fire"), 300));
    ASSERT_TRUE(waitFor([&] { return !text.isEmpty(); }));
    service.stop();
    ASSERT_TRUE(waitForReply(1));
    EXPECT_EQ(statsOf(finished.last()).finish, QStringLiteral("stopped"));
    EXPECT_EQ(wait(program).first, 200);
    // What might stand at a place, while the model is shared.
    QSignalSpy choices(&service, &EngineService::choicesFound);
    service.findChoices(job(2, QStringLiteral("Hello")));
    ASSERT_TRUE(waitFor([&] { return !choices.isEmpty(); }));
    EXPECT_EQ(choices[0].at(1).value<QList<TokenChoice>>().size(), 5);
}

TEST_F(ModelServerTest, itSaysWhyItDoesNotRun)
{
    QTcpServer other;
    ASSERT_TRUE(other.listen(QHostAddress::LocalHost));
    settings.port = other.serverPort();
    service.modelServer().apply(settings, {});
    EXPECT_FALSE(service.modelServer().status().running);
    EXPECT_TRUE(service.modelServer().status().problem.contains(
        QStringLiteral("port %1").arg(settings.port)));
    settings.port = freePort();
    settings.host = "0.0.0.0";
    storeServerKey({});
    service.modelServer().apply(settings, {});
    EXPECT_TRUE(service.modelServer().status().problem.contains(QStringLiteral("key")));
    const QString key = newServerKey();
    EXPECT_EQ(storeServerKey(key), QString());
    const QString stored = QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
                           QStringLiteral("/fireside/server-key");
    ASSERT_TRUE(QFile::exists(stored));
    EXPECT_EQ(QFile::permissions(stored) & (QFile::ReadGroup | QFile::ReadOther),
              QFile::Permissions());
    EXPECT_EQ(serverKey(), key);
    service.modelServer().apply(settings, {});
    EXPECT_TRUE(service.modelServer().status().running);
    ModelServer second; // of another program: it gets none of this one's requests
    second.apply(settings, {});
    EXPECT_FALSE(second.status().running);
    EXPECT_TRUE(second.status().problem.contains(QStringLiteral("port %1").arg(settings.port)));
    ASSERT_TRUE(load(kStarter, 256));
    EXPECT_EQ(answer(id(kStarter), 2).first, 401);
    EXPECT_EQ(answer(id(kStarter), 2, key.toStdString()).first, 200);
    service.modelServer().setOffline(true);
    ASSERT_TRUE(waitFor([&] { return !service.modelServer().status().running; }));
    EXPECT_TRUE(waitFor([&] {
        return service.modelServer().status().problem.contains(QStringLiteral("offline"));
    }));
    storeServerKey({});
}

class SharedFaultsTest : public ModelServerTest
{
protected:
    SharedFaultsTest()
        : SharedFaultsTest(std::make_shared<DeviceScript>())
    {}
    const std::shared_ptr<DeviceScript> card;

private:
    explicit SharedFaultsTest(const std::shared_ptr<DeviceScript> &script)
        : ModelServerTest(std::make_unique<EngineService>(fakeEngine(script)))
        , card(script)
    {}
};

TEST_F(SharedFaultsTest, allRepliesGoOnWhenTheCardFails)
{
    ASSERT_TRUE(load(kStarter, 512));
    ASSERT_EQ(service.model().backend, QStringLiteral("vulkan"));
    ASSERT_TRUE(start());
    QSignalSpy moved(&service, &EngineService::moved);
    auto program = ask(id(kStarter), 40);
    service.reply(job(1, QStringLiteral("Tell me about models"), 40));
    ASSERT_TRUE(waitFor([&] { return !text.isEmpty(); }));
    card->fail({.at = DeviceScript::At::Op, .in = 50});
    ASSERT_TRUE(waitForReply(1));
    EXPECT_TRUE(failed.isEmpty()) << qPrintable(failed.value(0).value(1).toString());
    const QString finish = statsOf(finished.last()).finish;
    EXPECT_TRUE(finish == QStringLiteral("end") || finish == QStringLiteral("length"))
        << qPrintable(finish);
    EXPECT_EQ(wait(program).first, 200);
    EXPECT_EQ(moved.size(), 1);
    EXPECT_TRUE(service.model().reason.contains(QStringLiteral("Opened again after it failed")));
}

} // namespace
} // namespace fireside::test
