#include "app/downloads/download_list_file.h"

#include "app/downloads/safe_name.h"
#include "app/files/write_file.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <optional>

namespace fireside {
namespace {

using State = DownloadStatus::State;

constexpr int kListVersion = 1;
constexpr qint64 kLongestList = 32 << 20;
constexpr qsizetype kMostItems = 1000;

// JSON's numbers are doubles, which hold sizes up to 2^53.
qint64 storedBytes(const QJsonValue &value)
{
    constexpr double kMost = 9e15;
    const double number = value.toDouble(-1);
    return number >= 0 && number < kMost ? static_cast<qint64>(number) : -1;
}

QJsonObject fileJson(const RemoteFile &file)
{
    return {{QStringLiteral("url"), QString::fromLatin1(file.url.toEncoded())},
            {QStringLiteral("name"), file.name},
            {QStringLiteral("size"), static_cast<double>(file.size)},
            {QStringLiteral("digestKind"), static_cast<int>(file.digest.kind)},
            {QStringLiteral("digest"), QString::fromLatin1(file.digest.hex)}};
}

RemoteFile storedFile(const QJsonObject &json)
{
    RemoteFile file;
    file.url = QUrl::fromEncoded(json[QLatin1String("url")].toString().toLatin1());
    file.name = json[QLatin1String("name")].toString();
    file.size = storedBytes(json[QLatin1String("size")]);
    const int kind = json[QLatin1String("digestKind")].toInt();
    if (kind == static_cast<int>(ExpectedDigest::Kind::Sha256) ||
        kind == static_cast<int>(ExpectedDigest::Kind::GitBlob))
        file.digest = {static_cast<ExpectedDigest::Kind>(kind),
                       json[QLatin1String("digest")].toString().toLatin1()};
    return file;
}

QJsonArray namesJson(const QSet<QString> &names)
{
    return QJsonArray::fromStringList(QStringList(names.begin(), names.end()));
}

QSet<QString> namesOf(const QJsonValue &value)
{
    QSet<QString> names;
    for (const QJsonValue &each : value.toArray()) {
        if (isSafeName(each.toString()))
            names.insert(each.toString());
    }
    return names;
}

QJsonObject itemJson(const DownloadItem &item)
{
    QJsonArray files;
    for (const RemoteFile &file : item.request.files)
        files.append(fileJson(file));
    const char *state = item.status.state == State::Done     ? "done"
                        : item.status.state == State::Failed ? "failed"
                        : item.paused                        ? "paused"
                                                             : "wanted";
    return {{QStringLiteral("title"), item.request.title},
            {QStringLiteral("folder"), item.request.folder},
            {QStringLiteral("files"), files},
            {QStringLiteral("withToken"), item.withToken},
            {QStringLiteral("state"), QLatin1String(state)},
            {QStringLiteral("problem"), item.status.problem},
            {QStringLiteral("bytesDone"), static_cast<double>(item.status.bytesDone)},
            {QStringLiteral("bytesTotal"), static_cast<double>(item.status.bytesTotal)},
            {QStringLiteral("doneFiles"), namesJson(item.doneFiles)},
            {QStringLiteral("foundFiles"), namesJson(item.foundFiles)}};
}

/// Nothing for what cannot have been stored by this program.
std::optional<DownloadItem> storedItem(const QJsonObject &json)
{
    DownloadItem item;
    item.request.title = json[QLatin1String("title")].toString();
    item.request.folder = json[QLatin1String("folder")].toString();
    for (const QJsonValue &file : json[QLatin1String("files")].toArray())
        item.request.files.append(storedFile(file.toObject()));
    if (!QDir::isAbsolutePath(item.request.folder) || !nameProblem(item.request.files).isEmpty())
        return std::nullopt;
    item.withToken = json[QLatin1String("withToken")].toBool();
    item.doneFiles = namesOf(json[QLatin1String("doneFiles")]);
    item.foundFiles = namesOf(json[QLatin1String("foundFiles")]);
    item.status.bytesDone = std::max<qint64>(0, storedBytes(json[QLatin1String("bytesDone")]));
    item.status.bytesTotal = storedBytes(json[QLatin1String("bytesTotal")]);
    item.status.files = static_cast<int>(item.request.files.size());
    item.status.filesDone = static_cast<int>(item.doneFiles.size());
    const QString state = json[QLatin1String("state")].toString();
    item.paused = state == QLatin1String("paused");
    item.status.state = state == QLatin1String("done")     ? State::Done
                        : state == QLatin1String("failed") ? State::Failed
                        : item.paused                      ? State::Paused
                                                           : State::Queued;
    if (item.status.state == State::Failed)
        item.status.problem = json[QLatin1String("problem")].toString();
    if (item.status.state == State::Done && !QFileInfo::exists(modelPathOf(item.request)))
        return std::nullopt; // it was deleted meanwhile
    return item;
}

/// Under a name that nothing has yet.
void setAside(const QString &path)
{
    constexpr int kMostTries = 100;
    const QString name = path + QStringLiteral(".bak-") +
                         QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    bool moved = QFile::rename(path, name);
    for (int n = 2; !moved && n < kMostTries; ++n)
        moved = QFile::rename(path, QStringLiteral("%1-%2").arg(name).arg(n));
}

} // namespace

QList<DownloadItem> readDownloads(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QJsonObject json = QJsonDocument::fromJson(file.read(kLongestList)).object();
    file.close();
    if (json[QLatin1String("version")].toInt() != kListVersion) {
        setAside(path);
        return {};
    }
    QList<DownloadItem> items;
    for (const QJsonValue &each : json[QLatin1String("downloads")].toArray()) {
        if (auto item = storedItem(each.toObject()); item && items.size() < kMostItems)
            items.append(*item);
    }
    return items;
}

QString storeDownloads(const QString &path, const QList<DownloadItem> &items)
{
    QJsonArray all;
    for (const DownloadItem &item : items)
        all.append(itemJson(item));
    const QJsonObject json{{QStringLiteral("version"), kListVersion},
                           {QStringLiteral("downloads"), all}};
    // An address may hold a key.
    return writeFile(path, QJsonDocument(json).toJson(), Readers::OwnerAlone);
}

} // namespace fireside
