// The far end is this program's own server with the starter model.
#include "tests/server/running_server.h"
#include "wire_fixture.h"

#include "app/runtime/engine_service.h"

#include <QSignalSpy>

#include <gtest/gtest.h>

namespace fireside::test {
namespace {

class OwnServerTest : public testing::Test
{
protected:
    OwnServerTest()
    {
        server::ServerOptions options;
        options.guard.keys = {{{}, "a-key-of-sixteen-letters"}};
        far = std::make_unique<RunningServer>(options);
        engine.setElsewhere(&remote);
    }
    bool load(const QByteArray &key)
    {
        RemoteServer own;
        own.address = QUrl(QStringLiteral("http://127.0.0.1:%1/v1").arg(far->port()));
        own.key = KeyPlace::Session;
        const qsizetype before = remote.servers().all().size();
        const QString id = remote.servers().store(own, key);
        EXPECT_TRUE(waitFor([&] { return remote.servers().all().size() > before; }));
        QSignalSpy loaded(&engine, &EngineService::loaded),
            failed(&engine, &EngineService::loadFailed);
        engine.loadModel(remotePath(id, QStringLiteral("starter")), {});
        EXPECT_TRUE(waitFor([&] { return loaded.size() + failed.size() > 0; }));
        if (!failed.isEmpty())
            failure = failed.last().at(1).toString();
        return !loaded.isEmpty();
    }

    std::unique_ptr<RunningServer> far;
    NoServers none;
    Connections connections;
    RemoteModels remote{connections,
                        std::make_unique<FakeKeyring>(std::make_shared<FakeKeyring::State>()),
                        hasty()};
    EngineService engine;
    QString failure;
};

TEST_F(OwnServerTest, AnswersWithAllSettingsAndCountsThem)
{
    ASSERT_TRUE(load("a-key-of-sixteen-letters")) << failure.toStdString();
    EXPECT_EQ(engine.model().context, 256);
    EXPECT_TRUE(engine.model().device.startsWith(QLatin1String("Fireside at")));
    QSignalSpy text(&engine, &EngineService::textAdded),
        finished(&engine, &EngineService::replyFinished),
        failed(&engine, &EngineService::replyFailed);
    ReplyJob job;
    job.id = 7;
    job.messages = {{QStringLiteral("user"), QStringLiteral("Who are you?")}};
    job.sampling.temperature = 0;
    job.sampling.repeatPenalty = 1.05;
    job.sampling.maxTokens = 12;
    job.sampling.stopStrings = {"zzz"};
    job.sampling.thinking = "off";
    engine.reply(job);
    ASSERT_TRUE(waitFor([&] { return finished.size() + failed.size() > 0; }));
    ASSERT_TRUE(failed.isEmpty()) << failed[0].at(1).toString().toStdString();
    const auto stats = finished[0].at(1).value<ReplyStats>();
    EXPECT_GT(stats.promptTokens, 4);
    EXPECT_GT(stats.generatedTokens, 4);
    EXPECT_LE(stats.generatedTokens, 12);
    EXPECT_TRUE(stats.unsent.isEmpty()) << stats.unsent.join(QLatin1Char(' ')).toStdString();
    EXPECT_FALSE(text.isEmpty());

    // Too long for it: its own words and figures lead to the question.
    QSignalSpy full(&engine, &EngineService::contextFull);
    for (int i = 0; i < 20; ++i) {
        job.messages.append(
            {QStringLiteral("assistant"), QStringLiteral("I am a small model here.")});
        job.messages.append(
            {QStringLiteral("user"), QStringLiteral("And what do you know about it?")});
    }
    job.dropOldest = false;
    engine.reply(job);
    ASSERT_TRUE(waitFor([&] { return finished.size() + failed.size() > 1; }));
    ASSERT_EQ(full.size(), 1) << failed.last().at(1).toString().toStdString();
    EXPECT_GT(full[0].at(1).value<ContextShortage>().tokens, 256);
    job.dropOldest = true;
    QSignalSpy trimmed(&engine, &EngineService::contextTrimmed);
    engine.reply(job);
    ASSERT_TRUE(waitFor([&] { return finished.size() + failed.size() > 2; }));
    EXPECT_EQ(finished.size(), 2) << failed.last().at(1).toString().toStdString();
    EXPECT_GE(trimmed.size(), 1);
}

TEST_F(OwnServerTest, RefusesAWrongKey)
{
    EXPECT_FALSE(load("another-key-of-letters"));
    EXPECT_TRUE(failure.contains(QLatin1String("does not accept the key")))
        << failure.toStdString();
}

} // namespace
} // namespace fireside::test
