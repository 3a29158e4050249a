#include "app/chat/store_file.h"

#include "app/chat/conversation.h"
#include "app/chat/store_recovery.h"
#include "app/chat/store_schema.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>

namespace fireside {
namespace {

constexpr qint64 kAlwaysCheckBelow = 16 << 20; // bytes: about 20 ms

struct StoreTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::ConversationStore)
};

class NewerVersion
{};

// A file that was closed properly has no write-ahead log; only then is a large one trusted
// unchecked.
bool needsCheck(const QString &path)
{
    return QFileInfo(path).size() < kAlwaysCheckBelow ||
           QFileInfo(path + QStringLiteral("-wal")).size() > 0;
}

void finishInterruptedReplies(const SqlConnection &connection)
{
    connection.transaction([&] {
        connection.run(QStringLiteral("UPDATE messages SET state = ? WHERE state = ?"),
                       {int(Message::State::Interrupted), int(Message::State::Streaming)});
    });
}

void purgeDeleted(const SqlConnection &connection)
{
    connection.transaction(
        [&] { connection.run(QStringLiteral("DELETE FROM conversations WHERE deleted = 1")); });
}

// A trigger, a column or an index more or less could hide chats or lose them: as good as damaged.
SqlError changedSchema()
{
    return SqlError(SqlError::Corrupt,
                    StoreTexts::tr("the tables in the file are not as this program made them"));
}

void requireWhole(const SqlConnection &connection)
{
    QString verdict;
    try {
        verdict = connection.value(QStringLiteral("PRAGMA quick_check(1)")).toString();
    } catch (const SqlError &error) {
        if (error.refused())
            throw;
        verdict = error.text(); // from SQLite 3.44 on the search index is looked at, too
    }
    if (verdict != QLatin1String("ok"))
        throw SqlError(SqlError::Corrupt, verdict);
}

std::unique_ptr<SqlConnection> openChecked(const QString &path)
{
    const bool check = QFileInfo::exists(path) && needsCheck(path);
    auto connection = std::make_unique<SqlConnection>(path);
    if (connection->value(QStringLiteral("PRAGMA user_version")).toInt() > kSchemaVersion)
        throw NewerVersion();
    if (!hasOwnSchema(*connection))
        throw changedSchema();
    if (check)
        requireWhole(*connection);
    prepareSchema(*connection);
    return connection;
}

void copyIfReadable(const QString &path, std::unique_ptr<SqlConnection> &memory)
{
    try {
        copyRows(path, *memory);
    } catch (const SqlError &) {
        memory = std::make_unique<SqlConnection>(QStringLiteral(":memory:"));
        prepareSchema(*memory);
        recoverRows(path, *memory);
    }
    finishInterruptedReplies(*memory);
}

OpenedStore openDamaged(const QString &path)
{
    OpenedStore store;
    store.path = path;
    const QString aside = setAside(path, QStringLiteral("corrupt"));
    if (aside.isEmpty())
        return openInMemory(path, StoreTexts::tr("the file is damaged and cannot be renamed"));
    store.connection = std::make_unique<SqlConnection>(path);
    prepareSchema(*store.connection);
    const RecoveredRows rows = recoverRows(aside, *store.connection);
    store.notice =
        StoreTexts::tr(
            "The conversation database was damaged. %1 messages were recovered; the damaged "
            "file was kept as %2.")
            .arg(rows.messages)
            .arg(aside);
    return store;
}

/// The index first: what changes messages runs its triggers, which fail where it is damaged.
void tidy(OpenedStore &store)
{
    store.hasIndex = prepareSearchIndex(*store.connection);
    finishInterruptedReplies(*store.connection);
    purgeDeleted(*store.connection);
}

OpenedStore openOnDisk(const QString &path)
{
    OpenedStore store;
    store.path = path;
    try {
        store.connection = openChecked(path);
        tidy(store);
    } catch (const SqlError &error) {
        if (!error.damaged())
            throw;
        store.connection.reset();
        store = openDamaged(path);
        if (!store.inMemory)
            tidy(store);
    }
    return store;
}

} // namespace

OpenedStore openInMemory(const QString &path, const QString &problem, const SqlConnection *live)
{
    OpenedStore store;
    store.path = path;
    store.inMemory = true;
    store.problem = problem;
    store.connection = std::make_unique<SqlConnection>(QStringLiteral(":memory:"));
    prepareSchema(*store.connection);
    if (live) {
        recoverRows(*live, *store.connection);
    } else {
        if (QFileInfo::exists(path))
            copyIfReadable(path, store.connection);
        // Ids that no unread row of the file has, so that both can be joined later.
        const qint64 first = QDateTime::currentMSecsSinceEpoch();
        for (const char *table : {"conversations", "messages"}) {
            const QString name = QString::fromLatin1(table);
            store.connection->run(QStringLiteral("DELETE FROM sqlite_sequence WHERE name = ?"),
                                  {name});
            store.connection->run(
                QStringLiteral("INSERT INTO sqlite_sequence(name, seq) VALUES (?, ?)"),
                {name, first});
        }
    }
    store.hasIndex = prepareSearchIndex(*store.connection);
    return store;
}

std::unique_ptr<SqlConnection> openForWriting(const QString &path)
{
    if (!QDir().mkpath(QFileInfo(path).absolutePath()))
        throw SqlError(SqlError::CannotOpen, StoreTexts::tr("the folder cannot be made"));
    auto connection = std::make_unique<SqlConnection>(path);
    if (connection->value(QStringLiteral("PRAGMA user_version")).toInt() > kSchemaVersion)
        throw SqlError(SqlError::CannotOpen,
                       StoreTexts::tr("a newer version of the program is using it"));
    if (!hasOwnSchema(*connection))
        throw changedSchema();
    prepareSchema(*connection);
    prepareSearchIndex(*connection);
    return connection;
}

OpenedStore openStore(const QString &folder)
{
    QString path = QDir(folder).filePath(QStringLiteral("fireside.db"));
    if (!QDir().mkpath(folder))
        return openInMemory(path, StoreTexts::tr("the folder %1 cannot be made").arg(folder));
    QString notice;
    try {
        try {
            return openOnDisk(path);
        } catch (const NewerVersion &) {
            const QString newer = path;
            path = QDir(folder).filePath(QStringLiteral("fireside-v%1.db").arg(kSchemaVersion));
            notice =
                StoreTexts::tr(
                    "The conversations in %1 were stored by a newer version of the program and are "
                    "left alone; this version keeps its own in %2.")
                    .arg(newer, path);
            OpenedStore store = openOnDisk(path);
            store.notice = notice;
            return store;
        }
    } catch (const SqlError &error) {
        OpenedStore store = openInMemory(path, error.text());
        store.notice = notice;
        return store;
    } catch (const NewerVersion &) {
        return openInMemory(QString(), StoreTexts::tr("all databases belong to a newer version"));
    }
}

} // namespace fireside
