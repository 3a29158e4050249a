// Models that others run, and replies that this computer writes when they cannot.
#include "app/runtime/elsewhere.h"
#include "app/runtime/engine_service.h"
#include "app/runtime/engine_worker.h"

#include <utility>

namespace fireside {

void EngineService::setElsewhere(Elsewhere *elsewhere)
{
    m_elsewhere = elsewhere;
    connect(elsewhere, &Elsewhere::loaded, this, [this](const ModelStatus &model) {
        if (!m_away || m_loading.path != model.path)
            return;
        m_model = model;
        tellLoaded();
    });
    connect(elsewhere, &Elsewhere::loadFailed, this, &EngineService::failElsewhere);
    connect(elsewhere, &Elsewhere::changed, this, [this](const ModelStatus &model) {
        if (!m_away || !m_hasModel || m_instead || m_model.reason == model.reason)
            return;
        m_model = model;
        emit reasonChanged(m_model);
    });
    connectReplies();
}

void EngineService::connectReplies()
{
    connect(m_elsewhere, &Elsewhere::textAdded, this, &EngineService::textAdded);
    connect(m_elsewhere, &Elsewhere::partsChanged, this, &EngineService::partsChanged);
    connect(m_elsewhere, &Elsewhere::contextTrimmed, this, &EngineService::contextTrimmed);
    connect(m_elsewhere, &Elsewhere::contextFull, this, &EngineService::contextFull);
    connect(m_elsewhere, &Elsewhere::asideAnswered, this, &EngineService::answerAside);
    connect(m_elsewhere, &Elsewhere::replyFinished, this,
            [this](qint64 jobId, const ReplyStats &stats) {
                endReply(jobId);
                emit replyFinished(jobId, stats);
            });
    connect(m_elsewhere, &Elsewhere::replyFailed, this,
            [this](qint64 jobId, const QString &message, bool unreachable) {
                if (unreachable && m_away && m_worker && !m_fallback.path.isEmpty() &&
                    m_state == EngineState::Replying)
                    return replyInstead(m_awayJob, message);
                endReply(jobId);
                emit replyFailed(jobId, message);
            });
}

void EngineService::setFallback(const QString &path, const LoadSettings &settings)
{
    m_fallback = {path, settings};
}

/// What is computed here goes, so that its memory is free.
void EngineService::loadElsewhere(const QString &path)
{
    m_away = true;
    m_hasModel = false;
    m_resting = false;
    m_loading = {path, {}};
    m_worker->post([](EngineWorker &worker) { worker.unload(); });
    setState(EngineState::Loading);
    emit loadStarted(path);
    m_elsewhere->load(path);
}

void EngineService::failElsewhere(const ModelStatus &model, const QString &message,
                                  bool unreachable)
{
    if (!m_away || m_loading.path.isEmpty())
        return;
    const Load load = std::exchange(m_loading, {});
    if (unreachable && !model.path.isEmpty() && !m_fallback.path.isEmpty()) {
        m_model = model;
        m_model.reason = tr("Not reached: %1. Until it is, this computer answers").arg(message);
        return tellLoaded();
    }
    m_hasModel = false;
    m_away = false;
    noteFailure(load, message, false);
    settle();
    emit loadFailed(load.path, message, false);
}

/// The reply stays the same one to everybody who listens.
void EngineService::replyInstead(const ReplyJob &job, const QString &problem)
{
    m_instead = Instead{job, m_model, problem};
    m_stop = std::stop_source();
    m_skip = std::stop_source();
    if (m_standby && m_standby->path == m_fallback.path)
        return writeInstead();
    m_standby.reset();
    m_model.reason = tr("%1. A model of this computer is loaded to answer…").arg(problem);
    emit reasonChanged(m_model);
    m_worker->post([ticket = ++m_ticket, wanted = m_fallback,
                    stop = m_stop.get_token()](EngineWorker &worker) {
        worker.load(ticket, wanted.path, wanted.settings, stop);
    });
}

void EngineService::writeInstead()
{
    m_model = *m_standby;
    m_model.insteadOf =
        tr("Answered by %1 on this computer, because %2").arg(m_model.name, m_instead->problem);
    m_model.reason = m_model.insteadOf;
    emit moved(m_model);
    ReplyJob job = m_instead->job;
    m_worker->post([job, stop = m_stop.get_token(), skip = m_skip.get_token()](
                       EngineWorker &worker) { worker.reply(job, stop, skip); });
}

void EngineService::failInstead(const QString &message, bool cancelled)
{
    const Instead instead = *m_instead;
    m_standby.reset();
    endInstead();
    endReply(instead.job.id);
    if (cancelled) {
        ReplyStats stats;
        stats.finish = QStringLiteral("stopped");
        emit replyFinished(instead.job.id, stats);
        return;
    }
    emit replyFailed(instead.job.id, tr("%1; the model of this computer cannot answer either: %2")
                                         .arg(instead.problem, message));
}

/// The next message goes to the server again.
void EngineService::endInstead()
{
    if (!m_instead)
        return;
    const Instead instead = *std::exchange(m_instead, std::nullopt);
    if (!m_away || !m_loading.path.isEmpty())
        return;
    const QString by = m_standby ? m_standby->name : QString();
    m_model = instead.away;
    m_model.reason = by.isEmpty()
                         ? instead.problem
                         : tr("Not reached: %1. The last answer came from %2 on this computer")
                               .arg(instead.problem, by);
    emit reasonChanged(m_model);
}

/// A reply is told its end; what is loaded from now on is of this computer.
void EngineService::leaveElsewhere()
{
    if (!m_elsewhere || !m_away)
        return;
    stopWaiting();
    if (m_instead && !m_standby)
        failInstead({}, true); // its load ends without a word
    m_elsewhere->stopReply();
    m_elsewhere->leave();
    m_away = false;
    for (const ReplyJob &job : std::exchange(m_asides, {}))
        emit asideAnswered(job.id, {.kind = AsideAnswer::Interrupted});
}

/// False where the worker is to stop.
bool EngineService::stopElsewhere()
{
    if (!m_away || m_instead)
        return false;
    if (m_state == EngineState::Loading) {
        m_elsewhere->leave();
        m_away = false;
        const Load load = std::exchange(m_loading, {});
        noteFailure(load, tr("cancelled"), true);
        settle();
        emit loadFailed(load.path, m_failure.message, true);
    } else {
        m_elsewhere->stopReply();
    }
    return true;
}

} // namespace fireside
