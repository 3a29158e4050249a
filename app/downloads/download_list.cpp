#include "app/downloads/download_list.h"

#include "app/downloads/download_list_file.h"
#include "app/downloads/download_texts.h"
#include "app/downloads/download_worker.h"
#include "app/downloads/safe_name.h"
#include "app/network/connections.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QStorageInfo>

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

using State = DownloadStatus::State;

constexpr int kAtOnce = 2;
constexpr int kSaveAfterMs = 2000; // what is shown of one that a later run has not begun yet

QString pathIn(const DownloadRequest &request, const QString &name)
{
    return request.folder + QLatin1Char('/') + name;
}

bool isOver(const DownloadItem &item)
{
    return item.status.state == State::Done || item.status.state == State::Failed;
}

/// Of files that are not there yet, as far as their sizes are known.
qint64 missingBytes(const DownloadRequest &request)
{
    qint64 sum = 0;
    for (const RemoteFile &file : request.files) {
        if (!QFileInfo::exists(pathIn(request, file.name)))
            sum += std::max<qint64>(0, file.size);
    }
    return sum;
}

} // namespace

QString modelPathOf(const DownloadRequest &request)
{
    for (const RemoteFile &file : request.files) {
        const QString name = file.name.mid(file.name.lastIndexOf(QLatin1Char('/')) + 1);
        if (name.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive))
            return pathIn(request, file.name);
        if (name == QLatin1String("config.json"))
            return QDir::cleanPath(pathIn(request, file.name.chopped(name.size())));
    }
    return request.files.isEmpty() ? QString() : pathIn(request, request.files.first().name);
}

bool isComplete(const DownloadRequest &request)
{
    return std::all_of(request.files.begin(), request.files.end(), [&](const RemoteFile &file) {
        const QFileInfo info(pathIn(request, file.name));
        return info.isFile() && (file.size < 0 || info.size() == file.size);
    });
}

qint64 freeBytesAt(const QString &folder)
{
    QString there = QDir::cleanPath(folder);
    while (!QFileInfo::exists(there) && there.size() > 1)
        there = QFileInfo(there).path();
    const QStorageInfo disk(there);
    return disk.isValid() ? disk.bytesAvailable() : -1;
}

DownloadList::DownloadList(Connections &connections, const QString &file, Token token,
                           const DownloadPolicy &policy, QObject *parent)
    : QObject(parent)
    , m_connections(connections)
    , m_file(file)
    , m_token(std::move(token))
    , m_policy(policy)
    , m_worker(new DownloadWorker(connections, policy))
{
    m_worker->moveToThread(&m_thread);
    connect(m_worker, &DownloadWorker::changed, this, &DownloadList::takeStatus);
    connect(m_worker, &DownloadWorker::ended, this, &DownloadList::takeEnd);
    connect(&connections, &Connections::offlineChanged, this, &DownloadList::changeOffline);
    m_save.setSingleShot(true);
    m_save.setInterval(kSaveAfterMs);
    connect(&m_save, &QTimer::timeout, this, &DownloadList::save);
    m_thread.setObjectName(QStringLiteral("downloads"));
    m_thread.start();
    read();
}

DownloadList::~DownloadList()
{
    if (m_save.isActive())
        save();
    // In its thread, and as long as that deletes what is to go later.
    auto *last = new QObject; // a worker cannot be deleted by a call of its own
    last->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, last, &QObject::deleteLater);
    QMetaObject::invokeMethod(
        last,
        [this] {
            delete std::exchange(m_worker, nullptr);
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        },
        Qt::BlockingQueuedConnection);
    m_thread.quit();
    m_thread.wait();
}

void DownloadList::read()
{
    if (m_file.isEmpty())
        return;
    m_items = readDownloads(m_file);
    for (DownloadItem &item : m_items)
        item.id = ++m_lastId;
}

void DownloadList::save()
{
    m_save.stop();
    m_problem = m_file.isEmpty() ? QString() : storeDownloads(m_file, m_items);
}

void DownloadList::resumeStored()
{
    m_started = true;
    changeOffline(m_connections.offline());
}

DownloadItem *DownloadList::item(qint64 id)
{
    const auto found = std::find_if(m_items.begin(), m_items.end(),
                                    [id](const DownloadItem &each) { return each.id == id; });
    return found == m_items.end() ? nullptr : &*found;
}

const DownloadItem *DownloadList::find(qint64 id) const
{
    return const_cast<DownloadList *>(this)->item(id);
}

const DownloadItem *DownloadList::itemFor(const DownloadRequest &request) const
{
    const QString model = modelPathOf(request);
    const auto found = std::find_if(m_items.begin(), m_items.end(), [&](const DownloadItem &each) {
        return modelPathOf(each.request) == model;
    });
    return found == m_items.end() ? nullptr : &*found;
}

bool DownloadList::running() const
{
    return std::any_of(m_items.begin(), m_items.end(),
                       [](const DownloadItem &item) { return item.run != 0; });
}

