#include "app/runtime/single_instance.h"
#include "tests/support/no_space.h"

#include "support.h"

#include <QFile>
#include <QLockFile>
#include <QProcess>
#include <QSignalSpy>
#include <QSysInfo>
#include <QThread>

#include <memory>
#include <optional>

#include <sys/stat.h>

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

QString lockOf(const QString &folder)
{
    return folder + QStringLiteral("/fireside.lock");
}

// What a killed program leaves in its lock file.
QByteArray lockText(qint64 pid, const QString &host)
{
    return QStringLiteral("%1\nfireside\n%2\n").arg(pid).arg(host).toUtf8();
}

qint64 deadProcess()
{
    QProcess dead;
    dead.start(QStringLiteral("true"), QStringList());
    EXPECT_TRUE(dead.waitForStarted());
    const qint64 pid = dead.processId();
    EXPECT_TRUE(dead.waitForFinished());
    return pid;
}

// A second start of the program, on a thread because the first one must answer it.
void startAgain(const QString &folder, bool *claimed, bool *answered)
{
    const std::unique_ptr<QThread> other(QThread::create([&] {
        SingleInstance second(folder);
        *claimed = second.claim({});
        *answered = second.firstAnswered();
    }));
    other->start();
    EXPECT_TRUE(waitFor([&] { return other->isFinished(); }, 60'000));
}

TEST(SingleInstanceTest, aLockOfADeadProcessDoesNotHold)
{
    const QString folder = newFolder();
    writeFile(lockOf(folder), lockText(deadProcess(), QSysInfo::machineHostName()));
    SingleInstance first(folder);
    EXPECT_TRUE(first.claim({}));
}

TEST(SingleInstanceTest, aDeadLockOnAFullDiskDoesNotHold)
{
    const QByteArray dead = lockText(deadProcess(), QSysInfo::machineHostName());
    // Empty: the program was killed when it had no room for its process id either.
    for (const QByteArray &content : {dead, QByteArray()}) {
        const QString folder = newFolder();
        writeFile(lockOf(folder), content);
        SingleInstance first(folder);
        {
            const NoSpace full;
            EXPECT_TRUE(first.claim({})) << content.constData();
        }
        // It has no lock; when there is room again, a second one still finds it.
        QSignalSpy raised(&first, &SingleInstance::raiseRequested);
        bool claimed = true, answered = false;
        startAgain(folder, &claimed, &answered);
        EXPECT_FALSE(claimed);
        EXPECT_TRUE(answered);
        EXPECT_TRUE(waitFor([&] { return raised.size() == 1; }));
        EXPECT_FALSE(QFile::exists(lockOf(folder))) << "the second one took the lock with it";
    }
}

TEST(SingleInstanceTest, aDeadLockInAReadOnlyFolderDoesNotHold)
{
    const QString folder = newFolder();
    writeFile(lockOf(folder), lockText(deadProcess(), QSysInfo::machineHostName()));
    ::chmod(folder.toUtf8().constData(), 0555);
    {
        const WithoutPrivileges unprivileged;
        SingleInstance first(folder);
        EXPECT_TRUE(first.claim({}));
    }
    ::chmod(folder.toUtf8().constData(), 0755);
}

TEST(SingleInstanceTest, aLivingLockHolds)
{
    const QString folder = newFolder();
    {
        // A program that hangs: it holds the lock and does not answer.
        QLockFile living(lockOf(folder));
        ASSERT_TRUE(living.tryLock());
        for (const bool full : {false, true}) {
            std::optional<NoSpace> disk;
            if (full)
                disk.emplace();
            SingleInstance second(folder);
            EXPECT_FALSE(second.claim({}));
            EXPECT_FALSE(second.firstAnswered());
        }
        // The same before it has written who it is.
        QFile empty(lockOf(folder));
        ASSERT_TRUE(empty.open(QIODevice::ReadWrite));
        ASSERT_TRUE(empty.resize(0));
        SingleInstance third(folder);
        EXPECT_FALSE(third.claim({}));
        EXPECT_TRUE(QFile::exists(lockOf(folder)));
    }
    // Another computer's program, in a shared home: nobody can tell from here.
    writeFile(lockOf(folder), lockText(deadProcess(), QStringLiteral("another-computer")));
    SingleInstance here(folder);
    EXPECT_FALSE(here.claim({}));
    EXPECT_FALSE(here.firstAnswered());
    EXPECT_TRUE(QFile::exists(lockOf(folder)));
}

} // namespace
} // namespace fireside::test
