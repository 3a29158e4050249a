#include "app/network/connections.h"

#include <algorithm>

namespace fireside {
namespace {

constexpr qsizetype kMostRecords = 5000; // the oldest go first

QString hostOf(const QUrl &url)
{
    const int usual = url.scheme() == QLatin1String("https") ? 443 : 80;
    const int port = url.port(usual);
    return port == usual ? url.host() : QStringLiteral("%1:%2").arg(url.host()).arg(port);
}

} // namespace

Connections::Connections(QObject *parent)
    : QObject(parent)
{}

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
    }
    emit recorded();
    return record.id;
}

void Connections::end(qint64 id, qint64 bytesReceived, const QString &result)
{
    {
        const std::lock_guard lock(m_mutex);
        const auto record = std::find_if(m_records.rbegin(), m_records.rend(),
                                         [id](const ConnectionRecord &r) { return r.id == id; });
        if (record != m_records.rend()) {
            record->bytesReceived = bytesReceived;
            record->result = result;
        }
    }
    emit recorded();
}

QList<ConnectionRecord> Connections::records() const
{
    const std::lock_guard lock(m_mutex);
    return m_records;
}

} // namespace fireside
