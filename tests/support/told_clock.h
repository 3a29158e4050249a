#pragma once
#include "engine/core/awake_clock.h"

#include <atomic>
#include <cstdint>

namespace fireside::test {

/// A computer whose clocks go when the test says so, as those of Linux do: while it sleeps, that of
/// being awake stands still and the others go on.
class ToldClock
{
public:
    ToldClock()
    {
        s_awake = kStart;
        s_all = kStart;
        AwakeClock::readBy(&ToldClock::read);
    }
    ~ToldClock() { AwakeClock::readBy(nullptr); }
    ToldClock(const ToldClock &) = delete;
    ToldClock &operator=(const ToldClock &) = delete;

    static void pass(std::chrono::nanoseconds time)
    {
        s_awake += time.count();
        s_all += time.count();
    }
    static void sleep(std::chrono::nanoseconds time) { s_all += time.count(); }
    static int asked() { return s_asked; } // how often somebody looked

private:
    static int read(clockid_t clock, std::timespec *time)
    {
        constexpr std::int64_t kSecond = 1'000'000'000;
        const std::int64_t now = clock == CLOCK_MONOTONIC ? s_awake : s_all;
        *time = {static_cast<std::time_t>(now / kSecond), static_cast<long>(now % kSecond)};
        ++s_asked;
        return 0;
    }

    static constexpr std::int64_t kStart = 1'000'000'000'000;
    static inline std::atomic<std::int64_t> s_awake, s_all; // ns
    static inline std::atomic<int> s_asked = 0;
};

} // namespace fireside::test
