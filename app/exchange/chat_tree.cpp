#include "app/exchange/chat_tree.h"

#include "app/exchange/chat_formats.h"

#include <QHash>

#include <algorithm>
#include <limits>

namespace fireside {
namespace {

/// The file's own time of a chat or message comes first, then its neighbours', then now.
void fillTimes(ChatTree &chat)
{
    QDateTime first, last;
    for (const Message &message : chat.messages) {
        if (!message.created.isValid())
            continue;
        first = first.isValid() ? std::min(first, message.created) : message.created;
        last = last.isValid() ? std::max(last, message.created) : message.created;
    }
    chat.dated = chat.created.isValid() || first.isValid();
    if (!chat.created.isValid())
        chat.created = first.isValid() ? first : QDateTime::currentDateTimeUtc();
    if (!chat.updated.isValid())
        chat.updated = last.isValid() ? std::max(last, chat.created) : chat.created;
    for (Message &message : chat.messages) {
        if (!message.created.isValid())
            message.created =
                message.parentId > 0 ? chat.messages[message.parentId - 1].created : chat.created;
    }
}

/// Indexes of messages, in order: by the file's list of siblings, and by their times.
class SiblingOrder
{
public:
    SiblingOrder(const QList<KeyedMessage> &messages, const QHash<QString, QStringList> &children)
        : m_messages(messages)
        , m_children(children)
        , m_times(messages.size(), 0)
    {
        for (qsizetype i = 0; i < messages.size(); ++i)
            m_below[messages[i].parent].append(i);
    }

    /// The children of a message (−1: the first messages); none when asked again.
    QList<qsizetype> takeBelow(qsizetype parent)
    {
        const QString key = parent < 0 ? QString() : m_messages[parent].key;
        QList<qsizetype> siblings = m_below.take(key);
        if (siblings.size() > 1)
            sortByList(siblings, m_children.value(key));
        qint64 before = parent < 0 ? 0 : m_times[parent];
        for (const qsizetype i : siblings) {
            const QDateTime &created = m_messages[i].message.created;
            m_times[i] = created.isValid() ? created.toMSecsSinceEpoch() : before;
            before = std::max(before, m_times[i]);
        }
        std::stable_sort(siblings.begin(), siblings.end(),
                         [this](qsizetype a, qsizetype b) { return m_times[a] < m_times[b]; });
        return siblings;
    }

private:
    void sortByList(QList<qsizetype> &siblings, const QStringList &list) const
    {
        constexpr qint64 kNone = std::numeric_limits<qint64>::max();
        QHash<QString, qint64> places;
        for (qsizetype i = 0; i < list.size(); ++i)
            places.insert(list[i], i);
        const auto rank = [&](qsizetype i) {
            const QDateTime &created = m_messages[i].message.created;
            return std::pair(places.value(m_messages[i].key, kNone),
                             created.isValid() ? created.toMSecsSinceEpoch() : kNone);
        };
        std::stable_sort(siblings.begin(), siblings.end(),
                         [&](qsizetype a, qsizetype b) { return rank(a) < rank(b); });
    }

    const QList<KeyedMessage> &m_messages;
    const QHash<QString, QStringList> &m_children;
    QHash<QString, QList<qsizetype>> m_below;
    QList<qint64> m_times;
};

} // namespace

void sortSiblings(QList<KeyedMessage> &messages, const QHash<QString, QStringList> &children)
{
    SiblingOrder order(messages, children);
    QList<bool> placed(messages.size(), false);
    QList<KeyedMessage> sorted;
    sorted.reserve(messages.size());
    // A stack, not recursion: chats may be as deep as they are long.
    QList<qsizetype> open = order.takeBelow(-1);
    std::reverse(open.begin(), open.end());
    while (!open.isEmpty()) {
        const qsizetype at = open.takeLast();
        placed[at] = true;
        sorted.append(messages[at]);
        const QList<qsizetype> below = order.takeBelow(at);
        for (auto i = below.crbegin(); i != below.crend(); ++i)
            open.append(*i);
    }
    for (qsizetype i = 0; i < messages.size(); ++i) {
        if (!placed[i])
            sorted.append(messages[i]); // below none of the first ones: setMessages() refuses it
    }
    messages = sorted;
}

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
    fillTimes(chat);
}

} // namespace fireside
