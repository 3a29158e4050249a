#include "app/chat/conversation_store.h"

#include "app/chat/store_rows.h"
#include "app/chat/store_schema.h"
#include "app/settings/sampling_json.h"
#include "app/settings/setting_values.h"

#include <QDateTime>
#include <QFileInfo>
#include <QStandardPaths>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace fireside {
namespace {

constexpr int kRetryMs = 5000;
const QString kNewChatDraft = QStringLiteral("draft of the new chat");

qint64 now()
{
    return QDateTime::currentMSecsSinceEpoch();
}

Message readWithSiblings(const QSqlQuery &row)
{
    Message message = readMessage(row);
    message.siblingCount = row.value(8).toInt();
    message.siblingIndex = row.value(9).toInt();
    return message;
}

// What readWithSiblings() reads; `m` is the message's row.
const QString kMessageColumns =
    QStringLiteral("m.id, m.parent, m.role, m.text, m.created, m.state, m.error, m.record, "
                   "(SELECT count(*) FROM messages s WHERE s.conversation = m.conversation AND "
                   "s.parent = m.parent), "
                   "(SELECT count(*) FROM messages s WHERE s.conversation = m.conversation AND "
                   "s.parent = m.parent "
                   "AND s.id < m.id)");

void upsert(const SqlConnection &from, const SqlConnection &to, const TableShape &shape, qint64 id)
{
    const QString columns = shape.columns.join(QLatin1Char(','));
    QSqlQuery row = from.run(
        QStringLiteral("SELECT %1 FROM %2 WHERE %3 = ?").arg(columns, shape.name, shape.columns[0]),
        {id});
    if (!row.next()) { // removed in memory
        to.run(QStringLiteral("DELETE FROM %1 WHERE %2 = ?").arg(shape.name, shape.columns[0]),
               {id});
        return;
    }
    QVariantList values;
    QStringList updates;
    for (int i = 0; i < shape.columns.size(); ++i) {
        values.append(row.value(i));
        if (i > 0)
            updates.append(QStringLiteral("%1 = excluded.%1").arg(shape.columns[i]));
    }
    to.run(QStringLiteral("INSERT INTO %1(%2) VALUES (?%3) ON CONFLICT(%4) DO UPDATE SET %5")
               .arg(shape.name, columns, QStringLiteral(",?").repeated(shape.columns.size() - 1),
                    shape.columns[0], updates.join(QLatin1Char(','))),
           values);
}

} // namespace

QString ConversationStore::defaultFolder()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
           QStringLiteral("/fireside");
}

ConversationStore::ConversationStore(const QString &folder, QObject *parent)
    : QObject(parent)
    , m_file(openStore(folder))
{
    m_retry.setInterval(kRetryMs);
    connect(&m_retry, &QTimer::timeout, this, &ConversationStore::retryNow);
    if (m_file.inMemory)
        setProblem(m_file.problem);
}

ConversationStore::~ConversationStore()
{
    if (m_file.inMemory) {
        blockSignals(true); // whoever listened may be gone
        retryNow();
    }
}

QString ConversationStore::problem() const
{
    return m_problem;
}

void ConversationStore::setProblem(const QString &reason)
{
    if (m_file.inMemory)
        m_retry.start();
    else
        m_retry.stop();
    const QString problem =
        reason.isEmpty()
            ? QString()
            : tr("Chats cannot be stored on disk at the moment (%1). They are kept in memory, and "
                 "storing them is tried again every few seconds.")
                  .arg(reason);
    if (problem == m_problem)
        return;
    m_problem = problem;
    emit problemChanged(m_problem);
}

void ConversationStore::reportRefusal(const SqlError &error)
{
    m_refused = true;
    emit problemChanged(error.text());
}

void ConversationStore::withdrawRefusal()
{
    m_refused = false;
    emit problemChanged(m_problem);
}

// A damaged file is recovered into a new one; whatever else the disk refuses goes on in memory.
void ConversationStore::recoverFrom(const SqlError &error)
{
    // In memory only running out of it fails; a statement refused for itself stays refused.
    if (m_file.inMemory || !(error.damaged() || error.refused()))
        return;
    m_places.clear(); // of another file from here on
    if (error.damaged()) {
        const QString folder = QFileInfo(m_file.path).absolutePath();
        m_file.connection.reset();
        m_file = openStore(folder);
        if (m_file.inMemory)
            setProblem(m_file.problem);
        else
            emit noticeChanged(m_file.notice);
        QMetaObject::invokeMethod(this, &ConversationStore::contentsReplaced, Qt::QueuedConnection);
        return;
    }
    OpenedStore memory = openInMemory(m_file.path, error.text(), m_file.connection.get());
    memory.notice = m_file.notice;
    m_file = std::move(memory);
    setProblem(error.text());
}

void ConversationStore::touch(qint64 conversation, qint64 message)
{
    if (!m_file.inMemory)
        return;
    if (conversation)
        m_changedConversations.insert(conversation);
    if (message)
        m_changedMessages.insert(message);
}

