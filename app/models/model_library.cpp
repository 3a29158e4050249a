#include "app/models/model_library.h"
#include "app/remote/remote_server.h"

#include "app/models/library_file.h"
#include "app/models/library_watch.h"
#include "app/models/model_description.h"
#include "app/models/model_files.h"
#include "app/models/model_scan.h"
#include "app/models/model_source.h"
#include "engine/core/exception_guard.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QtConcurrent>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace fireside {
namespace {

QString canonical(const QString &path)
{
    const QString real = QFileInfo(path).canonicalFilePath();
    return real.isEmpty() ? QDir::cleanPath(path) : real;
}

// The file behind a link goes too: a link alone would leave the gigabytes where they are.
QString removeFile(const QString &path)
{
    for (const QString &name : {canonical(path), path}) {
        QFile file(name);
        const bool there = file.exists() || QFileInfo(name).isSymLink();
        if (there && !file.remove())
            return file.errorString();
    }
    return {};
}

} // namespace

ModelLibrary::ModelLibrary(QObject *parent)
    : QObject(parent)
    , m_file(std::make_unique<LibraryFile>())
    , m_cache(std::make_shared<DescriptionCache>())
{}

ModelLibrary::~ModelLibrary()
{
    if (m_scan)
        m_scan->cancel();
    m_running.waitForFinished();
}

QStringList ModelLibrary::addedFolders() const
{
    return m_file->folders();
}

int ModelLibrary::hiddenCount() const
{
    return static_cast<int>(m_file->hidden().size());
}

ModelEntry ModelLibrary::describe(const QString &path, const LoadSettings &asked,
                                  const QList<DeviceStatus> &devices)
{
    const QFileInfo info(path);
    FoundModel found;
    found.path = info.absoluteFilePath();
    found.source = tr("Opened file");
    found.bytes = info.size();
    ModelEntry entry = describeFound(found, fitQuestion(asked, devices));
    const QString starter = starterModelPath();
    if (!starter.isEmpty() && canonical(path) == canonical(starter)) {
        entry.builtIn = true;
        entry.source = QStringLiteral("Starter (built in)");
    }
    return entry;
}

void ModelLibrary::setPlanFor(const LoadSettings &settings)
{
    m_planFor = settings;
}

void ModelLibrary::setDevices(const QList<DeviceStatus> &devices)
{
    m_devices = devices;
}

void ModelLibrary::rescan()
{
    stopScan();
    m_previous = std::exchange(m_entries, {});
    m_scanning = true;

    ModelScan::Request request;
    request.starter = starterModelPath();
    request.firesideFolder = firesideFolder();
    request.addedFolders = m_file->folders();
    request.hidden = QSet<QString>(m_file->hidden().begin(), m_file->hidden().end());
    request.asked = fitQuestion(m_planFor, m_devices);
    request.cache = m_cache;
    // Events of a scan that was cancelled while they were queued are stale.
    const quint64 id = ++m_scanId;
    const auto post = [this, id](auto deliver) {
        QMetaObject::invokeMethod(
            this,
            [this, id, deliver] {
                if (id == m_scanId && m_scanning)
                    deliver();
            },
            Qt::QueuedConnection);
    };
    ModelScan::Events events;
    events.entries = [this, post](const QList<ModelEntry> &entries) {
        post([this, entries] {
            m_entries += entries;
            emit entriesFound(entries);
        });
    };
    events.progress = [this, post](int done, int found, const QString &folder) {
        post([this, done, found, folder] { emit scanProgress(done, found, folder); });
    };
    events.problem = [this, post](const QString &folder, const QString &message) {
        post([this, folder, message] { emit folderProblem(folder, message); });
    };
    events.finished = [this, post](const QStringList &folders) {
        post([this, folders] {
            finishScan(false);
            watch(folders);
        });
    };

    m_scan = std::make_shared<ModelScan>(std::move(request), std::move(events));
    emit scanStarted();
    m_running = QtConcurrent::run([scan = m_scan] {
        containExceptions(
            "library.scan", [&] { scan->run(); },
            [&](const Error &error) { scan->abort(error.what()); });
    });
}

void ModelLibrary::lookAgain()
{
    m_again = m_scanning;
    if (!m_scanning)
        rescan();
}

void ModelLibrary::stopScan()
{
    if (!m_scanning)
        return;
    m_scan->cancel();
    finishScan(true);
}

void ModelLibrary::finishScan(bool cancelled)
{
    m_scanning = false;
    if (cancelled) {
        // What was known and not reached this time is still there.
        for (const ModelEntry &old : std::as_const(m_previous)) {
            const bool known = std::any_of(m_entries.cbegin(), m_entries.cend(),
                                           [&](const ModelEntry &e) { return e.path == old.path; });
            if (!known)
                m_entries.append(old);
        }
    }
    m_previous.clear();
    emit scanFinished(cancelled);
    emit entriesChanged();
    if (std::exchange(m_again, false) && !cancelled)
        rescan();
}

