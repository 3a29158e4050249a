#pragma once
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QString>
#include <QVariantList>

#include <functional>
#include <stdexcept>

namespace fireside {

/// A statement that SQLite refused; `code` is SQLite's primary result code.
class SqlError : public std::runtime_error
{
public:
    enum Code {
        Denied = 3,
        Busy = 5,
        Locked = 6,
        ReadOnly = 8,
        IoError = 10,
        Corrupt = 11,
        Full = 13,
        CannotOpen = 14,
        NotADatabase = 26
    };
    SqlError(int code, const QString &text);
    int code() const noexcept { return m_code; }
    bool damaged() const noexcept { return m_code == Corrupt || m_code == NotADatabase; }
    /// The disk or another process refuses; the statement itself is right.
    bool refused() const noexcept;
    QString text() const { return QString::fromUtf8(what()); }

private:
    int m_code;
};

/// One SQLite connection, closed on destruction. For the thread that made it. Every failure throws
/// SqlError.
class SqlConnection
{
public:
    enum Mode { ReadWrite, ReadOnly };
    explicit SqlConnection(const QString &path, Mode mode = ReadWrite); // ":memory:" for none
    ~SqlConnection();
    SqlConnection(const SqlConnection &) = delete;
    SqlConnection &operator=(const SqlConnection &) = delete;

    /// Runs one statement; the result is ready for next().
    QSqlQuery run(const QString &statement, const QVariantList &values = {}) const;
    /// After the last next(): throws when an error ended the rows.
    static void requireEnd(const QSqlQuery &rows);
    /// First column of the first row; invalid when there is none.
    QVariant value(const QString &statement, const QVariantList &values = {}) const;
    /// All or nothing; a write lock is taken at once.
    void transaction(const std::function<void()> &change) const;

private:
    QString m_name;
    QSqlDatabase m_database;
};

} // namespace fireside