void ConversationStore::touchList()
{
    ++m_listRevision;
    emit listTouched();
}

void ConversationStore::setWriting(qint64 message, bool writing)
{
    if (writing)
        m_written.insert(message);
    else
        m_written.remove(message);
    emit writingChanged(message);
}

void ConversationStore::retryNow()
{
    if (!m_file.inMemory || m_file.path.isEmpty())
        return;
    try {
        std::unique_ptr<SqlConnection> disk = openForWriting(m_file.path);
        const QList<TableShape> &tables = storedTables();
        const QString draft = newChatDraft();
        disk->transaction([&] {
            for (const qint64 id : m_changedConversations + m_scrolledConversations)
                upsert(db(), *disk, tables[0], id);
            QList<qint64> messages = m_changedMessages.values();
            std::sort(messages.begin(), messages.end());
            for (const qint64 id : std::as_const(messages))
                upsert(db(), *disk, tables[1], id);
            disk->run(QStringLiteral("INSERT OR REPLACE INTO notes(key, value) VALUES (?, ?)"),
                      {kNewChatDraft, stored(draft)});
        });
        m_file.hasIndex = prepareSearchIndex(*disk);
        m_file.connection = std::move(disk);
    } catch (const SqlError &error) {
        setProblem(error.text());
        return;
    }
    m_file.inMemory = false;
    m_places.clear();
    m_changedConversations.clear();
    m_scrolledConversations.clear();
    m_changedMessages.clear();
    m_changedNewChatDraft = false;
    setProblem({});
    emit contentsReplaced();
}

std::optional<ConversationRow> ConversationStore::conversation(qint64 id)
{
    return guarded([&]() -> std::optional<ConversationRow> {
        QSqlQuery row =
            db().run(QStringLiteral("SELECT title, named, draft, current_leaf, sampling, tools, "
                                    "place FROM conversations WHERE id = ? AND deleted = 0"),
                     {id});
        if (!row.next())
            return std::nullopt;
        return ConversationRow{id,
                               row.value(0).toString(),
                               row.value(1).toBool(),
                               row.value(2).toString(),
                               row.value(3).toLongLong(),
                               samplingChoiceFrom(parse(row.value(4).toString())),
                               chatToolsFrom(parse(row.value(5).toString())),
                               chatPlaceFrom(parse(row.value(6).toString()))};
    });
}

qint64 ConversationStore::addConversation(const QString &title, const SamplingChoice &sampling)
{
    const qint64 id = guarded([&] {
        const QSqlQuery added =
            db().run(QStringLiteral("INSERT INTO conversations(title, created, updated, sampling) "
                                    "VALUES (?, ?, ?, ?)"),
                     {stored(title), now(), now(), compact(toJson(sampling))});
        return added.lastInsertId().toLongLong();
    });
    touch(id, 0);
    touchList();
    return id;
}

void ConversationStore::set(qint64 conversation, const QString &column, const QVariant &value)
{
    guarded([&] {
        db().run(QStringLiteral("UPDATE conversations SET %1 = ? WHERE id = ?").arg(column),
                 {value, conversation});
    });
    touch(conversation, 0);
}

void ConversationStore::setTitle(qint64 id, const QString &title, bool named)
{
    set(id, QStringLiteral("title"), stored(title));
    set(id, QStringLiteral("named"), int(named));
    touchList();
}

void ConversationStore::setPinned(qint64 id, bool pinned)
{
    set(id, QStringLiteral("pinned"), int(pinned));
    touchList();
}

void ConversationStore::setFolder(qint64 id, const QString &folder)
{
    set(id, QStringLiteral("folder"), stored(folder));
    touchList();
}

void ConversationStore::setDraft(qint64 id, const QString &draft)
{
    if (id != 0) {
        set(id, QStringLiteral("draft"), stored(draft));
        return;
    }
    guarded([&] {
        db().run(QStringLiteral("INSERT OR REPLACE INTO notes(key, value) VALUES (?, ?)"),
                 {kNewChatDraft, stored(draft)});
    });
    m_changedNewChatDraft = m_file.inMemory;
}

QList<qint64> ConversationStore::unsavedConversations()
{
    if (!m_file.inMemory)
        return {};
    return guarded([&] {
        const QString chatOf = QStringLiteral("SELECT conversation FROM messages WHERE id = ?"),
                      present = QStringLiteral(
                          "SELECT count(*) FROM conversations WHERE id = ? AND deleted = 0");
        QSet<qint64> ids = m_changedConversations;
        for (const qint64 message : std::as_const(m_changedMessages))
            ids.insert(db().value(chatOf, {message}).toLongLong());
        QList<qint64> unsaved;
        for (const qint64 id : std::as_const(ids)) {
            if (db().value(present, {id}).toInt() > 0)
                unsaved.append(id);
        }
        std::sort(unsaved.begin(), unsaved.end());
        return unsaved;
    });
}

