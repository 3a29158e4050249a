#include "engine/engine.h"
#include "engine_fixture.h"
#include "tests/support/fake_engine.h"
#include "tests/support/golden.h"

#include <QSemaphore>

namespace fireside::test {
namespace {

using At = DeviceScript::At;

/// The engine's thread with a graphics card and a CPU that fail as told.
class WorkerFaultsTest : public EngineTest
{
protected:
    WorkerFaultsTest()
        : WorkerFaultsTest(std::make_shared<DeviceScript>(), std::make_shared<DeviceScript>())
    {}

    /// Float weights: tokens read again in one go give the caches they gave one by one, so that
    /// even draws from a random model stay the same.
    static QString model() { return QString::fromStdString(goldenGguf("f16").string()); }

    bool loadOn(const char *backend = "auto")
    {
        LoadSettings settings;
        settings.backend = backend;
        settings.threads = 2;
        settings.context = 512;
        const qsizetype loads = loaded.size(), failures = loadFailed.size();
        service.loadModel(model(), settings);
        const bool ended =
            waitFor([&] { return loaded.size() > loads || loadFailed.size() > failures; });
        if (!ended || loadFailed.size() == failures)
            return ended && service.hasModel();
        waitFor([&] { return service.state() != EngineState::Loading; }); // the former one is back
        return false;
    }
    /// The whole reply; drawn, so that the random numbers must go on where they were.
    QString reply(qint64 id, int tokens = 40, bool greedy = false)
    {
        ReplyJob drawn = job(id, QStringLiteral("Tell me a story, and then another one"), tokens);
        drawn.sampling.temperature = greedy ? 0 : 0.9;
        drawn.sampling.seed = 7;
        drawn.sampling.logitBias = {"#509=-100", "#511=-100"}; // no end of its own
        service.reply(drawn);
        EXPECT_TRUE(waitForReply(id));
        return textOf(id);
    }
    QString reason() const { return service.model().reason; }
    const DeviceStatus &statusOfCard() const { return service.devices().at(1); }

