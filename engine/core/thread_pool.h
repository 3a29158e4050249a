#pragma once
#include <cstddef>
#include <memory>
#include <type_traits>

namespace fireside {

/// Non-owning reference to a callable: parallel regions must not allocate.
template <typename Signature>
class FunctionRef;
template <typename R, typename... Args>
class FunctionRef<R(Args...)>
{
public:
    template <typename F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
        FunctionRef(F &&f) // NOLINT: implicit by design, like std::function
        : m_object(const_cast<void *>(static_cast<const void *>(&f)))
        , m_call([](void *o, Args... args) -> R {
            return (*static_cast<std::remove_reference_t<F> *>(o))(args...);
        })
    {}
    R operator()(Args... args) const { return m_call(m_object, args...); }

private:
    void *m_object;
    R (*m_call)(void *, Args...);
};

/// Fixed set of threads for data-parallel regions. The caller takes part as thread 0, so a pool of
/// one runs inline. Idle workers spin briefly, then sleep. One region at a time: calls from several
/// threads are serialised. Exceptions must not leave a region.
class ThreadPool
{
public:
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool &) = delete;
    ThreadPool &operator=(const ThreadPool &) = delete;

    int size() const noexcept;

    /// Runs body(thread) once on each thread, thread in [0, size()), and returns when all are done.
    void run(FunctionRef<void(int thread)> body);

    /// Runs body(thread) once on the calling thread, and on those others that come while it runs: a
    /// thread whose core is taken by another program between two regions keeps nobody waiting. So
    /// bodies take what there is to do piece by piece (distribute(), work_shares.h). A body may run
    /// on a thread again when it has returned there because of shouldYield().
    void share(FunctionRef<void(int thread)> body);

    /// Whether a body of share() should return between two pieces of work: another program wants
    /// this core and gets it soon, better while nobody waits for a piece. Never the caller's.
    bool shouldYield(int thread) noexcept;

    /// Runs body(begin, end) over [0, count) in chunks of at most `grain`, handed out dynamically.
    void parallelFor(std::ptrdiff_t count, std::ptrdiff_t grain,
                     FunctionRef<void(std::ptrdiff_t begin, std::ptrdiff_t end)> body);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace fireside
