#pragma once
#include <QByteArray>
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
    bool allowed = true; // false: refused, nothing left this computer
    QString result;      // "200", or why nothing came; empty: it runs
    bool operator==(const ConnectionRecord &) const = default;
};

/// Every connection to elsewhere that was ever asked for, and whether there may be any. With a file
/// it outlives the program. For several threads.
class Connections : public QObject
{
    Q_OBJECT
public:
    explicit Connections(const QString &file = {}, QObject *parent = nullptr);

    bool offline() const { return m_offline.load(std::memory_order_relaxed); }
    /// Offline: none is opened from now on, and those that run are cut.
    void setOffline(bool offline);

    qint64 begin(const QUrl &url, const QString &purpose); // its id
    void end(qint64 id, qint64 bytesReceived, const QString &result, bool allowed = true);
    /// Asks for one that another program makes (a browser), or that was over at once: whether it
    /// may be. What may not is recorded as refused.
    bool ask(const QUrl &url, const QString &purpose);

    QList<ConnectionRecord> records() const; // oldest first; the first call reads the file
    /// Forgets all that are over. Empty: also in the file; else why not.
    QString clear();
    /// Why the list cannot be stored, as a clause; empty: it is.
    QString problem() const;

signals:
    void offlineChanged(bool offline);
    void recorded();

private:
    void store(const ConnectionRecord &record);
    void limitFile() const;
    void readFile() const;

    const QString m_file;
    std::atomic<bool> m_offline = false;
    mutable std::mutex m_mutex;
    mutable QList<ConnectionRecord> m_records;
    mutable bool m_read = false; // what earlier runs stored
    qint64 m_lastId = 0;
    QString m_problem;
};

/// As a table for spreadsheets (RFC 4180).
QByteArray toCsv(const QList<ConnectionRecord> &records);
/// Empty: stored; else why not.
QString storeCsv(const QString &path, const QList<ConnectionRecord> &records);

} // namespace fireside
