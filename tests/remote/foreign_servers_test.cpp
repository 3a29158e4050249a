// Servers that others wrote: aimock out of npm, which plays what a script says, and any that runs
// at FIRESIDE_FOREIGN_SERVER ("http://127.0.0.1:8080/v1", a model's name behind a space).
#include "tests/support/require.h"
#include "wire_fixture.h"

#include "app/runtime/engine_service.h"

#include <QFileInfo>
#include <QProcess>
#include <QProcessEnvironment>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace fireside::test {
namespace {

struct ForeignAnswer
{
    QString text, failure;
    ReplyStats stats;
    QList<MessagePart> parts;
    bool full = false;
    QString of(MessagePart::Kind kind) const
    {
        QString all;
        for (const MessagePart &part : parts)
            if (part.kind == kind)
                all += part.name + text.mid(part.start, part.length);
        return kind == MessagePart::Call ? all.remove(QRegularExpression(QStringLiteral("\\s")))
                                         : all;
    }
};

class ForeignServersTest : public testing::Test
{
protected:
    ForeignServersTest() { engine.setElsewhere(&remote); }

    /// Adds the server and loads the model, its first where none is named; false: see failure.
    bool use(const QString &address, QString model = {}, const QStringList &headers = {})
    {
        RemoteServer server;
        for (const QString &header : headers)
            server.headers.append(
                {header.section(u'=', 0, 0).toUtf8(), header.section(u'=', 1).toUtf8()});
        server.address = QUrl(address);
        const QString id = remote.servers().store(server, std::nullopt);
        EXPECT_TRUE(waitFor([this] { return !remote.servers().all().isEmpty(); }));
        remote.refresh();
        EXPECT_TRUE(waitFor([&] { return !remote.modelsOf(id).asked; }));
        listing = remote.modelsOf(id).listing;
        if (model.isEmpty() && !listing.models.isEmpty())
            model = listing.models.first().name;
        QSignalSpy loaded(&engine, &EngineService::loaded),
            failed(&engine, &EngineService::loadFailed);
        engine.loadModel(remotePath(id, model), {});
        EXPECT_TRUE(waitFor([&] { return loaded.size() + failed.size() > 0; }));
        if (!failed.isEmpty())
            failure = failed.last().at(1).toString();
        return !loaded.isEmpty();
    }
    static ReplyJob job(const QString &text, int most = 24)
    {
        ReplyJob one;
        one.id = 1;
        one.messages = {{QStringLiteral("user"), text}};
        one.sampling.maxTokens = most;
        one.sampling.temperature = 0;
        return one;
    }
    /// stopAfter: characters after which it is stopped; −1: not.
    ForeignAnswer ask(const ReplyJob &job, int stopAfter = -1)
    {
        ForeignAnswer answer;
        QSignalSpy finished(&engine, &EngineService::replyFinished),
            failed(&engine, &EngineService::replyFailed),
            full(&engine, &EngineService::contextFull);
        QObject scope;
        QObject::connect(&engine, &EngineService::textAdded, &scope,
                         [&](qint64, const QString &text) {
                             answer.text += text;
                             if (stopAfter >= 0 && answer.text.size() >= stopAfter)
                                 engine.stop();
                         });
        QObject::connect(&engine, &EngineService::partsChanged, &scope,
                         [&](qint64, const QList<MessagePart> &parts) { answer.parts = parts; });
        engine.reply(job);
        EXPECT_TRUE(waitFor([&] { return finished.size() + failed.size() > 0; }));
        if (!failed.isEmpty())
            answer.failure = failed.last().at(1).toString();
        else
            answer.stats = finished.last().at(1).value<ReplyStats>();
        answer.full = !full.isEmpty();
        return answer;
    }

