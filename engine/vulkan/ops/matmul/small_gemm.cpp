#include "engine/vulkan/ops/matmul/small_gemm.h"

#include "engine/tensor/planes.h"
#include "engine/vulkan/ops/matmul/gemm_tile.h"
#include "engine/vulkan/ops/matmul/target_groups.h"
#include "engine/vulkan/pass/constant_tables.h"
#include "engine/vulkan/pass/row_dispatch.h"
#include "engine/vulkan/weights/weight_shader.h"
#include "shaders/common/activation_kinds.h"
#include "shaders/ops/matmul/small_gemm.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace fireside::vulkan {
namespace {

constexpr std::size_t kMaxSmallGemmTargets = std::size(SmallGemmPush{}.targets);
/// Dispatches that are cut into splits that may run at the same time.
constexpr std::uint32_t kMaxAtOnce = 8;

} // namespace

std::int64_t maxSmallGemmRows(const Recorder &r, DType weight)
{
    const Capabilities &can = r.capabilities();
    if (!can.matrixOrder || can.maxWorkgroupSize < 512 || can.sharedMemory < (48u << 10) ||
        weight == DType::F32 || !r.hasShader(weightShader("small_gemm_matrix", weight)))
        return 0;
    // Types of tables and bytes of floats take longer to decode: tiles share that out to more
    // threads.
    const bool slow = tableBytes(weight) > 0 || weight == DType::F8_E4M3;
    return keepsInput(weight) ? 16 : slow ? 64 : 128;
}

bool suitsSmallGemm(const Recorder &r, std::int64_t rows, const Weight &weight)
{
    constexpr std::int64_t kFew = 96;
    constexpr std::uint32_t kShort = 8; // steps
    const DType type = asVulkan(weight).storage;
    if (rows > maxSmallGemmRows(r, type))
        return false;
    const SmallGemmShape s =
        smallGemmShape(r.capabilities(), type, rows, weight.rows, weight.cols, false);
    return rows <= kFew || s.splits == 1 || s.steps >= kShort;
}

bool roundsSmallGemmInput(const Weight &weight)
{
    return !keepsInput(asVulkan(weight).storage);
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
    return RowOrder{smallGemmUnit(type), s.together};
}

SmallGemmInput prepareSmallGemm(Recorder &r, const LinearInput &input, DType weight,
                                const SmallGemmShape &s)
{
    const Tensor &x = input.x;
    if (input.norm == nullptr && !s.exact)
        if (const auto made =
                r.q8Activations().find(x, nullptr, {smallGemmUnit(weight), s.together});
            made && made->cols == s.heldCols(weight) * s.splits)
            return {*made, false};
    if (input.norm == nullptr && !s.exact && s.steps == 1 && !s.staged && isHalf(x) &&
        (x.rows == 1 || x.stride == x.cols) && rowsFit(r, 16, {&x}))
        return {x, true};
    const std::int64_t columns = std::int64_t{kSmallGemmColumns} * s.across;
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
                                            .kUnit = smallGemmUnit(weight),
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
    return {.kThreads = s.subgroups * kSmallGemmLanes,
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
            .kAhead = std::min(s.ahead, s.held * smallGemmUnit(storage) / 8),
            .kNextUnit = l.ordered.cols > 0 ? l.form.unit : 0,
            .kNextTogether = std::max(l.form.together, 1u),
            .kDown = s.down,
            .kAbreast = s.abreast};
}

/// What adds up the splits of a staged product.
struct SplitSums
{
    SmallGemmReduceConstants constants;
    SmallGemmPush push;
    Workgroups groups;
    Access sums;
    std::vector<Access> reads, writes;
};

SplitSums splitSums(const SmallGemmDispatch &l, const SmallGemmShape &s, const SmallGemmPush &push,
                    std::int64_t groups, const Tensor &partial)
{
    constexpr std::uint32_t kThreads = 128;
    const std::int64_t rows = groups * kSmallGemmTileRows * s.down * s.abreast;
    return {{.kThreads = kThreads,
             .kAcross = s.across,
             .kYHalf = isHalf(l.targets[0].out),
             .kAccumulate = l.add,
             .kGated = l.gated,
             .kActivation = l.activation,
             .kNextUnit = l.ordered.cols > 0 ? l.form.unit : 0,
             .kNextTogether = std::max(l.form.together, 1u),
             .kDown = s.down,
             .kAbreast = s.abreast,
             .kSplits = s.splits,
             .kGroups = count32(groups)},
            push,
            {ceilDiv(rows, std::int64_t{kThreads}), l.rows, 1},
            accessOf(partial),
            {accessOf(partial)},
            {}};
}

