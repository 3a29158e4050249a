#pragma once
#include "app/exchange/chat_tree.h"

#include <QCoreApplication>
#include <QJsonArray>

#include <optional>

// One reader per format; each throws ChatFileError for what it cannot take over.
namespace fireside::formats {

class Texts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::formats::Texts)
};

/// The member as a list, or as an object; throws where it is something else.
QJsonArray listIn(const QJsonObject &json, const char *key);
QJsonObject objectIn(const QJsonObject &json, const char *key);
/// A time in seconds or, beyond the year 5000, milliseconds since 1970, or in ISO form; invalid
/// where there is none.
QDateTime momentOf(const QJsonValue &value);
/// "user" and "assistant"; nothing for what the transcript does not show.
std::optional<QString> roleOf(const QString &role);

/// Chats that are damaged are left out, with a sentence in `problems`.
QList<ChatTree> readOwn(const QJsonObject &file, QStringList &problems);
/// "chat 17 (“Trees”) was not imported: …"
QString chatProblem(qsizetype number, const QString &title, const QString &problem);
ChatTree readLmStudio(const QJsonObject &conversation);
ChatTree readOpenWebUi(const QJsonObject &exported);
ChatTree readChatGpt(const QJsonObject &conversation);
/// A file gpt4all-….chat; not JSON.
bool isGpt4All(const QByteArray &content);
ChatTree readGpt4All(const QByteArray &content);
/// The lines of messages.jsonl, an empty object for a line that is none; `thread` is empty where
/// there is no thread.json.
ChatTree readJan(const QJsonObject &thread, const QList<QJsonObject> &messages);

inline constexpr QLatin1String kOwnFormat("fireside-chats");
inline constexpr int kOwnVersion = 1;

} // namespace fireside::formats
