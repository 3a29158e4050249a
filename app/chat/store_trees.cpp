// Whole conversations, out of the store and into it.
#include "app/chat/conversation_store.h"

#include "app/chat/store_rows.h"

#include <algorithm>
#include <limits>
#include <utility>

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

using Said = std::pair<QString, QString>; // role, text

/// A stored chat that an imported one may be.
struct Candidate
{
    qint64 conversation = 0;
    qint64 created = 0; // of the first message
};

/// The chats of the store, by their first messages.
QMultiHash<Said, Candidate> chatsByFirstMessage(const SqlConnection &db)
{
    QMultiHash<Said, Candidate> chats;
    QSqlQuery rows = db.run(QStringLiteral(
        "SELECT m.role, m.text, m.conversation, m.created FROM messages m JOIN conversations c "
        "ON c.id = m.conversation WHERE m.parent = 0 AND c.deleted = 0"));
    while (rows.next())
        chats.insert({rows.value(0).toString(), rows.value(1).toString()},
                     {rows.value(2).toLongLong(), rows.value(3).toLongLong()});
    SqlConnection::requireEnd(rows);
    return chats;
}

/// How an imported chat lies in a stored one.
struct ImportMatch
{
    qint64 conversation = 0; // 0: in none
    QList<qint64> ids;       // of each imported message; 0: it is missing in the store
    qsizetype missing = std::numeric_limits<qsizetype>::max(), further = 0;
    bool operator<(const ImportMatch &other) const
    {
        return std::pair(missing, further) < std::pair(other.missing, other.further);
    }
};

ImportMatch matchWith(const SqlConnection &db, const ChatTree &tree, qint64 conversation)
{
    QSqlQuery rows =
        db.run(QStringLiteral("SELECT id, parent, role, text FROM messages WHERE conversation = ? "
                              "ORDER BY id DESC"),
               {conversation});
    QHash<qint64, QMultiHash<Said, qint64>> below; // of a parent, the oldest is found first
    ImportMatch match;
    match.conversation = conversation;
    match.missing = 0;
    while (rows.next()) {
        below[rows.value(1).toLongLong()].insert(
            {rows.value(2).toString(), rows.value(3).toString()}, rows.value(0).toLongLong());
        ++match.further;
    }
    SqlConnection::requireEnd(rows);
    for (const Message &message : tree.messages) {
        const qint64 parent = message.parentId > 0 ? match.ids[message.parentId - 1] : 0;
        qint64 id = 0;
        if (message.parentId == 0 || parent != 0) {
            QMultiHash<Said, qint64> &siblings = below[parent];
            const auto found = siblings.constFind({message.role, message.text});
            if (found != siblings.cend()) {
                id = *found;
                siblings.erase(found); // two of the same words are two
                --match.further;
            }
        }
        match.ids.append(id);
        match.missing += id == 0 ? 1 : 0;
    }
    return match;
}

/// The stored chat that is the imported one, perhaps with fewer or more messages.
ImportMatch bestMatch(const SqlConnection &db, const ChatTree &tree,
                      const QMultiHash<Said, Candidate> &chats, const QSet<qint64> &taken)
{
    ImportMatch best;
    for (const Message &first : tree.messages) {
        if (first.parentId != 0)
            continue;
        const auto [begin, end] = chats.equal_range({first.role, first.text});
        for (auto each = begin; each != end; ++each) {
            const bool sameTime = each->created == first.created.toMSecsSinceEpoch();
            if (taken.contains(each->conversation) || (tree.dated && !sameTime))
                continue;
            ImportMatch match = matchWith(db, tree, each->conversation);
            // Without times only a chat that holds the other one is taken for the same.
            if ((tree.dated || match.missing == 0 || match.further == 0) && match < best)
                best = std::move(match);
        }
    }
    return best;
}

