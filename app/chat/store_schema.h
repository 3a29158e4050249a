#pragma once
#include "app/chat/sql_connection.h"

#include <QStringList>

// The tables of the conversation database.
namespace fireside {

/// Kept in the file's user_version; a file with a higher one belongs to a newer program.
/// What a version makes never changes once it was released: files are compared with it.
inline constexpr int kSchemaVersion = 4;

struct TableShape
{
    QString name;
    QStringList columns; // the first one is the key
};
/// Everything that is stored; the search index is derived from it.
const QList<TableShape> &storedTables();

/// True when the database (`main`, or attached under another name) has exactly the tables, indices
/// and triggers that the program makes for the file's version; the search index is not looked at.
/// Anything more or less could hide or change rows.
bool hasOwnSchema(const SqlConnection &connection,
                  const QString &database = QStringLiteral("main"));

/// Brings a new or older database to kSchemaVersion, and sets the connection's pragmas.
void prepareSchema(const SqlConnection &connection);

/// Makes the full-text index, anew when it is not as this SQLite makes it, or stops it where SQLite
/// cannot have one. True when `message_index` can be searched.
bool prepareSearchIndex(const SqlConnection &connection);

} // namespace fireside
