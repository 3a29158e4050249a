// The engine's thread computes for other programs, too.
#include "app/runtime/engine_worker.h"
#include "engine/core/error.h"

#include <QElapsedTimer>

namespace fireside {

void EngineWorker::share(server::ModelDesk *desk, int sequences, const SamplingSettings &sampling)
{
    m_loaded.unshare();
    m_desk = desk;
    m_shared = sampling;
    m_shared.systemPrompt.clear(); // programs bring their own
    if (m_desk == nullptr)
        return;
    tellDesk(tr("no model is loaded"));
    m_loaded.share(sharingAt(*desk, sequences));
}

Sharing EngineWorker::sharingAt(server::ModelDesk &desk, int sequences)
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
    sharing.opened = [this, &desk](const LoadedModel &model, Scheduler *scheduler) {
        desk.open(model, scheduler, m_id, m_shared);
    };
    sharing.closing = [&desk](bool moving) { desk.close(moving); };
    sharing.moving = [this](const Error &) { tellDevices(); };
    {
        const std::lock_guard lock(m_mutex);
        sharing.stop = m_ending.get_token();
    }
    return sharing;
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
    Scheduler *scheduler = m_loaded.scheduler();
    while (scheduler != nullptr && scheduler->step()) {
        scheduler = m_loaded.scheduler(); // gone where a device failed for good
        if (scheduler == nullptr || (!requestWaits() && timer.elapsed() < kTurn))
            continue;
        if (!m_computes.exchange(true))
            QMetaObject::invokeMethod(this, "compute", Qt::QueuedConnection);
        break;
    }
    tellDesk(tr("the device failed"));
}

void EngineWorker::bringBack()
{
    try {
        m_loaded.bringBack();
    } catch (const std::exception &) {
        // The window was told; whoever waits at the desk is.
    }
    tellDesk(tr("the model could not be loaded again"));
}

} // namespace fireside