QString DownloadList::add(const DownloadRequest &request, bool withToken)
{
    if (const QString problem = nameProblem(request.files); !problem.isEmpty())
        return problem;
    const QString model = modelPathOf(request);
    if (const DownloadItem *other = itemFor(request); other && other->status.state != State::Done)
        return tr("it is in the list of downloads already");
    if (isComplete(request))
        return tr("it is there already");
    if (const QString problem = spaceProblem(request); !problem.isEmpty())
        return problem;
    m_items.removeIf(
        [&](const DownloadItem &other) { return modelPathOf(other.request) == model; });
    DownloadItem added;
    added.id = ++m_lastId;
    added.request = request;
    added.withToken = withToken;
    added.status.state = State::Queued;
    added.status.files = static_cast<int>(request.files.size());
    added.status.bytesTotal = 0;
    for (const RemoteFile &file : request.files) {
        if (QFileInfo::exists(pathIn(request, file.name)))
            added.foundFiles.insert(file.name);
        if (added.status.bytesTotal >= 0)
            added.status.bytesTotal = file.size < 0 ? -1 : added.status.bytesTotal + file.size;
    }
    m_items.append(added);
    m_started = true;
    startNext();
    save();
    emit listChanged();
    return {};
}

void DownloadList::pause(qint64 id)
{
    DownloadItem *paused = item(id);
    if (!paused || isOver(*paused))
        return;
    stop(*paused);
    paused->paused = true;
    wait(*paused);
    startNext();
    save();
    emit statusChanged(id);
}

void DownloadList::resume(qint64 id)
{
    DownloadItem *resumed = item(id);
    if (!resumed || resumed->run != 0 || resumed->status.state == State::Done)
        return;
    resumed->paused = false;
    resumed->status.problem.clear();
    m_started = true;
    wait(*resumed);
    startNext();
    save();
    emit statusChanged(id);
}

void DownloadList::remove(qint64 id)
{
    DownloadItem *gone = item(id);
    if (!gone)
        return;
    stop(*gone);
    const bool done = gone->status.state == State::Done;
    const DownloadRequest request = gone->request;
    const QSet<QString> whole = gone->doneFiles - gone->foundFiles;
    m_items.removeIf([id](const DownloadItem &each) { return each.id == id; });
    if (!done)
        QMetaObject::invokeMethod(
            m_worker, [worker = m_worker, request, whole] { worker->discard(0, request, whole); });
    startNext();
    save();
    emit listChanged();
}

/// As many as may run, in the order of the list.
void DownloadList::startNext()
{
    if (!m_started || m_connections.offline())
        return;
    auto running = std::count_if(m_items.begin(), m_items.end(),
                                 [](const DownloadItem &each) { return each.run != 0; });
    for (DownloadItem &each : m_items) {
        if (running >= kAtOnce)
            return;
        if (each.run != 0 || each.paused || isOver(each))
            continue;
        start(each);
        ++running;
    }
}

void DownloadList::start(DownloadItem &item)
{
    item.run = ++m_lastRun;
    m_runs.insert(item.run, item.id);
    item.status.state = State::Receiving;
    item.status.note.clear();
    item.status.problem.clear();
    const QByteArray token = item.withToken && m_token ? m_token() : QByteArray();
    QMetaObject::invokeMethod(
        m_worker, [worker = m_worker, run = item.run, token, request = item.request,
                   done = item.doneFiles] { worker->start(run, request, token, done); });
}

void DownloadList::stop(DownloadItem &item)
{
    if (const qint64 run = std::exchange(item.run, 0))
        QMetaObject::invokeMethod(m_worker, [worker = m_worker, run] { worker->stop(run); });
}

/// What is shown of one that does not run.
void DownloadList::wait(DownloadItem &item)
{
    item.status.state = item.paused ? State::Paused : State::Queued;
    item.status.bytesPerSecond = 0;
    item.status.secondsLeft = -1;
    item.status.note = !item.paused && m_connections.offline()
                           ? tr("it goes on when Fireside is online again")
                           : QString();
}

void DownloadList::changeOffline(bool offline)
{
    QList<qint64> changed;
    for (DownloadItem &each : m_items) {
        if (isOver(each) || each.paused)
            continue;
        if (offline)
            stop(each);
        if (each.run == 0)
            wait(each);
        changed.append(each.id);
    }
    startNext();
    for (const qint64 id : std::as_const(changed))
        emit statusChanged(id);
}

void DownloadList::takeStatus(qint64 run, const DownloadStatus &status, const QSet<QString> &done)
{
    DownloadItem *told = item(m_runs.value(run));
    if (!told)
        return;
    told->doneFiles |= done;
    if (told->run == run) {
        told->status = status;
    } else { // its last word, after it was stopped
        m_runs.remove(run);
        told->status.bytesDone = status.bytesDone;
        told->status.bytesTotal = status.bytesTotal;
    }
    if (!m_save.isActive())
        m_save.start();
    emit statusChanged(told->id);
}

void DownloadList::takeEnd(qint64 run, const QString &problem)
{
    DownloadItem *ended = item(m_runs.take(run));
    if (!ended || ended->run != run)
        return;
    const qint64 id = ended->id;
    ended->run = 0;
    ended->status.state = problem.isEmpty() ? State::Done : State::Failed;
    ended->status.problem = problem;
    startNext();
    save();
    emit statusChanged(id);
    if (problem.isEmpty())
        emit finished(id);
}

QString DownloadList::spaceProblem(const DownloadRequest &request) const
{
    const qint64 free = freeBytesAt(request.folder);
    qint64 wanted = missingBytes(request);
    for (const DownloadItem &other : m_items) {
        if (!isOver(other) && other.status.bytesTotal > 0)
            wanted += std::max<qint64>(0, other.status.bytesTotal - other.status.bytesDone);
    }
    if (free < 0 || free >= wanted + m_policy.reserveBytes)
        return {};
    return DownloadTexts::tr("the disk is too full: %1 are missing, %2 are free, and %3 are to "
                             "stay free")
        .arg(sizeText(wanted), sizeText(free), sizeText(m_policy.reserveBytes));
}

} // namespace fireside
