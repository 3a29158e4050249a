#include "engine/core/thread_pool.h"

#include "engine/core/exception_guard.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <system_error>
#include <thread>
#include <utility>
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

/// Makes a thread give its core away between two pieces of work, shortly before the system takes
/// it in the middle of one. Costs a look at the clock while no other program wants the core.
class Courtesy
{
public:
    bool due()
    {
        const Clock::time_point now = Clock::now();
        if (now < m_nextLook)
            return false;
        const long lost = timesLost();
        if (lost != m_lost) { // another program has had its turn: ours begins
            m_lost = lost;
            m_began = now;
            // Who has a lower priority comes less often, and need not be made room for.
            if (now - m_lastLoss < kOften)
                m_contendedUntil = now + kContended;
            m_lastLoss = now;
        }
        if (now >= m_contendedUntil) {
            m_nextLook = now + kLook;
            return false;
        }
        return now - m_began > kTurn;
    }
    void yield()
    {
        sched_yield();
        m_lost = timesLost();
        m_began = Clock::now();
    }

private:
    // The system's turns are 0.7 to 3 ms.
    static constexpr auto kTurn = std::chrono::microseconds(1000);
    static constexpr auto kLook = std::chrono::milliseconds(2), kOften = 5 * kLook,
                          kContended = 20 * kLook;

    static long timesLost()
    {
        rusage usage{};
        getrusage(RUSAGE_THREAD, &usage);
        return usage.ru_nivcsw;
    }

    Clock::time_point m_nextLook{}, m_began{}, m_lastLoss{}, m_contendedUntil{};
    long m_lost = 0;
};

/// Which threads are in a region, in one word, so that none enters one that is over.
namespace gate {
constexpr std::uint64_t kInside = 1, kEntered = std::uint64_t{1} << 16,
                        kClosed = std::uint64_t{1} << 31, kCount = kEntered - 1,
                        kMostThreads = (kClosed >> 16) - 1;
constexpr std::uint64_t opened(std::uint32_t epoch)
{
    return std::uint64_t{epoch} << 32;
}
constexpr std::uint32_t epoch(std::uint64_t word)
{
    return static_cast<std::uint32_t>(word >> 32);
}
constexpr std::uint32_t inside(std::uint64_t word)
{
    return static_cast<std::uint32_t>(word & kCount);
}
constexpr std::uint32_t entered(std::uint64_t word)
{
    return static_cast<std::uint32_t>((word & (kClosed - 1)) >> 16);
}
} // namespace gate

struct ThreadPool::State
{
    using Body = FunctionRef<void(int)>;

    std::mutex region; // held by the thread whose region runs
    const Body *body = nullptr;
    std::atomic<bool> stopping{false};
    bool spin = true;
    bool everyone = false; // all threads are waited for
    std::uint32_t size = 1;
    std::vector<std::thread> workers;
    struct alignas(64) Own
    {
        Courtesy courtesy;
        bool left = false; // the region, because of shouldYield()
    };
    std::vector<Own> own; // of each thread
    std::mutex errorMutex;
    std::exception_ptr error; // the region's first, for the thread that runs it

    // Each on its own cache line: they are written by different threads at different times.
    alignas(64) std::atomic<std::uint64_t> word{gate::kClosed}; // see gate; publishes body
    alignas(64) std::atomic<std::uint32_t> epoch{0};   // +1 per region, after word; and to stop
    alignas(64) std::atomic<std::uint32_t> allCame{0}; // the region that all threads have entered
    alignas(64) std::atomic<std::uint32_t> allLeft{0}; // the closed region that the last one left

