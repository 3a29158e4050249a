#pragma once
#include "app/downloads/download.h"
#include "app/network/network_gate.h"

#include <QHash>
#include <QObject>
#include <QTimer>

#include <memory>

namespace fireside {

/// Runs downloads on the thread that it lives on, since disks may be slow. Told and telling by
/// number.
class DownloadWorker : public QObject
{
    Q_OBJECT
public:
    DownloadWorker(Connections &connections, const DownloadPolicy &policy);
    ~DownloadWorker() override; // what runs stops

    void start(qint64 id, const DownloadRequest &request, const QByteArray &token,
               const QSet<QString> &done);
    void stop(qint64 id);
    /// Nothing stays of what is not whole, nor of `whole`, files that are.
    void discard(qint64 id, const DownloadRequest &request, const QSet<QString> &whole);

signals:
    /// A few times a second.
    void changed(qint64 id, const fireside::DownloadStatus &status, const QSet<QString> &doneFiles);
    void ended(qint64 id, const QString &problem); // empty: whole

private:
    void tell(qint64 id);
    void tellAll();

    NetworkGate m_gate;
    const DownloadPolicy m_policy;
    QHash<qint64, Download *> m_downloads; // children
    QSet<qint64> m_news;
    QTimer m_clock;
};

} // namespace fireside
