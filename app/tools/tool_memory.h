#pragma once
#include "app/tools/tool.h"

#include <QHash>
#include <QJsonObject>
#include <QSet>
#include <QString>
#include <QStringList>

namespace fireside {

/// What was decided about tools for all chats: tools.json in the folder of settings.
class ToolMemory
{
public:
    explicit ToolMemory(const QString &path = defaultPath());
    static QString defaultPath();

    /// The folder that the built-in tools may read; empty: none.
    const QString &folder() const { return m_folder; }
    QString setFolder(const QString &folder); // each returns why it could not be stored
    /// Without being asked for; holds as long as the tool stays what it was then.
    bool allows(const Tool &tool) const;
    QString allow(const Tool &tool);
    QString forgetAllowed();
    qsizetype allowedCount() const { return m_allowed.size(); }
    /// What new chats begin with.
    const QStringList &newChats() const { return m_newChats; }
    QString setNewChats(const QStringList &ids);

private:
    QString save() const;

    const QString m_path;
    QString m_folder;
    QHash<QString, QByteArray> m_allowed; // ids of tools: their fingerprints
    QStringList m_newChats;
};

/// The tools of one chat.
struct ChatTools
{
    QStringList enabled;                // ids, in the order in which they were enabled
    QHash<QString, QByteArray> allowed; // without being asked for: fingerprints
    bool allows(const Tool &tool) const
    {
        return !tool.fingerprint.isEmpty() && allowed.value(tool.id()) == tool.fingerprint;
    }
    bool operator==(const ChatTools &) const = default;
};
QJsonObject toJson(const ChatTools &tools);
ChatTools chatToolsFrom(const QJsonObject &json);

} // namespace fireside