QString ConversationStore::unsavedNewChatDraft()
{
    return m_file.inMemory && m_changedNewChatDraft ? newChatDraft() : QString();
}

QString ConversationStore::newChatDraft()
{
    return guarded([&] {
        return db()
            .value(QStringLiteral("SELECT value FROM notes WHERE key = ?"), {kNewChatDraft})
            .toString();
    });
}

void ConversationStore::setSampling(qint64 id, const SamplingChoice &sampling)
{
    set(id, QStringLiteral("sampling"), compact(toJson(sampling)));
}

void ConversationStore::setTools(qint64 id, const ChatTools &tools)
{
    set(id, QStringLiteral("tools"), compact(toJson(tools)));
}

void ConversationStore::setPlace(qint64 id, const ChatPlace &place)
{
    const bool known = m_changedConversations.contains(id);
    set(id, QStringLiteral("place"), compact(toJson(place)));
    if (m_file.inMemory && !known && place.edited == 0) { // nothing was written there
        m_changedConversations.remove(id);
        m_scrolledConversations.insert(id);
    }
}

void ConversationStore::setCurrentLeaf(qint64 id, qint64 messageId)
{
    set(id, QStringLiteral("current_leaf"), messageId);
}

void ConversationStore::setDeleted(qint64 id, bool deleted)
{
    set(id, QStringLiteral("deleted"), int(deleted));
    touchList();
}

QList<Message> ConversationStore::path(qint64 leaf)
{
    return guarded([&] {
        // Parents have smaller ids, which also ends the walk in a database with a loop in it.
        QSqlQuery rows =
            db().run(QStringLiteral("WITH RECURSIVE branch(id, parent, depth) AS ("
                                    "SELECT id, parent, 0 FROM messages WHERE id = ? UNION ALL "
                                    "SELECT p.id, p.parent, depth + 1 FROM branch JOIN messages p "
                                    "ON p.id = branch.parent "
                                    "WHERE p.id < branch.id) "
                                    "SELECT %1 FROM branch JOIN messages m ON m.id = branch.id "
                                    "ORDER BY branch.depth DESC")
                         .arg(kMessageColumns),
                     {leaf});
        QList<Message> messages;
        while (rows.next())
            messages.append(readWithSiblings(rows));
        SqlConnection::requireEnd(rows);
        return messages;
    });
}

std::optional<Message> ConversationStore::message(qint64 id)
{
    return guarded([&]() -> std::optional<Message> {
        QSqlQuery row = db().run(
            QStringLiteral("SELECT %1 FROM messages m WHERE m.id = ?").arg(kMessageColumns), {id});
        if (!row.next())
            return std::nullopt;
        return readWithSiblings(row);
    });
}

qint64 ConversationStore::addMessage(qint64 conversation, const Message &message)
{
    const qint64 id = guarded([&] {
        qint64 added = 0;
        db().transaction([&] {
            added = insertMessage(db(), conversation, message.parentId, message);
            db().run(QStringLiteral(
                         "UPDATE conversations SET current_leaf = ?, updated = ? WHERE id = ?"),
                     {added, now(), conversation});
        });
        return added;
    });
    touch(conversation, id);
    touchList();
    emit messageAdded(conversation, id);
    return id;
}

void ConversationStore::updateMessage(qint64 id, const QString &text, Message::State state,
                                      const QString &error, const QJsonObject &record)
{
    guarded([&] {
        db().run(QStringLiteral("UPDATE messages SET text = ?, state = ?, error = ?, record = ? "
                                "WHERE id = ?"),
                 {stored(text), int(state), stored(error), compact(record), id});
    });
    touch(0, id);
    emit messageUpdated(id);
}

qint64 ConversationStore::sibling(qint64 messageId, int step)
{
    return guarded([&]() -> qint64 {
        const QString side = step < 0 ? QStringLiteral("s.id < m.id ORDER BY s.id DESC")
                                      : QStringLiteral("s.id > m.id ORDER BY s.id");
        return db()
            .value(QStringLiteral("SELECT s.id FROM messages m JOIN messages s ON "
                                  "s.conversation = m.conversation AND s.parent = m.parent "
                                  "WHERE m.id = ? AND %1 LIMIT 1 OFFSET ?")
                       .arg(side),
                   {messageId, std::abs(step) - 1})
            .toLongLong();
    });
}

qint64 ConversationStore::newestLeafBelow(qint64 messageId)
{
    return guarded([&]() -> qint64 {
        return db()
            .value(QStringLiteral(
                       "WITH RECURSIVE branch(id, conversation) AS ("
                       "SELECT id, conversation FROM messages WHERE id = ? UNION ALL "
                       "SELECT (SELECT max(c.id) FROM messages c WHERE "
                       "c.conversation = branch.conversation AND c.parent = branch.id "
                       "AND c.id > branch.id), conversation FROM branch WHERE id IS NOT NULL) "
                       "SELECT max(id) FROM branch"),
                   {messageId})
            .toLongLong();
    });
}

} // namespace fireside
