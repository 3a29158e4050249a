#include "app/runtime/engine_service.h"

#include "app/runtime/contained.h"
#include "app/runtime/elsewhere.h"
#include "app/runtime/engine_worker.h"
#include "app/runtime/model_server.h"
#include "app/runtime/placement_preview.h"
#include "app/runtime/program_engine.h"
#include "app/server/model_desk.h"
#include "engine/core/quote.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QEvent>
#include <QFile>
#include <QPromise>

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

constexpr uint kStackBytes = 8u << 20; // templates recurse up to 200 levels

std::shared_ptr<PrefixCache> cacheIn(const std::filesystem::path &folder)
{
    return std::make_shared<PrefixCache>(
        PrefixCache::Options{.folder = folder.empty() ? folder : folder / "chats"});
}

} // namespace

EngineService::EngineService(QObject *parent)
    : EngineService(usualEngineOptions(), parent)
{}

EngineService::EngineService(EngineOptions options, QObject *parent)
    : QObject(parent)
    , m_cache(cacheIn(options.cacheFolder))
    , m_cacheFolder(options.cacheFolder)
    , m_thread(new QThread)
    , m_worker(new EngineWorker(std::move(options), m_cache))
    , m_idle(new QTimer(this))
    , m_modelServer(std::make_unique<ModelServer>())
{
    m_idle->setSingleShot(true);
    connect(m_idle, &QTimer::timeout, this, &EngineService::restAfterIdling);
    m_thread->setObjectName(QStringLiteral("engine"));
    m_thread->setStackSize(kStackBytes);
    m_worker->moveToThread(m_thread);
    // The engine is destroyed where it lived.
    connect(m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    connectWorker();
    connectServer();
    m_thread->start();
    postSharing();
}

EngineService::~EngineService()
{
    disconnect(this, nullptr, nullptr, nullptr); // whoever listened may be gone
    shutdown();
}

void EngineService::connectServer()
{
    connect(m_modelServer.get(), &ModelServer::sharingWanted, this,
            [this](int sequences, const SamplingChoice &sampling) {
                m_serverSequences = sequences;
                m_serverSampling = sampling;
                postSharing();
            });
    connect(m_modelServer.get(), &ModelServer::wakeWanted, this, [this] {
        if (m_worker && m_hasModel)
            m_worker->post([](EngineWorker &worker) { worker.bringBack(); });
    });
}

void EngineService::restAfterIdling()
{
    if (m_modelServer->inUse())
        return setIdleLimit(m_idleLimit); // other programs use it
    const auto used = std::max(m_unusedSince, m_modelServer->desk().lastUsed());
    const auto left = m_idleLimit - (AwakeClock::now() - used);
    if (left.count() > 0)
        return m_idle->start(std::chrono::ceil<std::chrono::milliseconds>(left));
    const auto minutes = std::chrono::ceil<std::chrono::minutes>(m_idleLimit);
    const auto count = static_cast<int>(minutes.count());
    rest(count == 1 ? tr("Unloaded after a minute without use; comes back with the next message")
                    : tr("Unloaded after %n minutes without use; comes back with the next message",
                         nullptr, count));
}

void EngineService::connectWorker()
{
    connect(m_worker, &EngineWorker::probed, this,
            [this](const QList<DeviceStatus> &devices, const QString &problem) {
                m_devices = devices;
                if (m_state == EngineState::Starting)
                    settle();
                emit devicesChanged(m_devices);
                if (!problem.isEmpty())
                    emit deviceProblem(problem);
            });
    connect(m_worker, &EngineWorker::asleep, this, [this](bool rests) {
        if (rests && m_state == EngineState::Ready && !std::exchange(m_resting, true)) {
            m_idle->stop();
            showResting(tr("Unloaded because the computer goes to sleep; comes back with the next "
                           "message"));
        }
        emit readyToSleep();
    });
    connect(m_worker, &EngineWorker::loadProgress, this,
            [this](quint64 ticket, const QString &stage, double fraction) {
                if (ticket == m_ticket && !m_loading.path.isEmpty())
                    emit loadProgress(stage, fraction);
            });
    connect(m_worker, &EngineWorker::loaded, this,
            [this](quint64 ticket, const ModelStatus &model) {
                if (ticket != m_ticket)
                    return;
                if (m_instead) {
                    m_standby = model;
                    return writeInstead();
                }
                m_resting = false;
                m_model = model;
                tellLoaded();
            });
    connect(m_worker, &EngineWorker::loadFailed, this,
            [this](quint64 ticket, const QString &message, bool cancelled) {
                if (ticket != m_ticket)
                    return; // reported when it was superseded
                if (m_instead)
                    return failInstead(message, cancelled);
                // Also when a running model had to be loaded again.
                const Load load = m_loading.path.isEmpty() ? Load{m_model.path, m_model.asked}
                                                           : std::exchange(m_loading, {});
                m_hasModel = false;
                failLoad(load, message, cancelled);
            });
    connect(m_worker, &EngineWorker::moved, this, [this](quint64 ticket, const ModelStatus &model) {
        if (ticket != m_ticket || !m_hasModel)
            return;
        m_model = model;
        m_resting = false;
        setIdleLimit(m_idleLimit);
        emit moved(m_model);
    });
    connect(m_worker, &EngineWorker::rested, this, &EngineService::rested);
    connect(m_worker, &EngineWorker::fileLost, this, [this] {
        if (m_state != EngineState::Ready || std::exchange(m_resting, true))
            return;
        m_idle->stop();
        showResting(tr("Unloaded because its file could not be read; the next message loads it "
                       "again"));
    });
    connect(m_worker, &EngineWorker::measureProgress, this, &EngineService::measureProgress);
    connect(m_worker, &EngineWorker::measured, this, &EngineService::measured);
    connect(m_worker, &EngineWorker::processorRated, this, [this](bool done) {
        m_rating = done ? Rating::Done : Rating::Wanted;
        if (done)
            emit processorRated();
    });
    connect(m_worker, &EngineWorker::promptProgress, this, &EngineService::promptProgress);
    connect(m_worker, &EngineWorker::textAdded, this, &EngineService::textAdded);
    connect(m_worker, &EngineWorker::partsChanged, this, &EngineService::partsChanged);
    connect(m_worker, &EngineWorker::contextTrimmed, this, &EngineService::contextTrimmed);
    connect(m_worker, &EngineWorker::replyFinished, this,
            [this](qint64 jobId, const ReplyStats &stats) {
                endInstead();
                endReply(jobId);
                emit replyFinished(jobId, stats);
            });
    connect(m_worker, &EngineWorker::contextFull, this, &EngineService::contextFull);
    connect(m_worker, &EngineWorker::choicesFound, this, &EngineService::choicesFound);
    connect(m_worker, &EngineWorker::asideAnswered, this, &EngineService::answerAside);
    connect(m_worker, &EngineWorker::tokensCounted, this, &EngineService::tokensCounted);
    connect(m_worker, &EngineWorker::toolsCounted, this, &EngineService::toolsCounted);
    connect(m_worker, &EngineWorker::replyFailed, this,
            [this](qint64 jobId, const QString &message) {
                endInstead();
                endReply(jobId);
                emit replyFailed(jobId, message);
            });
}

void EngineService::setState(EngineState state)
{
    if (m_state == state)
        return;
    m_state = state;
    emit stateChanged(state);
}

void EngineService::settle()
{
    if (!m_loading.path.isEmpty())
        setState(EngineState::Loading);
    else
        setState(m_hasModel ? EngineState::Ready : EngineState::NoModel);
    setIdleLimit(m_idleLimit); // from now on
}

void EngineService::setIdleLimit(std::chrono::milliseconds limit)
{
    m_idleLimit = limit;
    m_idle->stop();
    m_unusedSince = AwakeClock::now();
    if (limit.count() > 0 && m_state == EngineState::Ready && !m_resting)
        m_idle->start(limit);
}

void EngineService::unload()
{
    rest(tr("Unloaded as you asked; comes back with the next message"));
}

void EngineService::rest(const QString &why)
{
    if (m_away) { // there is nothing to unload but what answered in its place
        if (m_worker && std::exchange(m_standby, std::nullopt))
            m_worker->post([](EngineWorker &worker) { worker.unload(); });
        return;
    }
    if (!m_worker || m_state != EngineState::Ready || std::exchange(m_resting, true))
        return;
    m_idle->stop();
    m_worker->post([](EngineWorker &worker) { worker.rest(); });
    showResting(why);
}

void EngineService::showResting(const QString &why)
{
    m_model.reason = why;
    m_model.placement = tr("not in memory");
    m_model.residentBytes = -1;
    emit moved(m_model);
}

void EngineService::sleep()
{
    if (!m_worker)
        return emit readyToSleep();
    m_worker->sleepGate().fallAsleep();
    m_worker->post([](EngineWorker &worker) { worker.sleep(); });
    const bool replying = m_state == EngineState::Replying || m_state == EngineState::Stopping;
    if (replying && m_model.backend == QLatin1String("cpu"))
        emit readyToSleep(); // it stands still with the processor
}

void EngineService::wake()
{
    if (m_worker)
        m_worker->sleepGate().wake();
}

void EngineService::start()
{
    if (std::exchange(m_started, true) || !m_worker)
        return;
    m_worker->post([](EngineWorker &worker) { worker.probe(); });
}

void EngineService::cancelLoad()
{
    stopAll();
    leaveElsewhere();
    const Load load = std::exchange(m_loading, {});
    if (load.path.isEmpty())
        return;
    m_failure = {load.path, tr("cancelled"), true, load.settings, QDateTime::currentDateTimeUtc()};
    emit loadFailed(load.path, m_failure.message, true);
}

/// That m_model is what was to be loaded.
void EngineService::tellLoaded()
{
    m_loading = {};
    m_hasModel = true;
    m_former.reset();
    m_restoring = false;
    if (m_failure.path == m_model.path)
        m_failure = {};
    settle();
    emit loaded(m_model);
}

namespace {

PlacementStatus impossible(const QString &problem)
{
    PlacementStatus status;
    status.reason = problem;
    return status;
}

} // namespace

QFuture<PlacementStatus> EngineService::previewPlacement(const QString &path,
                                                         const LoadSettings &settings) const
{
    if (m_elsewhere && m_elsewhere->owns(path)) {
        QPromise<PlacementStatus> known; // makeReadyFuture() is called otherwise in Qt 6.8
        known.start();
        known.addResult(
            PlacementStatus{m_elsewhere->nameOf(path), m_elsewhere->placeOf(path), true, {}});
        known.finish();
        return known.future();
    }
    return inBackground(
        "preview.placement",
        [path, settings, devices = m_devices, folder = m_cacheFolder] {
            return fireside::previewPlacement(path, settings, devices, folder);
        },
        impossible);
}

QFuture<PlacementStatus> EngineService::previewBeside(const QString &path,
                                                      const LoadSettings &settings,
                                                      const QList<DeviceStatus> &devices,
                                                      const ModelStatus &other) const
{
    return inBackground(
        "preview.placement",
        [path, settings, devices, other, folder = m_cacheFolder] {
            return fireside::previewPlacement(path, settings, devices, folder, &other);
        },
        impossible);
}

void EngineService::measureModel(const QString &path, const LoadSettings &settings)
{
    const bool idle = m_state == EngineState::Ready || m_state == EngineState::NoModel;
    if (!m_worker || !idle) {
        emit measured({.path = path, .problem = tr("the engine is busy")});
        return;
    }
    if (m_away) {
        emit measured(
            {.path = path, .problem = tr("a server's model is in use; load this one first")});
        return;
    }
    const Load asked{path, settings};
    load(m_hasModel ? Load{m_model.path, m_model.asked} : asked, asked);
}

void EngineService::stopMeasuring()
{
    if (m_state == EngineState::Loading)
        m_skip.request_stop();
}

void EngineService::rateProcessor()
{
    const bool idle = m_state == EngineState::Ready || m_state == EngineState::NoModel;
    if (!m_worker || !idle || m_rating != Rating::Wanted)
        return;
    m_rating = Rating::Asked;
    m_worker->post([](EngineWorker &worker) { worker.rateProcessor(); });
}

void EngineService::loadModel(const QString &path, const LoadSettings &settings)
{
    load({path, settings}, {});
}

void EngineService::load(const Load &wanted, const std::optional<Load> &measure)
{
    if (!m_worker)
        return;
    const quint64 ticket = ++m_ticket;
    noteFormer();
    m_restoring = m_restoring && m_loading.path.isEmpty(); // else another one is wanted now
    cancelLoad();
    if (ticket != m_ticket)
        return; // a listener asked for yet another model
    m_idle->stop();
    m_standby.reset();
    if (m_elsewhere && m_elsewhere->owns(wanted.path))
        return loadElsewhere(wanted.path);
    m_stop = std::stop_source();
    m_skip = std::stop_source();
    m_hasModel = false;
    if (m_former)
        m_former->kept.reset(); // the worker unloads it first
    m_loading = wanted;
    setState(EngineState::Loading);
    emit loadStarted(wanted.path);
    m_worker->post([ticket, wanted, measure, stop = m_stop.get_token(),
                    skip = m_skip.get_token()](EngineWorker &worker) {
        if (measure)
            worker.measure(ticket, measure->path, measure->settings, stop, skip);
        worker.load(ticket, wanted.path, wanted.settings, stop);
    });
}

CacheUsage EngineService::cacheUsage() const
{
    const PrefixCache::Usage usage = m_cache->usage();
    return {QFile::decodeName(usage.folder.c_str()), static_cast<qint64>(usage.diskBytes),
            static_cast<qint64>(usage.memoryBytes), static_cast<qint64>(usage.tokens),
            QString::fromStdString(printable(usage.problem))};
}

void EngineService::clearCache()
{
    m_cache->clear();
}

void EngineService::setCacheLimit(qint64 bytes)
{
    m_cache->setDiskLimit(static_cast<std::uint64_t>(std::max<qint64>(bytes, 0)));
}

void EngineService::shutdown()
{
    if (!m_worker)
        return;
    m_idle->stop();
    stopAll();
    leaveElsewhere();
    m_modelServer->close();
    m_worker->dropRequests();
    m_worker = nullptr; // deletes itself when the thread ends
    m_thread->quit();
    m_clean = m_thread->wait(QDeadlineTimer(m_patience));
    if (m_clean)
        delete m_thread;
    m_thread = nullptr;
    // What the engine said last still reaches the chat, so that it is stored.
    QCoreApplication::sendPostedEvents(this, QEvent::MetaCall);
    m_loading = {};
    m_hasModel = false;
    setState(EngineState::NoModel);
}

} // namespace fireside
