// A MovableModel whose replies are computed together with those of others.
#include "engine/core/error.h"
#include "engine/core/memory_reserve.h"
#include "engine/generate/reply_speed.h"
#include "engine/movable_model.h"

#include <chrono>
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
    if (std::exchange(m_offered, false) && m_sharing->closing)
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
        if (m_scheduler) {
            m_moving = false;
            m_scheduler->resume(model.model(), model.tokenizer(), model.context(), model.kvType());
        } else {
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
                               .wentThrough = [this] { m_engine.wentThrough(*m_opened.model); },
                               .ready = [this] { return awake(); }});
        }
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
    for (const RunningReply &reply : m_runningReplies)
        if (reply.moving)
            reply.moving(error);
    m_moving = true;
    // Nobody waits for the model once the only reply was stopped.
    const SchedulerCounts counts = m_scheduler->counts();
    const bool one = m_runningReplies.size() == 1 && counts.running == 1 && counts.waiting == 0;
    std::stop_source ends;
    const auto end = [&ends] { ends.request_stop(); };
    const std::stop_callback shared(m_sharing->stop, end);
    const std::stop_callback stopped(one ? m_runningReplies.front().stop : std::stop_token(), end);
    try {
        move(error, ends.get_token());
    } catch (...) {
        m_moving = false;
        throw;
    }
    return true;
}

/// From within the scheduler's step. What cards hold may be lost while the computer sleeps, with or
/// without a word from the driver: its replies leave them, and go on when it wakes.
bool MovableModel::awake()
{
    constexpr std::chrono::milliseconds kTurn{20}; // then stops are looked at
    if (!m_away) {
        if (!sleeps() || !usesCard())
            return true;
        ++m_moves;
        m_moving = true; // the scheduler stays
        rest(false);
        if (m_told.paused)
            m_told.paused();
    }
    if (m_told.sleep != nullptr && !m_told.sleep->wokenWithin(kTurn))
        return false;
    bringBack(m_sharing->stop);
    return true;
}

bool MovableModel::step()
{
    if (!m_scheduler || (!m_opened.model && !m_away))
        return false;
    const bool did = m_scheduler->step();
    const std::uint64_t failed = m_scheduler->counts().failed;
    if (failed != std::exchange(m_failedReplies, failed))
        restIfChanged();
    return did;
}

void MovableModel::begin(const GenerateRequest &request, SharedReply reply)
{
    Scheduler *const computing = scheduler();
    if (computing == nullptr)
        throwBadInput("no model is loaded");
    keepMemoryReserve();
    const auto moves = m_runningReplies.insert(m_runningReplies.end(), {reply.moving, reply.stop});
    ScheduledRequest asked{.request = request, .client = "the window", .first = !reply.aside};
    asked.events = std::move(reply.events);
    asked.stop = reply.stop;
    asked.opened = [this, request, stop = reply.stop](Session &session) {
        restore(session, request, stop);
    };
    asked.finished = [this, computing, moves, prompt = request.prompt, before = computing->counts(),
                      movesBefore = m_moves,
                      finished = std::move(reply.finished)](const GenerateResult &result) {
        m_runningReplies.erase(moves);
        m_lastPrompt = prompt;
        // With others beside it, its speed says nothing of the place.
        const SchedulerCounts after = computing->counts();
        noteShared(result, after.sharedPasses == before.sharedPasses &&
                               after.promptTokens - before.promptTokens == prompt.size() &&
                               movesBefore == m_moves);
        finished(result);
    };
    asked.failed = [this, moves, failed = std::move(reply.failed)](const Error &error) {
        m_runningReplies.erase(moves);
        failed(error);
    };
    try {
        computing->submit(std::move(asked));
    } catch (...) {
        m_runningReplies.erase(moves);
        throw;
    }
}

void MovableModel::noteShared(const GenerateResult &result, bool alone)
{
    learn(result.stats);
    const auto speed = speedOf(result);
    if (!speed || !alone || !m_opened.model)
        return;
    try {
        m_engine.noteReply(*m_opened.model, *speed);
    } catch (const std::exception &) {
        // The next choice of a place knows less.
    }
}

GenerateResult MovableModel::replyBesides(const GenerateRequest &request, SharedReply reply)
{
    std::optional<GenerateResult> result;
    std::optional<Error> failure;
    reply.finished = [&](const GenerateResult &end) { result = end; };
    reply.failed = [&](const Error &error) { failure = error; };
    begin(request, std::move(reply));
    while (!result && !failure)
        step();
    if (failure)
        throw Error(*failure);
    return *result;
}

} // namespace fireside
