#include "ui/models/repository_model.h"

#include "ui/backend/number_text.h"

#include <QLocale>

namespace fireside {
namespace {

bool isNumber(int column)
{
    return column == RepositoryModel::Parameters || column == RepositoryModel::Downloads ||
           column == RepositoryModel::Likes;
}

} // namespace

void RepositoryModel::setRepositories(const QList<HubRepository> &repositories)
{
    beginResetModel();
    m_repositories = repositories;
    endResetModel();
}

int RepositoryModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_repositories.size());
}

int RepositoryModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

QString RepositoryModel::text(const HubRepository &repository, int column) const
{
    const QString unknown = QStringLiteral("–");
    switch (column) {
    case Name:
        return repository.id;
    case Parameters:
        return repository.parameters > 0 ? parametersText(repository.parameters) : unknown;
    case Downloads:
        return repository.downloads < 0 ? unknown : countText(repository.downloads);
    case Likes:
        return repository.likes < 0 ? unknown : countText(repository.likes);
    case License:
        return repository.license.isEmpty() ? unknown : repository.license;
    case Access:
        return repository.gated ? tr("after accepting terms") : tr("open to all");
    case Modified:
        return repository.modified.isValid()
                   ? QLocale().toString(repository.modified.toLocalTime().date(),
                                        QLocale::ShortFormat)
                   : unknown;
    default:
        return {};
    }
}

QVariant RepositoryModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= m_repositories.size())
        return {};
    const HubRepository &repository = m_repositories.at(index.row());
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return text(repository, index.column());
    case Qt::TextAlignmentRole:
        return isNumber(index.column()) ? QVariant(int(Qt::AlignRight | Qt::AlignVCenter))
                                        : QVariant();
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1: %2").arg(
            headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString(),
            text(repository, index.column()));
    default:
        return {};
    }
}

QVariant RepositoryModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole && isNumber(section))
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("Repository");
    case Parameters:
        return tr("Parameters");
    case Downloads:
        return tr("Downloads");
    case Likes:
        return tr("Likes");
    case License:
        return tr("Licence");
    case Access:
        return tr("Access");
    case Modified:
        return tr("Changed");
    default:
        return {};
    }
}

} // namespace fireside
