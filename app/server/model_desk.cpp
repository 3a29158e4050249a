#include "app/server/model_desk.h"

#include "engine/core/error.h"
#include "engine/engine.h"
#include "engine/model/model.h"

#include <utility>

namespace fireside::server {

void addTotals(SchedulerCounts &to, const SchedulerCounts &c)
{
    using C = SchedulerCounts;
    for (const auto member :
         {&C::promptTokens, &C::reusedTokens, &C::generatedTokens, &C::finished, &C::stopped,
          &C::failed, &C::refused, &C::passes, &C::passRows, &C::passTokens, &C::sharedPasses})
        to.*member += c.*member;
    for (const auto seconds : {&C::passSeconds, &C::drawSeconds, &C::tellSeconds, &C::beginSeconds})
        to.*seconds += c.*seconds;
}

ModelDesk::Use::Use(Use &&other) noexcept
    : m_desk(std::exchange(other.m_desk, nullptr))
{}

ModelDesk::Use::~Use()
{
    if (m_desk == nullptr)
        return;
    const std::lock_guard lock(m_desk->m_mutex); // whoever closes must not go before this is over
    --m_desk->m_uses;
    m_desk->m_lastUsed = AwakeClock::now();
    m_desk->m_changed.notify_all();
}

bool ModelDesk::Use::fileChanged() const
{
    try {
        served().model.model().requireUnchangedFile();
        return false;
    } catch (const Error &) {
        return true;
    }
}

void ModelDesk::open(const LoadedModel &model, Scheduler *scheduler, const std::string &id,
                     const SamplingSettings &sampling)
{
    const std::lock_guard lock(m_mutex);
    m_opened.emplace(model, scheduler, id, sampling);
    m_last = {};
    m_closing = false;
    m_context = model.context();
    m_id = id;
    m_lastUsed = AwakeClock::now();
    m_state = State::Open;
    m_problem.clear();
    m_changed.notify_all();
}

void ModelDesk::close(bool stays)
{
    std::unique_lock lock(m_mutex);
    if (!m_opened)
        return;
    m_closing = true;
    m_opened->ending.request_stop();
    m_changed.wait(lock, [this] { return m_uses == 0; });
    if (m_opened->scheduler != nullptr)
        m_last = m_opened->scheduler->counts();
    m_opened.reset();
    m_state = stays ? State::Loading : State::Away;
    if (!stays) {
        addTotals(m_before, m_last);
        m_last = {};
    }
    m_changed.notify_all();
}

void ModelDesk::setState(State state, const std::string &problem)
{
    const std::lock_guard lock(m_mutex);
    if (m_opened)
        return;
    m_state = state;
    m_problem = problem;
    m_changed.notify_all();
}

std::optional<ModelDesk::Use> ModelDesk::use()
{
    const std::lock_guard lock(m_mutex);
    if (!m_opened || m_closing)
        return {};
    ++m_uses;
    return Use(*this);
}

void ModelDesk::wait(std::chrono::milliseconds time)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait_for(lock, time);
}

ModelDesk::State ModelDesk::state() const
{
    const std::lock_guard lock(m_mutex);
    return m_state;
}

std::string ModelDesk::id() const
{
    const std::lock_guard lock(m_mutex);
    return m_id;
}

std::string ModelDesk::problem() const
{
    const std::lock_guard lock(m_mutex);
    return m_problem;
}

int ModelDesk::context() const
{
    const std::lock_guard lock(m_mutex);
    return m_context;
}

bool ModelDesk::busy() const
{
    const std::lock_guard lock(m_mutex);
    return m_uses > 0 || (m_opened && m_opened->scheduler && m_opened->scheduler->busy());
}

AwakeClock::time_point ModelDesk::lastUsed() const
{
    const std::lock_guard lock(m_mutex);
    return m_lastUsed;
}

SchedulerCounts ModelDesk::counts() const
{
    const std::lock_guard lock(m_mutex);
    SchedulerCounts all = m_opened && m_opened->scheduler ? m_opened->scheduler->counts() : m_last;
    addTotals(all, m_before);
    return all;
}

} // namespace fireside::server
