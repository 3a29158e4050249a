#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fireside::server {

/// Threads that run jobs; one more is started when all are busy, up to a limit.
class WorkerPool
{
public:
    /// Starts the first thread; std::system_error where that is impossible.
    explicit WorkerPool(std::size_t maxThreads);
    ~WorkerPool() { stop(); }
    WorkerPool(const WorkerPool &) = delete;
    WorkerPool &operator=(const WorkerPool &) = delete;

    void submit(std::function<void()> job); // must not throw
    bool waitUntilIdle(std::chrono::milliseconds time);
    /// Jobs that wait are dropped, running ones finish.
    void stop();

private:
    void startThread();
    void work();

    const std::size_t m_maxThreads;
    std::mutex m_mutex;
    std::condition_variable m_changed, m_idle;
    std::deque<std::function<void()>> m_jobs;
    std::size_t m_running = 0;
    bool m_stopping = false;
    std::vector<std::thread> m_threads;
};

} // namespace fireside::server
