#pragma once
#include "app/chat/conversation.h"

#include <QHash>
#include <QJsonObject>
#include <QList>
#include <QStringList>

#include <stdexcept>

namespace fireside {

/// One conversation with all of its branches, outside the store.
struct ChatTree
{
    QString title;
    bool named = false; // the user chose the title
    bool pinned = false;
    QString folder; // empty: in none
    QDateTime created, updated;
    QString draft;
    QJsonObject sampling; // as it is stored; empty: the defaults
    QJsonObject tools;    // of this chat, as they are stored
    /// The ids are 1, 2, 3… in this order; a parent stands before its children (0: no parent).
    QList<Message> messages;
    qint64 currentLeaf = 0;
    // Of the file it was read from:
    bool dated = true;    // it names times
    int lostFiles = 0;    // pictures and other files, which are not imported
    int lostMessages = 0; // messages without a text
};

/// A file that holds no chats, or chats that cannot be taken over.
class ChatFileError : public std::runtime_error
{
public:
    explicit ChatFileError(const QString &text)
        : std::runtime_error(text.toStdString())
    {}
    QString text() const { return QString::fromUtf8(what()); }
};

/// A message of another program's file, which names its parent by a key.
struct KeyedMessage
{
    QString key, parent; // parent empty: the first one
    bool shown = true;   // false: a hidden message, whose children move up to its parent
    Message message;     // without ids; `created` invalid: the file names no time
};

/// Puts siblings into the order of their times. A message without a time follows the one that
/// stands before it in `children`, the file's list of a message's children, or else comes last.
void sortSiblings(QList<KeyedMessage> &messages, const QHash<QString, QStringList> &children);

/// Puts the messages into the order of a ChatTree; children keep the order they have here. Throws
/// ChatFileError for a key that stands twice, a parent that is missing and messages that are their
/// own ancestors. `current`: the key of the last message in view; empty: the newest branch. Times
/// that are missing, of the chat and of messages, follow from those that are there.
void setMessages(ChatTree &chat, const QList<KeyedMessage> &messages, const QString &current);

} // namespace fireside
