#include "app/network/connections.h"

#include "app/files/write_file.h"
#include "app/network/connection_lines.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRandomGenerator>
#include <QSaveFile>
#include <QSet>

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

constexpr qsizetype kMostRecords = 20'000; // the oldest go first
constexpr qint64 kMostBytes = 4 << 20, kKeptBytes = 2 << 20;

QString hostOf(const QUrl &url)
{
    const int usual = url.scheme() == QLatin1String("https") ? 443 : 80;
    const int port = url.port(usual);
    return port == usual ? url.host() : QStringLiteral("%1:%2").arg(url.host()).arg(port);
}

/// The end of a file, from the beginning of a line on.
QByteArray lastLines(const QString &path, qint64 bytes)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    if (file.size() > bytes) {
        file.seek(file.size() - bytes);
        file.readLine();
    }
    return file.read(bytes);
}

constexpr auto kOwnerOnly = QFile::ReadOwner | QFile::WriteOwner;

} // namespace

Connections::Connections(const QString &file, QObject *parent)
    : QObject(parent)
    , m_file(file)
    , m_read(file.isEmpty())
    , m_lastId(qint64(QRandomGenerator::global()->bounded(1 << 30)) << 20) // no other run's
{
    limitFile();
}

void Connections::setOffline(bool offline)
{
    if (m_offline.exchange(offline) != offline)
        emit offlineChanged(offline);
}

qint64 Connections::begin(const QUrl &url, const QString &purpose)
{
    ConnectionRecord record;
    record.time = QDateTime::currentDateTimeUtc();
    record.host = hostOf(url);
    record.purpose = purpose;
    {
        const std::lock_guard lock(m_mutex);
        record.id = ++m_lastId;
        m_records.append(record);
        if (m_records.size() > kMostRecords)
            m_records.removeFirst();
        store(record);
    }
    emit recorded();
    return record.id;
}

void Connections::end(qint64 id, qint64 bytesReceived, const QString &result, bool allowed)
{
    {
        const std::lock_guard lock(m_mutex);
        const auto record = std::find_if(m_records.rbegin(), m_records.rend(),
                                         [id](const ConnectionRecord &r) { return r.id == id; });
        if (record != m_records.rend()) {
            record->bytesReceived = bytesReceived;
            record->result = result;
            record->allowed = allowed;
            store(*record);
        }
    }
    emit recorded();
}

bool Connections::ask(const QUrl &url, const QString &purpose)
{
    const bool allowed = !offline();
    const qint64 id = begin(url, purpose);
    end(id, 0, allowed ? tr("handed over") : tr("refused: Fireside is offline"), allowed);
    return allowed;
}

QList<ConnectionRecord> Connections::records() const
{
    const std::lock_guard lock(m_mutex);
    if (!m_read)
        readFile();
    return m_records;
}

QString Connections::clear()
{
    QString problem;
    {
        const std::lock_guard lock(m_mutex);
        m_read = true;
        m_records.removeIf([](const ConnectionRecord &r) { return !r.result.isEmpty(); });
        if (QFile file(m_file); file.exists() && !file.remove())
            problem = file.errorString();
        for (const ConnectionRecord &record : std::as_const(m_records))
            store(record);
    }
    emit recorded();
    return problem;
}

QString Connections::problem() const
{
    const std::lock_guard lock(m_mutex);
    return m_problem;
}

/// A line now, and another one when it has ended; the later one counts.
void Connections::store(const ConnectionRecord &record)
{
    if (m_file.isEmpty())
        return;
    QFile file(m_file);
    const bool isNew = !file.exists();
    if (isNew)
        QDir().mkpath(QFileInfo(m_file).absolutePath());
    const QByteArray line = toLine(record);
    const bool stored = file.open(QIODevice::WriteOnly | QIODevice::Append) &&
                        (!isNew || file.setPermissions(kOwnerOnly)) &&
                        file.write(line) == line.size() && file.flush();
    m_problem = stored ? QString() : file.errorString();
}

void Connections::limitFile() const
{
    if (m_file.isEmpty() || QFileInfo(m_file).size() <= kMostBytes)
        return;
    const QByteArray kept = lastLines(m_file, kKeptBytes);
    QSaveFile file(m_file);
    if (file.open(QIODevice::WriteOnly) && file.setPermissions(kOwnerOnly) &&
        file.write(kept) == kept.size())
        commitAll(file);
}

/// What earlier runs stored comes before what this one has.
void Connections::readFile() const
{
    m_read = true;
    QList<ConnectionRecord> older = fromLines(lastLines(m_file, kMostBytes));
    QSet<std::pair<qint64, qint64>> own;
    const auto key = [](const ConnectionRecord &r) {
        return std::pair<qint64, qint64>(r.id, r.time.toMSecsSinceEpoch());
    };
    for (const ConnectionRecord &record : std::as_const(m_records))
        own.insert(key(record));
    older.removeIf([&](const ConnectionRecord &r) { return own.contains(key(r)); });
    for (ConnectionRecord &record : older) {
        if (record.result.isEmpty())
            record.result = tr("the program ended");
        record.id = 0;
    }
    m_records = older.mid(std::max<qsizetype>(0, older.size() - kMostRecords)) + m_records;
}

QString storeCsv(const QString &path, const QList<ConnectionRecord> &records)
{
    return writeFile(path, toCsv(records));
}

} // namespace fireside
