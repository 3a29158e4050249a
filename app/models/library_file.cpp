#include "app/models/library_file.h"

#include "app/files/write_file.h"

#include <QDateTime>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>

namespace fireside {
namespace {

constexpr int kLibraryVersion = 1;

QStringList strings(const QJsonValue &value)
{
    QStringList list;
    for (const QJsonValue &item : value.toArray()) {
        if (!item.toString().isEmpty())
            list.append(item.toString());
    }
    list.removeDuplicates();
    return list;
}

} // namespace

LibraryFile::LibraryFile()
    : m_path(QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
             QStringLiteral("/fireside/library.json"))
{
    QFile file(m_path);
    if (!file.open(QIODevice::ReadOnly))
        return;
    const QJsonObject json = QJsonDocument::fromJson(file.readAll()).object();
    file.close();
    const int version = json[QLatin1String("version")].toInt();
    if (version < 1 || version > kLibraryVersion) {
        QFile::rename(m_path,
                      m_path + QStringLiteral(".bak-") +
                          QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss")));
        return;
    }
    m_folders = strings(json[QLatin1String("folders")]);
    m_hidden = strings(json[QLatin1String("hidden")]);
}

QString LibraryFile::setFolders(const QStringList &folders)
{
    m_folders = folders;
    return save();
}

QString LibraryFile::setHidden(const QStringList &hidden)
{
    m_hidden = hidden;
    return save();
}

QString LibraryFile::save() const
{
    const QJsonObject json{{QStringLiteral("version"), kLibraryVersion},
                           {QStringLiteral("folders"), QJsonArray::fromStringList(m_folders)},
                           {QStringLiteral("hidden"), QJsonArray::fromStringList(m_hidden)}};
    return writeFile(m_path, QJsonDocument(json).toJson());
}

} // namespace fireside
