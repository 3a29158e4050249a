#include "app/runtime/sleep_watch.h"
#include "engine_fixture.h"
#include "tests/support/fake_engine.h"
#include "tests/support/golden.h"
#include "tests/support/require.h"

#include <QProcess>
#include <QStandardPaths>

#include <atomic>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace fireside::test {

/// What SleepWatch hears and asks, on a bus of the test's own.
class FakeLogind : public QObject
{
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.login1.Manager")
public:
    ~FakeLogind() override
    {
        if (m_reader >= 0)
            ::close(m_reader);
    }
    /// Whether nobody holds the last lock any more.
    bool released() const
    {
        pollfd end{m_reader, POLLIN, 0};
        return m_reader >= 0 && ::poll(&end, 1, 0) == 1 && (end.revents & POLLHUP) != 0;
    }
    QStringList asked;

public slots:
    QDBusUnixFileDescriptor Inhibit(const QString &what, const QString &who, const QString &why,
                                    const QString &mode)
    {
        asked = {what, who, why, mode};
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0)
            return {};
        if (m_reader >= 0)
            ::close(m_reader);
        m_reader = ends[0];
        QDBusUnixFileDescriptor lock;
        lock.giveFileDescriptor(ends[1]);
        return lock;
    }

signals:
    void PrepareForSleep(bool begins);

private:
    int m_reader = -1;
};

namespace {

using At = DeviceScript::At;

class SleepTest : public EngineTest
{
protected:
    SleepTest()
        : SleepTest(std::make_shared<DeviceScript>())
    {}
    void SetUp() override
    {
        if (QStandardPaths::findExecutable(QStringLiteral("dbus-daemon")).isEmpty())
            FIRESIDE_SKIP("dbus-daemon is not installed");
        m_daemon.start(QStringLiteral("dbus-daemon"),
                       {QStringLiteral("--session"), QStringLiteral("--nofork"),
                        QStringLiteral("--nopidfile"), QStringLiteral("--print-address")});
        ASSERT_TRUE(waitFor([&] { return m_daemon.canReadLine(); }));
        const QString address = QString::fromUtf8(m_daemon.readLine()).trimmed();
        QDBusConnection bus = QDBusConnection::connectToBus(address, QStringLiteral("logind"));
        ASSERT_TRUE(bus.registerService(QStringLiteral("org.freedesktop.login1")));
        ASSERT_TRUE(bus.registerObject(QStringLiteral("/org/freedesktop/login1"), &m_logind,
                                       QDBusConnection::ExportAllSlots |
                                           QDBusConnection::ExportAllSignals));
        m_watch = std::make_unique<SleepWatch>(
            QDBusConnection::connectToBus(address, QStringLiteral("program")));
        QObject::connect(m_watch.get(), &SleepWatch::goingToSleep, &service, &EngineService::sleep);
        QObject::connect(&service, &EngineService::readyToSleep, m_watch.get(), &SleepWatch::ready);
        QObject::connect(m_watch.get(), &SleepWatch::wokeUp, &service, &EngineService::wake);
        ASSERT_TRUE(waitFor([&] { return m_watch->holdsBack(); }));
    }
    void TearDown() override
    {
        m_watch.reset();
        QDBusConnection::disconnectFromBus(QStringLiteral("program"));
        QDBusConnection::disconnectFromBus(QStringLiteral("logind"));
        m_daemon.kill();
        m_daemon.waitForFinished();
    }
    bool loadModel() { return load(QString::fromStdString(goldenGguf("f16").string()), 512); }
    QString reply(qint64 id)
    {
        service.reply(job(id, QStringLiteral("Tell me a story"), 12));
        EXPECT_TRUE(waitForReply(id));
        return textOf(id);
    }
    int opened() const { return card->count(At::Open); }
    /// From the pass `soon` on the engine's thread waits until logind was heard.
    void sleepInAPass()
    {
        QObject::connect(m_watch.get(), &SleepWatch::goingToSleep, &service,
                         [this] { heard = true; });
        card->seen = [this](At at, int count) {
            if (at != At::Pass || count < soon)
                return;
            if (!told.exchange(true))
                QMetaObject::invokeMethod(&m_logind,
                                          [this] { emit m_logind.PrepareForSleep(true); });
            while (!heard)
                std::this_thread::yield();
        };
    }

