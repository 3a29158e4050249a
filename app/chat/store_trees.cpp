// Whole conversations, out of the store and into it.
#include "app/chat/conversation_store.h"

#include "app/chat/store_rows.h"

namespace fireside {
namespace {

/// Returns the new id.
qint64 insertTree(const SqlConnection &db, const ChatTree &tree, QList<qint64> &messageIds)
{
    const QSqlQuery chat = db.run(
        QStringLiteral("INSERT INTO conversations(title, named, created, updated, pinned, draft, "
                       "sampling, folder, tools) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
        {stored(tree.title), int(tree.named), tree.created.toMSecsSinceEpoch(),
         tree.updated.toMSecsSinceEpoch(), int(tree.pinned), stored(tree.draft),
         compact(tree.sampling), stored(tree.folder), compact(tree.tools)});
    const qint64 id = chat.lastInsertId().toLongLong();
    QList<qint64> ids{0};
    for (const Message &message : tree.messages) {
        Message whole = message;
        if (whole.state == Message::State::Streaming)
            whole.state = Message::State::Interrupted;
        ids.append(insertMessage(db, id, ids.at(message.parentId), whole));
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
            QStringLiteral(
                "SELECT title, named, pinned, created, updated, draft, sampling, "
                "current_leaf, folder, tools FROM conversations WHERE id = ? AND deleted = 0"),
            {id});
        if (!row.next())
            return std::nullopt;
        ChatTree tree;
        tree.title = row.value(0).toString();
        tree.named = row.value(1).toBool();
        tree.pinned = row.value(2).toBool();
        tree.created = momentOf(row.value(3));
        tree.updated = momentOf(row.value(4));
        tree.draft = row.value(5).toString();
        tree.sampling = parse(row.value(6).toString());
        const qint64 leaf = row.value(7).toLongLong();
        tree.folder = row.value(8).toString();
        tree.tools = parse(row.value(9).toString());
        QSqlQuery rows =
            db().run(QStringLiteral("SELECT id, parent, role, text, created, state, error, record "
                                    "FROM messages WHERE conversation = ? ORDER BY id"),
                     {id});
        QHash<qint64, qint64> ids;
        while (rows.next()) {
            Message message = readMessage(rows);
            ids.insert(message.id, tree.messages.size() + 1);
            message.id = tree.messages.size() + 1;
            message.parentId = ids.value(message.parentId);
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
    touchList();
    return ids;
}

} // namespace fireside
