#include "engine/vulkan/matvec_shape.h"

#include "engine/vulkan/recorder.h"

#include <algorithm>
#include <bit>

// The rules follow 938 shapes of 22 products measured on an H200 (132 processors). 19 of these were
// compared with their own best shapes: they take at most 7 % longer, but for the router of a
// mixture, 6.9 µs instead of 5.5, which has come to narrow.cpp since.
namespace fireside::vulkan {
namespace {

/// Sums a thread keeps. Two rows of weights at a time are best or nearly so nearly everywhere.
constexpr std::int64_t kMostSums = 8;
/// Threads that keep enough loads on their way: 0.8 of what a processor holds with 64 registers
/// each. With fewer the memory idles, with more each does too little after having fetched x.
constexpr std::int64_t kThreadsPerProcessor = 820;
/// Shared memory for sums: more would leave too few groups on a processor.
constexpr std::int64_t kMostSharedFloats = 3072;

std::uint32_t count(std::int64_t value)
{
    return static_cast<std::uint32_t>(value);
}

} // namespace

std::int64_t mostTeam(const Capabilities &can)
{
    const std::int64_t subgroup = can.maxSubgroup;
    const std::int64_t threads = std::min(can.maxGroupSize, can.software ? 256u : 512u);
    return std::max(subgroup, threads / subgroup * subgroup);
}

MatvecShape matvecShape(const Capabilities &can, const MatvecProblem &p)
{
    const std::int64_t most = std::min(can.maxGroupSize, can.software ? 256u : 1024u);
    const std::int64_t subgroup = can.maxSubgroup;
    MatvecShape shape;
    shape.columns = std::bit_ceil(count(std::min(p.columns, kMostColumns)));
    // A thread for each 32 elements of a row, in whole subgroups.
    const std::int64_t wanted = ceilDiv(p.cols, 32);
    const std::int64_t longest = mostTeam(can);
    std::int64_t team = 0;
    if (p.experts > 0) { // as many side by side as fit
        const std::int64_t each = ceilDiv(wanted, subgroup) * subgroup;
        shape.pairs = count(std::clamp<std::int64_t>(longest / each, 1, p.experts));
        shape.passes = count(ceilDiv(p.experts, shape.pairs));
        team = shape.pairs * each;
    } else {
        shape.passes = count(ceilDiv(wanted, longest));
        team = ceilDiv(ceilDiv(wanted, shape.passes), subgroup) * subgroup;
    }
    shape.team = count(team);
    const std::int64_t parts = std::max<std::int64_t>(team / can.minSubgroup, 1);
    while (shape.columns > 1 && p.multiple * p.perRow * shape.columns * parts > kMostSharedFloats)
        shape.columns /= 2;
    shape.rows = 2 * p.perRow * shape.columns <= kMostSums ? 2 : 1;

    const std::int64_t threads = kThreadsPerProcessor * can.processors;
    const auto allThreads = [&](std::int64_t groupRows, std::int64_t teams) {
        return ceilDiv(p.rows, groupRows) * p.repeats * teams * team;
    };
    const std::int64_t floatsPerRow = p.perRow * shape.columns * parts;
    if (p.multiple > 1) {
        // As few rows to a group as there may be, and as many teams as it takes.
        std::int64_t teams = 1, groupRows = p.multiple;
        while (2 * teams * team <= most && p.multiple % (2 * teams * shape.rows) == 0 &&
               allThreads(groupRows, teams) < threads)
            teams *= 2;
        while (allThreads(groupRows, teams) > 2 * threads &&
               (groupRows + p.multiple) * floatsPerRow <= kMostSharedFloats)
            groupRows += p.multiple;
        shape.threads = count(teams * team);
        shape.sets = count(groupRows / (teams * shape.rows));
        return shape;
    }
    // Small groups end independently of each other, but each must fetch x.
    constexpr std::int64_t kUsualThreads = 256;
    std::int64_t teams = std::max<std::int64_t>(std::min(kUsualThreads, most) / team, 1);
    while (teams > 1 && ceilDiv(p.rows, teams * shape.rows) * p.repeats < can.processors)
        teams /= 2;
    shape.threads = count(teams * team);
    const std::int64_t once = teams * shape.rows;
    std::int64_t sets = (allThreads(once, teams) + threads / 2) / threads;
    constexpr std::int64_t kLong = 6; // sets; from there on all groups should begin at once
    if (sets > kLong)
        sets = ceilDiv(allThreads(once, teams), 1024 * std::int64_t{can.processors});
    shape.sets = count(std::clamp<std::int64_t>(
        sets, 1, std::max<std::int64_t>(kMostSharedFloats / (once * floatsPerRow), 1)));
    return shape;
}

} // namespace fireside::vulkan
