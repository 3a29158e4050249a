#include "app/exchange/chat_tree.h"

#include "app/exchange/chat_formats.h"

#include <QHash>

namespace fireside {

void setMessages(ChatTree &chat, const QList<KeyedMessage> &messages, const QString &current)
{
    QHash<QString, qsizetype> places;
    for (qsizetype i = 0; i < messages.size(); ++i) {
        if (places.contains(messages[i].key))
            throw ChatFileError(
                formats::Texts::tr("two messages are called “%1”").arg(messages[i].key));
        places.insert(messages[i].key, i);
    }
    QList<QList<qsizetype>> children(messages.size());
    QList<qsizetype> open;
    for (qsizetype i = messages.size() - 1; i >= 0; --i) {
        const QString &parent = messages[i].parent;
        if (parent.isEmpty()) {
            open.append(i);
            continue;
        }
        const auto place = places.constFind(parent);
        if (place == places.constEnd())
            throw ChatFileError(formats::Texts::tr("the message “%1” answers one that is missing")
                                    .arg(messages[i].key));
        children[*place].append(i);
    }
    // A stack, not recursion: chats may be as deep as they are long.
    QList<qint64> ids(messages.size(), 0); // of the message, or of what stands for a hidden one
    qsizetype seen = 0;
    while (!open.isEmpty()) {
        const qsizetype at = open.takeLast();
        ++seen;
        const KeyedMessage &one = messages[at];
        const qint64 above = one.parent.isEmpty() ? 0 : ids[places.value(one.parent)];
        ids[at] = above;
        if (one.shown) {
            Message message = one.message;
            message.parentId = above;
            message.id = ids[at] = chat.messages.size() + 1;
            chat.messages.append(message);
        }
        open += children[at];
    }
    if (seen != messages.size())
        throw ChatFileError(formats::Texts::tr("messages answer each other in a circle"));
    const auto last = places.constFind(current);
    const qint64 leaf = last != places.constEnd() ? ids[*last] : 0;
    chat.currentLeaf = leaf != 0 ? leaf : qint64(chat.messages.size());
}

} // namespace fireside
