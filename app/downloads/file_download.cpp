#include "app/downloads/file_download.h"

#include "app/downloads/download_texts.h"
#include "app/downloads/safe_name.h"
#include "app/network/network_gate.h"

#include <QFileInfo>
#include <QtConcurrent>

#include <algorithm>
#include <exception>
#include <utility>

namespace fireside {
namespace {

constexpr int kMostBeginnings = 3;

} // namespace

FileDownload::FileDownload(NetworkGate &gate, const QString &folder, const RemoteFile &file,
                           const QByteArray &token, const DownloadPolicy &policy, qint64 laterBytes,
                           QObject *parent)
    : QObject(parent)
    , m_gate(gate)
    , m_file(file)
    , m_token(token)
    , m_policy(policy)
    , m_laterBytes(laterBytes)
    , m_part(folder, file)
{
    m_retry.setSingleShot(true);
    m_retry.setTimerType(Qt::PreciseTimer); // others may come 5 % too early
    connect(&m_retry, &QTimer::timeout, this, &FileDownload::fill);
    m_save.setInterval(policy.saveEvery);
    connect(&m_save, &QTimer::timeout, this, &FileDownload::saveState);
    connect(&m_check, &QFutureWatcher<QString>::finished, this, &FileDownload::check);
}

FileDownload::~FileDownload()
{
    stop();
}

void FileDownload::start()
{
    if (m_phase != Phase::Idle)
        return;
    m_failures = m_beginnings = 0;
    m_note.clear();
    enter(Phase::Receiving);
    if (const QString problem = nameProblem({m_file}); !problem.isEmpty())
        return fail(problem);
    if (QFileInfo(m_part.target()).isSymLink())
        return fail(DownloadTexts::tr("a link has its name"));
    const QFileInfo target(m_part.target());
    if (target.exists()) {
        // Perhaps it came whole before the program could say so.
        if (!target.isFile() || m_file.digest.kind == ExpectedDigest::Kind::None ||
            target.size() != m_file.size)
            return fail(DownloadTexts::tr("another file has its name"));
        return checkContent();
    }
    if (const QString problem = m_part.open(); !problem.isEmpty())
        return fail(problem);
    m_known = m_part.done().bytes() > 0;
    if (const QString problem = spaceProblem(); !problem.isEmpty())
        return fail(problem);
    m_save.start();
    fill();
}

void FileDownload::stop()
{
    const bool receiving = m_phase == Phase::Receiving || m_phase == Phase::Waiting;
    m_retry.stop();
    m_save.stop();
    dropAll();
    if (m_checking)
        m_checking->cancelled = true;
    m_checking.reset();
    m_check.waitForFinished();
    if (receiving && m_known)
        m_part.save(); // for nothing lost but time if it fails
    m_part.close();
    m_phase = Phase::Idle;
}

void FileDownload::discard()
{
    stop();
    if (isSafeName(m_file.name) && m_part.open().isEmpty())
        m_part.discard();
}

void FileDownload::enter(Phase phase)
{
    m_phase = phase;
    emit progressed();
}

std::vector<ByteRange> FileDownload::unclaimed() const
{
    ByteRanges taken = m_part.done();
    for (const auto &stream : m_streams)
        taken.add({stream->at, stream->range.end});
    return taken.missing(m_part.size());
}

/// As many streams as may run, for what is missing.
void FileDownload::fill()
{
    if (m_phase == Phase::Waiting)
        enter(Phase::Receiving);
    if (m_phase != Phase::Receiving || m_retry.isActive())
        return;
    if (!m_ranges) {
        if (m_streams.empty())
            begin({0, m_part.size()}, true);
        return;
    }
    if (!m_known) {
        if (m_streams.empty())
            begin({0, m_policy.partBytes}, false);
        return;
    }
    for (const ByteRange &gap : unclaimed()) {
        for (qint64 at = gap.begin; at < gap.end; at += m_policy.partBytes) {
            if (static_cast<int>(m_streams.size()) >= m_policy.connections)
                return;
            begin({at, std::min(gap.end, at + m_policy.partBytes)}, false);
        }
    }
    if (m_streams.empty())
        checkContent();
}

void FileDownload::begin(ByteRange range, bool whole)
{
    TransferRequest request;
    request.url = m_file.url;
    request.purpose = DownloadTexts::tr("download of %1").arg(m_file.name);
    request.token = m_token;
    request.patience = m_policy.patience;
    request.leastBytes = m_policy.leastBytes;
    if (!whole) {
        request.range = range;
        request.validator = m_part.validator();
    }
    m_streams.push_back(std::make_unique<Stream>());
    Stream *stream = m_streams.back().get();
    stream->range = range;
    stream->at = range.begin;
    stream->whole = whole;
    stream->transfer = std::make_unique<Transfer>(m_gate, request);
    const Transfer *transfer = stream->transfer.get();
    connect(transfer, &Transfer::headArrived, this,
            [this, stream](const ReplyHead &head) { takeHead(*stream, head); });
    connect(transfer, &Transfer::dataArrived, this,
            [this, stream](const QByteArray &data) { takeData(*stream, data); });
    connect(transfer, &Transfer::finished, this, [this, stream] { takeEnd(*stream); });
    connect(transfer, &Transfer::failed, this,
            [this, stream](const TransferFailure &failure) { takeFailure(*stream, failure); });
    stream->transfer->start();
}

/// The transfer may be what is calling.
void FileDownload::drop(Stream &stream)
{
    stream.transfer->cancel();
    disconnect(stream.transfer.get(), nullptr, this, nullptr);
    stream.transfer.release()->deleteLater();
    std::erase_if(m_streams, [&](const auto &s) { return s.get() == &stream; });
}

void FileDownload::dropAll()
{
    while (!m_streams.empty())
        drop(*m_streams.back());
}

void FileDownload::takeHead(Stream &stream, const ReplyHead &head)
{
    if (!head.encoding.isEmpty())
        return fail(DownloadTexts::tr("the server packs it (%1) though that is not wanted")
                        .arg(head.encoding));
    const bool knowsContent = m_file.digest.kind == ExpectedDigest::Kind::Sha256;
    if (knowsContent && head.linkedTag.size() == m_file.digest.hex.size() &&
        head.linkedTag != m_file.digest.hex)
        return fail(DownloadTexts::tr("it is another file on the server by now"));
    stream.endIsMarked = head.endIsMarked;
    if (head.status == 416)
        takeUnsatisfiable(stream, head);
    else if (head.status == 206)
        takeRange(stream, head);
    else
        takeWhole(stream, head);
}

void FileDownload::takeRange(Stream &stream, const ReplyHead &head)
{
    if (stream.whole)
        return fail(DownloadTexts::tr("the server sends a part where all was asked for"));
    const qint64 total = head.total.value_or(-1);
    if (!head.range || total < 0 || head.range->begin != stream.range.begin ||
        head.range->end > stream.range.end)
        return beginAnew(DownloadTexts::tr("the server sends other parts than it is asked for, so "
                                           "the file comes in one piece"),
                         false);
    const bool other =
        m_known && (total != m_part.size() ||
                    (!m_part.validator().isEmpty() && head.validator != m_part.validator()));
    if (other)
        return beginAnew(DownloadTexts::tr("the file changed on the server; it is begun anew"),
                         true);
    if (m_file.size >= 0 && total != m_file.size)
        return fail(DownloadTexts::tr("it has %1 bytes on the server instead of %2")
                        .arg(total)
                        .arg(m_file.size));
    stream.range.end = head.range->end;
    if (std::exchange(m_known, true))
        return;
    m_part.setSize(total);
    m_part.setValidator(head.validator);
    if (const QString problem = spaceProblem(); !problem.isEmpty())
        return fail(problem);
    fill();
}

/// All of the file: because nothing else was asked for, the server knows no ranges, or the file is
/// not the one that the parts at hand belong to.
void FileDownload::takeWhole(Stream &stream, const ReplyHead &head)
{
    const qint64 size = head.length.value_or(m_file.size);
    if (m_file.size >= 0 && size != m_file.size)
        return fail(DownloadTexts::tr("it has %1 bytes on the server instead of %2")
                        .arg(size)
                        .arg(m_file.size));
    if (!stream.whole && m_known) {
        const bool changed =
            (!m_part.validator().isEmpty() && head.validator != m_part.validator()) ||
            (head.length && size != m_part.size());
        return changed
                   ? beginAnew(
                         DownloadTexts::tr("the file changed on the server; it is begun anew"),
                         true)
                   : beginAnew(DownloadTexts::tr("the server cannot send parts, so the file comes "
                                                 "in one piece"),
                               false);
    }
    m_ranges = false;
    if (const QString problem = m_part.restart(); !problem.isEmpty())
        return fail(problem);
    stream.whole = true;
    stream.at = 0;
    stream.range = {0, size};
    m_part.setSize(size);
    m_part.setValidator(head.validator);
    m_known = size >= 0;
    if (const QString problem = spaceProblem(); !problem.isEmpty())
        fail(problem);
}

/// Nothing lies where the range begins.
void FileDownload::takeUnsatisfiable(Stream &stream, const ReplyHead &head)
{
    if (m_known || head.total.value_or(-1) > 0)
        return beginAnew(DownloadTexts::tr("the file changed on the server; it is begun anew"),
                         true);
    if (stream.whole || m_file.size > 0)
        return fail(DownloadTexts::tr("the server says that it is empty"));
    if (head.total != 0)
        return beginAnew(DownloadTexts::tr("the server cannot send parts, so the file comes in one "
                                           "piece"),
                         false);
    m_known = true;
    m_part.setSize(0);
    drop(stream);
    fill();
}

void FileDownload::takeData(Stream &stream, const QByteArray &data)
{
    const bool limited = stream.range.end >= 0;
    const qint64 room = limited ? stream.range.end - stream.at : data.size();
    if (data.size() > room && stream.whole)
        return fail(DownloadTexts::tr("the server sends more than it said"));
    const QByteArray wanted = data.size() > room ? data.left(room) : data;
    if (const QString problem = m_part.write(stream.at, wanted); !problem.isEmpty())
        return fail(problem);
    stream.at += wanted.size();
    m_sinceFailure += wanted.size();
    if (m_sinceFailure >= m_policy.leastBytes)
        m_failures = 0;
    if (data.size() > room)
        return takeEnd(stream); // the rest of a range is of no use
    emit progressed();
}

void FileDownload::takeEnd(Stream &stream)
{
    if (stream.range.end >= 0 && stream.at < stream.range.end)
        return takeFailure(
            stream, {Kind::Cut, DownloadTexts::tr("the server sends less than it said"), 0, {}});
    if (stream.range.end < 0) {
        if (!stream.endIsMarked && m_file.digest.kind == ExpectedDigest::Kind::None)
            return fail(DownloadTexts::tr("the server does not say how long it is, so nobody can "
                                          "tell whether it is whole"));
        m_known = true;
        m_part.setSize(stream.at);
    }
    const bool whole = stream.whole;
    drop(stream);
    if (whole)
        return checkContent();
    fill();
}

void FileDownload::takeFailure(Stream &stream, const TransferFailure &failure)
{
    const bool whole = stream.whole;
    drop(stream);
    if (failure.kind != Kind::Cut)
        return fail(failure.text);
    if (whole) {
        // Without ranges nothing of it can be used.
        if (const QString problem = m_part.restart(); !problem.isEmpty())
            return fail(problem);
        m_known = false;
    }
    retry(failure);
}

void FileDownload::beginAnew(const QString &why, bool withRanges)
{
    dropAll();
    if (++m_beginnings > kMostBeginnings)
        return fail(DownloadTexts::tr("the file keeps changing on the server"));
    if (const QString problem = m_part.restart(); !problem.isEmpty())
        return fail(problem);
    m_known = false;
    m_ranges = withRanges && m_ranges;
    m_note = why;
    emit progressed();
    fill();
}

void FileDownload::retry(const TransferFailure &failure)
{
    using std::chrono::milliseconds;
    if (m_retry.isActive()) // the streams were cut together: one failure
        return;
    m_sinceFailure = 0;
    if (++m_failures >= m_policy.attempts)
        return fail(failure.text);
    if (failure.retryAfter > m_policy.longestRetryAfter)
        return fail(DownloadTexts::tr("%1; it may be asked again in %2 minutes")
                        .arg(failure.text)
                        .arg(failure.retryAfter.count() / 60));
    milliseconds wait = m_policy.firstWait;
    for (int i = 1; i < m_failures && wait < m_policy.longestWait; ++i)
        wait *= 2;
    wait = std::max<milliseconds>(std::min(wait, m_policy.longestWait), failure.retryAfter);
    m_note = DownloadTexts::tr("%1; trying again").arg(failure.text);
    m_retry.start(wait);
    if (m_streams.empty())
        enter(Phase::Waiting);
}

void FileDownload::saveState()
{
    if (!m_known)
        return;
    if (const QString problem = m_part.save(); !problem.isEmpty())
        return fail(problem);
    if (const QString problem = spaceProblem(); !problem.isEmpty())
        fail(problem);
}

QString FileDownload::spaceProblem() const
{
    const qint64 left = m_part.freeBytes();
    const qint64 missing =
        std::max<qint64>(0, m_part.size() - m_part.done().bytes()) + m_laterBytes;
    if (left < 0 || left >= missing + m_policy.reserveBytes)
        return {};
    return DownloadTexts::tr(
               "the disk is too full: %1 are missing, %2 are free, and %3 are to stay "
               "free")
        .arg(sizeText(missing), sizeText(left), sizeText(m_policy.reserveBytes));
}

void FileDownload::checkContent()
{
    m_save.stop();
    m_retry.stop();
    enter(Phase::Checking);
    m_checksTarget = QFileInfo::exists(m_part.target());
    if (!m_checksTarget) {
        if (const QString problem = m_part.save(); !problem.isEmpty())
            return fail(problem);
    }
    m_checking = std::make_shared<CheckProgress>();
    const QString path = m_checksTarget ? m_part.target() : m_part.path();
    m_check.setFuture(QtConcurrent::run([path, file = m_file, progress = m_checking] {
        try {
            return contentProblem(path, file, *progress);
        } catch (const std::exception &error) {
            return QString::fromUtf8(error.what());
        }
    }));
}

/// The content was read.
void FileDownload::check()
{
    if (!m_checking || m_phase != Phase::Checking) // stopped meanwhile
        return;
    m_checking.reset();
    const QString problem = m_check.result();
    if (m_checksTarget)
        return problem.isEmpty() ? end({}) : fail(DownloadTexts::tr("another file has its name"));
    if (problem.isEmpty())
        return end(m_part.finish());
    m_part.discard(); // nobody is to take it for the real one
    fail(DownloadTexts::tr("%1; it was thrown away").arg(problem));
}

void FileDownload::fail(const QString &problem)
{
    stop();
    end(problem);
}

void FileDownload::end(const QString &problem)
{
    m_phase = problem.isEmpty() ? Phase::Over : Phase::Idle;
    m_save.stop();
    emit finished(problem);
}

} // namespace fireside
