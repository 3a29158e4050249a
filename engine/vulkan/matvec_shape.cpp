#include "engine/vulkan/matvec_shape.h"

#include "engine/vulkan/recorder.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace fireside::vulkan {
namespace {

/// Rows of x in a group: with eight their sums do not fit into registers (measured on an H200).
constexpr std::int64_t kMostColumns = 4;
/// Shared memory for sums: more would leave too few groups on a processor.
constexpr std::int64_t kMostSharedFloats = 3072;

/// Microseconds a launch of this shape takes, roughly: what groups wait for, and what a processor
/// must read. It only has to put shapes into the right order. The constants are of an H200, where
/// 64 KB on their way to a processor saturate the memory and a wait for it takes 0.7 µs.
double cost(const Capabilities &can, const MatvecProblem &p, const MatvecShape &shape)
{
    constexpr double kStart = 1.0, kWait = 0.7, kBytesPerMicrosecond = 36e3, kOnTheirWay = 48e3;
    constexpr std::int64_t kThreadsPerProcessor = 1024; // with 64 registers each
    const std::int64_t groups = ceilDiv(p.rows, shape.groupRows()) * p.repeats;
    const std::int64_t perProcessor = ceilDiv(groups, std::int64_t{can.processors});
    const std::int64_t together =
        std::min(perProcessor, std::max<std::int64_t>(kThreadsPerProcessor / shape.threads, 1));
    const auto rounds = static_cast<double>(ceilDiv(perProcessor, together));
    const double setBytes = static_cast<double>(shape.threads / shape.team) * shape.rows *
                            static_cast<double>(p.perRow) * p.rowBytes;
    const double bytes = static_cast<double>(groups) * shape.sets * setBytes / can.processors;
    const double inFlight = static_cast<double>(together) * setBytes / shape.passes;
    return rounds * (kStart + kWait * shape.sets * shape.passes * 0.5) +
           bytes / kBytesPerMicrosecond * std::max(1.0, kOnTheirWay / inFlight * 0.75);
}

} // namespace

MatvecShape matvecShape(const Capabilities &can, const MatvecProblem &p)
{
    const std::uint32_t most = std::min(can.maxGroupSize, can.software ? 256u : 1024u);
    MatvecShape shape;
    shape.columns = std::bit_ceil(static_cast<std::uint32_t>(std::min(p.columns, kMostColumns)));
    // A thread for each 32 elements of a row, in whole subgroups.
    const auto whole = [&](std::int64_t threads) {
        return static_cast<std::uint32_t>(ceilDiv(threads, can.maxSubgroup) * can.maxSubgroup);
    };
    const std::int64_t wanted = ceilDiv(p.cols, 32);
    const std::uint32_t mostTeam =
        std::max(can.maxSubgroup, std::min(most, 512u) / can.maxSubgroup * can.maxSubgroup);
    if (p.experts > 0) {
        // As many experts side by side as fit; the first may be larger than other teams.
        const std::uint32_t each = whole(wanted);
        shape.pairs =
            static_cast<std::uint32_t>(std::clamp<std::int64_t>(mostTeam / each, 1, p.experts));
        shape.passes = static_cast<std::uint32_t>(ceilDiv(p.experts, shape.pairs));
        shape.team = shape.pairs * each;
    } else {
        shape.passes = static_cast<std::uint32_t>(ceilDiv(wanted, mostTeam));
        shape.team = whole(ceilDiv(wanted, shape.passes));
    }

    std::optional<MatvecShape> best;
    double bestCost = 0;
    for (std::uint32_t teams = 1; teams == 1 || teams * shape.team <= most; teams *= 2) {
        for (const std::uint32_t rows : {1u, 2u, 4u}) {
            // More sums or weights than this do not fit into registers.
            if (rows * p.perRow * shape.columns > 8 || rows * p.perRow > 4)
                continue;
            // From as many groups as the device takes at once down to one per processor.
            for (const std::int64_t perProcessor : {16, 8, 4, 3, 2, 1}) {
                MatvecShape next = shape;
                next.threads = teams * shape.team;
                next.rows = rows;
                const std::int64_t atOnce = std::int64_t{teams} * rows;
                const std::int64_t groups =
                    std::max<std::int64_t>(1, perProcessor * can.processors / p.repeats);
                next.sets = static_cast<std::uint32_t>(ceilDiv(p.rows, atOnce * groups));
                while (next.groupRows() % p.multiple != 0)
                    ++next.sets;
                const std::int64_t floats =
                    next.groupRows() * p.perRow * shape.columns * (shape.team / can.minSubgroup);
                if (best && floats > kMostSharedFloats)
                    continue;
                const double took = cost(can, p, next);
                if (!best || took < bestCost) {
                    best = next;
                    bestCost = took;
                }
            }
        }
    }
    return *best;
}

} // namespace fireside::vulkan
