#include "app/runtime/sleep_watch.h"

#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>

#include <chrono>

namespace fireside {
namespace {

const QString kService = QStringLiteral("org.freedesktop.login1");
const QString kPath = QStringLiteral("/org/freedesktop/login1");
const QString kManager = QStringLiteral("org.freedesktop.login1.Manager");
constexpr std::chrono::seconds kLongest{4}; // logind waits for five

} // namespace

SleepWatch::SleepWatch(const QDBusConnection &bus, QObject *parent)
    : QObject(parent)
    , m_bus(bus)
{
    m_limit.setSingleShot(true);
    m_limit.setInterval(kLongest);
    connect(&m_limit, &QTimer::timeout, this, &SleepWatch::ready);
    if (!m_bus.isConnected())
        return;
    m_bus.connect(kService, kPath, kManager, QStringLiteral("PrepareForSleep"), this,
                  SLOT(prepareForSleep(bool)));
    holdBack();
}

void SleepWatch::holdBack()
{
    QDBusMessage call =
        QDBusMessage::createMethodCall(kService, kPath, kManager, QStringLiteral("Inhibit"));
    call << QStringLiteral("sleep") << QStringLiteral("Fireside")
         << tr("The model leaves the graphics card") << QStringLiteral("delay");
    auto *watcher = new QDBusPendingCallWatcher(m_bus.asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
        const QDBusPendingReply<QDBusUnixFileDescriptor> reply = *watcher;
        if (reply.isValid())
            m_delay = reply.value();
        watcher->deleteLater();
    });
}

void SleepWatch::prepareForSleep(bool begins)
{
    if (begins) {
        m_limit.start();
        emit goingToSleep();
        return;
    }
    ready();
    holdBack(); // the next time
    emit wokeUp();
}

void SleepWatch::ready()
{
    m_limit.stop();
    m_delay = QDBusUnixFileDescriptor();
}

} // namespace fireside
