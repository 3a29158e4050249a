#include "engine/vulkan/matvec.h"

#include "engine/vulkan/row_launch.h"
#include "engine/vulkan/weight_shader.h"
#include "shaders/common/activation_kinds.h"
#include "shaders/ops/matvec.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace fireside::vulkan {
namespace {

constexpr std::size_t kMostTargets = std::size(MatvecPush{}.targets);
/// Rows of x in a group: with eight their sums do not fit into registers (measured on an H200).
constexpr std::int64_t kMostColumns = 4;
/// Shared memory per group: more would leave too few groups on a processor.
constexpr std::uint32_t kSharedBudget = 40 * 1024;
/// Bytes that x's elements are rounded to for integer dot products: with two the result is off by
/// 2e-5, and on an H200 it is hardly slower than with one (6e-3).
constexpr std::uint32_t kIntegerPlanes = 2;

/// How a launch is spread over the device; the names are those of shaders/ops/matvec.comp.
struct Shape
{
    std::uint32_t threads = 256, rows = 1, columns = 1, rowsPerGroup = 8, chunk = 4096,
                  mostSubgroups = 64, depth = 1, planes = 0, batch = 1; // planes 0: products in F32
    bool wide = false;
};

/// Elements that a thread loads at once: kUnit of shaders/quant/.
std::uint32_t unitOf(DType type)
{
    switch (type) {
    case DType::F32:
        return 4;
    case DType::F16:
    case DType::BF16:
        return 8;
    case DType::Q8_0:
        return 16;
    default:
        return 32;
    }
}

/// Bytes of shared memory beyond the chunk of x.
std::uint32_t sharedForSums(const Shape &shape, bool gated)
{
    const std::uint32_t slots = shape.rows * (gated ? 2 : 1);
    return 4 * shape.columns * shape.mostSubgroups * (shape.wide ? 1 + slots : 1) + 64 + 4;
}

/// Elements of x that fit, in all columns.
std::uint32_t chunkThatFits(const Capabilities &can, const Shape &shape, bool gated)
{
    const std::uint32_t bytes =
        std::min(can.sharedMemory, kSharedBudget) - sharedForSums(shape, gated);
    // 32 elements with their padding (and scale and sums): see matvec_float.glsl,
    // matvec_integer.glsl.
    const std::uint32_t each = shape.planes == 0 ? 144 : 36 * shape.planes + 12;
    return std::bit_floor(bytes / (each * shape.columns)) * 32;
}

Shape shapeFor(const Recorder &r, DType type, std::int64_t T, std::int64_t rows, std::int64_t cols,
               bool gated)
{
    const Capabilities &can = r.capabilities();
    Shape shape;
    shape.columns = std::bit_ceil(count32(std::min(T, kMostColumns)));
    // Rounding x takes longer than it saves where there are few rows for each processor.
    if (can.integerDot && can.minSubgroup >= 8 &&
        (can.software || shape.columns > 1 || rows >= 16 * std::int64_t{can.processors}) &&
        r.hasShader(weightShader("matvec_integer", type)))
        shape.planes = kIntegerPlanes;

    // Large groups read x more rarely; but there should be a group for every second processor.
    const auto teams = [&] { return std::max(1u, shape.threads / can.subgroupSize); };
    const auto groupsOf = [&](std::uint32_t perTeam) { return ceilDiv(rows, teams() * perTeam); };
    shape.threads = std::bit_floor(std::min(can.maxGroupSize, can.software ? 256u : 512u));
    while (shape.threads > 128 && 2 * groupsOf(1) < can.processors)
        shape.threads /= 2;
    std::uint32_t sets = 1;
    if (2 * groupsOf(1) < can.processors) { // few rows: whole groups share one
        shape.wide = true;
        shape.threads = std::bit_floor(std::min(can.maxGroupSize, 256u));
    } else if (groupsOf(2) >= 16 * can.processors && shape.columns == 1) {
        // Very many rows: groups go on with more of them once they have x.
        shape.rows = gated ? 1 : 2;
        sets = 8;
    } else if (!gated && shape.columns <= 4 && groupsOf(2) >= 2 * can.processors) {
        shape.rows = 2; // more loads on their way
    }
    shape.rowsPerGroup = shape.wide ? shape.rows : shape.rows * teams() * sets;
    shape.mostSubgroups = std::max(1u, shape.threads / can.minSubgroup);
    shape.chunk =
        std::min(chunkThatFits(can, shape, gated), std::bit_ceil(std::max(count32(cols), 256u)));
    const auto quads = count32(std::min<std::int64_t>(cols, shape.chunk) / 4);
    shape.batch = std::clamp(quads / shape.threads, 1u, std::max(1u, 4 / shape.columns));
    // Loads of several units at once pay off in long rows; they must not run over a chunk's end.
    shape.depth = shape.columns == 1 && !gated && cols > 256 * unitOf(type) ? 2 : 1;
    const std::uint32_t team = shape.wide ? shape.threads : can.maxSubgroup;
    if (count32(cols) > shape.chunk && shape.chunk % (shape.depth * team * unitOf(type)) != 0)
        shape.depth = 1;
    return shape;
}

bool inFours(const Recorder &r, const LinearInput &x)
{
    return rowsFitFours(r, {&x.x}) && vectorAddress(x.norm) % 16 == 0;
}

/// Launches up to three targets that lie in one type and whose outputs have one type.
void launch(Recorder &r, const LinearInput &input, std::span<const LinearTarget> targets,
            Accumulate mode, bool gated, std::uint32_t activation)
{
    const Tensor &x = input.x;
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
    const Shape shape = shapeFor(r, first.storage, x.rows, rows, x.cols, gated);
    const bool add = mode == Accumulate::AddToOutput;

    MatvecPush push{};
    std::int64_t groups = 0;
    std::vector<Access> reads{accessOf(x)}, writes;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const LinearTarget &target = targets[i];
        const bool writing = i < outputs;
        push.targets[i] = {asVulkan(*target.weight).address, writing ? r.address(target.out) : 0,
                           vectorAddress(target.bias), count32(target.weight->rows),
                           count32(target.out.stride)};
        if (!writing)
            continue;
        groups += ceilDiv(target.weight->rows, shape.rowsPerGroup);
        writes.push_back(accessOf(target.out));
        if (add)
            reads.push_back(accessOf(target.out));
    }
    push.x = r.address(x);
    push.norm = vectorAddress(input.norm);
    push.cols = count32(x.cols);
    push.xStride = count32(x.stride);
    push.count = count32(x.rows);
    push.eps = input.eps;

    const std::uint32_t constants[] = {shape.threads,
                                       shape.rows,
                                       shape.columns,
                                       shape.rowsPerGroup,
                                       shape.wide ? 1u : 0u,
                                       shape.chunk,
                                       shape.mostSubgroups,
                                       isHalf(x),
                                       isHalf(targets[0].out),
                                       inFours(r, input) ? 1u : 0u,
                                       input.norm != nullptr ? 1u : 0u,
                                       add ? 1u : 0u,
                                       gated ? 1u : 0u,
                                       activation,
                                       shape.depth,
                                       std::max(shape.planes, 1u),
                                       shape.batch};
    Groups grid = foldedGroups(r, groups);
    grid.z = ceilDiv(x.rows, shape.columns);
    const double T = static_cast<double>(x.rows);
    const Work work{T * outs * static_cast<double>(x.cols),
                    weightBytes * static_cast<double>(grid.z) + bytesOf(x) + T * outs * 4};
    const char *const shader = shape.planes > 0 ? "matvec_integer" : "matvec";
    r.append(weightShader(shader, first.storage), constants, &push, sizeof push, grid, reads,
             writes, work);
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
