// Whole conversations, out of the store and into it.
#include "app/chat/conversation_store.h"

#include <QJsonDocument>

namespace fireside {
namespace {

QString jsonText(const QJsonObject &json)
{
    return QString::fromUtf8(QJsonDocument(json).toJson(QJsonDocument::Compact));
}

QJsonObject jsonOf(const QSqlQuery &row, int column)
{
    return QJsonDocument::fromJson(row.value(column).toString().toUtf8()).object();
}

QDateTime moment(const QSqlQuery &row, int column)
{
    return QDateTime::fromMSecsSinceEpoch(row.value(column).toLongLong());
}

QString notNull(const QString &text)
{
    return text.isNull() ? QStringLiteral("") : text;
}

Message::State stateOf(int stored)
{
    return stored >= 0 && stored <= int(Message::State::Interrupted) ? Message::State(stored)
                                                                     : Message::State::Stopped;
}

/// Returns the new id.
qint64 insertTree(const SqlConnection &db, const ChatTree &tree, QList<qint64> &messageIds)
{
    const QSqlQuery chat = db.run(
        QStringLiteral("INSERT INTO conversations(title, named, created, updated, pinned, draft, "
                       "sampling, folder) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
        {notNull(tree.title), int(tree.named), tree.created.toMSecsSinceEpoch(),
         tree.updated.toMSecsSinceEpoch(), int(tree.pinned), notNull(tree.draft),
         jsonText(tree.sampling), notNull(tree.folder)});
    const qint64 id = chat.lastInsertId().toLongLong();
    QList<qint64> ids{0};
    for (const Message &message : tree.messages) {
        const Message::State state = message.state == Message::State::Streaming
                                         ? Message::State::Interrupted
                                         : message.state;
        const QSqlQuery row = db.run(
            QStringLiteral("INSERT INTO messages(conversation, parent, role, text, created, state, "
                           "error, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
            {id, ids.at(message.parentId), notNull(message.role), notNull(message.text),
             message.created.toMSecsSinceEpoch(), int(state), notNull(message.error),
             jsonText(message.record)});
        ids.append(row.lastInsertId().toLongLong());
    }
    db.run(QStringLiteral("UPDATE conversations SET current_leaf = ? WHERE id = ?"),
           {ids.at(tree.currentLeaf), id});
    messageIds += ids.mid(1);
    return id;
}

} // namespace

std::optional<ChatTree> ConversationStore::tree(qint64 id)
{
    return guarded([&]() -> std::optional<ChatTree> {
        QSqlQuery row = db().run(
            QStringLiteral("SELECT title, named, pinned, created, updated, draft, sampling, "
                           "current_leaf, folder FROM conversations WHERE id = ? AND deleted = 0"),
            {id});
        if (!row.next())
            return std::nullopt;
        ChatTree tree;
        tree.title = row.value(0).toString();
        tree.named = row.value(1).toBool();
        tree.pinned = row.value(2).toBool();
        tree.created = moment(row, 3);
        tree.updated = moment(row, 4);
        tree.draft = row.value(5).toString();
        tree.sampling = jsonOf(row, 6);
        const qint64 leaf = row.value(7).toLongLong();
        tree.folder = row.value(8).toString();
        QSqlQuery rows =
            db().run(QStringLiteral("SELECT id, parent, role, text, created, state, error, record "
                                    "FROM messages WHERE conversation = ? ORDER BY id"),
                     {id});
        QHash<qint64, qint64> ids;
        while (rows.next()) {
            Message message;
            message.id = tree.messages.size() + 1;
            ids.insert(rows.value(0).toLongLong(), message.id);
            message.parentId = ids.value(rows.value(1).toLongLong());
            message.role = rows.value(2).toString();
            message.text = rows.value(3).toString();
            message.created = moment(rows, 4);
            message.state = stateOf(rows.value(5).toInt());
            message.error = rows.value(6).toString();
            message.record = jsonOf(rows, 7);
            tree.messages.append(message);
        }
        SqlConnection::requireEnd(rows);
        tree.currentLeaf = ids.value(leaf);
        return tree;
    });
}

QList<qint64> ConversationStore::addTrees(const QList<ChatTree> &trees)
{
    QList<qint64> messages;
    const QList<qint64> ids = guarded([&] {
        QList<qint64> added;
        messages.clear();
        db().transaction([&] {
            for (const ChatTree &tree : trees)
                added.append(insertTree(db(), tree, messages));
        });
        return added;
    });
    for (const qint64 id : ids)
        touch(id, 0);
    if (!ids.isEmpty()) {
        for (const qint64 id : messages)
            touch(0, id);
    }
    return ids;
}

} // namespace fireside
