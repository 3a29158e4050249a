#pragma once
#include "app/models/model_library.h"

#include <QAbstractTableModel>
#include <QHash>

class QIcon;

namespace fireside {

/// The picker's rows: one model each, updated in place so that the selection survives a scan.
class ModelListModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column {
        Name,
        Fit,
        Size,
        Quantisation,
        Parameters,
        Context,
        Architecture,
        Source,
        License,
        ColumnCount
    };
    enum Role { SortRole = Qt::UserRole + 1, FilterRole, PathRole, UsableRole, ElsewhereRole };

    explicit ModelListModel(QObject *parent = nullptr)
        : QAbstractTableModel(parent)
    {}

    /// Adds the entries or replaces those with the same paths.
    void addOrUpdate(const QList<ModelEntry> &entries);
    /// Adds, updates and, if asked, removes what is not in the list.
    void setEntries(const QList<ModelEntry> &entries, bool removeMissing);
    void setLoadedPath(const QString &path);
    bool isLoaded(const ModelEntry &entry) const;

    int unusableCount() const;
    int rowOf(const QString &path) const; // of the file or a copy of it; -1: none
    const ModelEntry &entryAt(int row) const { return m_entries.at(row); }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString fileOf(const ModelEntry &entry) const;
    void countNames();
    QString text(const ModelEntry &entry, int column) const;
    QVariant sortKey(const ModelEntry &entry, int column) const;

    QList<ModelEntry> m_entries;
    QHash<QString, int> m_rows;  // by path
    QHash<QString, int> m_named; // how many have a name
    QString m_loaded;
};

/// "Fits – needs 1.2 GB …", or why the model cannot be used: always in words.
QString fitSentence(const ModelEntry &entry);
/// The same in a few words.
QString fitVerdict(const ModelEntry &entry);
QIcon fitIcon(const ModelEntry &entry);

} // namespace fireside
