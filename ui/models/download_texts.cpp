#include "ui/models/download_texts.h"

#include "app/runtime/engine_text.h"
#include "ui/backend/number_text.h"
#include "ui/style/direction.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>

namespace fireside {
namespace {

using State = DownloadStatus::State;

struct Texts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::DownloadsView)
};

QString amountText(const DownloadStatus &status)
{
    return status.bytesTotal < 0
               ? bytesText(status.bytesDone)
               : Texts::tr("%1 of %2")
                     .arg(bytesText(status.bytesDone), bytesText(status.bytesTotal));
}

QString runningText(const DownloadStatus &status)
{
    QStringList parts{amountText(status)};
    if (status.bytesPerSecond > 0)
        parts += Texts::tr("%1/s").arg(bytesText(static_cast<qint64>(status.bytesPerSecond)));
    if (status.secondsLeft >= 0)
        parts += timeLeftText(status.secondsLeft);
    return parts.join(QStringLiteral(" · "));
}

} // namespace

QString timeLeftText(qint64 seconds)
{
    constexpr qint64 kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour;
    const QLocale locale;
    if (seconds < kMinute)
        return Texts::tr("%1 s left").arg(locale.toString(seconds));
    if (seconds < kHour)
        return Texts::tr("%1 min left").arg(locale.toString((seconds + kMinute / 2) / kMinute));
    if (seconds < kDay)
        return Texts::tr("%1 h %2 min left")
            .arg(locale.toString(seconds / kHour), locale.toString(seconds % kHour / kMinute));
    return Texts::tr("%1 d %2 h left")
        .arg(locale.toString(seconds / kDay), locale.toString(seconds % kDay / kHour));
}

QString downloadState(const DownloadItem &item)
{
    const DownloadStatus &status = item.status;
    switch (status.state) {
    case State::Queued:
        return status.note.isEmpty() ? Texts::tr("Waits for other downloads")
                                     : asSentence(status.note);
    case State::Receiving:
        return runningText(status);
    case State::Waiting:
        return QStringLiteral("%1 · %2").arg(amountText(status), asSentence(status.note));
    case State::Checking:
        return Texts::tr("%1 · Checking the content…").arg(bytesText(status.bytesDone));
    case State::Paused:
        return Texts::tr("Paused at %1").arg(amountText(status));
    case State::Failed:
        return Texts::tr("Failed: %1").arg(status.problem);
    case State::Done:
        return Texts::tr("Done: %1").arg(bytesText(std::max(status.bytesTotal, status.bytesDone)));
    }
    return {};
}

QString checkText(const DownloadRequest &request)
{
    using Kind = ExpectedDigest::Kind;
    const auto known =
        std::count_if(request.files.begin(), request.files.end(),
                      [](const RemoteFile &f) { return f.digest.kind != Kind::None; });
    if (known == 0)
        return Texts::tr("The server names no checksum: only that it is complete can be checked.");
    if (known < request.files.size())
        return Texts::tr("Of some files the server names no checksum.");
    return Texts::tr("The content is checked with SHA-256.");
}

QString downloadDetails(const DownloadItem &item)
{
    const DownloadStatus &status = item.status;
    QStringList parts;
    if (status.files > 1 && status.state != State::Done)
        parts += Texts::tr("File %1 of %2: %3.")
                     .arg(std::min(status.filesDone + 1, status.files))
                     .arg(status.files)
                     .arg(status.file.isEmpty() ? item.request.files.first().name : status.file);
    if (status.state == State::Receiving && !status.note.isEmpty())
        parts += withFullStop(asSentence(status.note));
    parts += checkText(item.request);
    parts += Texts::tr("Folder: %1").arg(pathText(item.request.folder));
    return parts.join(QLatin1Char(' '));
}

} // namespace fireside
