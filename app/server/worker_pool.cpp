#include "app/server/worker_pool.h"

#include "engine/core/exception_guard.h"

#include <system_error>

namespace fireside::server {

WorkerPool::WorkerPool(std::size_t maxThreads)
    : m_maxThreads(maxThreads)
{
    startThread();
}

void WorkerPool::startThread()
{
    m_threads.emplace_back(
        [this] { containExceptions("server.worker_thread", [this] { work(); }); });
}

void WorkerPool::submit(std::function<void()> job)
{
    const std::lock_guard lock(m_mutex);
    if (m_stopping)
        return;
    m_jobs.push_back(std::move(job));
    if (m_running + m_jobs.size() > m_threads.size() && m_threads.size() < m_maxThreads) {
        try {
            startThread();
        } catch (const std::system_error &) {
            // The threads that there are take it later.
        }
    }
    m_changed.notify_one();
}

void WorkerPool::work()
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_changed.wait(lock, [this] { return m_stopping || !m_jobs.empty(); });
        if (m_stopping)
            return;
        {
            const std::function<void()> job = std::move(m_jobs.front());
            m_jobs.pop_front();
            ++m_running;
            lock.unlock();
            containExceptions("server.worker", job);
        }
        lock.lock();
        if (--m_running == 0 && m_jobs.empty())
            m_idle.notify_all();
    }
}

bool WorkerPool::waitUntilIdle(std::chrono::milliseconds time)
{
    std::unique_lock lock(m_mutex);
    return m_idle.wait_for(lock, time, [this] { return m_running == 0 && m_jobs.empty(); });
}

void WorkerPool::stop()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
        m_jobs.clear();
    }
    m_changed.notify_all();
    for (std::thread &thread : m_threads)
        thread.join();
    m_threads.clear();
}

} // namespace fireside::server
