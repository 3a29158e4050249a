// Exceptions in the window's threads, event handlers and background work end what they belong to.
#include "app/runtime/contained.h"
#include "engine_fixture.h"
#include "tests/support/fault_at.h"

#include <QThread>
#include <QTimer>

namespace fireside::test {
namespace {

class ContainedTest : public EngineTest
{
protected:
    using Kind = FaultAt::Kind;
    static constexpr Kind kKinds[] = {Kind::Error, Kind::Standard, Kind::Memory, Kind::Other};
};

TEST_F(ContainedTest, aFaultOfTheEngineEndsTheReplyWithItsReason)
{
    ASSERT_TRUE(load(kTiny, 256));
    qint64 id = 0;
    service.reply(job(++id, QStringLiteral("Hello"), 6));
    ASSERT_TRUE(waitForReply(id));
    const QString whole = textOf(id);
    for (const char *point : {"worker.reply", "scheduler.step", "scheduler.begin",
                              "scheduler.prepare", "scheduler.report", "scheduler.draw",
                              "scheduler.tell", "scheduler.finish", "thread_pool"}) {
        for (const Kind kind : kKinds) {
            if (std::string_view(point) == "worker.reply" && kind == Kind::Other)
                continue; // nothing of ours throws such
            SCOPED_TRACE(std::string(point) + " " + std::to_string(static_cast<int>(kind)));
            const qsizetype before = failed.size();
            {
                const FaultAt fault(point, kind);
                service.reply(job(++id, QStringLiteral("Hello"), 6));
                ASSERT_TRUE(waitForReply(id));
                if (fault.thrown() > 0 && failed.size() > before) {
                    EXPECT_FALSE(failed.last().at(1).toString().isEmpty());
                }
            }
            service.reply(job(++id, QStringLiteral("Hello"), 6));
            ASSERT_TRUE(waitForReply(id));
            EXPECT_EQ(textOf(id), whole);
            EXPECT_EQ(service.state(), EngineState::Ready);
            EXPECT_LE(failed.size(), before + 1);
        }
    }
}

TEST(GuardedApplicationTest, slotsAndEventsMayThrowOnAnyThread)
{
    int after = 0;
    QObject here;
    QMetaObject::invokeMethod(
        &here, [] { throw std::runtime_error("in a queued call"); }, Qt::QueuedConnection);
    QTimer::singleShot(0, &here, [] { throw 7; });
    QTimer::singleShot(1, &here, [&] { ++after; });
    EXPECT_TRUE(waitFor([&] { return after == 1; }));

    QThread thread;
    QObject there;
    there.moveToThread(&thread);
    thread.start();
    QMetaObject::invokeMethod(
        &there, [] { throw std::runtime_error("on a thread"); }, Qt::QueuedConnection);
    std::atomic<bool> alive = false;
    QMetaObject::invokeMethod(
        &there, [&] { alive = true; }, Qt::QueuedConnection);
    EXPECT_TRUE(waitFor([&] { return alive.load(); }));
    thread.quit();
    thread.wait();
}

TEST(InBackgroundTest, whatIsThrownBecomesAResult)
{
    const auto problemOf = [](const QString &problem) { return problem; };
    EXPECT_EQ(inBackground(
                  "test.background", [] { return QStringLiteral("fine"); }, problemOf)
                  .result(),
              QStringLiteral("fine"));
    const QString thrown =
        inBackground(
            "test.background", []() -> QString { throw std::runtime_error("it went wrong"); },
            problemOf)
            .result();
    EXPECT_TRUE(thrown.contains(QLatin1String("it went wrong"))) << qPrintable(thrown);
    const FaultAt fault("test.background", FaultAt::Kind::Memory);
    EXPECT_FALSE(inBackground(
                     "test.background", [] { return QString(); }, problemOf)
                     .result()
                     .isEmpty());
}

} // namespace
} // namespace fireside::test
