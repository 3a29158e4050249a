#pragma once
#include "app/downloads/download.h"

#include <QHash>
#include <QList>
#include <QThread>
#include <QTimer>

#include <functional>
#include <memory>

namespace fireside {

class Connections;
class DownloadWorker;

/// A download as the list has it.
struct DownloadItem
{
    qint64 id = 0;
    DownloadRequest request;
    bool withToken = false; // the access token goes with it
    bool paused = false;    // by the user
    QSet<QString> doneFiles;
    QSet<QString> foundFiles; // that were there before: they stay when it is cancelled
    qint64 run = 0;           // what the worker knows it by while it runs; 0: it does not
    DownloadStatus status;
};

/// All downloads, in the order in which they were asked for: a few run at once, the others wait.
/// The list outlives the program. The work is done on a thread of its own.
class DownloadList : public QObject
{
    Q_OBJECT
public:
    using Token = std::function<QByteArray()>;

    /// `file`: where the list is kept; empty: nowhere. `token`: the access token of the moment.
    DownloadList(Connections &connections, const QString &file, Token token,
                 const DownloadPolicy &policy = {}, QObject *parent = nullptr);
    ~DownloadList() override; // what runs stops, and goes on at the next start

    /// Lets run what the last run of the program left behind.
    void resumeStored();
    /// Why not, as a clause; empty: it is in the list.
    QString add(const DownloadRequest &request, bool withToken);
    void pause(qint64 id);
    void resume(qint64 id); // also what failed
    /// Takes it from the list. What is not whole of it goes, what was there before stays.
    void remove(qint64 id);

    const QList<DownloadItem> &items() const { return m_items; }
    const DownloadItem *find(qint64 id) const; // nullptr: it is gone
    /// The one that brings the same model; nullptr: none.
    const DownloadItem *itemFor(const DownloadRequest &request) const;
    bool running() const; // any of them
    /// Why it cannot be stored, as a clause; empty: it can.
    QString problem() const { return m_problem; }
    /// What is missing on the disk, as a clause; empty: nothing, as far as is known.
    QString spaceProblem(const DownloadRequest &request) const;

signals:
    void listChanged(); // its items
    void statusChanged(qint64 id);
    void finished(qint64 id); // whole and in its place

private:
    DownloadItem *item(qint64 id);
    void takeStatus(qint64 run, const fireside::DownloadStatus &status, const QSet<QString> &done);
    void takeEnd(qint64 run, const QString &problem);
    void startNext();
    void start(DownloadItem &item);
    void stop(DownloadItem &item);
    void wait(DownloadItem &item);
    void changeOffline(bool offline);
    void read();
    void save();

    Connections &m_connections;
    const QString m_file;
    const Token m_token;
    const DownloadPolicy m_policy;
    QThread m_thread;
    DownloadWorker *m_worker; // lives there
    QList<DownloadItem> m_items;
    QHash<qint64, qint64> m_runs; // the item of each run that has not said its last word
    qint64 m_lastId = 0, m_lastRun = 0;
    bool m_started = false;
    QString m_problem;
    QTimer m_save;
};

/// What to load when it is done: the GGUF file, the first part of a split one, or the folder.
QString modelPathOf(const DownloadRequest &request);
/// Whether all files of a request are in their place, with their sizes where these are known.
bool isComplete(const DownloadRequest &request);
/// Free on the disk that holds a folder, which need not exist yet; −1: cannot be told.
qint64 freeBytesAt(const QString &folder);

} // namespace fireside
