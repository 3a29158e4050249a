#pragma once
#include "app/chat/sql_connection.h"

#include <QStringList>

// The tables of the conversation database.
namespace fireside {

/// Kept in the file's user_version; a file with a higher one belongs to a newer program.
inline constexpr int kSchemaVersion = 1;

struct TableShape
{
    QString name;
    QStringList columns; // the first one is the key
};
/// Everything that is stored; the search index is derived from it.
const QList<TableShape> &storedTables();

/// Brings a new or older database to kSchemaVersion, and sets the connection's pragmas.
void prepareSchema(const SqlConnection &connection);

/// Makes, repairs or removes the full-text index, depending on what this SQLite can do.
/// True when `message_index` can be searched.
bool prepareSearchIndex(const SqlConnection &connection);

} // namespace fireside
