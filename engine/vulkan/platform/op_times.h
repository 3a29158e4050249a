#pragma once
#include "engine/backend/commands.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace fireside::vulkan {

/// Times of ops over many passes. A timestamp costs the device about a microsecond, which a
/// replayed pass of a hundred short ops would feel: only one in kEvery replays is timed, and the
/// others are taken to be as the last timed one of their kind.
class OpTimes
{
public:
    /// Whether the next pass of this name should be timed.
    bool timeNext(std::uint64_t name, std::int64_t rows);
    /// The pass that was asked for last does not come.
    void takeBack(std::uint64_t name, std::int64_t rows);
    /// Takes in what one pass took; without times, those of the last timed one are added.
    void add(std::uint64_t name, std::int64_t rows, bool timed, std::vector<OpTime> times);
    std::vector<OpTime> take() { return std::exchange(m_sum, {}); }

private:
    static constexpr unsigned kEvery = 32;
    static constexpr unsigned kFirst = 4; // always: few passes are worth no second recording
    struct Sample
    {
        unsigned passes = 0;
        std::vector<OpTime> times;
    };
    std::map<std::pair<std::uint64_t, std::int64_t>, Sample> m_samples;
    std::vector<OpTime> m_sum;
};

/// The entry of this op in a list, added when it is new.
OpTime &timeOf(std::vector<OpTime> &times, const char *op);

} // namespace fireside::vulkan
