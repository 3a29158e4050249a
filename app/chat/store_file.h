#pragma once
#include "app/chat/sql_connection.h"

#include <QString>

#include <memory>

namespace fireside {

/// An opened conversation database, on disk or, when that is impossible, in memory.
struct OpenedStore
{
    std::unique_ptr<SqlConnection> connection;
    QString path; // of the file on disk, also when it could not be opened
    bool inMemory = false;
    bool hasIndex = false; // full-text search works
    QString notice;        // what was set aside or recovered; empty when nothing was
    QString problem;       // why it is in memory
};

/// Opens `folder`/fireside.db. A damaged file, or one whose tables, indices or triggers somebody
/// changed, is set aside and its readable rows are recovered into a new one; a file of a newer
/// version is left alone and one beside it is used; what cannot be written is copied into memory.
/// Replies that a crash interrupted become stopped ones. Does not throw for anything the disk does.
OpenedStore openStore(const QString &folder);

/// A database in memory with the rows of `path`, as far as they can be read. `live`: a connection
/// to that file that is still open; on a full disk it can read what a new one could not.
OpenedStore openInMemory(const QString &path, const QString &problem,
                         const SqlConnection *live = nullptr);

/// Opens the file on disk again without any of the above; throws SqlError.
std::unique_ptr<SqlConnection> openForWriting(const QString &path);

} // namespace fireside
