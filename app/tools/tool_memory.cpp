#include "app/tools/tool_memory.h"

#include "app/files/write_file.h"

#include <QDateTime>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QStandardPaths>

namespace fireside {
namespace {

constexpr int kMemoryVersion = 1;
constexpr qsizetype kMostRemembered = 5000;
const QLatin1String kEnabledKey("enabled"), kAllowedKey("allowed");

QStringList idsIn(const QJsonValue &value)
{
    QStringList ids;
    for (const QJsonValue &one : value.toArray())
        if (!one.toString().isEmpty() && ids.size() < kMostRemembered)
            ids.append(one.toString());
    ids.removeDuplicates();
    return ids;
}

QHash<QString, QByteArray> allowedIn(const QJsonValue &value)
{
    QHash<QString, QByteArray> allowed;
    const QJsonObject json = value.toObject();
    for (auto it = json.begin(); it != json.end() && allowed.size() < kMostRemembered; ++it)
        if (!it.value().toString().isEmpty())
            allowed.insert(it.key(), it.value().toString().toLatin1());
    return allowed;
}

QJsonObject jsonOf(const QHash<QString, QByteArray> &allowed)
{
    QJsonObject json;
    for (auto it = allowed.begin(); it != allowed.end(); ++it)
        json[it.key()] = QString::fromLatin1(it.value());
    return json;
}

} // namespace

QJsonObject toJson(const ChatTools &tools)
{
    QJsonObject json;
    if (!tools.enabled.isEmpty())
        json[kEnabledKey] = QJsonArray::fromStringList(tools.enabled);
    if (!tools.allowed.isEmpty())
        json[kAllowedKey] = jsonOf(tools.allowed);
    return json;
}

ChatTools chatToolsFrom(const QJsonObject &json)
{
    return {idsIn(json[kEnabledKey]), allowedIn(json[kAllowedKey])};
}

QString ToolMemory::defaultPath()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
           QStringLiteral("/fireside/tools.json");
}

ToolMemory::ToolMemory(const QString &path)
    : m_path(path)
{
    QFile file(m_path);
    if (!file.open(QIODevice::ReadOnly))
        return;
    const QJsonObject json = QJsonDocument::fromJson(file.readAll()).object();
    file.close();
    const int version = json[QLatin1String("version")].toInt();
    if (version < 1 || version > kMemoryVersion) {
        QFile::rename(m_path,
                      m_path + QStringLiteral(".bak-") +
                          QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss")));
        return;
    }
    m_folder = json[QLatin1String("folder")].toString();
    m_allowed = allowedIn(json[kAllowedKey]);
    m_newChats = idsIn(json[QLatin1String("newChats")]);
}

QString ToolMemory::setFolder(const QString &folder)
{
    m_folder = folder;
    return save();
}

bool ToolMemory::allows(const Tool &tool) const
{
    return !tool.fingerprint.isEmpty() && m_allowed.value(tool.id()) == tool.fingerprint;
}

QString ToolMemory::allow(const Tool &tool)
{
    m_allowed.insert(tool.id(), tool.fingerprint);
    return save();
}

QString ToolMemory::forgetAllowed()
{
    m_allowed.clear();
    return save();
}

QString ToolMemory::setNewChats(const QStringList &ids)
{
    m_newChats = ids;
    return save();
}

QString ToolMemory::save() const
{
    const QJsonObject json{{QStringLiteral("version"), kMemoryVersion},
                           {QStringLiteral("folder"), m_folder},
                           {kAllowedKey, jsonOf(m_allowed)},
                           {QStringLiteral("newChats"), QJsonArray::fromStringList(m_newChats)}};
    return writeFile(m_path, QJsonDocument(json).toJson());
}

} // namespace fireside
