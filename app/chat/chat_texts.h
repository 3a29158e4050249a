#pragma once
#include "app/chat/conversation.h"
#include "app/runtime/engine_types.h"

#include <QList>
#include <QString>

// How a stored conversation becomes a title and a request, and what a message begins as.
namespace fireside {

/// A message of this moment.
Message newMessage(const QString &role, const QString &text, qint64 parentId);

/// A title from the first message: its first line with words in it, 48 characters at most, cut at a
/// word.
QString titleFrom(const QString &firstMessage);

/// The answer that a reply breaks off in, from which it can go on; empty when it is whole, or broke
/// off in thoughts or a call.
QString unfinishedAnswer(const Message &message);

struct Turns
{
    QList<TurnMessage> messages;
    QList<int> pathIndex; // for each of them: where in the path it begins, −1 for the system prompt
};
/// What the model is told: the system prompt, then the path. Replies that failed before their first
/// word are left out, and what then follows each other from the same role becomes one message,
/// because many templates insist that roles alternate.
Turns turnsOf(const QList<Message> &path, const QString &systemPrompt);

} // namespace fireside
