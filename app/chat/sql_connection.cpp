#include "app/chat/sql_connection.h"

#include <QFile>
#include <QSqlError>
#include <QUuid>

#include <filesystem>
#include <string>

namespace fireside {
namespace {

[[noreturn]] void raise(const QSqlError &error)
{
    // Extended codes carry the primary one in their low byte.
    const int code = error.nativeErrorCode().toInt() & 0xff;
    const QString text = error.databaseText().isEmpty() ? error.driverText() : error.databaseText();
    throw SqlError(code, text);
}

/// Chats are for their owner alone: a new database is made so, one of an earlier version becomes
/// so. SQLite gives the files beside a database its permissions. Where this fails, opening says
/// why.
void makePrivate(const QString &path)
{
    namespace fs = std::filesystem;
    if (path == QLatin1String(":memory:") || path.startsWith(QLatin1String("file:")))
        return;
    if (QFile file(path); !file.exists() && file.open(QIODevice::WriteOnly | QIODevice::NewOnly,
                                                      QFile::ReadOwner | QFile::WriteOwner))
        return;
    std::error_code ignored;
    for (const char *ending : {"", "-wal", "-shm"})
        fs::permissions(fs::path(QFile::encodeName(path).toStdString() + ending),
                        fs::perms::group_all | fs::perms::others_all, fs::perm_options::remove,
                        ignored);
}

} // namespace

SqlError::SqlError(int code, const QString &text)
    : std::runtime_error(text.toStdString())
    , m_code(code)
{}

bool SqlError::refused() const noexcept
{
    switch (m_code) {
    case Denied:
    case Busy:
    case Locked:
    case ReadOnly:
    case IoError:
    case Full:
    case CannotOpen:
        return true;
    default:
        return false;
    }
}

SqlConnection::SqlConnection(const QString &path, Mode mode)
    : m_name(QUuid::createUuid().toString())
    , m_database(QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_name))
{
    QString options = QStringLiteral("QSQLITE_BUSY_TIMEOUT=500;QSQLITE_OPEN_URI");
    if (mode == ReadOnly)
        options += QStringLiteral(";QSQLITE_OPEN_READONLY");
    m_database.setConnectOptions(options);
    if (mode != ReadOnly)
        makePrivate(path);
    m_database.setDatabaseName(path);
    if (!m_database.open()) {
        const QSqlError error = m_database.lastError();
        m_database = {};
        QSqlDatabase::removeDatabase(m_name);
        raise(error);
    }
}

SqlConnection::~SqlConnection()
{
    m_database.close();
    m_database = {};
    QSqlDatabase::removeDatabase(m_name);
}

QSqlQuery SqlConnection::run(const QString &statement, const QVariantList &values) const
{
    QSqlQuery query(m_database);
    query.setForwardOnly(true);
    if (!query.prepare(statement))
        raise(query.lastError());
    for (const QVariant &value : values)
        query.addBindValue(value);
    if (!query.exec())
        raise(query.lastError());
    return query;
}

void SqlConnection::requireEnd(const QSqlQuery &rows)
{
    if (rows.lastError().isValid())
        raise(rows.lastError());
}

QVariant SqlConnection::value(const QString &statement, const QVariantList &values) const
{
    QSqlQuery query = run(statement, values);
    if (query.next())
        return query.value(0);
    requireEnd(query);
    return {};
}

void SqlConnection::transaction(const std::function<void()> &change) const
{
    run(QStringLiteral("BEGIN IMMEDIATE"));
    try {
        change();
        run(QStringLiteral("COMMIT"));
    } catch (...) {
        QSqlQuery rollback(m_database);
        rollback.exec(QStringLiteral("ROLLBACK")); // fails when SQLite has rolled back itself
        throw;
    }
}

} // namespace fireside
