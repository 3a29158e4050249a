#include "app/chat/store_recovery.h"

#include "app/chat/store_schema.h"

#include <QDateTime>
#include <QFile>
#include <QSqlError>
#include <QUrl>

#include <memory>
#include <optional>

namespace fireside {
namespace {

constexpr qint64 kMaxSingleLookups = 200'000; // about two seconds

struct ColumnPairs
{
    QStringList read, write; // expressions of the source, columns of the target
};

// Where the schema was changed a column may have another name, which its place tells, or be
// missing, which leaves its default.
ColumnPairs pairColumns(const SqlConnection &source, const TableShape &shape)
{
    QStringList found;
    try {
        // A view in the table's place could say anything, and without end.
        const QVariant type = source.value(
            QStringLiteral("SELECT type FROM pragma_table_list(?) WHERE schema = 'main'"),
            {shape.name});
        if (type.toString() != QLatin1String("table"))
            return {};
        QSqlQuery rows = source.run(QStringLiteral("PRAGMA table_info(%1)").arg(shape.name));
        while (rows.next())
            found.append(rows.value(1).toString());
    } catch (const SqlError &) {
        return {};
    }
    ColumnPairs pairs;
    for (qsizetype i = 0; i < shape.columns.size(); ++i) {
        QString name = shape.columns[i];
        if (!found.contains(name, Qt::CaseInsensitive))
            name = shape.columns.contains(found.value(i)) ? QString() : found.value(i);
        if (name.isEmpty())
            continue;
        name.replace(QLatin1Char('"'), QLatin1String("\"\""));
        name = QStringLiteral("\"%1\"").arg(name);
        // Ids lie in the rowid alone, also where the column's type no longer says so.
        if (shape.columns[i] == QLatin1String("id"))
            name = QStringLiteral("coalesce(%1, rowid)").arg(name);
        pairs.read.append(name);
        pairs.write.append(shape.columns[i]);
    }
    return pairs;
}

class TableCopy
{
public:
    TableCopy(const SqlConnection &source, const SqlConnection &target, const TableShape &shape)
        : m_source(source)
        , m_target(target)
        , m_columns(pairColumns(source, shape))
        , m_select(QStringLiteral("SELECT rowid,%1 FROM %2")
                       .arg(m_columns.read.join(QLatin1Char(',')), shape.name))
        , m_insert(QStringLiteral("INSERT OR IGNORE INTO %1(%2) VALUES (?%3)")
                       .arg(shape.name, m_columns.write.join(QLatin1Char(',')),
                            QStringLiteral(",?").repeated(m_columns.write.size() - 1)))
    {}

    qint64 copyReadable()
    {
        if (m_columns.read.isEmpty() || sweep(QStringLiteral(" ORDER BY rowid")))
            return m_copied;
        const qint64 lowEnd = m_lastRow;
        sweep(QStringLiteral(" ORDER BY rowid DESC"));
        const qint64 highEnd = m_lastRow;
        if (highEnd > lowEnd && highEnd - lowEnd <= kMaxSingleLookups) {
            for (qint64 row = lowEnd + 1; row < highEnd; ++row)
                sweep(QStringLiteral(" WHERE rowid = %1").arg(row));
        }
        return m_copied;
    }

private:
    // True when it reached the end of the rows, false at the first unreadable one.
    bool sweep(const QString &order)
    {
        std::optional<QSqlQuery> rows;
        try {
            rows = m_source.run(m_select + order);
        } catch (const SqlError &) {
            return false;
        }
        while (rows->next()) {
            m_lastRow = rows->value(0).toLongLong();
            insert(*rows);
        }
        return !rows->lastError().isValid();
    }

    void insert(const QSqlQuery &row)
    {
        QVariantList values;
        for (int column = 1; column <= m_columns.write.size(); ++column)
            values.append(row.value(column));
        try {
            m_target.run(m_insert, values);
            ++m_copied;
        } catch (const SqlError &error) {
            constexpr int kConstraint = 19, kMismatch = 20;
            if (error.code() != kConstraint && error.code() != kMismatch)
                throw; // the target's own trouble; a row of nonsense is left out
        }
    }

