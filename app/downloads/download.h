#pragma once
#include "app/downloads/file_download.h"
#include "app/downloads/rate_meter.h"

#include <QElapsedTimer>
#include <QMetaType>
#include <QObject>
#include <QSet>
#include <QString>

#include <memory>

namespace fireside {

/// How far a download is.
struct DownloadStatus
{
    enum class State {
        Queued,    // it starts when others are done
        Receiving, // bytes come
        Waiting,   // to try again
        Checking,  // all is there, its digest is being computed
        Paused,
        Failed, // it may be tried again, and goes on where it was
        Done,
    };
    State state = State::Paused;
    qint64 bytesDone = 0;
    qint64 bytesTotal = -1;    // −1: not known
    double bytesPerSecond = 0; // 0: not known
    qint64 secondsLeft = -1;   // −1: not known
    int filesDone = 0, files = 0;
    QString file;    // that is under way
    QString note;    // what happened on the way, as a clause
    QString problem; // why it failed, as a clause
    bool operator==(const DownloadStatus &) const = default;
};

/// Files that belong together, one after another.
class Download : public QObject
{
    Q_OBJECT
public:
    Download(NetworkGate &gate, DownloadRequest request, QByteArray token,
             const DownloadPolicy &policy = {}, QObject *parent = nullptr);
    ~Download() override; // as pause()

    void start();
    void pause();
    void discard(); // pause(), and nothing stays of files that are not whole

    const DownloadRequest &request() const { return m_request; }
    DownloadStatus status() const;
    /// Files that are whole and in their place, as names; to be told to a later Download of the
    /// same request, which then need not read them again.
    const QSet<QString> &doneFiles() const { return m_doneFiles; }
    void setDoneFiles(const QSet<QString> &names) { m_doneFiles = names; }

signals:
    void changed();
    void finished(const QString &problem); // empty: everything is in its place

private:
    void next();
    void takeEnd(const QString &problem);
    bool isThere(const RemoteFile &file) const;
    qint64 bytesOfOthers(bool done) const;
    void measure();

    NetworkGate &m_gate;
    const DownloadRequest m_request;
    const QByteArray m_token;
    const DownloadPolicy m_policy;
    std::unique_ptr<FileDownload> m_current;
    QString m_currentName;
    QSet<QString> m_doneFiles;
    DownloadStatus::State m_state = DownloadStatus::State::Paused;
    QString m_problem, m_note;
    RateMeter m_rate;
    QElapsedTimer m_clock;
};

} // namespace fireside

Q_DECLARE_METATYPE(fireside::DownloadStatus)
