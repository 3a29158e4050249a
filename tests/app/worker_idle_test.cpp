#include "engine/engine.h"
#include "engine_fixture.h"
#include "tests/support/fake_engine.h"
#include "tests/support/golden.h"
#include "tests/support/told_clock.h"

namespace fireside::test {
namespace {

using At = DeviceScript::At;

/// A model that is unloaded while nobody needs it.
class WorkerIdleTest : public EngineTest
{
protected:
    WorkerIdleTest()
        : WorkerIdleTest(std::make_shared<DeviceScript>())
    {}

    bool loadModel() { return load(QString::fromStdString(goldenGguf("f16").string()), 512); }
    QString reply(qint64 id)
    {
        service.reply(job(id, QStringLiteral("Tell me a story"), 12));
        EXPECT_TRUE(waitForReply(id));
        return textOf(id);
    }
    QString reason() const { return service.model().reason; }
    int opened() const { return card->count(At::Open); }

    std::shared_ptr<DeviceScript> card;
    QSignalSpy moved;

private:
    explicit WorkerIdleTest(std::shared_ptr<DeviceScript> theCard)
        : EngineTest(std::make_unique<EngineService>(fakeEngine(theCard)))
        , card(theCard)
        , moved(&service, &EngineService::moved)
    {}
};

TEST_F(WorkerIdleTest, WhatIsUnloadedComesBackWithTheNextMessage)
{
    service.unload(); // nothing is loaded
    EXPECT_TRUE(moved.isEmpty());
    ASSERT_TRUE(loadModel());
    const QString before = reason(), whole = reply(1);
    ASSERT_EQ(opened(), 1);
    service.unload();
    service.unload(); // once is enough
    EXPECT_EQ(moved.size(), 1);
    EXPECT_EQ(reason(), QStringLiteral("Unloaded as you asked; comes back with the next message"));
    EXPECT_EQ(service.state(), EngineState::Ready);
    EXPECT_TRUE(service.hasModel());
    EXPECT_EQ(opened(), 1);
    EXPECT_EQ(reply(2), whole);
    EXPECT_TRUE(failed.isEmpty());
    EXPECT_EQ(opened(), 1) << "the card stays open";
    EXPECT_EQ(moved.size(), 2);
    EXPECT_EQ(reason(), before);
    EXPECT_EQ(service.model().backend, QStringLiteral("vulkan"));
    EXPECT_EQ(reply(3), whole);
    EXPECT_EQ(opened(), 1);
    service.unload();
    ASSERT_TRUE(loadModel()); // another request for it
    EXPECT_EQ(reason(), before);
    EXPECT_EQ(reply(4), whole);
    EXPECT_EQ(opened(), 2);
}

TEST_F(WorkerIdleTest, AnUnusedModelIsUnloadedInTime)
{
    service.setIdleLimit(std::chrono::milliseconds(1));
    ASSERT_TRUE(loadModel());
    const auto unloaded = [&] {
        return reason().startsWith(QStringLiteral("Unloaded after a minute "));
    };
    ASSERT_TRUE(waitFor(unloaded)) << qPrintable(reason());
    EXPECT_TRUE(reason().endsWith(QStringLiteral("; comes back with the next message")));
    const QString whole = reply(1);
    EXPECT_FALSE(whole.isEmpty());
    ASSERT_TRUE(waitFor(unloaded)) << qPrintable(reason());
    service.setIdleLimit(std::chrono::milliseconds(0)); // never
    EXPECT_EQ(reply(2), whole);
    const qsizetype before = moved.size();
    EXPECT_EQ(reply(3), whole);
    EXPECT_EQ(moved.size(), before);
    EXPECT_FALSE(unloaded());
}

TEST_F(WorkerIdleTest, WhileTheComputerSleepsAModelIsNotUnused)
{
    const ToldClock clock;
    service.setIdleLimit(std::chrono::milliseconds(1));
    ASSERT_TRUE(loadModel());
    const auto looked = [](int times) {
        return waitFor([end = ToldClock::asked() + times] { return ToldClock::asked() >= end; });
    };
    ASSERT_TRUE(looked(3));
    EXPECT_TRUE(moved.isEmpty()) << qPrintable(reason());
    ToldClock::sleep(std::chrono::hours(8));
    ASSERT_TRUE(looked(3));
    EXPECT_TRUE(moved.isEmpty()) << qPrintable(reason());
    ToldClock::pass(std::chrono::milliseconds(1));
    EXPECT_TRUE(waitFor([&] { return !moved.isEmpty(); })) << "awake it is";
}

TEST_F(WorkerIdleTest, AModelThatCannotComeBackSaysWhy)
{
    ASSERT_TRUE(loadModel());
    service.unload();
    card->fail({.at = At::Weight}); // lost meanwhile
    card->fail({.at = At::Open, .in = 1, .times = 9});
    EXPECT_FALSE(reply(1).isEmpty()); // on the CPU
    EXPECT_EQ(service.model().backend, QStringLiteral("cpu"));
    EXPECT_TRUE(reason().contains(QStringLiteral("loading failed there"))) << qPrintable(reason());
}

} // namespace
} // namespace fireside::test