    const SqlConnection &m_source;
    const SqlConnection &m_target;
    const ColumnPairs m_columns;
    const QString m_select, m_insert;
    qint64 m_lastRow = 0;
    qint64 m_copied = 0;
};

void mendGaps(const SqlConnection &target, const QString &title)
{
    target.run(QStringLiteral("INSERT INTO conversations(id, title, created, updated) "
                              "SELECT conversation, ?, min(created), max(created) FROM messages "
                              "WHERE conversation NOT IN (SELECT id FROM conversations) "
                              "GROUP BY conversation"),
               {title});
    target.run(
        QStringLiteral("UPDATE messages SET parent = coalesce((SELECT max(p.id) FROM messages p "
                       "WHERE p.conversation = messages.conversation AND p.id < messages.id), 0) "
                       "WHERE parent <> 0 AND NOT EXISTS (SELECT 1 FROM messages p "
                       "WHERE p.id = messages.parent AND p.conversation = messages.conversation "
                       "AND p.id < messages.id)"));
    target.run(QStringLiteral(
        "UPDATE conversations SET current_leaf = coalesce((SELECT max(m.id) FROM messages m "
        "WHERE m.conversation = conversations.id), 0) "
        "WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = conversations.current_leaf "
        "AND m.conversation = conversations.id)"));
}

// In a folder that cannot be written SQLite must be told that nobody else writes either.
QString immutable(const QString &path)
{
    return QString::fromUtf8(QUrl::fromLocalFile(path).toEncoded()) +
           QStringLiteral("?immutable=1");
}

// Null when nothing of the file can be read.
std::unique_ptr<SqlConnection> openDamagedToRead(const QString &path)
{
    for (const QString &name : {path, immutable(path)}) {
        try {
            auto source = std::make_unique<SqlConnection>(name, SqlConnection::ReadOnly);
            // Then what cannot be parsed of the schema is passed over.
            source->run(QStringLiteral("PRAGMA writable_schema = ON"));
            source->value(QStringLiteral("SELECT count(*) FROM sqlite_master"));
            return source;
        } catch (const SqlError &) {
        }
    }
    return nullptr;
}

} // namespace

RecoveredRows recoverRows(const QString &damagedPath, const SqlConnection &target)
{
    const std::unique_ptr<SqlConnection> source = openDamagedToRead(damagedPath);
    return source ? recoverRows(*source, target) : RecoveredRows();
}

RecoveredRows recoverRows(const SqlConnection &source, const SqlConnection &target)
{
    RecoveredRows recovered;
    target.run(
        QStringLiteral("PRAGMA foreign_keys = OFF")); // parents may come after their children
    target.transaction([&] {
        for (const TableShape &shape : storedTables()) {
            const qint64 rows = TableCopy(source, target, shape).copyReadable();
            if (shape.name == QLatin1String("conversations"))
                recovered.conversations = rows;
            else if (shape.name == QLatin1String("messages"))
                recovered.messages = rows;
        }
        mendGaps(target, QStringLiteral("Recovered"));
    });
    target.run(QStringLiteral("PRAGMA foreign_keys = ON"));
    return recovered;
}

void copyRows(const QString &sourcePath, const SqlConnection &target)
{
    const auto attach = [&](const QString &name) {
        target.run(QStringLiteral("ATTACH DATABASE ? AS source"), {name});
        // Attaching is lazy: a look shows whether the file can be read.
        target.value(QStringLiteral("SELECT count(*) FROM source.sqlite_master"));
    };
    try {
        attach(sourcePath);
    } catch (const SqlError &) {
        try {
            target.run(QStringLiteral("DETACH DATABASE source"));
        } catch (const SqlError &) {
        }
        attach(immutable(sourcePath));
    }
    if (!hasOwnSchema(target, QStringLiteral("source")))
        throw SqlError(SqlError::Corrupt, QStringLiteral("not the tables that are copied"));
    target.transaction([&] {
        for (const TableShape &shape : storedTables()) {
            const QString columns = shape.columns.join(QLatin1Char(','));
            target.run(QStringLiteral("INSERT INTO main.%1(%2) SELECT %2 FROM source.%1")
                           .arg(shape.name, columns));
        }
    });
    target.run(QStringLiteral("DETACH DATABASE source"));
}

QString setAside(const QString &path, const QString &label)
{
    const QString stem =
        QStringLiteral("%1.%2-%3")
            .arg(path, label,
                 QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss")));
    QString name = stem;
    for (int i = 2; QFile::exists(name); ++i)
        name = QStringLiteral("%1-%2").arg(stem).arg(i);
    if (!QFile::rename(path, name))
        return {};
    for (const QLatin1String side : {QLatin1String("-wal"), QLatin1String("-shm")}) {
        if (QFile::exists(path + side))
            QFile::rename(path + side, name + side);
    }
    return name;
}

} // namespace fireside
