#include "app/chat/chat_texts.h"

#include "app/chat/call_messages.h"
#include "app/chat/message_parts.h"
#include "app/chat/unmarked_text.h"

#include <QStringList>

#include <algorithm>

namespace fireside {
namespace {

constexpr qsizetype kTitleLength = 48;
constexpr qsizetype kTitleLine = 400; // characters that marks are looked for in

/// A message as the model is told it.
TurnMessage turnOf(const Message &message)
{
    const QList<MessagePart> parts = partsOf(message);
    if (parts.isEmpty())
        return {message.role, message.text};
    TurnMessage turn{message.role, {}};
    for (const MessagePart &part : parts) {
        const QString text = message.text.mid(part.start, part.length);
        if (part.kind == MessagePart::Call) {
            turn.calls.append(
                {part.name, part.arguments.isEmpty() ? text : part.arguments, part.id});
            continue;
        }
        QString &whole = part.kind == MessagePart::Text ? turn.text : turn.reasoning;
        whole += (whole.isEmpty() ? QString() : QStringLiteral("\n\n")) + text;
    }
    return turn;
}

} // namespace

Message newMessage(const QString &role, const QString &text, qint64 parentId)
{
    Message message;
    message.role = role;
    message.text = text;
    message.parentId = parentId;
    message.created = QDateTime::currentDateTime();
    return message;
}

QString titleFrom(const QString &firstMessage)
{
    QString line, marks;
    for (const QString &candidate : firstMessage.split(QLatin1Char('\n'))) {
        const QString written = candidate.left(kTitleLine).simplified();
        if (marks.isEmpty())
            marks = written;
        line = withoutMarks(written).simplified();
        if (!line.isEmpty())
            break;
    }
    if (line.isEmpty()) // there is nothing else
        line = marks;
    if (const QString bare = QString(line).remove(QLatin1String("```")).trimmed();
        line.startsWith(QLatin1String("```")) && !bare.isEmpty())
        line = bare;
    if (line.size() <= kTitleLength)
        return line;
    qsizetype end = line.lastIndexOf(QLatin1Char(' '), kTitleLength - 1);
    if (end < kTitleLength / 2) // one very long word
        end = kTitleLength - 1;
    if (line[end - 1].isHighSurrogate())
        --end;
    return line.left(end).trimmed() + QChar(0x2026);
}

QString unfinishedAnswer(const Message &message)
{
    const bool whole = message.state == Message::State::Complete &&
                       message.record[QLatin1String("finish")] != QLatin1String("length");
    if (message.role != QLatin1String("assistant") || whole || isSummary(message) ||
        message.state == Message::State::Streaming)
        return {};
    const QList<MessagePart> parts = partsOf(message);
    if (!parts.isEmpty() && parts.last().kind != MessagePart::Text)
        return {};
    if (parts.isEmpty() && message.text.contains(QLatin1String("<think>")))
        return {}; // of an older version, which did not say where thoughts end
    const TurnMessage turn = turnOf(message);
    return turn.calls.isEmpty() ? turn.text : QString();
}

QString copiedText(const Message &message)
{
    static const QLatin1String kBegin("<think>"), kEnd("</think>");
    if (message.role != QLatin1String("assistant"))
        return message.text;
    const bool marked = !partsOf(message).isEmpty();
    QString answer = turnOf(message).text;
    if (const qsizetype end = message.text.indexOf(kEnd);
        !marked && end >= 0 && message.text.startsWith(kBegin)) // of an older version
        answer = message.text.mid(end + kEnd.size()).trimmed();
    return answer.isEmpty() ? message.text : answer;
}

QString answerUpTo(const Message &message, qsizetype position)
{
    if (message.role != QLatin1String("assistant") || position < 0 ||
        position > message.text.size() || isSummary(message))
        return {};
    const QList<MessagePart> parts = partsOf(message);
    if (parts.isEmpty() && message.text.contains(QLatin1String("<think>")))
        return {};
    qsizetype start = 0;
    for (const MessagePart &part : parts) {
        const bool here = position >= part.start && position <= part.start + part.length;
        if (part.kind == MessagePart::Call || (here && part.kind == MessagePart::Reasoning))
            return {};
        if (part.kind == MessagePart::Text && !here && position > part.start)
            return {}; // an answer in several parts
        start = here ? part.start : start;
    }
    const QString answer = message.text.mid(start, position - start);
    return answer.isNull() ? QStringLiteral("") : answer;
}

QString answerAfter(const Message &message, qsizetype position)
{
    for (const MessagePart &part : partsOf(message))
        if (part.kind == MessagePart::Text && position >= part.start &&
            position <= part.start + part.length)
            return message.text.mid(position, part.start + part.length - position);
    return message.text.mid(position);
}

bool isSummary(const Message &message)
{
    return message.record.contains(kSummaryBackKey);
}

namespace {

/// Where the messages begin that the last whole summary does not stand for.
int behindSummary(const QList<Message> &path, int *at = nullptr)
{
    for (auto i = static_cast<int>(path.size()); i-- > 0;) {
        const int back = path[i].record[kSummaryBackKey].toInt();
        if (back < 1 || back > i || path[i].state != Message::State::Complete ||
            turnOf(path[i]).text.isEmpty())
            continue;
        if (at)
            *at = i;
        return i - back;
    }
    return 0;
}

} // namespace

int firstSeenIn(const QList<Message> &path)
{
    const int summarised = behindSummary(path);
    for (auto i = static_cast<int>(path.size()); i-- > 0;) {
        if (path[i].role != QLatin1String("assistant") || path[i].text.isEmpty() ||
            isSummary(path[i]))
            continue;
        const int back = path[i].record[kSeenBackKey].toInt();
        return std::max(summarised, back > 0 && back <= i ? i - back : 0);
    }
    return summarised;
}

int tokensOfLastReply(const QList<Message> &path, const QString &fingerprint)
{
    const auto reply = std::find_if(path.crbegin(), path.crend(), [](const Message &message) {
        return message.record[QLatin1String("promptTokens")].toInt() > 0;
    });
    if (reply == path.crend() || fingerprint.isEmpty() ||
        reply->record[QLatin1String("fingerprint")].toString() != fingerprint)
        return 0;
    // What was written before a reply went on is a part of its prompt.
    const bool continued = reply->record.contains(QLatin1String("continued"));
    return reply->record[QLatin1String("promptTokens")].toInt() +
           (continued ? 0 : reply->record[QLatin1String("generatedTokens")].toInt());
}

Turns turnsOf(const QList<Message> &path, const QString &systemPrompt, bool withTools)
{
    Turns turns;
    QStringList system;
    if (!systemPrompt.trimmed().isEmpty())
        system.append(systemPrompt);
    if (withTools)
        system.append(QLatin1String(kToolRule));
    int summary = -1;
    const int first = behindSummary(path, &summary);
    if (summary >= 0)
        system.append(QStringLiteral("Summary of the conversation before:\n") +
                      turnOf(path[summary]).text);
    if (!system.isEmpty()) {
        turns.messages.append({QStringLiteral("system"), system.join(QStringLiteral("\n\n"))});
        turns.pathIndex.append(-1);
    }
    for (int i = first; i < path.size(); ++i) {
        const Message &message = path[i];
        if (isSummary(message))
            continue;
        if (message.text.isEmpty() && message.role == QLatin1String("assistant"))
            continue;
        if (!isCall(message) && !turns.messages.isEmpty() &&
            turns.messages.last().role == message.role && turns.messages.last().calls.isEmpty()) {
            turns.messages.last().text += QLatin1String("\n\n") + message.text;
            continue;
        }
        turns.messages.append(turnOf(message));
        if (isCall(message) && turns.messages.last().text.isEmpty())
            turns.messages.last().text =
                QStringLiteral("There is no result: the call was interrupted.");
        turns.pathIndex.append(i);
    }
    return turns;
}

} // namespace fireside
