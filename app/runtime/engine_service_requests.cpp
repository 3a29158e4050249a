// What the engine is asked for with the model that is loaded.
#include "app/runtime/elsewhere.h"
#include "app/runtime/engine_service.h"
#include "app/runtime/engine_worker.h"
#include "app/runtime/model_server.h"

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

constexpr int kChatsTogether = 4; // more wait for one of them to end

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
    const bool waits = mustWait();
    const Running running = m_replies[job.id] = Running{.alone = m_away || together() == 0};
    setState(EngineState::Replying);
    if (!m_away)
        m_worker->post([job, stop = running.stop.get_token(), skip = running.skip.get_token()](
                           EngineWorker &worker) { worker.reply(job, stop, skip); });
    else if (m_replies.size() > 1)
        m_awayWaiting.append(job);
    else
        replyElsewhere(job);
    if (waits)
        emit replyWaits(job.id);
}

/// Replies that the worker computes at once, beginning with the next one; 0: each by itself.
int EngineService::together() const
{
    return std::max(m_serverSequences, m_chats > 1 ? kChatsTogether : 0);
}

/// Whether the next reply is begun only when one of those before it has ended: they are as many as
/// are computed together, or one was begun by itself.
bool EngineService::mustWait() const
{
    const auto most = static_cast<std::size_t>(std::max(together(), 1));
    return m_replies.size() >= most ||
           std::any_of(m_replies.begin(), m_replies.end(),
                       [](const auto &reply) { return reply.second.alone; });
}

void EngineService::replyElsewhere(const ReplyJob &job)
{
    m_awayJob = job;
    m_elsewhere->reply(job);
}

/// Before it is told.
void EngineService::endReply(qint64 jobId)
{
    m_replies.erase(jobId);
    if (m_replies.empty()) {
        if (m_state == EngineState::Replying || m_state == EngineState::Stopping)
            settle();
    } else if (m_away && !m_instead && !m_awayWaiting.isEmpty()) {
        const ReplyJob next = m_awayWaiting.takeFirst();
        // Later, so that everybody has heard of this reply's end before.
        QMetaObject::invokeMethod(
            this,
            [this, next] {
                if (m_away && m_replies.count(next.id) > 0)
                    replyElsewhere(next);
            },
            Qt::QueuedConnection);
    }
}

/// For a server's turn.
void EngineService::stopWaiting()
{
    for (const ReplyJob &job : std::exchange(m_awayWaiting, {})) {
        endReply(job.id);
        emit replyFinished(job.id, stoppedBefore());
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
    const auto same = [jobId](const ReplyJob &job) { return job.id == jobId; };
    if (m_awayWaiting.removeIf(same) > 0) {
        endReply(jobId);
        emit replyFinished(jobId, stoppedBefore());
        return;
    }
    if (m_away || m_replies.size() == 1) {
        found->second.stop.request_stop();
        m_stop.request_stop();
        if (!stopElsewhere() && m_replies.size() == 1 && m_state == EngineState::Replying)
            setState(EngineState::Stopping);
        return;
    }
    found->second.stop.request_stop();
}

void EngineService::skipThinking(qint64 jobId)
{
    m_skip.request_stop();
    for (auto &[job, running] : m_replies)
        if (jobId == 0 || job == jobId)
            running.skip.request_stop();
}

void EngineService::setChats(int count)
{
    const bool several = m_chats > 1;
    m_chats = count;
    if (several != (count > 1))
        postSharing();
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
    if (m_worker && m_hasModel)
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
