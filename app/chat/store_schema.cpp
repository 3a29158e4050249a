#include "app/chat/store_schema.h"

#include <algorithm>

namespace fireside {
namespace {

// Times are milliseconds since 1970 in UTC. messages.state has the values of Message::State.
// A parent's id is always smaller than its children's, so paths to the root end.
const QStringList kVersion1{
    QStringLiteral("CREATE TABLE conversations("
                   "id INTEGER PRIMARY KEY AUTOINCREMENT,"
                   "title TEXT NOT NULL DEFAULT '',"
                   "named INTEGER NOT NULL DEFAULT 0," // 1: the user chose the title
                   "created INTEGER NOT NULL DEFAULT 0,"
                   "updated INTEGER NOT NULL DEFAULT 0,"
                   "pinned INTEGER NOT NULL DEFAULT 0,"
                   "draft TEXT NOT NULL DEFAULT '',"
                   "current_leaf INTEGER NOT NULL DEFAULT 0,"
                   "deleted INTEGER NOT NULL DEFAULT 0,"
                   "sampling TEXT NOT NULL DEFAULT '{}')"),
    QStringLiteral("CREATE TABLE messages("
                   "id INTEGER PRIMARY KEY AUTOINCREMENT,"
                   "conversation INTEGER NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,"
                   "parent INTEGER NOT NULL DEFAULT 0,"
                   "role TEXT NOT NULL,"
                   "text TEXT NOT NULL DEFAULT '',"
                   "created INTEGER NOT NULL DEFAULT 0,"
                   "state INTEGER NOT NULL DEFAULT 0,"
                   "error TEXT NOT NULL DEFAULT '',"
                   "record TEXT NOT NULL DEFAULT '{}')"),
    QStringLiteral("CREATE TABLE notes(key TEXT PRIMARY KEY, value TEXT NOT NULL)"),
    QStringLiteral("CREATE INDEX messages_tree ON messages(conversation, parent, id)"),
    QStringLiteral("CREATE INDEX messages_streaming ON messages(id) WHERE state = 1"),
    QStringLiteral("CREATE INDEX conversations_list ON conversations(deleted, pinned, updated)"),
};
const QStringList kVersion2{
    QStringLiteral("ALTER TABLE conversations ADD COLUMN folder TEXT NOT NULL DEFAULT ''"),
};
const QStringList kVersion3{
    QStringLiteral("ALTER TABLE conversations ADD COLUMN tools TEXT NOT NULL DEFAULT '{}'"),
};
const QStringList kVersion4{
    QStringLiteral("ALTER TABLE conversations ADD COLUMN place TEXT NOT NULL DEFAULT '{}'"),
};
// Each later version adds its own step, from its predecessor's number.
const QList<QStringList> kVersions{kVersion1, kVersion2, kVersion3, kVersion4};

// A growing reply (state 1) is stored every second; it enters the index once, when it is done.
const QStringList kIndexTriggers{
    QStringLiteral(
        "CREATE TRIGGER message_index_added AFTER INSERT ON messages WHEN new.state <> 1 "
        "BEGIN INSERT INTO message_index(rowid, text) VALUES (new.id, new.text); END"),
    QStringLiteral(
        "CREATE TRIGGER message_index_removed AFTER DELETE ON messages WHEN old.state <> 1 "
        "BEGIN INSERT INTO message_index(message_index, rowid, text) "
        "VALUES ('delete', old.id, old.text); END"),
    QStringLiteral(
        "CREATE TRIGGER message_index_changed AFTER UPDATE OF text, state ON messages BEGIN "
        "INSERT INTO message_index(message_index, rowid, text) "
        "SELECT 'delete', old.id, old.text WHERE old.state <> 1; "
        "INSERT INTO message_index(rowid, text) "
        "SELECT new.id, new.text WHERE new.state <> 1; END"),
};

// The search index: its triggers, its table and the tables that FTS5 keeps behind it.
const QString kOfIndex = QStringLiteral("name LIKE 'message\\_index%' ESCAPE '\\'");

bool hasFullText(const SqlConnection &connection)
{
    try {
        connection.run(QStringLiteral("CREATE VIRTUAL TABLE temp.fts_probe USING fts5(text)"));
        connection.run(QStringLiteral("DROP TABLE temp.fts_probe"));
        return true;
    } catch (const SqlError &) {
        return false;
    }
}

QStringList column(const SqlConnection &connection, const QString &select)
{
    QSqlQuery rows = connection.run(select);
    QStringList values;
    while (rows.next())
        values.append(rows.value(0).toString());
    SqlConnection::requireEnd(rows);
    return values;
}

QStringList schemaWhere(const SqlConnection &connection, const QString &database,
                        const QString &condition)
{
    return column(connection,
                  QStringLiteral("SELECT type || ' ' || name || ' ON ' || tbl_name || ': ' || "
                                 "coalesce(sql, '') FROM %1.sqlite_master WHERE %2 ORDER BY 1")
                      .arg(database, condition));
}

QStringList tablesWithoutIndex(const SqlConnection &connection, const QString &database)
{
    return schemaWhere(connection, database, QStringLiteral("(%1) IS NOT 1").arg(kOfIndex));
}

QStringList searchIndex(const SqlConnection &connection)
{
    return schemaWhere(connection, QStringLiteral("main"), kOfIndex);
}

void makeTables(const SqlConnection &connection, int fromVersion, int toVersion)
{
    for (int version = fromVersion; version < toVersion; ++version) {
        for (const QString &statement : kVersions[version])
            connection.run(statement);
    }
}

void makeSearchIndex(const SqlConnection &connection)
{
    connection.run(
        QStringLiteral("CREATE VIRTUAL TABLE message_index USING fts5(text, content='messages', "
                       "content_rowid='id', tokenize='unicode61 remove_diacritics 2')"));
    // Replies in progress must be absent, so the index is filled by hand instead of 'rebuild'.
    connection.run(QStringLiteral("INSERT INTO message_index(rowid, text) "
                                  "SELECT id, text FROM messages WHERE state <> 1"));
    for (const QString &statement : kIndexTriggers)
        connection.run(statement);
}

// As this SQLite makes it; another one may keep other tables behind it.
const QStringList &wholeSearchIndex()
{
    static const QStringList index = [] {
        const SqlConnection memory(QStringLiteral(":memory:"));
        makeTables(memory, 0, kSchemaVersion);
        makeSearchIndex(memory);
        return searchIndex(memory);
    }();
    return index;
}

void dropTriggers(const SqlConnection &connection)
{
    const QStringList names =
        column(connection, QStringLiteral("SELECT name FROM sqlite_master WHERE type = 'trigger' "
                                          "AND ") +
                               kOfIndex);
    for (QString name : names) {
        connection.run(QStringLiteral("DROP TRIGGER \"%1\"")
                           .arg(name.replace(QLatin1Char('"'), QLatin1String("\"\""))));
    }
}

} // namespace

const QList<TableShape> &storedTables()
{
    static const QList<TableShape> tables{
        {QStringLiteral("conversations"),
         {QStringLiteral("id"), QStringLiteral("title"), QStringLiteral("named"),
          QStringLiteral("created"), QStringLiteral("updated"), QStringLiteral("pinned"),
          QStringLiteral("draft"), QStringLiteral("current_leaf"), QStringLiteral("deleted"),
          QStringLiteral("sampling"), QStringLiteral("folder"), QStringLiteral("tools"),
          QStringLiteral("place")}},
        {QStringLiteral("messages"),
         {QStringLiteral("id"), QStringLiteral("conversation"), QStringLiteral("parent"),
          QStringLiteral("role"), QStringLiteral("text"), QStringLiteral("created"),
          QStringLiteral("state"), QStringLiteral("error"), QStringLiteral("record")}},
        {QStringLiteral("notes"), {QStringLiteral("key"), QStringLiteral("value")}},
    };
    return tables;
}

void prepareSchema(const SqlConnection &connection)
{
    connection.run(QStringLiteral("PRAGMA journal_mode = WAL"));
    connection.run(QStringLiteral("PRAGMA synchronous = NORMAL"));
    connection.run(QStringLiteral("PRAGMA foreign_keys = ON"));
    connection.run(QStringLiteral("PRAGMA secure_delete = ON")); // deleted chats are gone
    connection.transaction([&] {
        const int version = connection.value(QStringLiteral("PRAGMA user_version")).toInt();
        makeTables(connection, std::max(version, 0), kSchemaVersion);
        connection.run(QStringLiteral("PRAGMA user_version = %1").arg(kSchemaVersion));
    });
}

bool hasOwnSchema(const SqlConnection &connection, const QString &database)
{
    const int version =
        connection.value(QStringLiteral("PRAGMA %1.user_version").arg(database)).toInt();
    if (version > kSchemaVersion)
        return false;
    const SqlConnection memory(QStringLiteral(":memory:"));
    makeTables(memory, 0, version);
    return tablesWithoutIndex(connection, database) ==
           tablesWithoutIndex(memory, QStringLiteral("main"));
}

bool prepareSearchIndex(const SqlConnection &connection)
{
    if (!hasFullText(connection)) {
        // Triggers that need a missing module would make every write fail.
        connection.transaction([&] { dropTriggers(connection); });
        return false;
    }
    if (searchIndex(connection) == wholeSearchIndex())
        return true;
    try {
        connection.transaction([&] {
            dropTriggers(connection);
            connection.run(QStringLiteral("DROP TABLE IF EXISTS message_index"));
            makeSearchIndex(connection);
        });
    } catch (const SqlError &error) {
        // A changed table behind the index may keep it from being dropped or made.
        if (error.refused())
            throw;
        throw SqlError(SqlError::Corrupt, error.text());
    }
    if (searchIndex(connection) != wholeSearchIndex())
        throw SqlError(SqlError::Corrupt, QStringLiteral("the search index cannot be made anew"));
    return true;
}

} // namespace fireside