ImportedChats::Update addMissing(const SqlConnection &db, const ChatTree &tree, ImportMatch &match)
{
    const QVariantList id{match.conversation};
    ImportedChats::Update update{
        match.conversation,
        db.value(QStringLiteral("SELECT current_leaf FROM conversations WHERE id = ?"), id)
            .toLongLong(),
        {}};
    for (qsizetype i = 0; i < tree.messages.size(); ++i) {
        if (match.ids[i] != 0)
            continue;
        Message message = tree.messages[i];
        if (message.state == Message::State::Streaming)
            message.state = Message::State::Interrupted;
        const qint64 parent = message.parentId > 0 ? match.ids[message.parentId - 1] : 0;
        match.ids[i] = insertMessage(db, match.conversation, parent, message);
        update.messages.append(match.ids[i]);
    }
    // What was written here meanwhile stays in view.
    const qint64 leaf = match.further == 0 && tree.currentLeaf > 0 ? match.ids[tree.currentLeaf - 1]
                                                                   : update.leafBefore;
    db.run(QStringLiteral("UPDATE conversations SET current_leaf = ?, updated = max(updated, ?) "
                          "WHERE id = ?"),
           {leaf, tree.updated.toMSecsSinceEpoch(), match.conversation});
    return update;
}

ImportedChats importInto(const SqlConnection &db, const QList<ChatTree> &trees,
                         QList<qint64> &messages)
{
    const QMultiHash<Said, Candidate> chats = chatsByFirstMessage(db);
    ImportedChats imported;
    QSet<qint64> taken;
    QList<bool> done(trees.size(), false);
    // Those that are here word for word come first: copies of a chat begin like the chat.
    for (const bool complete : {true, false}) {
        for (qsizetype i = 0; i < trees.size(); ++i) {
            if (done[i])
                continue;
            ImportMatch match = bestMatch(db, trees[i], chats, taken);
            if (match.conversation == 0 || (complete && match.missing > 0))
                continue;
            done[i] = true;
            taken.insert(match.conversation);
            if (!trees[i].draft.isEmpty())
                db.run(QStringLiteral(
                           "UPDATE conversations SET draft = ? WHERE id = ? AND draft = ''"),
                       {trees[i].draft, match.conversation});
            if (match.missing == 0) {
                ++imported.known;
                continue;
            }
            imported.updated.append(addMissing(db, trees[i], match));
            messages += imported.updated.last().messages;
        }
    }
    for (qsizetype i = 0; i < trees.size(); ++i) {
        if (!done[i])
            imported.added.append(insertTree(db, trees[i], messages));
    }
    imported.messages = static_cast<int>(messages.size());
    return imported;
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

ImportedChats ConversationStore::importTrees(const QList<ChatTree> &trees)
{
    QList<qint64> messages;
    bool stored = false;
    ImportedChats imported = guarded([&] {
        ImportedChats result;
        messages.clear();
        db().transaction([&] { result = importInto(db(), trees, messages); });
        stored = true;
        return result;
    });
    imported.refused = !stored;
    for (const qint64 id : std::as_const(imported.added))
        touch(id, 0);
    for (const ImportedChats::Update &update : std::as_const(imported.updated))
        touch(update.conversation, 0);
    for (const qint64 id : std::as_const(messages))
        touch(0, id);
    touchList();
    return imported;
}

void ConversationStore::undoImport(const ImportedChats &imported)
{
    for (const qint64 id : imported.added)
        set(id, QStringLiteral("deleted"), 1);
    QList<qint64> removed;
    guarded([&] {
        removed.clear();
        db().transaction([&] {
            for (const ImportedChats::Update &update : imported.updated) {
                // The last ones first; what was written below them meanwhile keeps them.
                for (auto id = update.messages.crbegin(); id != update.messages.crend(); ++id) {
                    db().run(QStringLiteral("DELETE FROM messages WHERE id = ? AND NOT EXISTS "
                                            "(SELECT 1 FROM messages c WHERE c.conversation = "
                                            "messages.conversation AND c.parent = messages.id)"),
                             {*id});
                    removed.append(*id);
                }
                db().run(QStringLiteral("UPDATE conversations SET current_leaf = ? WHERE id = ? "
                                        "AND NOT EXISTS (SELECT 1 FROM messages WHERE id = "
                                        "conversations.current_leaf)"),
                         {update.leafBefore, update.conversation});
            }
        });
    });
    for (const ImportedChats::Update &update : imported.updated)
        touch(update.conversation, 0);
    for (const qint64 id : std::as_const(removed))
        touch(0, id);
    m_places.clear();
    touchList();
}

} // namespace fireside
