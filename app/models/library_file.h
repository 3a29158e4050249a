#pragma once
#include <QString>
#include <QStringList>

namespace fireside {

/// What the user told the model list: folders to search besides the known ones, and models to hide.
/// Stored as $XDG_CONFIG_HOME/fireside/library.json, replaced as a whole at each change.
class LibraryFile
{
public:
    LibraryFile(); // reads; a damaged or newer file is set aside and the lists are empty

    const QStringList &folders() const { return m_folders; }
    const QStringList &hidden() const { return m_hidden; }
    /// Empty when it was stored, else why not; the change holds for this run all the same.
    QString setFolders(const QStringList &folders);
    QString setHidden(const QStringList &hidden);

private:
    QString save() const;

    QString m_path;
    QStringList m_folders, m_hidden;
};

} // namespace fireside