    std::shared_ptr<DeviceScript> card, cpu;
    QSignalSpy moved;

private:
    WorkerFaultsTest(std::shared_ptr<DeviceScript> theCard, std::shared_ptr<DeviceScript> theCpu)
        : EngineTest(std::make_unique<EngineService>(fakeEngine(theCard, theCpu)))
        , card(theCard)
        , cpu(theCpu)
        , moved(&service, &EngineService::moved)
    {}
};

TEST_F(WorkerFaultsTest, aReplyGoesOnWhereverTheCardIsLost)
{
    ASSERT_TRUE(loadOn());
    ASSERT_EQ(service.model().backend, QStringLiteral("vulkan")) << qPrintable(reason());
    const int opsBefore = card->count(At::Op), passesBefore = card->count(At::Pass);
    const QString whole[] = {reply(1), reply(2, 40, true)};
    const int ops = (card->count(At::Op) - opsBefore) / 2;
    const int passes = (card->count(At::Pass) - passesBefore) / 2;
    ASSERT_GT(ops, 100);
    ASSERT_GE(whole[0].size(), 20);
    qint64 id = 2;
    struct Case
    {
        At at;
        int in;
    };
    for (const Case &c : {Case{At::Op, 1}, Case{At::Op, 5}, Case{At::Op, ops / 2},
                          Case{At::Op, ops - 1}, Case{At::Pass, 1}, Case{At::Pass, 2},
                          Case{At::Pass, passes}, Case{At::Sync, 1}, Case{At::Sync, passes / 2}}) {
        SCOPED_TRACE(testing::Message() << "event " << static_cast<int>(c.at) << ", " << c.in);
        const bool greedy = ++id % 2 == 0;
        // A fresh context each time, as in the undisturbed replies.
        ASSERT_TRUE(loadOn());
        const qsizetype movedBefore = moved.size();
        const int opensBefore = card->count(At::Open);
        card->fail({.at = c.at, .in = c.in});
        EXPECT_EQ(reply(id, 40, greedy), whole[greedy ? 1 : 0]);
        EXPECT_TRUE(failed.isEmpty()) << qPrintable(failed.value(0).value(1).toString());
        ASSERT_EQ(moved.size(), movedBefore + 1);
        EXPECT_EQ(card->count(At::Open), opensBefore + 1) << "opened once more";
        EXPECT_EQ(service.state(), EngineState::Ready);
        EXPECT_EQ(service.model().backend, QStringLiteral("vulkan"));
        EXPECT_TRUE(reason().contains(QStringLiteral("Opened again after it failed")))
            << qPrintable(reason());
        EXPECT_TRUE(reason().contains(QStringLiteral("Test card stopped working")));
        EXPECT_TRUE(statusOfCard().available);
        // A reply that goes through forgives; it also shows that replies work.
        EXPECT_FALSE(reply(100 + id, 5).isEmpty());
        EXPECT_TRUE(failed.isEmpty());
    }
}

TEST_F(WorkerFaultsTest, aCardThatIsLostTwiceIsGivenUpForTheCpu)
{
    ASSERT_TRUE(loadOn());
    const QString whole = reply(1);
    ASSERT_TRUE(loadOn());
    card->fail({.at = At::Op, .in = 60});
    card->fail({.at = At::Op, .in = 200});
    EXPECT_EQ(reply(2), whole);
    EXPECT_TRUE(failed.isEmpty()) << qPrintable(failed.value(0).value(1).toString());
    ASSERT_EQ(moved.size(), 2);
    EXPECT_EQ(moved.last().at(0).value<ModelStatus>().backend, QStringLiteral("cpu"));
    EXPECT_EQ(service.model().backend, QStringLiteral("cpu"));
    EXPECT_TRUE(reason().contains(QStringLiteral("Running on the CPU because")))
        << qPrintable(reason());
    EXPECT_TRUE(reason().contains(QStringLiteral("failed during a reply"))) << qPrintable(reason());
    EXPECT_TRUE(reason().contains(QStringLiteral("Test card stopped working")));
    // The devices' page says it too, and the card stays away.
    EXPECT_FALSE(statusOfCard().available);
    EXPECT_TRUE(statusOfCard().reason.contains(QStringLiteral("failed during a reply")));
    EXPECT_FALSE(reply(3, 5).isEmpty());
    const int opens = card->count(At::Open);
    ASSERT_TRUE(loadOn());
    EXPECT_EQ(service.model().backend, QStringLiteral("cpu"));
    EXPECT_EQ(card->count(At::Open), opens);
    EXPECT_FALSE(loadOn("vulkan"));
    EXPECT_TRUE(
        loadFailed.last().at(1).toString().contains(QStringLiteral("failed during a reply")));
    EXPECT_TRUE(loadOn());
}

TEST_F(WorkerFaultsTest, aCardThatHangsIsNotAskedAgain)
{
    ASSERT_TRUE(loadOn("vulkan")); // also when the user wanted this card and no other
    const QString whole = reply(1);
    ASSERT_TRUE(loadOn("vulkan"));
    const int opens = card->count(At::Open);
    card->fail({.at = At::Sync, .in = 9, .hangs = true});
    EXPECT_EQ(reply(2), whole);
    EXPECT_TRUE(failed.isEmpty()) << qPrintable(failed.value(0).value(1).toString());
    EXPECT_EQ(card->count(At::Open), opens);
    EXPECT_EQ(service.model().backend, QStringLiteral("cpu"));
    EXPECT_FALSE(statusOfCard().available);
}

TEST_F(WorkerFaultsTest, memoryThatRunsOutInAReplyMovesIt)
{
    ASSERT_TRUE(loadOn());
    const QString whole = reply(1, 260); // past the 256 tokens that a cache begins with
    for (const At at : {At::Allocate, At::Copy}) {
        ASSERT_TRUE(loadOn());
        const qsizetype before = moved.size();
        card->fail({.at = at, .in = 1, .kind = ErrorKind::Memory, .times = 2});
        EXPECT_EQ(reply(at == At::Copy ? 2 : 3, 260), whole);
        EXPECT_TRUE(failed.isEmpty()) << qPrintable(failed.value(0).value(1).toString());
        EXPECT_EQ(moved.size(), before + 1);
        EXPECT_TRUE(reason().contains(QStringLiteral("Test card"))) << qPrintable(reason());
        EXPECT_EQ(service.model().backend, QStringLiteral("cpu"));
        EXPECT_TRUE(statusOfCard().available) << "memory may be free again later";
        card->forget();
    }
    ASSERT_TRUE(loadOn());
    EXPECT_EQ(service.model().backend, QStringLiteral("vulkan"));
}

TEST_F(WorkerFaultsTest, whereNothingWorksTheTextStaysAndTheNextLoadWorks)
{
    ASSERT_TRUE(loadOn());
    const QString whole = reply(1);
    ASSERT_TRUE(loadOn());
    card->fail({.at = At::Op, .in = 200});
    card->fail({.at = At::Open, .in = 1, .times = 9});
    cpu->fail({.at = At::Weight, .in = 1, .kind = ErrorKind::Memory});
    const QString part = reply(2);
    EXPECT_FALSE(part.isEmpty());
    EXPECT_TRUE(whole.startsWith(part));
    ASSERT_EQ(failed.size(), 1);
    const QString words = failed.first().at(1).toString();
    EXPECT_TRUE(words.contains(QStringLiteral("stopped working"))) << qPrintable(words);
    EXPECT_TRUE(words.contains(QStringLiteral("no memory left"))) << qPrintable(words);
    ASSERT_EQ(loadFailed.size(), 1); // the window is told that there is no model now
    EXPECT_EQ(loadFailed.first().at(0).toString(), model());
    EXPECT_FALSE(service.hasModel());
    EXPECT_EQ(service.state(), EngineState::NoModel);
    card->forget();
    cpu->forget();
    ASSERT_TRUE(loadOn());
    EXPECT_EQ(reply(3), whole);
}

TEST_F(WorkerFaultsTest, aStopWhileTheModelMovesEndsTheReplyNotTheModel)
{
    QSemaphore stopped;
    card->seen = [&](At at, int count) {
        if (at != At::Open || count != 3)
            return;
        QMetaObject::invokeMethod(&service, [&] {
            service.stop();
            stopped.release();
        });
        stopped.acquire();
    };
    ASSERT_TRUE(loadOn());
    const QString whole = reply(1);
    ASSERT_TRUE(loadOn());
    card->fail({.at = At::Op, .in = 200});
    const QString part = reply(2);
    ASSERT_EQ(finished.size(), 2) << qPrintable(failed.value(0).value(1).toString());
    EXPECT_EQ(statsOf(finished.last()).finish, QStringLiteral("stopped"));
    EXPECT_FALSE(part.isEmpty());
    EXPECT_TRUE(whole.startsWith(part));
    EXPECT_LT(part.size(), whole.size());
    EXPECT_TRUE(service.hasModel());
    EXPECT_TRUE(moved.isEmpty());
    EXPECT_EQ(reply(3), whole); // brought back by the next reply
    EXPECT_EQ(moved.size(), 1);
    EXPECT_TRUE(loadFailed.isEmpty());
}

TEST_F(WorkerFaultsTest, aLoadThatFailsOnTheCardGoesToTheCpu)
{
    for (const At at : {At::Open, At::Weight, At::Finish, At::Allocate}) {
        for (const ErrorKind kind : {ErrorKind::Device, ErrorKind::Memory}) {
            SCOPED_TRACE(testing::Message() << "event " << static_cast<int>(at) << ", error "
                                            << static_cast<int>(kind));
            card->fail({.at = at, .in = 1, .kind = kind, .times = 20});
            ASSERT_TRUE(loadOn()) << qPrintable(loadFailed.value(0).value(1).toString());
            EXPECT_EQ(service.model().backend, QStringLiteral("cpu"));
            EXPECT_TRUE(reason().contains(QStringLiteral("Test card"))) << qPrintable(reason());
            card->forget();
            EXPECT_FALSE(reply(static_cast<qint64>(finished.size()) + 1, 3).isEmpty());
            // Chosen by name, the same is said and nothing is loaded.
            card->fail({.at = at, .in = 1, .kind = kind, .times = 20});
            EXPECT_FALSE(loadOn("vulkan"));
            EXPECT_TRUE(loadFailed.last().at(1).toString().contains(QStringLiteral("Test card")));
            EXPECT_EQ(service.model().backend, QStringLiteral("cpu")) << "the former one";
            card->forget();
            ASSERT_TRUE(loadOn("vulkan")) << "the next load works";
            EXPECT_EQ(service.model().backend, QStringLiteral("vulkan"));
        }
    }
}

} // namespace
} // namespace fireside::test
