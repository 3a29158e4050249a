#include "app/network/connection_lines.h"

#include <QHash>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace fireside {
namespace {

constexpr qsizetype kLongestWord = 500;

qint64 storedCount(const QJsonValue &value)
{
    constexpr double kMost = 9e15;
    const double number = value.toDouble(-1);
    return number >= 0 && number < kMost ? static_cast<qint64>(number) : -1;
}

/// A field of a table: spreadsheets take what begins with these signs for a formula.
QByteArray csvField(QString text)
{
    if (!text.isEmpty() && QStringLiteral("=+-@\t\r").contains(text.front()))
        text.prepend(QLatin1Char('\''));
    return '"' + text.replace(QLatin1Char('"'), QLatin1String("\"\"")).toUtf8() + '"';
}

} // namespace

QByteArray toLine(const ConnectionRecord &record)
{
    const QJsonObject json{
        {QStringLiteral("id"), static_cast<double>(record.id)},
        {QStringLiteral("time"), static_cast<double>(record.time.toMSecsSinceEpoch())},
        {QStringLiteral("host"), record.host},
        {QStringLiteral("purpose"), record.purpose.left(kLongestWord)},
        {QStringLiteral("bytes"), static_cast<double>(record.bytesReceived)},
        {QStringLiteral("allowed"), record.allowed},
        {QStringLiteral("result"), record.result.left(kLongestWord)},
    };
    return QJsonDocument(json).toJson(QJsonDocument::Compact) + '\n';
}

QList<ConnectionRecord> fromLines(const QByteArray &lines)
{
    QList<ConnectionRecord> records;
    QHash<QPair<qint64, qint64>, qsizetype>
        places; // by time and number, which each run begins anew
    for (const QByteArray &line : lines.split('\n')) {
        const QJsonObject json = QJsonDocument::fromJson(line).object();
        const qint64 time = storedCount(json[QLatin1String("time")]);
        if (json.isEmpty() || time < 0)
            continue;
        ConnectionRecord record;
        record.id = storedCount(json[QLatin1String("id")]);
        record.time = QDateTime::fromMSecsSinceEpoch(time).toUTC();
        record.host = json[QLatin1String("host")].toString();
        record.purpose = json[QLatin1String("purpose")].toString();
        record.bytesReceived = std::max<qint64>(0, storedCount(json[QLatin1String("bytes")]));
        record.allowed = json[QLatin1String("allowed")].toBool(true);
        record.result = json[QLatin1String("result")].toString();
        const QPair<qint64, qint64> key(time, record.id);
        if (const auto known = places.constFind(key); known != places.constEnd()) {
            records[*known] = record;
        } else {
            places.insert(key, records.size());
            records.append(record);
        }
    }
    return records;
}

QByteArray toCsv(const QList<ConnectionRecord> &records)
{
    QByteArray table = "time,host,purpose,bytes received,allowed,result\r\n";
    for (const ConnectionRecord &record : records) {
        table += csvField(record.time.toString(Qt::ISODateWithMs)) + ',' + csvField(record.host) +
                 ',' + csvField(record.purpose) + ',' + QByteArray::number(record.bytesReceived) +
                 ',' + (record.allowed ? "yes," : "no,") + csvField(record.result) + "\r\n";
    }
    return table;
}

} // namespace fireside
