#include "engine/core/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <system_error>
#include <thread>
#include <vector>

namespace fireside {
namespace {

using Clock = std::chrono::steady_clock;

// Decode starts a region every ~50 µs, so a short busy wait is nearly always answered. Yielding
// lets an oversubscribed machine run the thread we wait for; after a millisecond the thread
// sleeps.
constexpr auto kSpinTime = std::chrono::microseconds(40);
constexpr auto kYieldTime = std::chrono::microseconds(1000);

void relax()
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield" ::: "memory");
#endif
}

/// Returns the first value of `word` for which done(value) holds: spins, yields, then sleeps.
template <typename Done>
std::uint32_t waitUntil(const std::atomic<std::uint32_t> &word, bool spin, Done done)
{
    std::uint32_t value = word.load(std::memory_order_acquire);
    if (done(value))
        return value;
    const Clock::time_point start = Clock::now();
    Clock::duration waited{};
    while (waited < kYieldTime) {
        if (spin && waited < kSpinTime) {
            for (int i = 0; i < 32; ++i) {
                relax();
                value = word.load(std::memory_order_acquire);
                if (done(value))
                    return value;
            }
        } else {
            sched_yield();
        }
        value = word.load(std::memory_order_acquire);
        if (done(value))
            return value;
        waited = Clock::now() - start;
    }
    while (!done(value)) {
        word.wait(value, std::memory_order_acquire);
        value = word.load(std::memory_order_acquire);
    }
    return value;
}

/// Signals meant for the process belong to the program's own threads; faults stay with their
/// thread.
class BlockedSignals
{
public:
    BlockedSignals()
    {
        sigset_t blocked;
        sigfillset(&blocked);
        for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
            sigdelset(&blocked, fault);
        pthread_sigmask(SIG_BLOCK, &blocked, &m_previous);
    }
    ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &m_previous, nullptr); }
    BlockedSignals(const BlockedSignals &) = delete;
    BlockedSignals &operator=(const BlockedSignals &) = delete;

private:
    sigset_t m_previous;
};

} // namespace

struct ThreadPool::State
{
    using Body = FunctionRef<void(int)>;

    std::mutex region; // held by the thread whose region runs
    const Body *body = nullptr;
    bool stopping = false;
    bool spin = true;
    std::uint32_t size = 1;
    std::vector<std::thread> workers;

    // Each on its own cache line: they are written by different threads at different times.
    alignas(64) std::atomic<std::uint32_t> epoch{0};   // +1 per region; publishes body and stopping
    alignas(64) std::atomic<std::uint32_t> running{0}; // workers still inside the region

    void work(int thread)
    {
        pthread_setname_np(pthread_self(), "fireside-cpu");
        std::uint32_t seen = 0;
        for (;;) {
            const std::uint32_t last = seen;
            seen = waitUntil(epoch, spin, [last](std::uint32_t now) { return now != last; });
            if (stopping)
                return;
            (*body)(thread);
            if (running.fetch_sub(1, std::memory_order_seq_cst) == 1)
                running.notify_one();
        }
    }
};

ThreadPool::ThreadPool(int threads)
    : m_state(std::make_unique<State>())
{
    State &s = *m_state;
    const int wanted = std::max(threads, 1);
    s.spin = static_cast<unsigned>(wanted) <= std::max(1u, std::thread::hardware_concurrency());
    s.workers.reserve(static_cast<std::size_t>(wanted) - 1);
    const BlockedSignals inheritedByWorkers;
    for (int thread = 1; thread < wanted; ++thread) {
        try {
            s.workers.emplace_back([&s, thread] { s.work(thread); });
        } catch (const std::system_error &) {
            break; // a process limit: fewer threads are slower, not wrong
        }
    }
    s.size = static_cast<std::uint32_t>(s.workers.size()) + 1;
}

ThreadPool::~ThreadPool()
{
    m_state->stopping = true;
    m_state->epoch.fetch_add(1, std::memory_order_seq_cst);
    m_state->epoch.notify_all();
    for (std::thread &worker : m_state->workers)
        worker.join();
}

int ThreadPool::size() const noexcept
{
    return static_cast<int>(m_state->size);
}

void ThreadPool::run(FunctionRef<void(int)> body)
{
    State &s = *m_state;
    const std::scoped_lock lock(s.region);
    if (s.size == 1) {
        body(0);
        return;
    }
    s.body = &body;
    s.running.store(s.size - 1, std::memory_order_relaxed);
    s.epoch.fetch_add(1, std::memory_order_seq_cst);
    s.epoch.notify_all();
    body(0);
    waitUntil(s.running, s.spin, [](std::uint32_t left) { return left == 0; });
}

void ThreadPool::parallelFor(std::ptrdiff_t count, std::ptrdiff_t grain,
                             FunctionRef<void(std::ptrdiff_t, std::ptrdiff_t)> body)
{
    if (count <= 0)
        return;
    grain = std::max<std::ptrdiff_t>(grain, 1);
    if (count <= grain) {
        body(0, count);
        return;
    }
    alignas(64) std::atomic<std::ptrdiff_t> next{0};
    run([&](int) {
        for (;;) {
            const std::ptrdiff_t begin = next.fetch_add(grain, std::memory_order_relaxed);
            if (begin >= count)
                return;
            body(begin, std::min(begin + grain, count));
        }
    });
}

} // namespace fireside
