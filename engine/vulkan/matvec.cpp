#include "engine/vulkan/matvec.h"

#include "engine/vulkan/integer_rows.h"
#include "engine/vulkan/row_launch.h"
#include "engine/vulkan/weight_shader.h"
#include "shaders/common/activation_kinds.h"
#include "shaders/common/integer_row.h"
#include "shaders/ops/matvec.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

namespace fireside::vulkan {
namespace {

constexpr std::size_t kMostTargets = std::size(MatvecPush{}.targets);
/// Rows of x in a group: with eight their sums do not fit into registers (measured on an H200).
constexpr std::int64_t kMostColumns = 4;
/// Shared memory for sums: more would leave too few groups on a processor.
constexpr std::int64_t kMostSharedFloats = 3072;

/// How a launch is spread over the device; the names are those of shaders/ops/matvec.comp.
struct Shape
{
    std::uint32_t threads = 32, team = 32, rows = 1, sets = 1, passes = 1, columns = 1;
    std::int64_t groupRows() const { return std::int64_t{threads / team} * rows * sets; }
};

/// What a launch has to do.
struct Problem
{
    std::int64_t T = 0, rows = 0, cols = 0;
    std::int64_t perRow = 1;   // rows of weights for a row of y: 2 when gated
    double rowBytes = 0;       // of the weight
    std::int64_t multiple = 1; // of which a group's rows must be
};

/// Microseconds a launch of this shape takes, roughly: what groups wait for, and what a processor
/// must read. It only has to put shapes into the right order. The constants are of an H200, where
/// 64 KB on their way to a processor saturate the memory and a wait for it takes 0.7 µs.
double cost(const Capabilities &can, const Problem &p, const Shape &shape)
{
    constexpr double kStart = 1.0, kWait = 0.7, kBytesPerMicrosecond = 36e3, kOnTheirWay = 48e3;
    constexpr std::int64_t kThreadsPerProcessor = 1024; // with 64 registers each
    const std::int64_t groups = ceilDiv(p.rows, shape.groupRows());
    const std::int64_t perProcessor = ceilDiv(groups, can.processors);
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

Shape shapeFor(const Capabilities &can, const Problem &p)
{
    const std::uint32_t most = std::min(can.maxGroupSize, can.software ? 256u : 1024u);
    Shape shape;
    shape.columns = std::bit_ceil(count32(std::min(p.T, kMostColumns)));
    // A thread for each 32 elements of a row, in whole subgroups.
    const std::int64_t wanted = ceilDiv(p.cols, 32);
    const std::int64_t mostTeam =
        std::max(can.maxSubgroup, std::min(most, 512u) / can.maxSubgroup * can.maxSubgroup);
    shape.passes = count32(ceilDiv(wanted, mostTeam));
    shape.team = count32(ceilDiv(ceilDiv(wanted, shape.passes), can.maxSubgroup) * can.maxSubgroup);

    std::optional<Shape> best;
    double bestCost = 0;
    for (std::uint32_t teams = 1; teams * shape.team <= std::max(most, shape.team); teams *= 2) {
        for (const std::uint32_t rows : {1u, 2u, 4u}) {
            // More sums or weights than this do not fit into registers.
            if (rows * p.perRow * shape.columns > 8 || rows * p.perRow > 4)
                continue;
            // From as many groups as the device takes at once down to one per two processors.
            for (const std::int64_t perProcessor : {16, 8, 4, 3, 2, 1}) {
                Shape next = shape;
                next.threads = teams * shape.team;
                next.rows = rows;
                const std::int64_t once = std::int64_t{teams} * rows;
                next.sets = count32(std::max<std::int64_t>(
                    1, ceilDiv(p.rows, once * perProcessor * can.processors)));
                while (next.groupRows() % p.multiple != 0)
                    ++next.sets;
                const std::int64_t floats =
                    next.groupRows() * p.perRow * shape.columns * (shape.team / can.minSubgroup);
                if (floats > kMostSharedFloats && next.sets > 1 && p.multiple == 1)
                    continue;
                const double took = cost(can, p, next);
                if (!best || took < bestCost) {
                    best = next;
                    bestCost = took;
                }
            }
        }
    }
    return best.value_or(shape);
}

bool inFours(const Recorder &r, const LinearInput &x)
{
    return rowsFitFours(r, {&x.x}) && vectorAddress(x.norm) % 16 == 0;
}

/// Whether x goes through as whole numbers: the weights are such numbers, and there are enough of
/// them, or it has been done already.
bool asIntegers(Recorder &r, const LinearInput &input, DType type, std::int64_t rows)
{
    const Capabilities &can = r.capabilities();
    if (!mayReadIntegers(r, type) || !r.integerRows().fits(input.x))
        return false;
    return rows >= 4 * std::int64_t{can.processors} || input.x.rows > 1 || can.software ||
           r.integerRows().find(input.x, input.norm).has_value();
}

/// Launches up to three targets that lie in one type and whose outputs have one type.
void launch(Recorder &r, const LinearInput &input, std::span<const LinearTarget> targets,
            Accumulate mode, bool gated, std::uint32_t activation)
{
    const Tensor &x = input.x;
    const Capabilities &can = r.capabilities();
    const std::size_t outputs = gated ? 1 : targets.size();
    const VulkanWeight &first = asVulkan(*targets[0].weight);
    std::int64_t rows = 0;
    double weightBytes = 0, outs = 0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const VulkanWeight &weight = asVulkan(*targets[i].weight);
        rows += i < outputs ? weight.rows : 0;
        outs += static_cast<double>(weight.rows);
        weightBytes += static_cast<double>(planeOffsets(weight.storage, weight.groups).total);
    }
    const bool integers = asIntegers(r, input, first.storage, rows);
    const bool add = mode == Accumulate::AddToOutput;

    // What reads the result next may have it as integer rows, too.
    const Tensor &out = targets[0].out;
    std::optional<IntegerRows::Announced> next;
    if (outputs == 1 && can.integerDot && can.minSubgroup >= 8 && r.integerRows().fits(out))
        next = r.integerRows().takeAnnounced(out);

    Problem problem{x.rows, rows, x.cols, gated ? 2 : 1, weightBytes / outs, 1};
    if (next)
        problem.multiple = kIntegerBlock;
    const Shape shape = shapeFor(can, problem);

    MatvecPush push{};
    std::int64_t groups = 0;
    std::vector<Access> reads, writes;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const LinearTarget &target = targets[i];
        const bool writing = i < outputs;
        push.targets[i] = {asVulkan(*target.weight).address, writing ? r.address(target.out) : 0,
                           vectorAddress(target.bias), count32(target.weight->rows),
                           count32(target.out.stride)};
        if (!writing)
            continue;
        groups += ceilDiv(target.weight->rows, shape.groupRows());
        writes.push_back(accessOf(target.out));
        if (add)
            reads.push_back(accessOf(target.out));
    }
    if (integers) {
        const Tensor own = integerRowsOf(r, input);
        push.x = r.address(own);
        reads.push_back(accessOf(own));
    } else {
        push.x = r.address(x);
        push.norm = vectorAddress(input.norm);
        reads.push_back(accessOf(x));
    }
    Tensor nextRows;
    if (next) {
        nextRows = r.integerRows().reserve(out);
        push.targets[2] = {vectorAddress(next->norm), r.address(nextRows), 0, 0, 0};
        writes.push_back(accessOf(nextRows));
    }
    push.cols = count32(x.cols);
    push.xStride = count32(x.stride);
    push.count = count32(x.rows);
    push.eps = input.eps;

