#pragma once
#include <QDBusConnection>
#include <QDBusUnixFileDescriptor>
#include <QObject>
#include <QTimer>

namespace fireside {

/// Hears from logind that the computer is about to sleep, and holds it back for a moment, until
/// what is on graphics cards is safe (org.freedesktop.login1(5), "Inhibitor Locks").
class SleepWatch : public QObject
{
    Q_OBJECT
public:
    /// bus: where logind is; without one nothing is heard.
    explicit SleepWatch(const QDBusConnection &bus, QObject *parent = nullptr);
    bool holdsBack() const { return m_delay.isValid(); }

public slots:
    void ready(); // nothing more holds it back

signals:
    void goingToSleep(); // ready() is waited for, a few seconds at most
    void wokeUp();

private slots:
    void prepareForSleep(bool begins);

private:
    void holdBack();

    QDBusConnection m_bus;
    QDBusUnixFileDescriptor m_delay; // closed: it may sleep
    QTimer m_limit;
};

} // namespace fireside