    NoServers none;
    Connections connections;
    RemoteModels remote{connections,
                        std::make_unique<FakeKeyring>(std::make_shared<FakeKeyring::State>()),
                        hasty()};
    EngineService engine;
    ModelListing listing;
    QString failure;
};

ToolOffer weatherTool()
{
    return {QStringLiteral("get_weather"), QStringLiteral("Weather of a town"),
            QStringLiteral(R"({"type":"object","properties":{"town":{"type":"string"}}})")};
}

/// What aimock answers to which message.
constexpr const char *kScript = R"({"fixtures":[
 {"match":{"userMessage":"hello"},"response":{"content":"Grüß Gott, hello there, how are you today?"},
  "chunkSize":3},
 {"match":{"userMessage":"think"},"response":{"content":"Four.","reasoning":"Two and two."}},
 {"match":{"userMessage":"weather"},"response":{"toolCalls":[
   {"name":"get_weather","arguments":"{\"town\":\"Ulm\"}"},
   {"name":"get_weather","arguments":"{\"town\":\"Bonn\"}"}]}},
 {"match":{"userMessage":"long"},"response":{"content":"one two three four five six seven eight nine ten"},
  "chunkSize":2,"latency":20},
 {"match":{"userMessage":"cut"},"response":{"content":"This answer never comes to its end."},
  "chunkSize":4,"latency":20,"truncateAfterChunks":4},
 {"match":{"userMessage":"refuse"},"response":{"error":{"message":"No such luck","type":"invalid_request_error"},
  "status":400}},
 {"match":{"userMessage":"broken"},"chaos":{"malformedRate":1},"response":{"content":"x"}}]})";

class AimockTest : public ForeignServersTest
{
protected:
    void SetUp() override
    {
        const QString folder = qEnvironmentVariable("FIRESIDE_NODE_CLIENTS");
        const QString start =
            folder + QStringLiteral("/node_modules/@copilotkit/aimock/dist/cli.js");
        if (folder.isEmpty() || !QFileInfo::exists(start))
            FIRESIDE_SKIP("FIRESIDE_NODE_CLIENTS names no folder with aimock");
        QFile script(home.filePath(QStringLiteral("script.json")));
        ASSERT_TRUE(script.open(QIODevice::WriteOnly));
        script.write(kScript);
        script.close();
        QProcessEnvironment variables = QProcessEnvironment::systemEnvironment();
        variables.remove(QStringLiteral("LD_PRELOAD")); // of the sanitizers' run
        process.setProcessEnvironment(variables);
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(QStringLiteral("node"), {start, QStringLiteral("-p"), QStringLiteral("0"),
                                               QStringLiteral("-f"), script.fileName()});
        static const QRegularExpression address(QStringLiteral("http://[^\\s:]+:(\\d+)"));
        QString said;
        ASSERT_TRUE(waitFor([&] {
            said += QString::fromUtf8(process.readAll());
            return process.state() == QProcess::NotRunning || address.match(said).hasMatch();
        }));
        const QString port = address.match(said).captured(1);
        ASSERT_TRUE(use(QStringLiteral("http://127.0.0.1:%1/v1").arg(port)))
            << qPrintable(failure) << qPrintable(said);
    }
    void TearDown() override
    {
        process.kill();
        process.waitForFinished();
    }
    QTemporaryDir home;
    QProcess process;
};

TEST_F(AimockTest, IsUnderstood)
{
    EXPECT_FALSE(listing.models.isEmpty());
    const ForeignAnswer hello = ask(job(QStringLiteral("hello")));
    EXPECT_EQ(hello.text, QStringLiteral("Grüß Gott, hello there, how are you today?"));
    EXPECT_EQ(hello.stats.finish, QStringLiteral("end"));
    EXPECT_GT(hello.stats.generatedTokens, 0);

    const ForeignAnswer thinks = ask(job(QStringLiteral("think")));
    EXPECT_EQ(thinks.of(MessagePart::Reasoning), QStringLiteral("Two and two."));
    EXPECT_EQ(thinks.of(MessagePart::Text), QStringLiteral("Four."));

    ReplyJob tools = job(QStringLiteral("weather"));
    tools.tools = {weatherTool()};
    EXPECT_EQ(ask(tools).of(MessagePart::Call),
              QStringLiteral(R"(get_weather{"town":"Ulm"}get_weather{"town":"Bonn"})"));

    const ForeignAnswer stopped = ask(job(QStringLiteral("long")), 3);
    EXPECT_EQ(stopped.stats.finish, QStringLiteral("stopped"));
    EXPECT_TRUE(stopped.text.startsWith(QLatin1String("one")));

    const ForeignAnswer cut = ask(job(QStringLiteral("cut")));
    EXPECT_TRUE(cut.failure.contains(QLatin1String("cut the connection")))
        << qPrintable(cut.failure);
    EXPECT_TRUE(cut.text.startsWith(QLatin1String("This"))) << qPrintable(cut.text);
    EXPECT_TRUE(ask(job(QStringLiteral("refuse"))).failure.contains(QLatin1String("No such luck")));
    EXPECT_FALSE(ask(job(QStringLiteral("broken"))).failure.isEmpty());
    EXPECT_EQ(ask(job(QStringLiteral("hello"))).text, hello.text); // as if nothing had been
}

