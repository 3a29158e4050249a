#include "app/chat/call_messages.h"

#include "app/chat/message_parts.h"

#include <QCoreApplication>
#include <QJsonObject>

#include <algorithm>

namespace fireside {
namespace {

struct CallTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::CallMessages)
};

const QLatin1String kCallKey("call"), kCallStage("stage"), kCallKind("result"),
    kCallServer("server"), kCallTool("tool"), kCallSeconds("seconds"), kCallWhole("whole"),
    kOfferName("name"), kOfferText("description"), kOfferSchema("parameters");
const QLatin1String kCallStages[] = {QLatin1String("asking"), QLatin1String("running"),
                                     QLatin1String("over")};
const QLatin1String kCallKinds[] = {QLatin1String("done"), QLatin1String("error"),
                                    QLatin1String("failed"), QLatin1String("stopped"),
                                    QLatin1String("refused")};

template <std::size_t N>
int placeAmong(const QLatin1String (&names)[N], const QString &name)
{
    const auto *found = std::find(std::begin(names), std::end(names), name);
    return found == std::end(names) ? 0 : static_cast<int>(found - names);
}

} // namespace

QList<ReplyCall> callsOf(const Message &reply)
{
    QList<ReplyCall> calls;
    if (reply.role != QLatin1String("assistant"))
        return calls;
    for (const MessagePart &part : partsOf(reply))
        if (part.kind == MessagePart::Call)
            calls.append(
                {part.name, part.id, reply.text.mid(part.start, part.length), part.arguments});
    return calls;
}

QJsonArray partsWithIds(const QJsonArray &parts, qint64 messageId)
{
    constexpr int kIdLetters = 9; // as some templates want them
    QJsonArray all;
    int number = 0;
    for (const QJsonValue &value : parts) {
        QJsonObject part = value.toObject();
        if (part.contains(QLatin1String("id")) && part[QLatin1String("id")].toString().isEmpty()) {
            const QString id =
                QStringLiteral("c%1%2").arg(qAbs(messageId)).arg(++number, 2, 10, QLatin1Char('0'));
            part[QLatin1String("id")] = id.right(kIdLetters).rightJustified(kIdLetters, u'0');
        }
        all.append(part);
    }
    return all;
}

std::optional<CallRecord> callRecordOf(const Message &message)
{
    if (!isCall(message))
        return std::nullopt;
    const QJsonObject json = message.record[kCallKey].toObject();
    CallRecord record;
    record.stage = CallRecord::Stage(placeAmong(kCallStages, json[kCallStage].toString()));
    record.kind = ToolResult::Kind(placeAmong(kCallKinds, json[kCallKind].toString()));
    record.server = json[kCallServer].toString();
    record.tool = json[kCallTool].toString();
    record.seconds = json[kCallSeconds].toDouble();
    record.whole = json[kCallWhole].toInteger();
    record.progress = json[QLatin1String("progress")].toString();
    record.fraction = json[QLatin1String("fraction")].toDouble(-1);
    return record;
}

void setCallRecord(Message &message, const CallRecord &record)
{
    QJsonObject json{{kCallStage, kCallStages[record.stage]},
                     {kCallServer, record.server},
                     {kCallTool, record.tool}};
    if (record.stage == CallRecord::Over) {
        json[kCallKind] = kCallKinds[record.kind];
        json[kCallSeconds] = record.seconds;
        if (record.whole > 0)
            json[kCallWhole] = record.whole;
    }
    if (!record.progress.isEmpty())
        json[QLatin1String("progress")] = record.progress;
    if (record.fraction >= 0)
        json[QLatin1String("fraction")] = record.fraction;
    message.record[kCallKey] = json;
}

Message callMessage(const ReplyCall &call, qint64 parentId)
{
    Message message;
    message.role = kToolRole;
    message.parentId = parentId;
    message.created = QDateTime::currentDateTime();
    message.state = Message::State::Streaming;
    const QString before = QStringLiteral("```%1\n").arg(call.name);
    message.text = before + call.arguments + QStringLiteral("\n```");
    const MessagePart part{MessagePart::Call, before.size(), call.arguments.size(),
                           call.name,         call.id,       call.received};
    message.record[kPartsKey] = toJson(QList<MessagePart>{part});
    setCallRecord(message, {});
    return message;
}

void setCallResult(Message &message, const ToolResult &result, double seconds)
{
    CallRecord record = callRecordOf(message).value_or(CallRecord());
    record.stage = CallRecord::Over;
    record.kind = result.kind;
    record.seconds = seconds;
    record.whole = result.whole;
    record.progress.clear();
    record.fraction = -1;
    setCallRecord(message, record);
    const bool wrong = result.kind == ToolResult::ToolError || result.kind == ToolResult::Failed;
    QString text = wrong ? QStringLiteral("Error: ") + result.text : result.text;
    if (text.isEmpty())
        text = CallTexts::tr("(It gave nothing.)");
    QList<MessagePart> parts = partsOf(message);
    parts = parts.mid(0, 1);
    const qsizetype end =
        parts.isEmpty() ? 0 : parts.first().start + parts.first().length + 4; // "\n```"
    message.text = message.text.left(end) + QStringLiteral("\n\n");
    parts.append({MessagePart::Text, message.text.size(), text.size()});
    message.text += text;
    message.record[kPartsKey] = toJson(parts);
    message.state =
        result.kind == ToolResult::Stopped ? Message::State::Stopped : Message::State::Complete;
}

int callRounds(const QList<Message> &path)
{
    int rounds = 0;
    for (qsizetype i = path.size(); i-- > 0 && path[i].role != QLatin1String("user");)
        rounds += path[i].role == QLatin1String("assistant") && !callsOf(path[i]).isEmpty();
    return rounds;
}

QJsonArray toJson(const QList<ToolOffer> &tools)
{
    QJsonArray list;
    for (const ToolOffer &tool : tools)
        list.append(QJsonObject{{kOfferName, tool.name},
                                {kOfferText, tool.description},
                                {kOfferSchema, tool.parameters}});
    return list;
}

QList<ToolOffer> toolOffersFrom(const QJsonArray &json)
{
    QList<ToolOffer> tools;
    for (const QJsonValue &one : json)
        tools.append(
            {one[kOfferName].toString(), one[kOfferText].toString(), one[kOfferSchema].toString()});
    return tools;
}

} // namespace fireside
