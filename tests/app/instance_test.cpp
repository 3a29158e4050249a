#include "app/runtime/single_instance.h"

#include "support.h"

#include <QProcess>
#include <QSignalSpy>
#include <QSysInfo>
#include <QThread>

#include <memory>

namespace fireside::test {
namespace {

TEST(SingleInstanceTest, theSecondOneRaisesTheFirst)
{
    const QString folder = newFolder();
    SingleInstance first(folder);
    ASSERT_TRUE(first.claim({}));
    QSignalSpy raised(&first, &SingleInstance::raiseRequested);
    for (const QString &path : {QString(), QStringLiteral("/models/größe 1.gguf")}) {
        bool claimed = true, answered = false;
        const std::unique_ptr<QThread> other(QThread::create([&] {
            SingleInstance second(folder);
            claimed = second.claim(path);
            answered = second.firstAnswered();
        }));
        other->start();
        EXPECT_TRUE(waitFor([&] { return other->isFinished(); }));
        EXPECT_FALSE(claimed);
        EXPECT_TRUE(answered);
        ASSERT_TRUE(waitFor([&] { return !raised.isEmpty(); }));
        EXPECT_EQ(raised.takeFirst().at(0).toString(), path);
    }
}

TEST(SingleInstanceTest, foldersAreIndependentAndFreedAtTheEnd)
{
    const QString folder = newFolder();
    {
        SingleInstance first(folder);
        ASSERT_TRUE(first.claim({}));
        SingleInstance elsewhere(newFolder());
        EXPECT_TRUE(elsewhere.claim({}));
    }
    SingleInstance next(folder);
    EXPECT_TRUE(next.claim({}));
}

TEST(SingleInstanceTest, aLockOfADeadProcessDoesNotHold)
{
    QProcess dead;
    dead.start(QStringLiteral("true"), QStringList());
    ASSERT_TRUE(dead.waitForStarted());
    const qint64 pid = dead.processId();
    ASSERT_TRUE(dead.waitForFinished());
    const QString folder = newFolder();
    writeFile(
        folder + QStringLiteral("/fireside.lock"),
        QStringLiteral("%1\nfireside\n%2\n").arg(pid).arg(QSysInfo::machineHostName()).toUtf8());
    SingleInstance first(folder);
    EXPECT_TRUE(first.claim({}));
}

} // namespace
} // namespace fireside::test