    const std::uint32_t constants[] = {shape.threads,
                                       shape.team,
                                       shape.rows,
                                       shape.sets,
                                       shape.passes,
                                       shape.columns,
                                       can.minSubgroup,
                                       isHalf(x),
                                       isHalf(out),
                                       inFours(r, input) ? 1u : 0u,
                                       input.norm != nullptr ? 1u : 0u,
                                       add ? 1u : 0u,
                                       gated ? 1u : 0u,
                                       activation,
                                       next ? 1u : 0u};
    Groups grid = foldedGroups(r, groups);
    grid.z = ceilDiv(x.rows, shape.columns);
    const double T = static_cast<double>(x.rows);
    const Work work{T * outs * static_cast<double>(x.cols),
                    weightBytes * static_cast<double>(grid.z) + bytesOf(x) + T * outs * 4};
    const char *const shader = integers ? "matvec_integer" : "matvec";
    r.append(weightShader(shader, first.storage), constants, &push, sizeof push, grid, reads,
             writes, work);
    if (next)
        r.integerRows().provide(out, next->norm, nextRows);
}

/// As many rows at a time as the device may take; `run` gets the first row and how many.
template <typename Run>
void inPieces(Recorder &r, const LinearInput &x, std::int64_t outs, Run &&run)
{
    const double all = static_cast<double>(x.x.rows) * static_cast<double>(outs);
    const std::int64_t step =
        r.rowsPerLaunch({all * static_cast<double>(x.x.cols), all * 4}, x.x.rows, kMostColumns);
    for (std::int64_t t = 0; t < x.x.rows; t += step) {
        LinearInput part = x;
        part.x = x.x.rowRange(t, std::min(step, x.x.rows - t));
        run(part, t);
    }
}

} // namespace

bool mayReadIntegers(const Recorder &r, DType type)
{
    const Capabilities &can = r.capabilities();
    return can.integerDot && can.minSubgroup >= 8 &&
           r.hasShader(weightShader("matvec_integer", type));
}

void linearOfFewRows(Recorder &r, const LinearInput &x, std::span<const LinearTarget> targets,
                     Accumulate mode)
{
    std::vector<LinearTarget> left(targets.begin(), targets.end());
    while (!left.empty()) {
        const DType storage = asVulkan(*left[0].weight).storage, type = left[0].out.dtype;
        std::vector<LinearTarget> together, others;
        std::int64_t outs = 0;
        for (const LinearTarget &target : left) {
            const bool fits = asVulkan(*target.weight).storage == storage &&
                              target.out.dtype == type && together.size() < kMostTargets;
            (fits ? together : others).push_back(target);
            outs += fits ? target.weight->rows : 0;
        }
        inPieces(r, x, outs, [&](const LinearInput &part, std::int64_t firstRow) {
            std::vector<LinearTarget> rows = together;
            for (LinearTarget &target : rows)
                target.out = target.out.rowRange(firstRow, part.x.rows);
            launch(r, part, rows, mode, false, kActivationNone);
        });
        left = std::move(others);
    }
}

void gatedLinearOfFewRows(Recorder &r, const LinearInput &x, const GatedWeights &weights,
                          Activation act, const Tensor &out)
{
    inPieces(r, x, 2 * out.cols, [&](const LinearInput &part, std::int64_t firstRow) {
        const Tensor rows = out.rowRange(firstRow, part.x.rows);
        const LinearTarget targets[] = {{weights.gate, rows, weights.gateBias},
                                        {weights.up, rows, weights.upBias}};
        launch(r, part, targets, Accumulate::Overwrite, true, static_cast<std::uint32_t>(act));
    });
}

} // namespace fireside::vulkan
