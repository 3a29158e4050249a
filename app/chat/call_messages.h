#pragma once
#include "app/chat/conversation.h"
#include "app/runtime/engine_types.h"
#include "app/tools/tool.h"

#include <QJsonArray>

#include <optional>

// Calls of tools as messages: each is one with the role "tool" below the reply that calls, whose
// text holds the call and what came of it, so that it can be read and searched by itself.
namespace fireside {

/// A call of a reply.
struct ReplyCall
{
    QString name, id;  // name: as the model calls the tool
    QString arguments; // JSON, as the text shows it
    QString received;  // as the model wrote it; empty: as the text shows it
};
QList<ReplyCall> callsOf(const Message &reply);

/// The parts of a reply's record, where calls without an id get one.
QJsonArray partsWithIds(const QJsonArray &parts, qint64 messageId);

/// What is told of a call beside its text.
struct CallRecord
{
    enum Stage { Asking, Running, Over };
    Stage stage = Asking;
    ToolResult::Kind kind = ToolResult::Done; // Over
    QString server, tool;                     // empty: there is no such tool
    double seconds = 0;
    qint64 whole = 0;     // characters of the result, where the text has only the beginning
    QString progress;     // Running
    double fraction = -1; // Running; −1: not known
};
/// nullopt: the message is no call.
std::optional<CallRecord> callRecordOf(const Message &message);
void setCallRecord(Message &message, const CallRecord &record);

/// A message for a call that has not run yet.
Message callMessage(const ReplyCall &call, qint64 parentId);
/// With what came of it.
void setCallResult(Message &message, const ToolResult &result, double seconds);

inline constexpr QLatin1String kToolRole("tool");
inline bool isCall(const Message &message)
{
    return message.role == kToolRole;
}
/// How many replies behind the last message of the user's have called tools.
int callRounds(const QList<Message> &path);

/// Tools as records of replies keep them.
QJsonArray toJson(const QList<ToolOffer> &tools);
QList<ToolOffer> toolOffersFrom(const QJsonArray &json);
inline constexpr QLatin1String kOfferedToolsKey("tools");

} // namespace fireside
