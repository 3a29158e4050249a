// What the engine is asked for with the model that is loaded.
#include "app/runtime/elsewhere.h"
#include "app/runtime/engine_service.h"
#include "app/runtime/engine_worker.h"
#include "app/runtime/model_server.h"

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

constexpr int kChatsTogether = 4; // and those of windows beyond that

ReplyStats stoppedBefore()
{
    ReplyStats stats;
    stats.finish = QStringLiteral("stopped");
    return stats;
}

} // namespace

bool EngineService::acceptsReply() const
{
    return m_state == EngineState::Ready || (m_state == EngineState::Replying && m_chats > 1);
}

void EngineService::reply(const ReplyJob &job)
{
    switch (m_state) {
    case EngineState::Ready:
        break;
    case EngineState::Replying:
    case EngineState::Stopping:
        if (acceptsReply())
            break;
        emit replyFailed(job.id, tr("another reply is still being written"));
        return;
    case EngineState::Loading:
        emit replyFailed(job.id, tr("the model is still being loaded"));
        return;
    case EngineState::Starting:
    case EngineState::NoModel:
        emit replyFailed(job.id, tr("no model is loaded"));
        return;
    }
    m_idle->stop();
    Running &running = m_replies[job.id] = Running{};
    if (m_away)
        running.job = job;
    const auto stop = running.stop.get_token(), skip = running.skip.get_token();
    setState(EngineState::Replying);
    if (m_away)
        return m_elsewhere->reply(job);
    m_worker->post([job, stop, skip](EngineWorker &worker) { worker.reply(job, stop, skip); });
}

/// Replies that the worker computes at once. Also with one window: another one may be opened while
/// a reply is written, and others may ask.
int EngineService::together() const
{
    return std::max(m_serverSequences, kChatsTogether);
}

/// Before it is told.
void EngineService::endReply(qint64 jobId)
{
    m_replies.erase(jobId);
    if (m_replies.empty() && (m_state == EngineState::Replying || m_state == EngineState::Stopping))
        settle();
}

/// For this computer, in place of a server.
void EngineService::stopWaiting()
{
    for (const Instead &instead : std::exchange(m_insteadWaiting, {})) {
        endReply(instead.job.id);
        emit replyFinished(instead.job.id, stoppedBefore());
    }
}

void EngineService::stopAll()
{
    m_stop.request_stop();
    for (auto &[job, running] : m_replies)
        running.stop.request_stop();
}

void EngineService::stop()
{
    stopWaiting();
    stopAll();
    if (stopElsewhere())
        return;
    if (m_state == EngineState::Replying)
        setState(EngineState::Stopping);
}

void EngineService::stopReply(qint64 jobId)
{
    const auto found = m_replies.find(jobId);
    if (found == m_replies.end())
        return;
    const auto same = [jobId](const Instead &instead) { return instead.job.id == jobId; };
    if (m_insteadWaiting.removeIf(same) > 0) {
        endReply(jobId);
        emit replyFinished(jobId, stoppedBefore());
        return;
    }
    const bool instead = m_instead && m_instead->job.id == jobId;
    if (m_away && !instead)
        return m_elsewhere->stopReply(jobId);
    found->second.stop.request_stop();
    if (m_replies.size() > 1 && !instead)
        return;
    m_stop.request_stop();
    if (m_replies.size() == 1 && m_state == EngineState::Replying)
        setState(EngineState::Stopping);
}

void EngineService::skipThinking(qint64 jobId)
{
    m_skip.request_stop();
    for (auto &[job, running] : m_replies)
        if (jobId == 0 || job == jobId)
            running.skip.request_stop();
}

void EngineService::postSharing()
{
    if (!m_worker)
        return;
    m_worker->post([desk = m_serverSequences > 0 ? &m_modelServer->desk() : nullptr,
                    sequences = together(), sampling = m_serverSampling](EngineWorker &worker) {
        worker.share(desk, sequences, sampling);
    });
}

void EngineService::countTokens(const QString &text)
{
    if (m_away)
        emit tokensCounted(text, -1); // the server counts, with the reply
    else if (m_worker && m_hasModel)
        m_worker->post([text](EngineWorker &worker) { worker.countTokens(text); });
    else
        emit tokensCounted(text, -1);
}

void EngineService::countTools(const QList<ToolOffer> &each, const QList<ToolOffer> &together)
{
    if (m_worker && m_hasModel && !m_away) // a server counts them with each reply
        m_worker->post(
            [each, together](EngineWorker &worker) { worker.countTools(each, together); });
    else
        emit toolsCounted({}, -1);
}

void EngineService::findChoices(const ReplyJob &job)
{
    if (m_away)
        emit choicesFound(job.id, {}, tr("only models of this computer can tell"), {});
    else if (m_worker && m_hasModel)
        m_worker->post([job](EngineWorker &worker) { worker.findChoices(job); });
    else
        emit choicesFound(job.id, {}, tr("no model is loaded"), {});
}

void EngineService::askAside(const ReplyJob &job)
{
    m_asides.append(job);
    if (m_asides.size() == 1)
        nextAside();
}

void EngineService::nextAside()
{
    const ReplyJob job = m_asides.first();
    if (m_away && m_state == EngineState::Ready)
        m_elsewhere->askAside(job);
    else if (m_worker && m_hasModel && !m_resting && !m_away)
        m_worker->postAside([job](EngineWorker &worker) { worker.answerAside(job); });
    else
        answerAside(job.id, {.problem = tr("no model is loaded")});
}

void EngineService::answerAside(qint64 jobId, const AsideAnswer &answer)
{
    if (m_asides.isEmpty() || m_asides.first().id != jobId)
        return;
    m_asides.removeFirst();
    emit asideAnswered(jobId, answer);
    if (!m_asides.isEmpty())
        nextAside();
}

} // namespace fireside
