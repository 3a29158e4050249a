#pragma once
#include <chrono>
#include <ctime>

namespace fireside {

/// How long the computer was awake: stands still while it sleeps (CLOCK_MONOTONIC), so that a
/// night with the lid closed is no idling, and ends the patience with nobody. What may take its
/// time goes by this clock; CLOCK_BOOTTIME and the time of day go on meanwhile.
struct AwakeClock
{
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<AwakeClock>;
    static constexpr bool is_steady = true;

    static time_point now() noexcept;
    /// Tests tell the time of all clocks; nullptr: the system does again.
    using Read = int (*)(clockid_t, std::timespec *);
    static void readBy(Read read) noexcept;
};

} // namespace fireside
