// A MovableModel whose replies are computed together with those of others.
#include "engine/core/error.h"
#include "engine/core/memory_reserve.h"
#include "engine/generate/reply_speed.h"
#include "engine/movable_model.h"

#include <utility>

namespace fireside {

void MovableModel::share(Sharing sharing)
{
    unshare();
    m_sharing = std::move(sharing);
    offer();
}

void MovableModel::unshare()
{
    if (!m_sharing)
        return;
    if (std::exchange(m_offered, false))
        m_sharing->closing(m_moving);
    if (m_scheduler && m_opened.model)
        m_opened.session = m_scheduler->giveBack();
    m_scheduler.reset();
    m_sharing.reset();
    if (m_opened.session || !m_opened.model || m_opened.model->summary().encoder)
        return;
    try {
        m_opened.session = m_opened.model->newSession();
    } catch (const std::exception &) {
        rest(false); // the next reply loads it as it was
    }
}

/// What was loaded can be used by others.
void MovableModel::offer()
{
    if (!m_sharing || !m_opened.model)
        return;
    const LoadedModel &model = *m_opened.model;
    if (!model.summary().encoder) {
        if (m_scheduler)
            m_scheduler->resume(model.model(), model.tokenizer(), model.context(), model.kvType());
        else
            m_scheduler = std::make_unique<Scheduler>(
                model.model(), model.tokenizer(),
                SchedulerSettings{.context = model.context(),
                                  .kvType = model.kvType(),
                                  .sequences = m_sharing->sequences,
                                  .contextBytes = model.plan().kv(),
                                  .cacheBytes =
                                      m_sharing->cacheBytes ? m_sharing->cacheBytes(model) : 0,
                                  .waiting = m_sharing->waiting},
                SchedulerOwner{.asked = m_sharing->asked,
                               .elsewhere = [this](const Error &e) { return moveAll(e); },
                               .wentThrough = [this] { m_engine.wentThrough(*m_opened.model); }});
        m_scheduler->adopt(std::move(m_opened.session));
    }
    m_offered = true;
    if (m_sharing->opened)
        m_sharing->opened(model, m_scheduler.get());
}

/// From within the scheduler's step.
bool MovableModel::moveAll(const Error &error)
{
    m_options.recovery = m_engine.recover(*m_opened.model, error);
    if (!m_options.recovery)
        return false;
    ++m_moves;
    if (m_sharing->moving)
        m_sharing->moving(error);
    if (m_replyMoves)
        m_replyMoves(error);
    m_moving = true;
    try {
        move(error, m_sharing->stop);
    } catch (...) {
        m_moving = false;
        throw;
    }
    m_moving = false;
    return true;
}

GenerateResult MovableModel::replyBesides(const GenerateRequest &request,
                                          const GenerateEvents &events, const std::stop_token &stop,
                                          const std::function<void(const Error &)> &moving,
                                          bool aside)
{
    Scheduler *const computing = scheduler();
    if (computing == nullptr)
        throwBadInput("no model is loaded");
    keepMemoryReserve();
    std::optional<GenerateResult> result;
    std::optional<Error> failure;
    ScheduledRequest asked{.request = request, .client = "the window", .first = !aside};
    asked.events = events;
    asked.opened = [&](Session &session) { restore(session, request, stop); };
    asked.finished = [&](const GenerateResult &end) { result = end; };
    asked.failed = [&](const Error &error) { failure = error; };
    asked.stop = stop;
    const SchedulerCounts before = computing->counts();
    const int moves = m_moves;
    computing->submit(std::move(asked));
    m_replyMoves = moving;
    while (!result && !failure)
        computing->step();
    m_replyMoves = nullptr;
    if (failure)
        throw Error(*failure);
    m_lastPrompt = request.prompt;
    learn(result->stats);
    // With others beside it, its speed says nothing of the place.
    const SchedulerCounts after = computing->counts();
    const bool alone = after.passTokens - before.passTokens == after.passes - before.passes &&
                       after.promptTokens - before.promptTokens == request.prompt.size();
    if (const auto speed = speedOf(*result); speed && alone && moves == m_moves)
        m_engine.noteReply(*m_opened.model, *speed);
    return *result;
}

} // namespace fireside
