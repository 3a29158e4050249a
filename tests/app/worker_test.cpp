#include "app/runtime/engine_worker.h"
#include "engine_fixture.h"

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

namespace fireside::test {
namespace {

class WorkerTest : public EngineTest
{};

QString longText(int words)
{
    QString text;
    for (int i = 0; i < words; ++i)
        text += QStringLiteral("word%1 ").arg(i % 97);
    return text;
}

TEST_F(WorkerTest, reportsDevicesOnce)
{
    QSignalSpy devices(&service, &EngineService::devicesChanged);
    EXPECT_EQ(service.state(), EngineState::Starting);
    service.start();
    service.start();
    ASSERT_TRUE(waitFor([&] { return !devices.isEmpty(); }));
    EXPECT_EQ(service.state(), EngineState::NoModel);
    ASSERT_FALSE(service.devices().isEmpty());
    EXPECT_EQ(service.devices().first().id, QStringLiteral("cpu"));
    EXPECT_TRUE(service.devices().first().available);
    EXPECT_FALSE(service.devices().first().reason.isEmpty());
    service.reply(job(1, QStringLiteral("hello")));
    ASSERT_EQ(failed.size(), 1) << "no model is loaded";
    EXPECT_EQ(failed.last().at(0).toLongLong(), 1);
}

TEST_F(WorkerTest, loadsAndAnswers)
{
    ASSERT_TRUE(load(kStarter));
    const ModelStatus &model = service.model();
    EXPECT_TRUE(model.builtIn);
    EXPECT_TRUE(model.hasTemplate);
    EXPECT_EQ(model.backend, QStringLiteral("cpu"));
    EXPECT_FALSE(model.reason.isEmpty());
    EXPECT_FALSE(model.fingerprint.isEmpty());
    EXPECT_EQ(model.context, 2048);
    EXPECT_EQ(model.fileBytes, QFileInfo(kStarter).size());

    service.reply(job(1, QStringLiteral("How do I add a model?"), 200));
    EXPECT_EQ(service.state(), EngineState::Replying);
    ASSERT_TRUE(waitForReply(1));
    ASSERT_EQ(finished.size(), 1) << qPrintable(failed.value(0).value(1).toString());
    EXPECT_EQ(service.state(), EngineState::Ready);
    EXPECT_TRUE(textOf(1).contains(QStringLiteral("model"))) << qPrintable(textOf(1));
    const ReplyStats stats = statsOf(finished.first());
    EXPECT_EQ(stats.finish, QStringLiteral("end"));
    EXPECT_GT(stats.promptTokens, 0);
    EXPECT_GT(stats.generatedTokens, 0);
    EXPECT_GT(stats.residentBytes, 0);
    EXPECT_EQ(stats.contextTotal, 2048);
    // At most one signal per 40 ms, so fewer than tokens; and the seed is told.
    EXPECT_LE(text.size(), stats.generatedTokens);
    EXPECT_GE(stats.seed, 0);
}

TEST_F(WorkerTest, theWordsThatWaitAreSentAtTheEnd)
{
    constexpr int kForever = 1 << 30;
    QStringList sent[2]; // at once, and as few times as possible
    for (const int milliseconds : {0, kForever}) {
        EngineWorker worker{EngineOptions{}};
        worker.collectWordsFor(milliseconds);
        QStringList &own = sent[milliseconds == 0 ? 0 : 1];
        QObject::connect(&worker, &EngineWorker::textAdded, &worker,
                         [&own](qint64, const QString &words) { own += words; });
        LoadSettings settings;
        settings.threads = 2;
        worker.load(1, kStarter, settings, {});
        worker.reply(job(1, QStringLiteral("Who are you?"), 24), {});
    }
    EXPECT_EQ(sent[1].size(), 2) << "the first words and all others";
    EXPECT_GT(sent[0].size(), 2);
    EXPECT_EQ(sent[1].join(QString()), sent[0].join(QString()));
}

TEST_F(WorkerTest, anotherWorkerTakesOverWhatWasKept)
{
    const auto cache = std::make_shared<PrefixCache>(PrefixCache::Options{.always = true});
    QList<ReplyStats> stats;
    for (const int round : {0, 1, 2}) {
        EngineWorker worker{EngineOptions{}, round < 2 ? cache : nullptr};
        QObject::connect(&worker, &EngineWorker::replyFinished, &worker,
                         [&](qint64, const ReplyStats &one) { stats += one; });
        LoadSettings settings;
        settings.threads = 2;
        worker.load(1, kStarter, settings, {});
        worker.reply(job(1, longText(120)), {});
    }
    ASSERT_EQ(stats.size(), 3);
    EXPECT_EQ(stats[0].reusedTokens, 0);
    EXPECT_EQ(stats[1].reusedTokens, stats[1].promptTokens - 1);
    EXPECT_EQ(stats[2].reusedTokens, 0);
}

TEST_F(WorkerTest, whatIsKeptIsShownLimitedAndCleared)
{
    const QTemporaryDir folder;
    EngineService own({.cacheFolder = folder.path().toStdString()});
    EXPECT_EQ(own.cacheUsage().folder, folder.path() + QStringLiteral("/chats"));
    EXPECT_EQ(own.cacheUsage().tokens, 0);
    own.setCacheLimit(-5);
    own.clearCache();
    EXPECT_EQ(own.cacheUsage().diskBytes, 0);
    EXPECT_EQ(service.cacheUsage().problem, QString());
}

TEST_F(WorkerTest, theNextTurnReusesTheCache)
{
    ASSERT_TRUE(load(kStarter));
    ReplyJob first = job(1, QStringLiteral("Who are you?"), 40);
    service.reply(first);
    ASSERT_TRUE(waitForReply(1));
    ReplyJob second = first;
    second.id = 2;
    second.messages.append({QStringLiteral("assistant"), textOf(1)});
    second.messages.append({QStringLiteral("user"), QStringLiteral("And how do I add a model?")});
    service.reply(second);
    ASSERT_TRUE(waitForReply(2));
    ASSERT_EQ(finished.size(), 2);
    EXPECT_GE(statsOf(finished.last()).reusedTokens, statsOf(finished.first()).promptTokens - 1);
}

TEST_F(WorkerTest, theSameSeedGivesTheSameWordsAndMinusOneANewOne)
{
    ASSERT_TRUE(load(kStarter));
    ReplyJob random = job(1, QStringLiteral("Tell me a story"), 24);
    random.sampling.temperature = 1.2;
    service.reply(random);
    ASSERT_TRUE(waitForReply(1));
    random.id = 2;
    random.sampling.seed = statsOf(finished.first()).seed;
    service.reply(random);
    ASSERT_TRUE(waitForReply(2));
    EXPECT_EQ(textOf(1), textOf(2));
    random.id = 3;
    random.sampling.seed = -1;
    service.reply(random);
    ASSERT_TRUE(waitForReply(3));
    EXPECT_NE(statsOf(finished.at(2)).seed, statsOf(finished.at(0)).seed);
    for (const qint64 seed : {7, 0}) { // small ones, as people type them
        random.id += 1;
        random.sampling.seed = seed;
        service.reply(random);
        ASSERT_TRUE(waitForReply(random.id));
        EXPECT_EQ(statsOf(finished.last()).seed, seed);
    }
}

TEST_F(WorkerTest, refusesWithoutAModelAndDuringAReply)
{
    service.reply(job(1, QStringLiteral("hello")));
    ASSERT_EQ(failed.size(), 1);
    ASSERT_TRUE(load(kStarter));
    service.reply(job(2, QStringLiteral("Tell me a story"), 0));
    service.reply(job(3, QStringLiteral("hello")));
    EXPECT_EQ(failed.size(), 2);
    EXPECT_EQ(failed.last().at(0).toLongLong(), 3);
    service.stop();
    EXPECT_TRUE(waitForReply(2));
    EXPECT_EQ(finished.size(), 1);
}

TEST_F(WorkerTest, stopKeepsTheWordsSoFar)
{
    ASSERT_TRUE(load(endlessModel(), kEndlessContext));
    service.reply(job(1, QStringLiteral("go"), 0));
    ASSERT_TRUE(waitFor([&] { return text.size() >= 2; }));
    service.stop();
    EXPECT_EQ(service.state(), EngineState::Stopping);
    ASSERT_TRUE(waitForReply(1));
    ASSERT_EQ(finished.size(), 1);
    EXPECT_EQ(statsOf(finished.first()).finish, QStringLiteral("stopped"));
    EXPECT_FALSE(textOf(1).isEmpty());
    EXPECT_EQ(service.state(), EngineState::Ready);
    service.reply(job(2, QStringLiteral("go"), 4));
    EXPECT_TRUE(waitForReply(2));
    EXPECT_EQ(finished.size(), 2);
}

TEST_F(WorkerTest, filesThatAreNoModelsAreRefused)
{
    const QString folder = newFolder();
    writeFile(folder + QStringLiteral("/text.gguf"), "no model");
    writeFile(folder + QStringLiteral("/empty.gguf"), {});
    for (const char *name : {"/text.gguf", "/empty.gguf", "/missing.gguf", ""}) {
        const qsizetype before = loadFailed.size();
        EXPECT_FALSE(load(folder + QString::fromLatin1(name))) << name;
        ASSERT_EQ(loadFailed.size(), before + 1);
        EXPECT_FALSE(loadFailed.last().at(1).toString().isEmpty());
        EXPECT_FALSE(loadFailed.last().at(2).toBool());
        EXPECT_EQ(service.state(), EngineState::NoModel);
    }
    LoadSettings settings;
    settings.backend = "warp";
    service.loadModel(kTiny, settings);
    ASSERT_TRUE(waitFor([&] { return loadFailed.size() == 5; }));
    EXPECT_TRUE(loadFailed.last().at(1).toString().contains(QStringLiteral("warp")));
    EXPECT_TRUE(load(kTiny));
}

TEST_F(WorkerTest, aFailedLoadBringsTheFormerModelBack)
{
    ASSERT_TRUE(load(kTiny, 128));
    bool restoring = false;
    QObject::connect(&service, &EngineService::loadFailed, &service,
                     [&] { restoring = service.restoring(); });
    service.loadModel(QStringLiteral("/nowhere/none.gguf"), {});
    ASSERT_TRUE(waitFor([&] { return loaded.size() == 2; }));
    EXPECT_TRUE(restoring);
    EXPECT_FALSE(service.restoring());
    EXPECT_EQ(service.model().path, kTiny);
    EXPECT_EQ(service.model().context, 128) << "as it was loaded";
    EXPECT_FALSE(service.loadFailure().message.isEmpty());
    service.reply(job(1, QStringLiteral("go"), 2));
    ASSERT_TRUE(waitForReply(1));
    EXPECT_TRUE(failed.isEmpty());
    // With other settings it is the former one, too.
    LoadSettings settings;
    settings.backend = "warp";
    service.loadModel(kTiny, settings);
    ASSERT_TRUE(waitFor([&] { return loaded.size() == 3; }));
    EXPECT_EQ(service.model().context, 128);
    // A load that is superseded brings nothing back.
    const qsizetype failures = loadFailed.size();
    service.loadModel(QStringLiteral("/nowhere/none.gguf"), {});
    service.loadModel(kStarter, {});
    ASSERT_TRUE(waitFor([&] { return loaded.size() == 4; }));
    EXPECT_EQ(loadFailed.size(), failures + 1);
    EXPECT_EQ(service.model().path, kStarter);
}

TEST_F(WorkerTest, ofTwoLoadsOnlyTheSecondCounts)
{
    service.loadModel(kStarter, {});
    service.loadModel(kTiny, {});
    ASSERT_TRUE(waitFor([&] { return !loaded.isEmpty(); }));
    EXPECT_EQ(loaded.size(), 1);
    EXPECT_EQ(service.model().path, kTiny);
    ASSERT_EQ(loadFailed.size(), 1);
    EXPECT_EQ(loadFailed.first().at(0).toString(), kStarter);
    EXPECT_TRUE(loadFailed.first().at(2).toBool());
}

TEST_F(WorkerTest, switchingDuringAReplyEndsItAndLoads)
{
    ASSERT_TRUE(load(endlessModel(), kEndlessContext));
    service.reply(job(1, QStringLiteral("go"), 0));
    ASSERT_TRUE(waitFor([&] { return !text.isEmpty(); }));
    ASSERT_TRUE(load(kStarter));
    ASSERT_EQ(finished.size(), 1);
    EXPECT_EQ(statsOf(finished.first()).finish, QStringLiteral("stopped"));
    service.reply(job(2, QStringLiteral("Who are you?"), 8));
    ASSERT_TRUE(waitForReply(2));
}

TEST_F(WorkerTest, shutdownEndsAReplyAndDeliversItsLastWords)
{
    ASSERT_TRUE(load(endlessModel(), kEndlessContext));
    service.reply(job(1, QStringLiteral("go"), 0));
    ASSERT_TRUE(waitFor([&] { return !text.isEmpty(); }));
    service.shutdown();
    EXPECT_TRUE(service.shutDownCleanly());
    ASSERT_EQ(finished.size(), 1);
    EXPECT_EQ(statsOf(finished.first()).finish, QStringLiteral("stopped"));
    service.loadModel(kTiny, {}); // too late, and harmless
    service.reply(job(2, QStringLiteral("go")));
    service.stop();
    service.shutdown();
}

TEST_F(WorkerTest, longChatsAreTrimmedVisibly)
{
    ASSERT_TRUE(load(kStarter, 512));
    ReplyJob chat = job(1, QStringLiteral("And now: who are you?"), 8);
    QList<TurnMessage> messages{{QStringLiteral("system"), QStringLiteral("Be brief.")}};
    for (int i = 0; i < 12; ++i) {
        messages.append({QStringLiteral("user"), longText(20)});
        messages.append({QStringLiteral("assistant"), longText(10)});
    }
    chat.messages = messages + chat.messages;
    service.reply(chat);
    ASSERT_TRUE(waitForReply(1));
    ASSERT_EQ(finished.size(), 1) << qPrintable(failed.value(0).value(1).toString());
    ASSERT_EQ(trimmed.size(), 1);
    const int firstSeen = trimmed.first().at(1).toInt();
    EXPECT_GT(firstSeen, 1);
    EXPECT_EQ(chat.messages[firstSeen].role, QStringLiteral("user"));
    EXPECT_LE(statsOf(finished.first()).promptTokens, 512 - 128);

    chat.id = 2;
    chat.dropOldest = false;
    service.reply(chat);
    ASSERT_TRUE(waitForReply(2));
    ASSERT_EQ(failed.size(), 1);
    EXPECT_TRUE(failed.first().at(1).toString().contains(QStringLiteral("512")));

    service.reply(job(3, longText(2000), 8));
    ASSERT_TRUE(waitForReply(3));
    ASSERT_EQ(failed.size(), 2);
    EXPECT_TRUE(failed.last().at(1).toString().contains(QStringLiteral("too long")));
    EXPECT_EQ(service.state(), EngineState::Ready);
}

TEST_F(WorkerTest, aFileThatChangesDuringAReplyEndsIt)
{
    const QString path = newFolder() + QStringLiteral("/model.gguf");
    ASSERT_TRUE(QFile::copy(endlessModel(), path));
    QFile::setPermissions(path, QFile::Permissions(0x6644));
    ASSERT_TRUE(load(path, kEndlessContext));
    service.reply(job(1, QStringLiteral("go"), 0));
    ASSERT_TRUE(waitFor([&] { return !text.isEmpty(); }));
    ASSERT_TRUE(QFile::resize(path, 4096));
    ASSERT_TRUE(waitForReply(1));
    ASSERT_EQ(failed.size(), 1);
    EXPECT_TRUE(failed.first().at(1).toString().contains(QStringLiteral("changed on disk")));
    EXPECT_FALSE(textOf(1).isEmpty());
    // Whole again: loaded again.
    ASSERT_TRUE(waitFor([&] { return service.resting(); }));
    ASSERT_TRUE(QFile::remove(path) && QFile::copy(endlessModel(), path));
    QFile::setPermissions(path, QFile::Permissions(0x6644));
    service.reply(job(2, QStringLiteral("go"), 4));
    ASSERT_TRUE(waitForReply(2));
    EXPECT_EQ(failed.size(), 1) << qPrintable(failed.value(1).value(1).toString());
    EXPECT_FALSE(textOf(2).isEmpty());
    EXPECT_FALSE(service.resting());
    // Replaced between two messages: the next one loads the new file at once.
    ASSERT_TRUE(QFile::remove(path) && QFile::copy(kTiny, path));
    QFile::setPermissions(path, QFile::Permissions(0x6644));
    service.reply(job(3, QStringLiteral("go"), 4));
    ASSERT_TRUE(waitForReply(3));
    EXPECT_EQ(failed.size(), 1) << qPrintable(failed.value(1).value(1).toString());
    EXPECT_FALSE(service.resting());
    // And not: the model is gone, and the reason is there.
    ASSERT_TRUE(QFile::resize(path, 4096));
    service.reply(job(4, QStringLiteral("go"), 4));
    ASSERT_TRUE(waitForReply(4));
    EXPECT_EQ(failed.size(), 2);
    EXPECT_FALSE(service.hasModel());
    EXPECT_EQ(service.loadFailure().path, path);
    EXPECT_TRUE(load(kTiny));
    service.reply(job(5, QStringLiteral("go"), 4));
    ASSERT_TRUE(waitForReply(5));
    EXPECT_EQ(failed.size(), 2);
}

} // namespace
} // namespace fireside::test