void append(Recorder &r, const SplitSums &s)
{
    r.append("small_gemm_reduce", s.constants, &s.push, sizeof s.push, s.groups, s.reads, s.writes,
             {0, static_cast<double>(s.sums.end - s.sums.begin)});
}

/// Takes scratch. What is given back must follow, behind other such products.
std::optional<SplitSums> appendProduct(Recorder &r, const SmallGemmDispatch &l,
                                       const SmallGemmShape &s)
{
    const std::size_t outputs = l.gated ? 1 : l.targets.size();
    const DType storage = asVulkan(*l.targets[0].weight).storage;
    const std::int64_t rowsPerGroup =
        std::int64_t{kSmallGemmTileRows} * s.down * s.abreast * s.tilesPerGroup;
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
    std::optional<Tensor> partial;
    if (s.splits > 1) {
        partial =
            r.scratch(std::int64_t{s.splits} * (l.gated ? 2 : 1) * kSmallGemmColumns * s.across,
                      groups * rowsPerGroup);
        push.partial = r.address(*partial);
        if (!s.staged)
            push.counters = counterTable(r, "small_gemm", kMaxAtOnce * kMaxSmallGemmGroups) +
                            VkDeviceAddress{4} * (l.number % kMaxAtOnce) * kMaxSmallGemmGroups;
    }
    const double T = static_cast<double>(l.rows);
    const Work work{T * outs * static_cast<double>(l.cols), weightBytes + T * outs * 4};
    const SmallGemmConstants constants = constantsOf(r.capabilities(), l, s, storage);
    const std::string shader =
        weightShader(s.staged ? "staged_gemm_matrix" : "small_gemm_matrix", storage);
    const Workgroups grid{groups, 1, s.splits};
    std::optional<SplitSums> sums;
    if (partial && s.staged) {
        sums = splitSums(l, s, push, groups, *partial);
        sums->reads.insert(sums->reads.end(), reads.begin() + 1, reads.end());
        sums->writes = std::move(writes);
        reads.resize(1);
        writes.clear();
    }
    if (partial)
        writes.push_back(accessOf(*partial));
    r.append(shader, constants, &push, sizeof push, grid, reads, writes, work);
    return sums;
}

} // namespace

void dispatchSmallGemm(Recorder &r, const SmallGemmDispatch &dispatch, const SmallGemmShape &shape)
{
    const std::size_t mark = r.mark();
    if (const auto sums = appendProduct(r, dispatch, shape))
        append(r, *sums);
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
    std::vector<SplitSums> sums;
    std::uint32_t number = 0;
    inTargetGroups(
        targets, kMaxSmallGemmTargets,
        [&](std::span<const LinearTarget> together, std::int64_t outs) {
            const DType storage = asVulkan(*together[0].weight).storage;
            const SmallGemmShape shape =
                smallGemmShape(r.capabilities(), storage, x.x.rows, outs, x.x.cols, false);
            const std::int64_t cols = shape.heldCols(storage) * shape.splits;
            const auto same = [&](const Prepared &p) {
                return p.cols == cols && p.unit == smallGemmUnit(storage) &&
                       p.together == shape.together && p.exact == shape.exact;
            };
            auto found = std::find_if(prepared.begin(), prepared.end(), same);
            if (found == prepared.end())
                found = prepared.insert(prepared.end(),
                                        {cols, smallGemmUnit(storage), shape.together, shape.exact,
                                         prepareSmallGemm(r, x, storage, shape)});
            SmallGemmDispatch dispatch{found->input, x.x.rows, x.x.cols, together};
            dispatch.add = mode == Accumulate::AddToOutput;
            dispatch.number = number++;
            if (auto left = appendProduct(r, dispatch, shape))
                sums.push_back(std::move(*left));
        });
    for (const SplitSums &each : sums)
        append(r, each);
    r.release(mark);
}

std::optional<OrderedRows> orderedRowsOf(Recorder &r, const Tensor &out)
{
    const auto reader = r.q8Activations().takeHint(out, true);
    const std::int64_t columns = std::int64_t{kSmallGemmColumns} * smallGemmAcross(out.rows);
    if (!reader || !r.q8Activations().fitsOrdered(columns, out.cols))
        return std::nullopt;
    return OrderedRows{r.q8Activations().reserveOrdered(columns, out.cols), reader->form};
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
    const std::optional<OrderedRows> next = orderedRowsOf(r, out);
    if (next) {
        dispatch.ordered = next->rows;
        dispatch.form = next->form;
    }
    dispatchSmallGemm(r, dispatch, shape);
    if (next)
        r.q8Activations().provide(out, nullptr, next->rows, next->form);
    r.release(mark);
}

} // namespace fireside::vulkan
