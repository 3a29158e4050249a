#include "engine/vulkan/ops/matmul/small_gemm.h"

#include "engine/vulkan/ops/matmul/gemm_tile.h"
#include "engine/vulkan/ops/matmul/target_groups.h"
#include "engine/vulkan/pass/constant_tables.h"
#include "engine/vulkan/pass/row_dispatch.h"
#include "engine/vulkan/weights/weight_shader.h"
#include "shaders/common/activation_kinds.h"
#include "shaders/ops/matmul/small_gemm.h"

#include <algorithm>
#include <vector>

namespace fireside::vulkan {
namespace {

constexpr std::size_t kMaxSmallGemmTargets = std::size(SmallGemmPush{}.targets);
constexpr std::uint32_t kSubgroup = 32, kTileRows = 16, kMatrixColumns = 8;
/// Workgroups of a dispatch that is cut into splits, and such dispatches that may run at the same
/// time.
constexpr std::uint32_t kMaxGemmCounters = 1024, kMaxAtOnce = 8;

/// Elements that a thread loads at once: kUnit of shaders/quant/, 16 bytes of the first plane.
std::uint32_t unitOf(DType type)
{
    const Plane first = planesOf(type)[0];
    return std::min(32u, 16 * first.elements / first.bytes);
}

/// Whether two units, and their scales, are fetched with fewer loads than apart: LOADS_TWO of
/// shaders/quant/. Their rows have units of even number. It saves 3 % of a product.
bool loadsTwo(DType type)
{
    return type == DType::Q4_K || type == DType::Q6_K || type == DType::Q8_0;
}

} // namespace

std::int64_t SmallGemmShape::heldCols(DType weight) const
{
    return std::int64_t{4} * unitOf(weight) * held * (subgroups / abreast) * steps;
}

std::uint32_t SmallGemmShape::sharedBytes(bool gated) const
{
    return 16 * buffers * subgroups * 5 * (gated ? 2 : 1) * kMatrixColumns * across;
}

std::int64_t maxSmallGemmRows(const Recorder &r, DType weight)
{
    const Capabilities &can = r.capabilities();
    if (!can.matrixOrder || can.maxWorkgroupSize < 512 || can.sharedMemory < (48u << 10) ||
        weight == DType::F32 || !r.hasShader(weightShader("small_gemm_matrix", weight)))
        return 0;
    return keepsInput(weight) ? 16 : 64;
}

bool roundsSmallGemmInput(const Weight &weight)
{
    return !keepsInput(asVulkan(weight).storage);
}

namespace {

/// What suits a product best was measured on an H200 and an H100; µs of Q4_K and 32 rows of x
/// beside them, on the H100.
class ShapeChoice
{
public:
    ShapeChoice(const Capabilities &can, DType weight, std::int64_t rows, std::int64_t outs,
                std::int64_t cols, bool gated)
        : m_can(can)
        , m_weight(weight)
        , m_tiles(ceilDiv(outs, kTileRows))
        , m_cols(cols)
        , m_gated(gated)
    {
        m_shape.exact = keepsInput(weight);
        m_shape.across = count32(ceilDiv(rows, kMatrixColumns));
        if (m_shape.across > kManyAcross) // fewer kernels to make ready
            m_shape.across += m_shape.across % 2;
    }
    SmallGemmShape choose()
    {
        if (oneEach() || inSteps())
            return m_shape;
        // What x and sums of so many rows take leaves no registers for more than a step.
        if (m_shape.across > kManyAcross && inStepsOf(m_gated ? 4 : 8, m_gated ? 256 : 128))
            return m_shape;
        return holdingX();
    }

private:
    static constexpr std::uint32_t kMaxSubgroups = 16, kManyAcross = 4;
    static constexpr std::uint32_t kShared = 47 << 10; // bytes

    /// Sets what a thread holds of a row; the shares of the subgroups.
    std::uint32_t hold(std::uint32_t columns)
    {
        const std::uint32_t block = 4 * unitOf(m_weight);
        m_shape.held = std::max(1u, columns / block);
        m_shape.together = m_shape.held % 2 == 0 && loadsTwo(m_weight) ? 2 : 1;
        return count32(ceilDiv(m_cols, block * m_shape.held));
    }
    bool inStepsOf(std::uint32_t subgroups, std::uint32_t columns)
    {
        const std::uint32_t shares = hold(columns), sharing = subgroups / m_shape.abreast;
        m_shape.subgroups = subgroups;
        m_shape.steps = (shares + sharing - 1) / sharing;
        m_shape.ahead = m_shape.across > 2 ? 1 : 2;
        m_shape.buffers = m_shape.tilesPerGroup = 1;
        return m_shape.steps > 1 && m_shape.sharedBytes(m_gated) <= kShared;
    }