/// Prints what it does; models differ, so that only the way of it is checked.
TEST_F(ForeignServersTest, OneThatRuns)
{
    const QStringList named = qEnvironmentVariable("FIRESIDE_FOREIGN_SERVER").split(u' ');
    if (named.first().isEmpty())
        FIRESIDE_SKIP("FIRESIDE_FOREIGN_SERVER names none");
    ASSERT_TRUE(
        use(named.first(), named.value(1) == u"-" ? QString() : named.value(1), named.mid(2)))
        << qPrintable(failure);
    for (const OfferedModel &model : listing.models)
        std::printf("model %s, context %d, %s\n", qPrintable(model.name), model.context,
                    qPrintable(nameOf(model.kind)));
    const auto tell = [](const char *what, const ForeignAnswer &answer) {
        std::printf("%-10s %s | %s | %d read (%d reused), %d written | left out: %s | %s\n", what,
                    qPrintable(answer.text.left(60).simplified()), qPrintable(answer.stats.finish),
                    answer.stats.promptTokens, answer.stats.reusedTokens,
                    answer.stats.generatedTokens, qPrintable(answer.stats.unsent.join(u',')),
                    qPrintable(answer.failure));
    };
    ReplyJob all = job(QStringLiteral("What is Fireside?"));
    all.sampling.topK = 20;
    all.sampling.minP = 0.05F;
    all.sampling.repeatPenalty = 1.1F;
    const ForeignAnswer streamed = ask(all);
    tell("streams", streamed);
    EXPECT_TRUE(streamed.failure.isEmpty());
    EXPECT_FALSE(streamed.text.isEmpty());
    tell("again", ask(all));
    ReplyJob stops = job(QStringLiteral("What is Fireside?"), 200);
    stops.sampling.stopStrings = {"e"};
    const ForeignAnswer atString = ask(stops);
    tell("stop", atString);
    EXPECT_FALSE(atString.text.contains(u'e'));
    const ForeignAnswer stopped = ask(job(QStringLiteral("Tell a long story."), 4000), 5);
    tell("stopped", stopped);
    EXPECT_TRUE(stopped.failure.isEmpty());
    ReplyJob tools = job(QStringLiteral("What is the weather in Ulm?"));
    tools.tools = {weatherTool()};
    tell("tools", ask(tools));
    ReplyJob answered = tools;
    answered.messages.append({QStringLiteral("assistant"),
                              QString(),
                              {},
                              {{QStringLiteral("get_weather"), QStringLiteral(R"({"town":"Ulm"})"),
                                QStringLiteral("call_1")}}});
    answered.messages.append({QStringLiteral("tool"),
                              QStringLiteral("Rain"),
                              {},
                              {{QStringLiteral("get_weather"), {}, QStringLiteral("call_1")}}});
    tell("result", ask(answered));
    ReplyJob long_ = job(QStringLiteral("word ").repeated(40'000));
    long_.dropOldest = false;
    const ForeignAnswer tooLong = ask(long_);
    tell("too long", tooLong);
    std::printf("           asked about: %s\n", tooLong.full ? "yes" : "no");
}

} // namespace
} // namespace fireside::test
