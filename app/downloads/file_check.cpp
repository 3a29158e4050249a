#include "app/downloads/file_check.h"

#include "app/downloads/download_texts.h"

#include <QCryptographicHash>
#include <QFile>

namespace fireside {
namespace {

QString kindProblem(QFile &file, const RemoteFile &expected)
{
    if (!expected.name.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive) ||
        file.read(4) == "GGUF")
        return {};
    return DownloadTexts::tr("what came is no GGUF file");
}

} // namespace

QString contentProblem(const QString &path, const RemoteFile &expected, CheckProgress &progress)
{
    constexpr qint64 kPiece = 1 << 20;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return file.errorString();
    if (expected.digest.kind == ExpectedDigest::Kind::None)
        return kindProblem(file, expected);
    const bool git = expected.digest.kind == ExpectedDigest::Kind::GitBlob;
    QCryptographicHash hash(git ? QCryptographicHash::Sha1 : QCryptographicHash::Sha256);
    if (git)
        hash.addData("blob " + QByteArray::number(file.size()) + '\0');
    while (!file.atEnd()) {
        const QByteArray piece = file.read(kPiece);
        if (piece.isEmpty())
            return file.errorString();
        if (progress.cancelled)
            return DownloadTexts::tr("it was stopped");
        hash.addData(piece);
        progress.bytes += piece.size();
    }
    const QByteArray hex = hash.result().toHex();
    if (hex == expected.digest.hex)
        return {};
    return DownloadTexts::tr("its content is not what it should be: its %1 is %2 instead of %3")
        .arg(git ? QStringLiteral("SHA-1") : QStringLiteral("SHA-256"), QString::fromLatin1(hex),
             QString::fromLatin1(expected.digest.hex));
}

} // namespace fireside
