#pragma once
#include <QDateTime>
#include <QList>
#include <QObject>
#include <QString>
#include <QUrl>

#include <atomic>
#include <mutex>

namespace fireside {

/// One connection that was asked for; each step of a redirect is one of its own.
struct ConnectionRecord
{
    qint64 id = 0;
    QDateTime time;
    QString host;    // "huggingface.co", with its port where that is not the usual one
    QString purpose; // "search for models"
    qint64 bytesReceived = 0;
    QString result; // "200", or why nothing came; empty: it runs
    bool operator==(const ConnectionRecord &) const = default;
};

/// Every connection to elsewhere that was ever asked for, and whether there may be any. For several
/// threads.
class Connections : public QObject
{
    Q_OBJECT
public:
    explicit Connections(QObject *parent = nullptr);

    bool offline() const { return m_offline.load(std::memory_order_relaxed); }
    /// Offline: none is opened from now on, and those that run are cut.
    void setOffline(bool offline);

    qint64 begin(const QUrl &url, const QString &purpose); // its id
    void end(qint64 id, qint64 bytesReceived, const QString &result);
    QList<ConnectionRecord> records() const; // oldest first

signals:
    void offlineChanged(bool offline);
    void recorded();

private:
    std::atomic<bool> m_offline = false;
    mutable std::mutex m_mutex;
    QList<ConnectionRecord> m_records;
    qint64 m_lastId = 0;
};

} // namespace fireside
