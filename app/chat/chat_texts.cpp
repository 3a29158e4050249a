#include "app/chat/chat_texts.h"

#include "app/chat/message_parts.h"

namespace fireside {
namespace {

constexpr qsizetype kTitleLength = 48;

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
            turn.calls.append({part.name, text, part.id});
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
    QString line;
    for (const QString &candidate : firstMessage.split(QLatin1Char('\n'))) {
        line = candidate.simplified();
        if (!line.isEmpty())
            break;
    }
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
    if (message.role != QLatin1String("assistant") || whole ||
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

Turns turnsOf(const QList<Message> &path, const QString &systemPrompt)
{
    Turns turns;
    if (!systemPrompt.trimmed().isEmpty()) {
        turns.messages.append({QStringLiteral("system"), systemPrompt});
        turns.pathIndex.append(-1);
    }
    for (int i = 0; i < path.size(); ++i) {
        const Message &message = path[i];
        if (message.text.isEmpty() && message.role == QLatin1String("assistant"))
            continue;
        if (!turns.messages.isEmpty() && turns.messages.last().role == message.role) {
            turns.messages.last().text += QLatin1String("\n\n") + message.text;
            continue;
        }
        turns.messages.append(turnOf(message));
        turns.pathIndex.append(i);
    }
    return turns;
}

} // namespace fireside
