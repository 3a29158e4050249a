#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace fireside {

/// Residual streams on their way from one stage to the next, a few at most. Their memory goes back
/// and forth.
class StreamQueue
{
public:
    /// Waits for room; `stream` is something to write the next one to then. False: nobody takes it.
    bool put(std::vector<float> &stream)
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_closed || m_streams.size() < kMost; });
        if (m_closed)
            return false;
        m_streams.push_back(std::move(stream));
        stream = takeFrom(m_spare);
        m_changed.notify_all();
        return true;
    }
    /// Waits for one, which `stream` becomes. False: none will come.
    bool take(std::vector<float> &stream)
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_closed || !m_streams.empty(); });
        if (m_closed)
            return false;
        m_spare.push_back(std::move(stream));
        stream = takeFrom(m_streams);
        m_changed.notify_all();
        return true;
    }
    void close()
    {
        const std::lock_guard lock(m_mutex);
        m_closed = true;
        m_changed.notify_all();
    }

private:
    static constexpr std::size_t kMost = 2;
    static std::vector<float> takeFrom(std::deque<std::vector<float>> &streams)
    {
        std::vector<float> first;
        if (!streams.empty()) {
            first = std::move(streams.front());
            streams.pop_front();
        }
        return first;
    }
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<std::vector<float>> m_streams, m_spare;
    bool m_closed = false;
};

} // namespace fireside
