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

TEST(SingleInstanceTest, aRequestReachesTheInstanceOfItsFolder)
{
    const QString folders[] = {newFolder(), newFolder()};
    SingleInstance one(folders[0]), two(folders[1]);
    ASSERT_TRUE(one.claim({}));
    ASSERT_TRUE(two.claim({}));
    QSignalSpy oneRaised(&one, &SingleInstance::raiseRequested);
    QSignalSpy twoRaised(&two, &SingleInstance::raiseRequested);
    for (const QString &folder : folders) {
        const std::unique_ptr<QThread> other(
            QThread::create([&] { SingleInstance(folder).claim(folder); }));
        other->start();
        EXPECT_TRUE(waitFor([&] { return other->isFinished(); }));
    }
    ASSERT_TRUE(waitFor([&] { return !oneRaised.isEmpty() && !twoRaised.isEmpty(); }));
    ASSERT_EQ(oneRaised.size(), 1);
    EXPECT_EQ(oneRaised.first().at(0).toString(), folders[0]);
    ASSERT_EQ(twoRaised.size(), 1);
    EXPECT_EQ(twoRaised.first().at(0).toString(), folders[1]);
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