    /// One group for each compute unit, whose subgroups take several tiles at once, so that none is
    /// left with a second group while others wait and x is fetched once for them: 4096 x 14336 26.1
    /// (one tile a group 30.2), 4096 x 4096 13.5 (13.9), 6144 x 4096 15.8 (20.6 in small groups).
    /// Of 64 rows 4096 x 14336 takes 36.5. Groups of 16 subgroups have too few registers (40.6).
    bool oneEach()
    {
        constexpr std::int64_t kMostDown = 3;
        constexpr std::uint32_t kGroup = 8; // subgroups
        const std::int64_t down = ceilDiv(m_tiles, std::int64_t{m_can.computeUnits});
        const bool many = m_shape.across > kManyAcross;
        if (m_gated || m_shape.exact || m_shape.across <= 2 || down < (many ? 1 : 2) ||
            down > kMostDown)
            return false;
        m_shape.down = count32(down);
        // As long a step as registers are left for.
        if (inStepsOf(kGroup, down == 2 && !many ? 256 : 128))
            return true;
        m_shape.down = 1;
        return false;
    }

    /// Small groups that go along their rows in steps: nothing waits for the slowest of 16
    /// subgroups after each tile, and loads of one group overlap with the arithmetic of others. For
    /// short rows that are not gated groups that hold all of x are as fast, up to 16 rows of x: one
    /// of 16 subgroups on each processor; two of 8 take 10 % longer, two tiles at a time 5 %, four
    /// threads to a sum 5 %.
    bool inSteps()
    {
        constexpr std::int64_t kShortRow = 4096; // columns
        constexpr std::int64_t kBusy = 12;       // subgroups that a compute unit needs to be busy
        const std::int64_t busy = kBusy * m_can.computeUnits;
        const std::uint32_t small = 4 * m_tiles >= busy               ? 4
                                    : !m_gated && 8 * m_tiles >= busy ? 8
                                                                      : 0;
        if (small == 0 || m_shape.exact || (!m_gated && m_shape.across <= 2 && m_cols <= kShortRow))
            return false;
        if (small == 4 && m_shape.across > 2 && abreast())
            return true;
        return inStepsOf(small, small == 4 || m_shape.across == 1 ? 256 : 128);
    }
    /// Where there are many tiles, each subgroup goes along rows of its own beside the others,
    /// which fetch the same of x at about the same time: gated 14336 x 4096 45.8 (48), of 64 rows
    /// 64 (68.5); of 64 rows two tiles each 128256 x 4096 260 (329).
    bool abreast()
    {
        constexpr std::int64_t kEnough = 6, kMany = 16; // tiles for each compute unit
        constexpr std::uint32_t kGroup = 4;             // subgroups
        const bool many = m_shape.across > kManyAcross;
        if (m_tiles < (m_gated ? kEnough : kMany) * m_can.computeUnits || (!m_gated && !many))
            return false;
        m_shape.abreast = kGroup;
        m_shape.down = m_gated ? 1 : 2;
        if (inStepsOf(kGroup, 256)) {
            m_shape.ahead = many ? 1 : 2;
            return true;
        }
        m_shape.abreast = m_shape.down = 1;
        return false;
    }

    /// Of x a thread holds 256 columns, as far as weights on their way leave registers: of 16 rows
    /// and Q4_K 4096 x 4096 that takes 12.4 µs against 15.3 with 128.
    SmallGemmShape holdingX()
    {
        SmallGemmShape &s = m_shape;
        s.steps = 1;
        const std::uint32_t shares =
            hold(s.exact || s.across > (m_gated ? kManyAcross : 2) ? 128 : 256);
        std::uint32_t most = kMaxSubgroups;
        while (most > 1 && !fits(most, 1))
            most /= 2;
        s.splits = (shares + most - 1) / most;
        most = (shares + s.splits - 1) / s.splits;
        if (!fits(most, 2))
            fits(most, 1);
        const std::int64_t onComputeUnit = std::max(1u, kMaxSubgroups / s.subgroups);
        const std::int64_t groups =
            std::clamp<std::int64_t>(m_can.computeUnits * onComputeUnit / s.splits, 1,
                                     kMaxGemmCounters - std::int64_t{kMaxSmallGemmTargets});
        s.tilesPerGroup = count32(std::max<std::int64_t>(1, ceilDiv(m_tiles, groups)));
        return s;
    }
    bool fits(std::uint32_t subgroups, std::uint32_t buffers)
    {
        m_shape.subgroups = subgroups;
        m_shape.buffers = buffers;
        return m_shape.sharedBytes(m_gated) <= kShared;
    }

