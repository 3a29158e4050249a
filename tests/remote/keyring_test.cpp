// The desktop's keyring itself: gnome-keyring on a bus of the test's own, in a home of its own,
// asked through SecretStore, that is through QtKeychain and libsecret as in the program.
#include "app/remote/secret_store.h"
#include "tests/support/require.h"

#include <QCoreApplication>
#include <QDBusConnection>
#include <QDBusConnectionInterface>
#include <QDeadlineTimer>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QThread>

#include <gtest/gtest.h>

#include <functional>

namespace fireside::test {
namespace {

const QString kBus = QStringLiteral("dbus-daemon"),
              kDaemon = QStringLiteral("gnome-keyring-daemon");

bool waitFor(const std::function<bool()> &done)
{
    const QDeadlineTimer end(60'000);
    while (!done() && !end.hasExpired()) {
        QCoreApplication::processEvents();
        QThread::msleep(2);
    }
    return done();
}

struct Answer
{
    QByteArray secret;
    QString problem;
};

Answer read(SecretStore &store, const QString &name)
{
    Answer answer;
    bool came = false;
    store.read(name, [&](const QByteArray &secret, const QString &problem) {
        answer = {secret, problem};
        came = true;
    });
    EXPECT_TRUE(waitFor([&] { return came; }));
    return answer;
}

/// Of write() and remove(): the problem.
QString problemOf(const std::function<void(SecretStore::Done)> &job)
{
    QString problem;
    bool came = false;
    job([&](const QString &text) {
        problem = text;
        came = true;
    });
    EXPECT_TRUE(waitFor([&] { return came; }));
    return problem;
}

QString write(SecretStore &store, const QString &name, const QByteArray &secret)
{
    return problemOf([&](SecretStore::Done done) { store.write(name, secret, std::move(done)); });
}

QString remove(SecretStore &store, const QString &name)
{
    return problemOf([&](SecretStore::Done done) { store.remove(name, std::move(done)); });
}

class Keyring : public ::testing::Test
{
protected:
    void SetUp() override
    {
        for (const QString &program : {kBus, kDaemon})
            if (QStandardPaths::findExecutable(program).isEmpty())
                FIRESIDE_SKIP("dbus-daemon or gnome-keyring is not installed");
    }
    void startDaemon(const QByteArray &password)
    {
        daemon.start(kDaemon, {QStringLiteral("--foreground"), QStringLiteral("--unlock"),
                               QStringLiteral("--components=secrets")});
        ASSERT_TRUE(daemon.waitForStarted());
        daemon.write(password);
        daemon.closeWriteChannel();
        const QDBusConnectionInterface *bus = QDBusConnection::sessionBus().interface();
        ASSERT_NE(bus, nullptr);
        ASSERT_TRUE(waitFor([&] {
            return bus->isServiceRegistered(QStringLiteral("org.freedesktop.secrets"));
        })) << daemon.readAllStandardError().data();
    }
    void endDaemon()
    {
        daemon.kill();
        daemon.waitForFinished();
    }
    void TearDown() override { endDaemon(); }

    QProcess daemon;
    std::unique_ptr<SecretStore> store = systemSecretStore();
};

TEST_F(Keyring, KeepsReplacesAndForgets)
{
    ASSERT_NO_FATAL_FAILURE(startDaemon("a password"));
    const QString name = QStringLiteral("server/https://models.example");
    EXPECT_TRUE(read(*store, name).secret.isEmpty());
    EXPECT_EQ(read(*store, name).problem, QString()) << "nothing kept is no problem";

    const QByteArray secret("sk-\xc3\xa4\0bytes\n of any kind", 24);
    ASSERT_EQ(write(*store, name, secret), QString());
    EXPECT_EQ(read(*store, name).secret, secret);
    EXPECT_TRUE(read(*store, name + QLatin1Char('2')).secret.isEmpty());

    ASSERT_EQ(write(*store, name, "another"), QString());
    EXPECT_EQ(read(*store, name).secret, "another");

    // In the daemon's file, and not as it was written down.
    bool anyFile = false;
    const QDir folder(QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
                      QStringLiteral("/keyrings"));
    for (const QString &entry : folder.entryList(QDir::Files)) {
        QFile file(folder.filePath(entry));
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        EXPECT_FALSE(file.readAll().contains("another")) << entry.toStdString();
        anyFile = true;
    }
    EXPECT_TRUE(anyFile) << folder.path().toStdString();

    ASSERT_EQ(remove(*store, name), QString());
    EXPECT_TRUE(read(*store, name).secret.isEmpty());
    EXPECT_EQ(remove(*store, name), QString()) << "what is gone already is no problem";
}

} // namespace

/// Named in the environment before anything of Qt's looks there.
class OwnBus : public ::testing::Environment
{
public:
    void SetUp() override
    {
        qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
        m_daemon.start(kBus, {QStringLiteral("--session"), QStringLiteral("--nofork"),
                              QStringLiteral("--nopidfile"), QStringLiteral("--print-address")});
        if (m_daemon.waitForStarted() && m_daemon.waitForReadyRead(60'000))
            qputenv("DBUS_SESSION_BUS_ADDRESS", m_daemon.readLine().trimmed());
    }
    void TearDown() override
    {
        m_daemon.kill();
        m_daemon.waitForFinished();
    }

private:
    QProcess m_daemon;
};

} // namespace fireside::test

int main(int argc, char **argv)
{
    QTemporaryDir home;
    qputenv("HOME", home.path().toUtf8());
    for (const char *name :
         {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"}) {
        const QString folder = home.path() + QLatin1Char('/') + QString::fromLatin1(name).toLower();
        QDir().mkpath(folder);
        QFile::setPermissions(folder, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        qputenv(name, folder.toUtf8());
    }
    for (const char *name : {"GNOME_KEYRING_CONTROL", "XDG_CURRENT_DESKTOP", "KDE_FULL_SESSION"})
        qunsetenv(name);
    QCoreApplication application(argc, argv);
    ::testing::InitGoogleTest(&argc, argv);
    ::testing::AddGlobalTestEnvironment(new fireside::test::OwnBus); // GoogleTest deletes it
    return RUN_ALL_TESTS();
}