void ModelLibrary::watch(QStringList folders)
{
    if (!m_watch) {
        m_watch = std::make_unique<LibraryWatch>();
        connect(m_watch.get(), &LibraryWatch::changed, this, &ModelLibrary::lookAgain);
    }
    // What is not there yet may be made.
    QString above = firesideFolder();
    while (!QFileInfo::exists(above) && above.size() > 1)
        above = QFileInfo(above).path();
    folders.append(above);
    m_watch->setFolders(folders);
    // A file that is being copied changes without a word of its folder.
    constexpr qint64 kFresh = 60; // seconds
    const QDateTime now = QDateTime::currentDateTime();
    const bool fresh = std::any_of(m_entries.cbegin(), m_entries.cend(), [&](const auto &entry) {
        return !entry.problem.isEmpty() &&
               std::abs(QFileInfo(entry.path).lastModified().secsTo(now)) < kFresh;
    });
    if (fresh)
        m_watch->lookSoon();
}

void ModelLibrary::cancel()
{
    stopScan();
}

void ModelLibrary::addFolder(const QString &path)
{
    const QString folder = canonical(path);
    QStringList folders = m_file->folders();
    if (path.isEmpty() || folders.contains(folder))
        return;
    folders.append(folder);
    const QString problem = m_file->setFolders(folders);
    rescan();
    if (!problem.isEmpty())
        emit folderProblem(folder,
                           tr("it is searched now, but cannot be remembered: %1").arg(problem));
}

void ModelLibrary::removeFolder(const QString &path)
{
    QStringList folders = m_file->folders();
    if (folders.removeAll(path) + folders.removeAll(canonical(path)) == 0)
        return;
    const QString problem = m_file->setFolders(folders);
    rescan();
    if (!problem.isEmpty())
        emit folderProblem(path, tr("its removal cannot be remembered: %1").arg(problem));
}

void ModelLibrary::hideModel(const QString &path)
{
    QStringList hidden = m_file->hidden(), paths{path};
    for (const ModelEntry &entry : std::as_const(m_entries)) {
        if (entry.path != path)
            continue;
        for (const ModelCopy &copy : entry.copies)
            paths.append(copy.path);
    }
    for (const QString &one : std::as_const(paths)) {
        if (!hidden.contains(canonical(one)))
            hidden.append(canonical(one));
    }
    const QString problem = m_file->setHidden(hidden);
    forget(path);
    if (!problem.isEmpty())
        emit folderProblem(path, tr("its removal cannot be remembered: %1").arg(problem));
}

void ModelLibrary::showHiddenModels()
{
    m_file->setHidden({});
    rescan();
}

void ModelLibrary::forget(const QString &path)
{
    const auto gone = std::remove_if(m_entries.begin(), m_entries.end(),
                                     [&](const ModelEntry &entry) { return entry.path == path; });
    m_entries.erase(gone, m_entries.end());
    emit entriesChanged();
}

QString ModelLibrary::displayName(const QString &path)
{
    if (const RemotePath parts = parseRemotePath(path); parts.isRemote())
        return parts.model;
    const QString name = ollamaName(path);
    return name.isEmpty() ? QFileInfo(path).fileName() : name;
}

QString ModelLibrary::whyNotDeleted(const ModelEntry &entry)
{
    if (!entry.elsewhere.isEmpty())
        return tr("it is on a server");
    const QString starter = starterModelPath();
    if (!starter.isEmpty() && canonical(entry.path) == canonical(starter))
        return tr("the starter model is part of the program");
    if (entry.source == QLatin1String("Ollama"))
        return tr("Ollama manages this file; remove it with: ollama rm %1").arg(entry.name);
    for (const char *other : {"LM Studio", "Jan", "Hugging Face"}) {
        if (entry.source == QLatin1String(other))
            return tr("%1 manages this file; delete it there").arg(entry.source);
    }
    const QFileInfo file(entry.path);
    if (file.isDir())
        return tr("this model is a folder of files; delete the folder itself");
    if (!file.isFile())
        return tr("its file is not there");
    return {};
}

void ModelLibrary::deleteModel(const QString &path)
{
    const auto entry = std::find_if(m_entries.cbegin(), m_entries.cend(),
                                    [&](const ModelEntry &e) { return e.path == path; });
    const QString refusal = entry == m_entries.cend()
                                ? tr("only model files of the list can be deleted")
                                : whyNotDeleted(*entry);
    if (!refusal.isEmpty()) {
        emit deleteFailed(path, refusal);
        return;
    }
    const QStringList parts = partsOf(path);
    for (const QString &part : parts) {
        const QString problem = removeFile(part);
        if (!problem.isEmpty()) {
            emit deleteFailed(part, problem);
            return;
        }
    }
    forget(path);
}

} // namespace fireside
