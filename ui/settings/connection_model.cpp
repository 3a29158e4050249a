#include "ui/settings/connection_model.h"

#include "ui/backend/number_text.h"
#include "ui/style/theme.h"

#include <QLocale>

#include <utility>

namespace fireside {
namespace {

bool isSame(const ConnectionRecord &a, const ConnectionRecord &b)
{
    return a.id == b.id && a.time == b.time && a.host == b.host;
}

} // namespace

/// Whether they are those that are shown, and perhaps further ones.
bool ConnectionModel::goesOnWith(const QList<ConnectionRecord> &records) const
{
    return m_records.isEmpty() ||
           (records.size() >= m_records.size() && isSame(records.first(), m_records.first()) &&
            isSame(records[m_records.size() - 1], m_records.last()));
}

void ConnectionModel::setRecords(const QList<ConnectionRecord> &records)
{
    if (!goesOnWith(records)) {
        beginResetModel();
        m_records = records;
        endResetModel();
        return;
    }
    const auto known = m_records.size(), added = records.size() - known;
    if (added > 0)
        beginInsertRows({}, 0, static_cast<int>(added) - 1);
    const QList<ConnectionRecord> before = std::exchange(m_records, records);
    if (added > 0)
        endInsertRows();
    for (qsizetype i = 0; i < known; ++i) {
        if (before[i] == m_records[i])
            continue;
        const int row = static_cast<int>(m_records.size() - 1 - i);
        emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
    }
}

int ConnectionModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_records.size());
}

int ConnectionModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

QString ConnectionModel::text(const ConnectionRecord &record, int column) const
{
    switch (column) {
    case Time:
        return QLocale().toString(record.time.toLocalTime(), QLocale::ShortFormat);
    case Host:
        return record.host;
    case Purpose:
        return record.purpose;
    case Received:
        return record.bytesReceived > 0 ? bytesText(record.bytesReceived) : QStringLiteral("–");
    case Result:
        if (record.result.isEmpty())
            return tr("runs");
        return record.result == QLatin1String("200") || record.result == QLatin1String("206")
                   ? tr("allowed")
               : record.allowed ? tr("allowed: %1").arg(record.result)
                                : record.result;
    default:
        return {};
    }
}

QVariant ConnectionModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= m_records.size())
        return {};
    const ConnectionRecord &record = m_records[m_records.size() - 1 - index.row()];
    switch (role) {
    case Qt::DisplayRole:
        return text(record, index.column());
    case Qt::ToolTipRole:
        return index.column() == Time ? record.time.toLocalTime().toString(Qt::ISODateWithMs)
                                      : text(record, index.column());
    case Qt::ForegroundRole:
        return record.allowed ? QVariant() : QVariant(Theme::current().warning);
    case Qt::TextAlignmentRole:
        return index.column() == Received ? QVariant(int(Qt::AlignRight | Qt::AlignVCenter))
                                          : QVariant();
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1: %2").arg(
            headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString(),
            text(record, index.column()));
    default:
        return {};
    }
}

QVariant ConnectionModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Time:
        return tr("When");
    case Host:
        return tr("With");
    case Purpose:
        return tr("Why");
    case Received:
        return tr("Received");
    case Result:
        return tr("Allowed?");
    default:
        return {};
    }
}

} // namespace fireside
