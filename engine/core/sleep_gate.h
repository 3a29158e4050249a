#pragma once
#include "engine/core/awake_clock.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace fireside {

/// Whether the computer is about to sleep: told by one thread, asked by another between its passes.
class SleepGate
{
public:
    void fallAsleep()
    {
        const std::lock_guard lock(m_mutex);
        m_asleep = true;
        m_until = Clock::now() + kLongest;
    }
    void wake()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_asleep = false;
        }
        m_woken.notify_all();
    }
    bool asleep() const { return m_asleep; }
    /// Until wake() or a stop; not for ever: who was to tell may be gone. Of that the night is no
    /// part.
    void wait(const std::stop_token &stop)
    {
        std::unique_lock lock(m_mutex);
        m_woken.wait_until(lock, stop, m_until, [this] { return !m_asleep; });
        m_asleep = false;
    }
    /// For so long at most; whether it is awake then.
    bool wokenWithin(std::chrono::milliseconds time)
    {
        std::unique_lock lock(m_mutex);
        m_woken.wait_until(lock, std::min(m_until, Clock::now() + time),
                           [this] { return !m_asleep; });
        if (Clock::now() >= m_until)
            m_asleep = false;
        return !m_asleep;
    }

private:
    using Clock = AwakeClock;
    static constexpr std::chrono::seconds kLongest{60};

    std::mutex m_mutex;
    std::condition_variable_any m_woken;
    std::atomic<bool> m_asleep = false;
    Clock::time_point m_until{}; // with the mutex
};

} // namespace fireside
