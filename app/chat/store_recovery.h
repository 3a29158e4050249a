#pragma once
#include "app/chat/sql_connection.h"

#include <QString>

namespace fireside {

struct RecoveredRows
{
    qint64 conversations = 0, messages = 0;
};

/// Copies every readable row of a damaged database into a prepared, empty one: from both ends of
/// each table up to the damage, then row by row through it; columns by their names, or their places
/// where a changed schema lacks the name. Repairs what the gaps broke (lost parents, conversations
/// without a row). Errors of the source are skipped, errors of the target throw SqlError.
RecoveredRows recoverRows(const QString &damagedPath, const SqlConnection &target);
RecoveredRows recoverRows(const SqlConnection &source, const SqlConnection &target);

/// Copies all rows of an intact database; throws SqlError.
void copyRows(const QString &sourcePath, const SqlConnection &target);

/// Moves a database with its side files to "<path>.<label>-<time>"; the new path, or empty when it
/// failed.
QString setAside(const QString &path, const QString &label);

} // namespace fireside