    const Capabilities &m_can;
    const DType m_weight;
    const std::int64_t m_tiles, m_cols;
    const bool m_gated;
    SmallGemmShape m_shape;
};

} // namespace

SmallGemmShape smallGemmShape(const Capabilities &can, DType weight, std::int64_t rows,
                              std::int64_t outs, std::int64_t cols, bool gated)
{
    return ShapeChoice(can, weight, rows, outs, cols, gated).choose();
}

std::optional<RowOrder> smallGemmForm(const Recorder &r, const LinearInput &x, const Weight &weight)
{
    const DType type = asVulkan(weight).storage;
    if (x.norm != nullptr || !isHalf(x.x) || keepsInput(type))
        return std::nullopt;
    const SmallGemmShape s =
        smallGemmShape(r.capabilities(), type, x.x.rows, weight.rows, x.x.cols, false);
    if (s.heldCols(type) * s.splits != x.x.cols)
        return std::nullopt;
    return RowOrder{unitOf(type), s.together};
}

SmallGemmInput prepareSmallGemm(Recorder &r, const LinearInput &input, DType weight,
                                const SmallGemmShape &s)
{
    const Tensor &x = input.x;
    if (input.norm == nullptr && !s.exact)
        if (const auto made = r.q8Activations().find(x, nullptr, {unitOf(weight), s.together});
            made && made->cols == s.heldCols(weight) * s.splits)
            return {*made, false};
    if (input.norm == nullptr && !s.exact && s.steps == 1 && isHalf(x) &&
        (x.rows == 1 || x.stride == x.cols) && rowsFit(r, 16, {&x}))
        return {x, true};
    const std::int64_t columns = std::int64_t{kMatrixColumns} * s.across;
    const std::int64_t padded = s.heldCols(weight) * s.splits, eighths = padded / 8;
    const Tensor result = r.scratch(columns, padded * (s.exact ? 2 : 1), DType::F16);
    SmallGemmInputPush push{};
    push.x = r.address(x);
    push.norm = vectorAddress(input.norm);
    push.result = r.address(result);
    push.cols = count32(x.cols);
    push.paddedCols = count32(padded);
    push.xStride = count32(x.stride);
    push.count = count32(x.rows);
    push.eps = input.eps;
    const bool normed = input.norm != nullptr;
    const SmallGemmInputConstants constants{.kThreads = threadsFor(r, eighths, normed ? 512 : 128),
                                            .kColumns = count32(columns),
                                            .kUnit = unitOf(weight),
                                            .kExact = s.exact,
                                            .kXHalf = isHalf(x),
                                            .kFours = rowsFitFours(r, {&x}) && push.norm % 16 == 0,
                                            .kNorm = normed,
                                            .kTogether = s.together};
    r.dispatch("small_gemm_input", constants, push,
               {columns, normed ? 1 : ceilDiv(eighths, constants.kThreads), 1}, {accessOf(x)},
               {accessOf(result)}, {0, bytesOf(x) + bytesOf(result)});
    return {result, false};
}

namespace {

SmallGemmConstants constantsOf(const Capabilities &can, const SmallGemmDispatch &l,
                               const SmallGemmShape &s, DType storage)
{
    return {.kThreads = s.subgroups * kSubgroup,
            .kAcross = s.across,
            .kHeld = s.held,
            .kBuffers = s.buffers,
            .kPlain = l.input.plain,
            .kSplit = s.splits > 1,
            .kExact = s.exact,
            .kYHalf = isHalf(l.targets[0].out),
            .kAccumulate = l.add,
            .kGated = l.gated,
            .kActivation = l.activation,
            .kOrder = can.matrixOrder.value_or(0),
            .kTogether = s.together,
            .kSteps = s.steps,
            .kAhead = std::min(s.ahead, s.held * unitOf(storage) / 8),
            .kNextUnit = l.ordered.cols > 0 ? l.form.unit : 0,
            .kNextTogether = std::max(l.form.together, 1u),
            .kDown = s.down,
            .kAbreast = s.abreast};
}

} // namespace

void dispatchSmallGemm(Recorder &r, const SmallGemmDispatch &l, const SmallGemmShape &s)
{
    const std::size_t mark = r.mark(), outputs = l.gated ? 1 : l.targets.size();
    const DType storage = asVulkan(*l.targets[0].weight).storage;
    const std::int64_t rowsPerGroup =
        std::int64_t{kTileRows} * s.down * s.abreast * s.tilesPerGroup;
    SmallGemmPush push{};
    std::int64_t groups = 0;
    double weightBytes = 0, outs = 0;
    std::vector<Access> reads{accessOf(l.input.x)}, writes;
    for (std::size_t i = 0; i < l.targets.size(); ++i) {
        const LinearTarget &target = l.targets[i];
        const VulkanWeight &weight = asVulkan(*target.weight);
        const bool writing = i < outputs;
        push.targets[i] = {weight.address, writing ? r.address(target.out) : 0,
                           vectorAddress(target.bias), count32(weight.rows),
                           count32(target.out.stride)};
        outs += static_cast<double>(weight.rows);
        weightBytes += static_cast<double>(planeOffsets(weight.storage, weight.groups).total);
        if (!writing)
            continue;
        groups += ceilDiv(weight.rows, rowsPerGroup);
        writes.push_back(accessOf(target.out));
        if (l.add)
            reads.push_back(accessOf(target.out));
    }
    if (l.ordered.cols > 0) {
        push.SMALL_GEMM_ORDERED = r.address(l.ordered);
        writes.push_back(accessOf(l.ordered));
    }
    push.x = r.address(l.input.x);
    push.cols = count32(l.cols);
    push.counts = count32(l.rows) | s.tilesPerGroup << 8;
    if (s.splits > 1) {
        const Tensor partial =
            r.scratch(std::int64_t{s.splits} * (l.gated ? 2 : 1) * kMatrixColumns * s.across,
                      groups * rowsPerGroup);
        push.partial = r.address(partial);
        push.counters = counterTable(r, "small_gemm", kMaxAtOnce * kMaxGemmCounters) +
                        VkDeviceAddress{4} * (l.number % kMaxAtOnce) * kMaxGemmCounters;
        writes.push_back(accessOf(partial));
    }
    const double T = static_cast<double>(l.rows);
    const Work work{T * outs * static_cast<double>(l.cols), weightBytes + T * outs * 4};
    const SmallGemmConstants constants = constantsOf(r.capabilities(), l, s, storage);
    r.append(weightShader("small_gemm_matrix", storage), constants, &push, sizeof push,
             {groups, 1, s.splits}, reads, writes, work);
    r.release(mark);
}

void linearSmallGemm(Recorder &r, const LinearInput &x, std::span<const LinearTarget> targets,
                     Accumulate mode)
{
    const std::size_t mark = r.mark();
    struct Prepared
    {
        std::int64_t cols;
        std::uint32_t unit, together;
        bool exact;
        SmallGemmInput input;
    };
    std::vector<Prepared> prepared;
    std::uint32_t number = 0;
    inTargetGroups(targets, kMaxSmallGemmTargets,
                   [&](std::span<const LinearTarget> together, std::int64_t outs) {
                       const DType storage = asVulkan(*together[0].weight).storage;
                       const SmallGemmShape shape = smallGemmShape(r.capabilities(), storage,
                                                                   x.x.rows, outs, x.x.cols, false);
                       const std::int64_t cols = shape.heldCols(storage) * shape.splits;
                       const auto same = [&](const Prepared &p) {
                           return p.cols == cols && p.unit == unitOf(storage) &&
                                  p.together == shape.together && p.exact == shape.exact;
                       };
                       auto found = std::find_if(prepared.begin(), prepared.end(), same);
                       if (found == prepared.end())
                           found = prepared.insert(
                               prepared.end(), {cols, unitOf(storage), shape.together, shape.exact,
                                                prepareSmallGemm(r, x, storage, shape)});
                       SmallGemmDispatch dispatch{found->input, x.x.rows, x.x.cols, together};
                       dispatch.add = mode == Accumulate::AddToOutput;
                       dispatch.number = number++;
                       dispatchSmallGemm(r, dispatch, shape);
                   });
    r.release(mark);
}

void gatedLinearSmallGemm(Recorder &r, const LinearInput &x, const GatedWeights &weights,
                          Activation act, const Tensor &out)
{
    const std::size_t mark = r.mark();
    const DType storage = asVulkan(*weights.gate).storage;
    const LinearTarget targets[] = {{weights.gate, out, weights.gateBias},
                                    {weights.up, out, weights.upBias}};
    const SmallGemmShape shape =
        smallGemmShape(r.capabilities(), storage, x.x.rows, out.cols, x.x.cols, true);
    SmallGemmDispatch dispatch{prepareSmallGemm(r, x, storage, shape), x.x.rows, x.x.cols, targets};
    dispatch.gated = true;
    dispatch.activation = static_cast<std::uint32_t>(act);
    const std::int64_t columns = std::int64_t{kMatrixColumns} * shape.across;
    const auto next = r.q8Activations().takeHint(out, true);
    if (next && r.q8Activations().fitsOrdered(columns, out.cols)) {
        dispatch.ordered = r.q8Activations().reserveOrdered(columns, out.cols);
        dispatch.form = next->form;
    }
    dispatchSmallGemm(r, dispatch, shape);
    if (dispatch.ordered.cols > 0)
        r.q8Activations().provide(out, nullptr, dispatch.ordered, dispatch.form);
    r.release(mark);
}

} // namespace fireside::vulkan
