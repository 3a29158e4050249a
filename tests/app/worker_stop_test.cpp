#include "engine/engine.h"
#include "engine_fixture.h"
#include "tests/support/fake_engine.h"
#include "tests/support/gate.h"

namespace fireside::test {
namespace {

using At = DeviceScript::At;

/// The engine's thread, held at an event of its device until the window's thread has done
/// something.
class WorkerStopTest : public EngineTest
{
protected:
    WorkerStopTest()
        : WorkerStopTest(std::make_shared<DeviceScript>())
    {}

    bool loadCard(int context = 0)
    {
        LoadSettings settings;
        settings.threads = 2;
        settings.context = context;
        service.loadModel(kStarter, settings);
        const qsizetype before = loaded.size() + loadFailed.size();
        return waitFor([&] { return loaded.size() + loadFailed.size() > before; }) &&
               service.hasModel();
    }
    /// The nth event at `at` from now on waits in the gate.
    void holdAt(At at, int n)
    {
        m_at = at;
        m_turn = card->count(at) + n;
    }
    bool held()
    {
        return waitFor([&] { return gate.reached(); });
    }
    QString finish() const { return statsOf(finished.last()).finish; }

    std::shared_ptr<DeviceScript> card;
    Gate gate;

private:
    explicit WorkerStopTest(const std::shared_ptr<DeviceScript> &script)
        : EngineTest(std::make_unique<EngineService>(fakeEngine(script)))
        , card(script)
    {
        card->seen = [this](At at, int count) {
            if (at == m_at && count == m_turn)
                gate.pass();
        };
    }
    std::atomic<At> m_at = At::Count;
    std::atomic<int> m_turn = 0;
};

QString words(int count)
{
    QString text;
    for (int i = 0; i < count; ++i)
        text += QStringLiteral("word%1 ").arg(i % 97);
    return text;
}

TEST_F(WorkerStopTest, inAPromptNothingMoreIsRead)
{
    ASSERT_TRUE(loadCard(4096));
    QSignalSpy prompt(&service, &EngineService::promptProgress);
    holdAt(At::Pass, 2);
    service.reply(job(1, words(400), 0));
    ASSERT_TRUE(held());
    const int passes = card->count(At::Pass);
    service.stop();
    EXPECT_EQ(service.state(), EngineState::Stopping);
    gate.open();
    ASSERT_TRUE(waitForReply(1));
    ASSERT_EQ(finished.size(), 1) << qPrintable(failed.value(0).value(1).toString());
    EXPECT_EQ(finish(), QStringLiteral("stopped"));
    EXPECT_EQ(card->count(At::Pass), passes);
    EXPECT_EQ(statsOf(finished.last()).promptTokens, 512); // the chunk that was done
    EXPECT_LE(prompt.size(), 2); // where it begins, and the chunk that was done
    EXPECT_TRUE(textOf(1).isEmpty());
    // And goes on as if nothing had been.
    service.reply(job(2, QStringLiteral("Who are you?"), 4));
    ASSERT_TRUE(waitForReply(2));
    EXPECT_EQ(statsOf(finished.last()).generatedTokens, 4);
}

TEST_F(WorkerStopTest, inAReplyNoFurtherPassBegins)
{
    ASSERT_TRUE(loadCard());
    holdAt(At::Pass, 12);
    service.reply(job(1, QStringLiteral("Tell me a story"), 0));
    ASSERT_TRUE(held());
    const int passes = card->count(At::Pass);
    service.stop();
    gate.open();
    ASSERT_TRUE(waitForReply(1));
    ASSERT_EQ(finished.size(), 1);
    EXPECT_EQ(finish(), QStringLiteral("stopped"));
    EXPECT_EQ(card->count(At::Pass), passes);
    EXPECT_FALSE(textOf(1).isEmpty());
    EXPECT_EQ(statsOf(finished.last()).generatedTokens, 11); // one of the prompt's pass, ten more
}

TEST_F(WorkerStopTest, beforeItBeganNothingIsRead)
{
    ASSERT_TRUE(loadCard());
    holdAt(At::Pass, 1);
    service.reply(job(1, words(400), 0));
    ASSERT_TRUE(held());
    service.stop();
    gate.open();
    ASSERT_TRUE(waitForReply(1));
    EXPECT_EQ(finish(), QStringLiteral("stopped"));
    EXPECT_EQ(statsOf(finished.last()).promptTokens, 0);
    EXPECT_EQ(statsOf(finished.last()).generatedTokens, 0);
}

TEST_F(WorkerStopTest, aLoadEndsWithTheLayerItIsIn)
{
    holdAt(At::Weight, 15);
    LoadSettings settings;
    settings.threads = 2;
    service.loadModel(kStarter, settings);
    ASSERT_TRUE(held());
    service.stop();
    gate.open();
    ASSERT_TRUE(waitFor([&] { return !loadFailed.isEmpty(); }));
    EXPECT_TRUE(loadFailed.last().at(2).toBool());
    EXPECT_LT(card->count(At::Weight), 15 + 12) << "tensors after the stop";
    EXPECT_EQ(card->count(At::Finish), 0);
    EXPECT_EQ(service.state(), EngineState::NoModel);
    EXPECT_TRUE(loadCard());
}

TEST_F(WorkerStopTest, closingEndsALoadOrReplyThatIsHeldUp)
{
    for (const At at : {At::Weight, At::Pass}) {
        SCOPED_TRACE(static_cast<int>(at));
        auto script = std::make_shared<DeviceScript>();
        Gate here;
        script->seen = [&](At event, int count) {
            if (event == at && count == 3)
                here.pass();
        };
        EngineService own(fakeEngine(script));
        own.setPatience(kPatience);
        QSignalSpy ends(&own, &EngineService::replyFinished);
        own.loadModel(kStarter, {});
        if (at == At::Pass) {
            ASSERT_TRUE(waitFor([&] { return own.state() == EngineState::Ready; }));
            own.reply(job(1, QStringLiteral("Tell me a story"), 0));
        }
        ASSERT_TRUE(waitFor([&] { return here.reached(); }));
        here.open();
        own.shutdown();
        EXPECT_TRUE(own.shutDownCleanly());
        EXPECT_EQ(ends.size(), at == At::Pass ? 1 : 0);
    }
}

} // namespace
} // namespace fireside::test
