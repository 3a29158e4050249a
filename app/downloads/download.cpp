#include "app/downloads/download.h"

#include "app/downloads/safe_name.h"

#include <QFileInfo>

#include <cmath>
#include <utility>

namespace fireside {

Download::Download(NetworkGate &gate, DownloadRequest request, QByteArray token,
                   const DownloadPolicy &policy, QObject *parent)
    : QObject(parent)
    , m_gate(gate)
    , m_request(std::move(request))
    , m_token(std::move(token))
    , m_policy(policy)
{
    m_clock.start();
}

Download::~Download() = default;

void Download::start()
{
    if (m_current || m_state == DownloadStatus::State::Done)
        return;
    m_problem = nameProblem(m_request.files);
    m_note.clear();
    m_rate.clear();
    m_state = DownloadStatus::State::Receiving;
    if (!m_problem.isEmpty())
        return takeEnd(m_problem);
    next();
}

void Download::pause()
{
    if (m_current)
        m_current->stop();
    m_current.reset();
    if (m_state != DownloadStatus::State::Done && m_state != DownloadStatus::State::Failed)
        m_state = DownloadStatus::State::Paused;
    emit changed();
}

void Download::discard()
{
    pause();
    for (const RemoteFile &file : m_request.files) {
        if (!isThere(file))
            FileDownload(m_gate, m_request.folder, file, m_token, m_policy).discard();
    }
    emit changed();
}

bool Download::isThere(const RemoteFile &file) const
{
    const QFileInfo info(m_request.folder + QLatin1Char('/') + file.name);
    return m_doneFiles.contains(file.name) && info.isFile() &&
           (file.size < 0 || info.size() == file.size);
}

/// Of files other than the current one that are (not) in their place, as far as sizes are known.
qint64 Download::bytesOfOthers(bool done) const
{
    qint64 sum = 0;
    for (const RemoteFile &file : m_request.files) {
        if (file.name == m_currentName || isThere(file) != done)
            continue;
        const QFileInfo info(m_request.folder + QLatin1Char('/') + file.name);
        sum += done ? info.size() : std::max<qint64>(0, file.size);
    }
    return sum;
}

void Download::next()
{
    for (const RemoteFile &file : m_request.files) {
        if (isThere(file))
            continue;
        m_currentName = file.name;
        m_current = std::make_unique<FileDownload>(m_gate, m_request.folder, file, m_token,
                                                   m_policy, bytesOfOthers(false));
        connect(m_current.get(), &FileDownload::progressed, this, &Download::measure);
        connect(m_current.get(), &FileDownload::finished, this, &Download::takeEnd);
        m_current->start();
        return;
    }
    m_state = DownloadStatus::State::Done;
    emit changed();
    emit finished({});
}

/// The current file, which is what calls, is done or failed.
void Download::takeEnd(const QString &problem)
{
    if (m_current)
        m_current.release()->deleteLater();
    if (problem.isEmpty()) {
        m_doneFiles.insert(std::exchange(m_currentName, {}));
        emit changed();
        return next();
    }
    m_problem = problem;
    m_state = DownloadStatus::State::Failed;
    emit changed();
    emit finished(problem);
}

void Download::measure()
{
    using Phase = FileDownload::Phase;
    if (!m_current)
        return;
    const Phase phase = m_current->phase();
    m_state = phase == Phase::Waiting    ? DownloadStatus::State::Waiting
              : phase == Phase::Checking ? DownloadStatus::State::Checking
                                         : DownloadStatus::State::Receiving;
    m_note = m_current->note();
    m_rate.add(m_clock.elapsed(), m_current->bytesDone());
    emit changed();
}

DownloadStatus Download::status() const
{
    DownloadStatus status;
    status.state = m_state;
    status.files = static_cast<int>(m_request.files.size());
    status.file = m_currentName;
    status.note = m_note;
    status.problem = m_problem;
    status.bytesDone = bytesOfOthers(true) + (m_current ? m_current->bytesDone() : 0);
    bool known = true;
    qint64 total = 0;
    for (const RemoteFile &file : m_request.files) {
        const bool there = isThere(file);
        status.filesDone += there ? 1 : 0;
        const bool current = m_current && file.name == m_currentName;
        const QFileInfo info(m_request.folder + QLatin1Char('/') + file.name);
        const qint64 size = there ? info.size() : current ? m_current->bytesTotal() : file.size;
        known = known && size >= 0;
        total += size;
    }
    status.bytesTotal = known ? total : -1;
    if (m_state != DownloadStatus::State::Receiving)
        return status;
    status.bytesPerSecond = m_rate.bytesPerSecond();
    if (known && status.bytesPerSecond > 0)
        status.secondsLeft =
            std::llround(static_cast<double>(total - status.bytesDone) / status.bytesPerSecond);
    return status;
}

} // namespace fireside
