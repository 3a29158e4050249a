#pragma once
#include <QFileSystemWatcher>
#include <QObject>
#include <QStringList>
#include <QTimer>

namespace fireside {

/// Tells when files came into folders or left them. The system watches a limited number of them;
/// where it does not, there is a look now and then.
class LibraryWatch : public QObject
{
    Q_OBJECT
public:
    explicit LibraryWatch(QObject *parent = nullptr);

    void setFolders(const QStringList &folders);
    /// Something is still being written: look again soon.
    void lookSoon();
    bool watchesAll() const { return m_all; }

signals:
    void changed();

private:
    QFileSystemWatcher m_watcher;
    QTimer m_rest;  // until what happens there rests
    QTimer m_again; // where nobody tells
    bool m_all = true;
};

} // namespace fireside
