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
        m_worker->post([](EngineWorker &worker) { worker.unload(); }); // its memory is free now
        m_model = model;
        tellLoaded();
    });
    connect(elsewhere, &Elsewhere::loadFailed, this, &EngineService::failElsewhere);
    connect(elsewhere, &Elsewhere::changed, this, [this](const ModelStatus &model) {
        if (!m_away || !m_hasModel)
            return;
        if (m_instead) {
            m_instead->away = model; // for when it is asked again
            return;
        }
        if (m_model.reason == model.reason && m_model.path == model.path &&
            m_model.context == model.context && m_model.device == model.device)
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
    connect(m_elsewhere, &Elsewhere::replyWaits, this, &EngineService::replyWaits);
    connect(m_elsewhere, &Elsewhere::asideAnswered, this, &EngineService::answerAside);
    connect(m_elsewhere, &Elsewhere::replyFinished, this,
            [this](qint64 jobId, const ReplyStats &stats) {
                endReply(jobId);
                emit replyFinished(jobId, stats);
            });
    connect(m_elsewhere, &Elsewhere::replyFailed, this,
            [this](qint64 jobId, const QString &message, bool unreachable) {
                const auto known = m_replies.find(jobId);
                if (unreachable && m_away && m_worker && !m_fallback.path.isEmpty() &&
                    m_state == EngineState::Replying && known != m_replies.end()) {
                    m_insteadWaiting.append({known->second.job, message});
                    return nextInstead();
                }
                endReply(jobId);
                emit replyFailed(jobId, message);
            });
}

void EngineService::setFallback(const QString &path, const LoadSettings &settings)
{
    m_fallback = {path, settings};
}

/// What is computed here goes once the server has answered.
void EngineService::loadElsewhere(const QString &path)
{
    m_away = true;
    m_hasModel = false;
    m_resting = false;
    m_loading = {path, {}};
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
        m_worker->post([](EngineWorker &worker) { worker.unload(); });
        m_model = model;
        m_model.reason = tr("Not reached: %1. Until it is, this computer answers").arg(message);
        return tellLoaded();
    }
    m_hasModel = false;
    m_away = false;
    failLoad(load, message, false);
}

/// One after the other.
void EngineService::nextInstead()
{
    if (m_instead || !m_away || m_insteadWaiting.isEmpty())
        return;
    const Instead next = m_insteadWaiting.takeFirst();
    replyInstead(next.job, next.problem);
}

/// The reply stays the same one to everybody who listens.
void EngineService::replyInstead(const ReplyJob &job, const QString &problem)
{
    m_instead = Instead{job, problem, m_model};
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
    QMetaObject::invokeMethod(this, &EngineService::nextInstead, Qt::QueuedConnection);
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
    m_elsewhere->stopReply(0);
    m_elsewhere->leave();
    m_away = false;
    for (const ReplyJob &job : std::exchange(m_asides, {}))
        emit asideAnswered(job.id, {.kind = AsideAnswer::Interrupted});
}

/// False where the worker is to stop, too.
bool EngineService::stopElsewhere()
{
    if (!m_away)
        return false;
    if (m_state == EngineState::Loading) {
        m_elsewhere->leave();
        m_away = false;
        failLoad(std::exchange(m_loading, {}), tr("cancelled"), true);
        return true;
    }
    m_elsewhere->stopReply(0);
    return !m_instead;
}

/// Before m_model is another's.
void EngineService::noteFormer()
{
    if (!m_hasModel)
        return; // another load is running: what was there before it is still known
    m_former = Former{{m_model.path, m_model.asked}};
    if (m_away && m_instead) {
        m_former->load = {m_instead->away.path, m_instead->away.asked};
    } else if (!m_away) {
        m_former->kept = m_model;
        m_former->resting = m_resting;
    }
}

/// Tells it, and brings the former model back unless a listener asks for another one.
void EngineService::failLoad(const Load &load, const QString &message, bool cancelled)
{
    m_failure = {load.path, message, cancelled, load.settings, QDateTime::currentDateTimeUtc()};
    if (m_former && m_former->load == load)
        m_former.reset(); // it would fail again
    m_restoring = m_former.has_value();
    settle();
    const quint64 ticket = m_ticket;
    emit loadFailed(load.path, message, cancelled);
    if (ticket == m_ticket)
        restoreFormer();
    else
        m_restoring = false;
}

void EngineService::restoreFormer()
{
    const std::optional<Former> former = std::exchange(m_former, std::nullopt);
    if (!former || !m_worker)
        return;
    if (!former->kept)
        return this->load(former->load, {});
    m_worker->post([ticket = ++m_ticket](EngineWorker &worker) { worker.keepAs(ticket); });
    m_model = *former->kept;
    m_resting = former->resting;
    tellLoaded();
}

} // namespace fireside
