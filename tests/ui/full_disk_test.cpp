#include "tests/support/no_space.h"
#include "tests/ui/program.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QSysInfo>
#include <QTest>

// The program itself, started where nothing can be written.
namespace fireside::test {
namespace {

// `full`: no file of it can grow.
void startProgram(QProcess &program, bool full)
{
    program.setProcessChannelMode(QProcess::MergedChannels);
    if (full)
        program.setChildProcessModifier([] { limitFileSize(0); });
    program.start(QStringLiteral(FIRESIDE_PROGRAM), QStringList());
    ASSERT_TRUE(program.waitForStarted(kPatience));
}

TEST(FullDiskTest, TheProgramStartsBesideTheLockOfADeadOne)
{
    QProcess dead;
    dead.start(QStringLiteral("true"), QStringList());
    ASSERT_TRUE(dead.waitForStarted(kPatience));
    const QByteArray pid = QByteArray::number(dead.processId());
    ASSERT_TRUE(dead.waitForFinished(kPatience));

    const PrivateHome home;
    const QString runtime = home.path(QStringLiteral("run"));
    ASSERT_TRUE(QDir().mkpath(runtime));
    const ScopedEnv sockets{"XDG_RUNTIME_DIR", runtime.toUtf8().constData()};
    QFile::setPermissions(runtime, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    QFile lock(home.path(QStringLiteral("data/fireside/fireside.lock")));
    ASSERT_TRUE(lock.open(QIODevice::WriteOnly));
    lock.write(pid + "\nfireside\n" + QSysInfo::machineHostName().toUtf8() + '\n');
    lock.close();

    QProcess first;
    startProgram(first, true);
    const auto listens = [&] {
        return !QDir(runtime).entryList({QStringLiteral("fireside-*")}, QDir::System).isEmpty();
    };
    ASSERT_TRUE(QTest::qWaitFor([&] { return listens() || first.state() != QProcess::Running; },
                                kPatience));
    ASSERT_EQ(first.state(), QProcess::Running) << first.readAll().constData();
    // It answers: a second start hands over and ends, with or without room on the disk.
    for (const bool full : {true, false}) {
        QProcess second;
        startProgram(second, full);
        ASSERT_TRUE(second.waitForFinished(kPatience));
        EXPECT_EQ(second.exitStatus(), QProcess::NormalExit);
        EXPECT_EQ(second.exitCode(), 0) << second.readAll().constData();
    }
    EXPECT_EQ(first.state(), QProcess::Running);
    first.kill();
    first.waitForFinished(kPatience);
}

} // namespace
} // namespace fireside::test
