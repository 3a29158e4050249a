#include "app/models/library_watch.h"

#include <QFileInfo>
#include <QSet>

#include <chrono>

namespace fireside {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kRest = 700ms, kSoon = 3s, kNowAndThen = 60s;
constexpr qsizetype kMostFolders = 4000; // of the system's watches; others need some, too

} // namespace

LibraryWatch::LibraryWatch(QObject *parent)
    : QObject(parent)
{
    m_rest.setSingleShot(true);
    m_again.setInterval(kNowAndThen);
    connect(&m_rest, &QTimer::timeout, this, &LibraryWatch::changed);
    connect(&m_again, &QTimer::timeout, this, &LibraryWatch::changed);
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, [this] {
        m_rest.start(kRest); // from the last change on
    });
}

void LibraryWatch::lookSoon()
{
    if (!m_rest.isActive())
        m_rest.start(kSoon);
}

void LibraryWatch::setFolders(const QStringList &folders)
{
    QSet<QString> wanted;
    for (const QString &folder : folders) {
        if (wanted.size() < kMostFolders)
            wanted.insert(folder);
    }
    const QStringList watched = m_watcher.directories();
    const QSet<QString> before(watched.begin(), watched.end());
    const QSet<QString> gone = before - wanted, added = wanted - before;
    if (!gone.isEmpty())
        m_watcher.removePaths(QStringList(gone.begin(), gone.end()));
    QStringList refused;
    if (!added.isEmpty())
        refused = m_watcher.addPaths(QStringList(added.begin(), added.end()));
    refused.removeIf([](const QString &folder) { return !QFileInfo::exists(folder); });
    m_all =
        refused.isEmpty() && wanted.size() == QSet<QString>(folders.begin(), folders.end()).size();
    if (m_all)
        m_again.stop();
    else if (!m_again.isActive())
        m_again.start();
}

} // namespace fireside
