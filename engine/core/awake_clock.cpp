#include "engine/core/awake_clock.h"

#include <atomic>

namespace fireside {
namespace {

std::atomic<AwakeClock::Read> reads = ::clock_gettime;

} // namespace

AwakeClock::time_point AwakeClock::now() noexcept
{
    std::timespec time{};
    reads.load(std::memory_order_relaxed)(CLOCK_MONOTONIC, &time);
    return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

void AwakeClock::readBy(Read read) noexcept
{
    reads = read != nullptr ? read : ::clock_gettime;
}

} // namespace fireside
