#pragma once
#include "app/server/chat_request.h"
#include "engine/core/awake_clock.h"
#include "engine/generate/scheduler.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace fireside::server {

/// Adds what counts up; what holds now (running, waiting, kept, cacheBytes) stays.
void addTotals(SchedulerCounts &to, const SchedulerCounts &c);

/// Where requests get at a model that belongs to another thread: while they use it, it stays.
class ModelDesk
{
public:
    enum class State {
        Away,    // not in memory; comes when it is asked for
        Loading, // comes by itself
        Open,
        Failed // could not be loaded; asking for it tries again
    };

    class Use
    {
    public:
        Use(Use &&other) noexcept;
        Use &operator=(Use &&) = delete;
        ~Use();
        const ServedModel &served() const { return m_desk->m_opened->served; }
        Scheduler *scheduler() const { return m_desk->m_opened->scheduler; } // of an encoder: none
        /// Set when it is to be given back soon.
        std::stop_token ending() const { return m_desk->m_opened->ending.get_token(); }
        /// A file of the model is not what was loaded; replies would end with the reason.
        bool fileChanged() const;

    private:
        friend class ModelDesk;
        explicit Use(ModelDesk &desk)
            : m_desk(&desk)
        {}
        ModelDesk *m_desk;
    };

    // For the model's owner.
    void open(const LoadedModel &model, Scheduler *scheduler, const std::string &id,
              const SamplingSettings &sampling);
    /// Returns when nobody uses the model any more. `stays`: its replies go on later.
    void close(bool stays);
    void setState(State state, const std::string &problem = {});

    // For any thread.
    std::optional<Use> use(); // nullopt: it is not open, or is just being closed
    /// Sleeps until something changes, or for so long.
    void wait(std::chrono::milliseconds time);
    State state() const;
    std::string id() const;      // under which it was opened last
    std::string problem() const; // of State::Failed
    int context() const;         // 0: not known
    bool busy() const;           // someone uses it, or replies are computed
    AwakeClock::time_point lastUsed() const;
    SchedulerCounts counts() const; // of all schedulers that there were

private:
    struct Opened
    {
        Opened(const LoadedModel &model, Scheduler *computing, const std::string &id,
               const SamplingSettings &sampling)
            : grammars(model)
            , served{model, id, sampling, grammars}
            , scheduler(computing)
        {}
        Grammars grammars;
        ServedModel served;
        Scheduler *scheduler;
        std::stop_source ending{};
    };

    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    std::optional<Opened> m_opened; // while it is used or may be
    bool m_closing = false;
    int m_uses = 0;
    State m_state = State::Away;
    std::string m_problem, m_id;
    int m_context = 0;
    AwakeClock::time_point m_lastUsed{};
    SchedulerCounts m_before, m_last; // of schedulers that are gone, and of the one that is moved
};

} // namespace fireside::server
