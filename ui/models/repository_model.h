#pragma once
#include "app/hub/hub_client.h"

#include <QAbstractTableModel>

namespace fireside {

/// What a search of repositories found, in the server's order.
class RepositoryModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Name, Downloads, Likes, License, Access, Parameters, Modified, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setRepositories(const QList<HubRepository> &repositories);
    const HubRepository &at(int row) const { return m_repositories.at(row); }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const HubRepository &repository, int column) const;

    QList<HubRepository> m_repositories;
};

} // namespace fireside
