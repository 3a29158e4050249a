#include "app/downloads/safe_name.h"

#include "app/downloads/download_texts.h"
#include "app/downloads/remote_file.h"

#include <QFile>
#include <QSet>
#include <QStringList>

#include <algorithm>

namespace fireside {
namespace {

constexpr qsizetype kLongestPart = 240; // bytes; file systems take 255

bool isSafePart(const QString &part)
{
    if (part.isEmpty() || part.startsWith(QLatin1Char('.')) ||
        QFile::encodeName(part).size() > kLongestPart)
        return false;
    return std::all_of(part.begin(), part.end(), [](QChar c) {
        return (c.isPrint() || c.isSurrogate()) && c != QLatin1Char('\\') && c != QLatin1Char(':');
    });
}

QString shown(const QString &name)
{
    constexpr qsizetype kLongest = 120;
    QString text = name.left(kLongest);
    text.replace(QChar(0), QLatin1Char('?'));
    return text;
}

} // namespace

bool isSafeName(const QString &name)
{
    constexpr qsizetype kMostParts = 16;
    const QStringList parts = name.split(QLatin1Char('/'));
    return parts.size() <= kMostParts && std::all_of(parts.begin(), parts.end(), isSafePart);
}

QString nameFromUrl(const QUrl &url)
{
    const QString path = url.path(QUrl::FullyDecoded);
    const QString name = path.mid(path.lastIndexOf(QLatin1Char('/')) + 1);
    return isSafePart(name) ? name : QString();
}

QString nameProblem(const QList<RemoteFile> &files)
{
    if (files.isEmpty())
        return DownloadTexts::tr("there is nothing to download");
    QSet<QString> names;
    for (const RemoteFile &file : files) {
        if (!isSafeName(file.name))
            return DownloadTexts::tr("“%1” is no name that a file may have here")
                .arg(shown(file.name));
        if (names.contains(file.name))
            return DownloadTexts::tr("two files are called “%1”").arg(shown(file.name));
        names.insert(file.name);
    }
    for (const RemoteFile &file : files) {
        for (qsizetype at = 0; (at = file.name.indexOf(QLatin1Char('/'), at)) >= 0; ++at) {
            if (names.contains(file.name.left(at)))
                return DownloadTexts::tr("“%1” is a file and a folder")
                    .arg(shown(file.name.left(at)));
        }
    }
    return {};
}

} // namespace fireside
