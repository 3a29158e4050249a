#pragma once
#include <QSortFilterProxyModel>
#include <QStringList>

namespace fireside {

/// Rows that contain every word of the filter, in any order and case, anywhere in name,
/// architecture, quantisation, source or path; sorted by value, not by text, and those that cannot
/// be used last, those of servers before them. These are left out until they are asked for, or a
/// filter finds them.
class ModelSortFilter : public QSortFilterProxyModel
{
    Q_OBJECT
public:
    explicit ModelSortFilter(QObject *parent = nullptr);

    void setFilterText(const QString &text);
    void setUnusableShown(bool shown);

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override;
    bool lessThan(const QModelIndex &left, const QModelIndex &right) const override;

private:
    QStringList m_words;
    bool m_unusableShown = false;
};

} // namespace fireside
