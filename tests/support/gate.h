#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace fireside::test {

/// Holds another thread at a place of the test's choosing, so that what happens meanwhile does not
/// depend on how fast either is.
class Gate
{
public:
    /// The other thread's side: waits until the gate is opened; not at all once it was.
    void pass()
    {
        std::unique_lock lock(m_mutex);
        m_reached = true;
        m_changed.notify_all();
        m_changed.wait_for(lock, kPatience, [this] { return m_open; });
    }
    bool reached() const
    {
        const std::lock_guard lock(m_mutex);
        return m_reached;
    }
    void open()
    {
        const std::lock_guard lock(m_mutex);
        m_open = true;
        m_changed.notify_all();
    }

private:
    static constexpr std::chrono::minutes kPatience{10}; // then the test has failed anyway
    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_reached = false, m_open = false;
};

} // namespace fireside::test
