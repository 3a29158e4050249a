#pragma once
#include "app/network/connections.h"

#include <QAbstractTableModel>

namespace fireside {

/// Every connection that was asked for, the newest first.
class ConnectionModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Time, Host, Purpose, Received, Result, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    /// Oldest first, as Connections has them. What was there keeps its rows.
    void setRecords(const QList<ConnectionRecord> &records);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    bool goesOnWith(const QList<ConnectionRecord> &records) const;
    QString text(const ConnectionRecord &record, int column) const;

    QList<ConnectionRecord> m_records;
};

} // namespace fireside
