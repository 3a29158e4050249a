#pragma once
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
    /// Until wake() or a stop; not for ever: who was to tell may be gone. The clock stands still
    /// while the computer sleeps.
    void wait(const std::stop_token &stop)
    {
        constexpr std::chrono::seconds kLongest{60};
        std::unique_lock lock(m_mutex);
        m_woken.wait_for(lock, stop, kLongest, [this] { return !m_asleep; });
        m_asleep = false;
    }

private:
    std::mutex m_mutex;
    std::condition_variable_any m_woken;
    std::atomic<bool> m_asleep = false;
};

} // namespace fireside