    std::shared_ptr<DeviceScript> card;
    FakeLogind m_logind;
    std::unique_ptr<SleepWatch> m_watch;
    std::atomic<int> soon = 1 << 30; // the pass in which the computer goes to sleep
    std::atomic<bool> told = false, heard = false;

private:
    explicit SleepTest(std::shared_ptr<DeviceScript> theCard)
        : EngineTest(std::make_unique<EngineService>(fakeEngine(theCard)))
        , card(theCard)
    {}
    QProcess m_daemon;
};

TEST_F(SleepTest, AModelLeavesItsCardBeforeTheComputerSleeps)
{
    ASSERT_TRUE(loadModel());
    const QString whole = reply(1);
    EXPECT_EQ(m_logind.asked.value(0), QStringLiteral("sleep"));
    EXPECT_EQ(m_logind.asked.value(3), QStringLiteral("delay"));
    EXPECT_FALSE(m_logind.released());
    emit m_logind.PrepareForSleep(true);
    ASSERT_TRUE(waitFor([&] { return m_logind.released(); }));
    EXPECT_FALSE(m_watch->holdsBack());
    EXPECT_TRUE(service.model().reason.startsWith(QStringLiteral("Unloaded because the computer")));
    EXPECT_EQ(service.state(), EngineState::Ready);
    emit m_logind.PrepareForSleep(false);
    ASSERT_TRUE(waitFor([&] { return m_watch->holdsBack(); })) << "the next time too";
    EXPECT_EQ(opened(), 1);
    EXPECT_EQ(reply(2), whole);
    EXPECT_EQ(opened(), 2) << "the card is opened anew";
    EXPECT_EQ(service.model().backend, QStringLiteral("vulkan"));
}

TEST_F(SleepTest, AReplyPausesAndGoesOn)
{
    sleepInAPass();
    ASSERT_TRUE(loadModel());
    const QString whole = reply(1);
    soon = card->count(At::Pass) + 4;
    service.reply(job(2, QStringLiteral("Tell me a story"), 12));
    ASSERT_TRUE(waitFor([&] { return m_logind.released(); }));
    EXPECT_EQ(service.state(), EngineState::Replying);
    EXPECT_EQ(opened(), 1);
    emit m_logind.PrepareForSleep(false);
    ASSERT_TRUE(waitForReply(2));
    EXPECT_EQ(textOf(2), whole);
    EXPECT_EQ(opened(), 2);
    EXPECT_TRUE(failed.isEmpty());
    EXPECT_EQ(service.model().backend, QStringLiteral("vulkan"));
}

/// Of two windows; those of programs that ask the local server are in the same batch.
TEST_F(SleepTest, RepliesOfAllWindowsPauseAndGoOn)
{
    sleepInAPass();
    service.setChats(2);
    ASSERT_TRUE(loadModel());
    const auto ask = [&](qint64 first) {
        service.reply(job(first, QStringLiteral("Tell me a story"), 12));
        service.reply(job(first + 1, QStringLiteral("And a poem"), 16));
    };
    ask(1);
    ASSERT_TRUE(waitForReply(1) && waitForReply(2));
    // In their middle: reading takes a pass or two, a token of both one.
    for (const qint64 first : {3, 5}) {
        const bool stopped = first == 3;
        heard = told = false;
        soon = card->count(At::Pass) + 8;
        ask(first);
        ASSERT_TRUE(waitFor([&] { return m_logind.released(); }));
        EXPECT_FALSE(m_watch->holdsBack());
        EXPECT_EQ(service.state(), EngineState::Replying);
        soon = 1 << 30;
        const int passes = card->count(At::Pass);
        if (stopped) { // nothing is asked of the card for it
            service.stop();
            ASSERT_TRUE(waitForReply(first) && waitForReply(first + 1));
        }
        EXPECT_EQ(opened(), stopped ? 1 : 2) << "stopped replies leave it closed";
        EXPECT_EQ(card->count(At::Pass), passes);
        emit m_logind.PrepareForSleep(false);
        ASSERT_TRUE(waitForReply(first) && waitForReply(first + 1));
        ASSERT_TRUE(waitFor([&] { return m_watch->holdsBack(); }));
        EXPECT_EQ(textOf(first) == textOf(1), !stopped);
        EXPECT_EQ(textOf(first + 1) == textOf(2), !stopped);
    }
    EXPECT_TRUE(failed.isEmpty());
    EXPECT_EQ(opened(), 3);
    EXPECT_EQ(service.model().backend, QStringLiteral("vulkan"));
}

/// What the processor holds stays there: nothing has to wait for it.
TEST_F(SleepTest, AReplyOnTheProcessorHoldsNothingBack)
{
    LoadSettings settings;
    settings.context = kEndlessContext;
    settings.threads = 2;
    settings.backend = "cpu";
    service.loadModel(endlessModel(), settings);
    ASSERT_TRUE(waitFor([&] { return service.hasModel(); }));
    service.reply(job(1, QStringLiteral("talk"), 0));
    ASSERT_TRUE(waitFor([&] { return !textOf(1).isEmpty(); }));
    emit m_logind.PrepareForSleep(true);
    ASSERT_TRUE(waitFor([&] { return m_logind.released(); }));
    EXPECT_EQ(service.state(), EngineState::Replying);
    const QString before = textOf(1);
    ASSERT_TRUE(waitFor([&] { return textOf(1).size() > before.size(); }));
    service.stop();
    ASSERT_TRUE(waitForReply(1));
}

} // namespace
} // namespace fireside::test

#include "sleep_test.moc"
