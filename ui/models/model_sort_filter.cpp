#include "ui/models/model_sort_filter.h"

#include "ui/models/model_list_model.h"

#include <algorithm>
#include <utility>

namespace fireside {

ModelSortFilter::ModelSortFilter(QObject *parent)
    : QSortFilterProxyModel(parent)
{
    setSortRole(ModelListModel::SortRole);
    setSortLocaleAware(true);
    setDynamicSortFilter(true);
}

void ModelSortFilter::setFilterText(const QString &text)
{
    m_words = text.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

void ModelSortFilter::setUnusableShown(bool shown)
{
    if (std::exchange(m_unusableShown, shown) != shown)
        invalidateFilter();
}

bool ModelSortFilter::filterAcceptsRow(int row, const QModelIndex &parent) const
{
    const QModelIndex index = sourceModel()->index(row, 0, parent);
    if (!m_unusableShown && m_words.isEmpty() && !index.data(ModelListModel::UsableRole).toBool())
        return false;
    const QString text = index.data(ModelListModel::FilterRole).toString();
    return std::all_of(m_words.begin(), m_words.end(), [&](const QString &word) {
        return text.contains(word, Qt::CaseInsensitive);
    });
}

bool ModelSortFilter::lessThan(const QModelIndex &left, const QModelIndex &right) const
{
    const bool leftUsable = left.data(ModelListModel::UsableRole).toBool();
    if (leftUsable != right.data(ModelListModel::UsableRole).toBool())
        return leftUsable == (sortOrder() == Qt::AscendingOrder); // last in both orders
    // Those of servers have a place of their own, behind this computer's.
    const bool leftElsewhere = left.data(ModelListModel::ElsewhereRole).toBool();
    if (leftElsewhere != right.data(ModelListModel::ElsewhereRole).toBool())
        return leftElsewhere == (sortOrder() == Qt::DescendingOrder);
    if (left.data(sortRole()) != right.data(sortRole()))
        return QSortFilterProxyModel::lessThan(left, right);
    // Equal values keep a stable, readable order.
    return QString::localeAwareCompare(
               left.siblingAtColumn(ModelListModel::Name).data().toString(),
               right.siblingAtColumn(ModelListModel::Name).data().toString()) < 0;
}

} // namespace fireside