    /// Enters the region that is open, if it is another one than `seen`, which becomes it.
    bool enter(std::uint32_t &seen)
    {
        std::uint64_t now = word.load(std::memory_order_acquire);
        while (gate::epoch(now) != seen && (now & gate::kClosed) == 0)
            if (word.compare_exchange_weak(now, now + gate::kEntered + gate::kInside,
                                           std::memory_order_acq_rel)) {
                seen = gate::epoch(now);
                if (gate::entered(now) + 2 == size) {
                    allCame.store(seen, std::memory_order_release);
                    allCame.notify_one();
                }
                return true;
            }
        seen = gate::epoch(now);
        return false;
    }

    void leave()
    {
        const std::uint64_t before = word.fetch_sub(gate::kInside, std::memory_order_acq_rel);
        if ((before & gate::kClosed) != 0 && gate::inside(before) == 1) {
            allLeft.store(gate::epoch(before), std::memory_order_release);
            allLeft.notify_one();
        }
    }

    /// A thread's part of the region. An exception must neither end the process nor leave run()
    /// while other threads are inside.
    void call(int thread) noexcept
    {
        try {
            faultPoint("thread_pool");
            (*body)(thread);
        } catch (...) {
            const std::lock_guard lock(errorMutex);
            if (!error)
                error = std::current_exception();
        }
    }

    void work(int thread)
    {
        pthread_setname_np(pthread_self(), "fireside-cpu");
        Own &mine = own[static_cast<std::size_t>(thread)];
        std::uint32_t seen = 0;
        for (;;) {
            waitUntil(epoch, spin, [seen](std::uint32_t now) {
                return static_cast<std::int32_t>(now - seen) > 0; // word may be ahead of it
            });
            if (stopping)
                return;
            if (!enter(seen))
                continue;
            mine.left = false;
            call(thread);
            const bool again = mine.left;
            leave();
            if (again)
                --seen;
            if (again || mine.courtesy.due())
                mine.courtesy.yield();
        }
    }

    void run(const Body &what, bool all)
    {
        const std::scoped_lock lock(region);
        if (size == 1) {
            faultPoint("thread_pool");
            what(0);
            return;
        }
        const std::uint32_t now = epoch.load(std::memory_order_relaxed) + 1;
        body = &what;
        everyone = all;
        word.store(gate::opened(now), std::memory_order_release);
        epoch.store(now, std::memory_order_seq_cst);
        epoch.notify_all();
        call(0);
        const auto isNow = [now](std::uint32_t value) { return value == now; };
        if (all)
            waitUntil(allCame, spin, isNow);
        if (gate::inside(word.fetch_or(gate::kClosed, std::memory_order_acq_rel)) != 0)
            waitUntil(allLeft, spin, isNow);
        if (error)
            std::rethrow_exception(std::exchange(error, nullptr));
    }
};

ThreadPool::ThreadPool(int threads)
    : m_state(std::make_unique<State>())
{
    State &s = *m_state;
    const int wanted = std::clamp(threads, 1, static_cast<int>(gate::kMostThreads));
    s.spin = static_cast<unsigned>(wanted) <= std::max(1u, std::thread::hardware_concurrency());
    s.own.resize(static_cast<std::size_t>(wanted));
    s.workers.reserve(static_cast<std::size_t>(wanted) - 1);
    const BlockedSignals inheritedByWorkers;
    for (int thread = 1; thread < wanted; ++thread) {
        try {
            s.workers.emplace_back([&s, thread] { s.work(thread); }); // contains exceptions
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
    m_state->run(body, true);
}

void ThreadPool::share(FunctionRef<void(int)> body)
{
    m_state->run(body, false);
}

bool ThreadPool::shouldYield(int thread) noexcept
{
    State::Own &own = m_state->own[static_cast<std::size_t>(thread)];
    if (thread == 0 || m_state->everyone || !own.courtesy.due())
        return false;
    own.left = true;
    return true;
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
    share([&](int thread) {
        while (!shouldYield(thread)) {
            const std::ptrdiff_t begin = next.fetch_add(grain, std::memory_order_relaxed);
            if (begin >= count)
                return;
            body(begin, std::min(begin + grain, count));
        }
    });
}

} // namespace fireside
