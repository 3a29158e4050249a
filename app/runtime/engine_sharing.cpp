// The engine's thread computes several replies at once: those of windows, and of other programs.
#include "app/runtime/engine_batch.h"
#include "app/runtime/engine_worker.h"
#include "app/runtime/status_values.h"
#include "engine/core/exception_guard.h"
#include "engine/core/quote.h"

#include <QElapsedTimer>

#include <chrono>
#include <utility>

namespace fireside {

void EngineWorker::share(server::ModelDesk *desk, int sequences, const SamplingChoice &sampling)
{
    if (m_running > 0) {
        m_shareLater = [this, desk, sequences, sampling] { share(desk, sequences, sampling); };
        return;
    }
    m_shareLater = nullptr;
    m_loaded.unshare();
    m_desk = desk;
    m_shared = sampling;
    if (sequences <= 0)
        return;
    tellDesk(tr("no model is loaded"));
    m_loaded.share(sharingAt(desk, sequences));
}

Sharing EngineWorker::sharingAt(server::ModelDesk *desk, int sequences)
{
    Sharing sharing{.sequences = sequences};
    // Of what the model leaves of its device's memory, half is for others.
    sharing.cacheBytes = [](const LoadedModel &model) {
        const std::uint64_t context = model.plan().kv(), needed = model.plan().total();
        const auto free = model.device().memoryFree;
        return std::max(context, free && *free > needed ? (*free - needed) / 2 : 0);
    };
    sharing.asked = [this] {
        if (!m_computes.exchange(true))
            QMetaObject::invokeMethod(this, "compute", Qt::QueuedConnection);
    };
    if (desk != nullptr) {
        sharing.opened = [this, desk](const LoadedModel &model, Scheduler *scheduler) {
            SamplingLayers layers{
                {SamplingSource::Model, m_id, recommendedValues(model.summary().recommended)}};
            addChoice(layers, m_shared, false);
            SamplingSettings sampling = resolved(layers);
            sampling.systemPrompt.clear(); // programs bring their own
            desk->open(model, scheduler, m_id, sampling);
        };
        sharing.closing = [desk](bool moving) { desk->close(moving); };
    }
    sharing.moving = [this](const Error &) { tellDevices(); };
    {
        const std::lock_guard lock(m_mutex);
        sharing.stop = m_ending.get_token();
    }
    return sharing;
}

/// Computed by compute(), together with others.
void EngineWorker::beginReply(const ReplyJob &job, qint64 seed, const GenerateRequest &request,
                              const std::shared_ptr<Batch> &batch, const std::stop_token &stop,
                              const std::stop_token &skip)
{
    SharedReply reply{.events = eventsOf(job, seed, batch, skip), .stop = stop};
    reply.moving = [batch](const Error &) { batch->flush(); };
    const auto end = [this, batch] {
        batch->flush();
        m_justEnded = --m_running == 0;
    };
    reply.finished = [this, end, seed, id = job.id](const GenerateResult &result) {
        end();
        emit replyFinished(id, toStats(result, m_loaded.model(), seed));
    };
    reply.failed = [this, end, seed, id = job.id](const Error &error) {
        end();
        failReply(id, seed, error);
    };
    ++m_running;
    try {
        m_loaded.begin(request, std::move(reply));
    } catch (...) {
        --m_running;
        throw;
    }
}

/// Where there is no model to be used.
void EngineWorker::tellDesk(const QString &problem)
{
    if (m_desk == nullptr || m_loaded.model() != nullptr)
        return;
    if (m_loaded.rests())
        m_desk->setState(server::ModelDesk::State::Away);
    else
        m_desk->setState(server::ModelDesk::State::Failed, problem.toStdString());
}

bool EngineWorker::requestWaits()
{
    const std::lock_guard lock(m_mutex);
    return !m_requests.empty() || m_ending.stop_requested();
}

void EngineWorker::compute()
{
    constexpr qint64 kTurn = 50; // ms, until other events of this thread are looked at
    m_computes = false;
    QElapsedTimer timer;
    timer.start();
    const auto computeTurn = [&] {
        while (m_loaded.step()) {
            afterSteps();
            if (!requestWaits() && timer.elapsed() < kTurn)
                continue;
            if (!m_computes.exchange(true))
                QMetaObject::invokeMethod(this, "compute", Qt::QueuedConnection);
            return;
        }
        afterSteps();
        tellDesk(tr("the device failed"));
    };
    containExceptions("worker.compute", computeTurn, [this](const Error &error) {
        if (Scheduler *const scheduler = m_loaded.scheduler())
            scheduler->failAll(error);
        afterSteps();
    });
}

/// What waited until no reply of a window runs.
void EngineWorker::afterSteps()
{
    const bool ended = std::exchange(m_justEnded, false);
    if (m_running > 0)
        return;
    if (ended)
        keepTokens();
    if (m_shareLater)
        std::exchange(m_shareLater, nullptr)();
}

/// Brings a model back that rests, and loads it again where its file changed. Not to a card that
/// the computer is about to take with it into its sleep; other replies that wait for its end may be
/// stopped meanwhile.
void EngineWorker::wakeModel(const std::stop_token &stop)
{
    m_loaded.restIfChanged();
    constexpr std::chrono::milliseconds kTurn{20};
    while (m_loaded.rests() && m_sleep.asleep() && !stop.stop_requested())
        if (!m_loaded.step())
            m_sleep.wokenWithin(kTurn);
    if (m_loaded.rests() && stop.stop_requested())
        throwCancelled();
    m_loaded.bringBack(stop);
}

void EngineWorker::bringBack()
{
    QString problem = tr("the model could not be loaded again");
    try {
        wakeModel({});
    } catch (const std::exception &error) { // the window knows it; requests at the desk wait
        problem = QString::fromStdString(printable(error.what()));
    }
    tellDesk(problem);
}

} // namespace fireside
