#include "app/downloads/download_worker.h"

#include <QDir>
#include <QFile>

#include <utility>

namespace fireside {
namespace {

constexpr int kTellEveryMs = 200;

} // namespace

DownloadWorker::DownloadWorker(Connections &connections, const DownloadPolicy &policy)
    : m_gate(connections, this)
    , m_policy(policy)
    , m_clock(this)
{
    m_clock.setSingleShot(true);
    m_clock.setInterval(kTellEveryMs);
    connect(&m_clock, &QTimer::timeout, this, &DownloadWorker::tellAll);
}

DownloadWorker::~DownloadWorker()
{
    for (Download *download : std::as_const(m_downloads)) {
        disconnect(download, nullptr, this, nullptr);
        delete download; // before the gate, which would cut what it has open
    }
}

void DownloadWorker::start(qint64 id, const DownloadRequest &request, const QByteArray &token,
                           const QSet<QString> &done)
{
    if (m_downloads.contains(id))
        return;
    auto *download = new Download(m_gate, request, token, m_policy, this);
    m_downloads.insert(id, download);
    download->setDoneFiles(done);
    connect(download, &Download::changed, this, [this, id] {
        m_news.insert(id);
        if (!m_clock.isActive())
            m_clock.start();
    });
    connect(download, &Download::finished, this, [this, id](const QString &problem) {
        tell(id);
        m_downloads.take(id)->deleteLater(); // which is what calls
        emit ended(id, problem);
    });
    download->start();
}

void DownloadWorker::stop(qint64 id)
{
    Download *download = m_downloads.take(id);
    if (!download)
        return;
    const DownloadStatus before = download->status();
    download->pause();
    DownloadStatus status = download->status();
    status.bytesDone = before.bytesDone;
    status.bytesTotal = before.bytesTotal;
    m_news.remove(id);
    emit changed(id, status, download->doneFiles());
    delete download;
}

void DownloadWorker::discard(qint64 id, const DownloadRequest &request, const QSet<QString> &whole)
{
    delete m_downloads.take(id);
    m_news.remove(id);
    Download(m_gate, request, {}, m_policy).discard();
    for (const QString &name : whole)
        QFile::remove(request.folder + QLatin1Char('/') + name);
    // Folders only where nothing else is in them.
    for (const RemoteFile &file : request.files) {
        const qsizetype slash = file.name.lastIndexOf(QLatin1Char('/'));
        if (slash > 0)
            QDir(request.folder).rmdir(file.name.left(slash));
    }
    QDir().rmdir(request.folder);
}

void DownloadWorker::tell(qint64 id)
{
    m_news.remove(id);
    if (const Download *download = m_downloads.value(id))
        emit changed(id, download->status(), download->doneFiles());
}

void DownloadWorker::tellAll()
{
    const QSet<qint64> news = std::exchange(m_news, {});
    for (const qint64 id : news)
        tell(id);
}

} // namespace fireside
