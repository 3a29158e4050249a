#include "engine/vulkan/ops/matmul/gemv.h"

#include "engine/vulkan/ops/matmul/expert_rows.h"
#include "engine/vulkan/ops/matmul/gemv_shape.h"
#include "engine/vulkan/ops/matmul/target_groups.h"
#include "engine/vulkan/pass/q8_activations.h"
#include "engine/vulkan/pass/row_dispatch.h"
#include "engine/vulkan/weights/weight_shader.h"
#include "shaders/common/activation_kinds.h"
#include "shaders/common/q8_activations.h"
#include "shaders/ops/matmul/gemv.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace fireside::vulkan {
namespace {

constexpr std::size_t kMaxGemvTargets = std::size(GemvPush{}.targets);

bool inFours(const Recorder &r, const LinearInput &x)
{
    return rowsFitFours(r, {&x.x}) && vectorAddress(x.norm) % 16 == 0;
}

/// Whether x goes through as whole numbers: the weights are such numbers, and there are enough of
/// them, or it has been done already.
bool asIntegers(Recorder &r, const LinearInput &input, DType type, std::int64_t rows)
{
    const Capabilities &can = r.capabilities();
    if (!mayReadQ8(r, type) || !r.q8Activations().fits(input.x))
        return false;
    return rows >= 4 * std::int64_t{can.computeUnits} || input.x.rows > 1 || can.software ||
           r.q8Activations().find(input.x, input.norm).has_value();
}

/// Types of six bits and more; see GemvProblem::single.
bool rowsOneByOne(DType type)
{
    return type == DType::Q8_0 || type == DType::Q6_K;
}

/// Q8 activations of a result, for what reads it next.
struct Next
{
    const Weight *norm = nullptr;
    Tensor rows;
};
std::optional<Next> nextOf(Recorder &r, const Tensor &out)
{
    const std::optional<Q8Activations::Hint> hint = r.q8Activations().takeHint(out);
    if (!hint)
        return std::nullopt;
    return Next{hint->norm, r.q8Activations().reserve(out)};
}
void writeNext(const Recorder &r, const Next &next, GemvPush &push, std::vector<Access> &writes)
{
    push.GEMV_NEXT_NORM = vectorAddress(next.norm);
    push.GEMV_NEXT_ROWS = r.address(next.rows);
    writes.push_back(accessOf(next.rows));
}

/// Where x is read from.
void bindInput(Recorder &r, const LinearInput &input, bool integers, GemvPush &push,
               std::vector<Access> &reads)
{
    const Tensor from = integers ? q8ActivationsOf(r, input) : input.x;
    push.x = r.address(from);
    push.norm = integers ? 0 : vectorAddress(input.norm);
    push.cols = count32(input.x.cols);
    push.xStride = count32(input.x.stride);
    push.eps = input.eps;
    reads.push_back(accessOf(from));
}

/// The constants of gemv.comp that follow from the shape; the others are the caller's.
GemvConstants constantsOf(const Capabilities &can, const GemvShape &shape)
{
    return {.kThreads = shape.threads,
            .kTeam = shape.team,
            .kRows = shape.rows,
            .kSets = shape.sets,
            .kPasses = shape.passes,
            .kColumns = shape.columns,
            .kSmallestSubgroup = can.minSubgroup,
            .kPairs = shape.pairs};
}
/// Those of a mixture's choice.
void setChoice(const ExpertChoice &choice, GemvConstants &constants)
{
    const Routing &routing = *choice.routing;
    const bool softmaxAll = routing.score == Routing::Score::SoftmaxAll;
    const bool chosen = routing.normalize || routing.score == Routing::Score::SoftmaxChosen;
    constants.kChosen = count32(routing.used);
    constants.kChoices = count32(choice.logits.cols);
    constants.kSigmoid = routing.score == Routing::Score::Sigmoid;
    constants.kShareOf = chosen ? kShareOfChosen : softmaxAll ? kShareOfAll : kShareOfOne;
    constants.kShareScale = routing.scale;
}

/// The targets that are written; returns their workgroups.
std::int64_t bindTargets(Recorder &r, std::span<const LinearTarget> targets, const GemvShape &shape,
                         bool add, GemvPush &push, std::vector<Access> &reads,
                         std::vector<Access> &writes)
{
    std::int64_t groups = 0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const LinearTarget &target = targets[i];
        push.targets[i] = {asVulkan(*target.weight).address, r.address(target.out),
                           vectorAddress(target.bias), count32(target.weight->rows),
                           count32(target.out.stride)};
        groups += ceilDiv(target.weight->rows, shape.groupRows());
        writes.push_back(accessOf(target.out));
        if (add)
            reads.push_back(accessOf(target.out));
    }
    return groups;
}

/// Dispatches up to three targets that lie in one type and whose outputs have one type.
void dispatch(Recorder &r, const LinearInput &input, std::span<const LinearTarget> targets,
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

    const Tensor &out = targets[0].out;
    const std::optional<Next> next = outputs == 1 ? nextOf(r, out) : std::nullopt;

    GemvProblem problem;
    problem.columns = x.rows;
    problem.rows = rows;
    problem.cols = x.cols;
    problem.perRow = gated ? 2 : 1;
    problem.multiple = next ? kQ8Block : 1;
    problem.integers = integers;
    problem.single = integers && rowsOneByOne(first.storage);
    problem.lean = integers && first.storage == DType::Q6_K; // of 48 registers on an H200
    const GemvShape shape = gemvShape(can, problem);

    GemvPush push{};
    std::vector<Access> reads, writes;
    const std::int64_t groups =
        bindTargets(r, targets.first(outputs), shape, add, push, reads, writes);
    if (gated)
        push.targets[1] = {asVulkan(*targets[1].weight).address, 0, vectorAddress(targets[1].bias),
                           count32(targets[1].weight->rows), 0};
    bindInput(r, input, integers, push, reads);
    push.count = count32(x.rows);
    if (next)
        writeNext(r, *next, push, writes);

    GemvConstants constants = constantsOf(can, shape);
    constants.kXHalf = isHalf(x);
    constants.kYHalf = isHalf(out);
    constants.kFours = inFours(r, input);
    constants.kNorm = input.norm != nullptr;
    constants.kAccumulate = add;
    constants.kGated = gated;
    constants.kActivation = activation;
    constants.kNext = next.has_value();
    Workgroups grid = foldedWorkgroups(r, groups);
    grid.z = ceilDiv(x.rows, shape.columns);
    const double T = static_cast<double>(x.rows);
    const Work work{T * outs * static_cast<double>(x.cols),
                    weightBytes * static_cast<double>(grid.z) + bytesOf(x) + T * outs * 4};
    const char *const shader = integers ? "gemv_q8" : "gemv";
    r.append(weightShader(shader, first.storage), constants, &push, sizeof push, grid, reads,
             writes, work);
    if (next)
        r.q8Activations().provide(out, next->norm, next->rows);
}

/// As many rows at a time as the device may take; `run` gets the first row and how many.
template <typename Run>
void inPieces(Recorder &r, const LinearInput &x, std::int64_t outs, Run &&run)
{
    const double all = static_cast<double>(x.x.rows) * static_cast<double>(outs);
    const std::int64_t step =
        r.rowsPerDispatch({all * static_cast<double>(x.x.cols), all * 4}, x.x.rows, kMaxColumns);
    for (std::int64_t t = 0; t < x.x.rows; t += step) {
        LinearInput part = x;
        part.x = x.x.rowRange(t, std::min(step, x.x.rows - t));
        run(part, t);
    }
}

Work workOf(const ExpertRows &p)
{
    const double products =
        static_cast<double>(p.ids->rows * p.ids->cols * p.weight->rows * p.weight->cols) *
        (p.up != nullptr ? 2 : 1);
    return {products, products * 0.6};
}

/// Which experts, from where and with which shares.
void bindExperts(Recorder &r, const ExpertRows &p, GemvPush &push, std::vector<Access> &reads,
                 std::vector<Access> &writes)
{
    push.GEMV_IDS = r.address(*p.ids);
    push.GEMV_USED = count32(p.ids->cols);
    push.GEMV_ID_STRIDE = count32(p.ids->stride);
    push.GEMV_EXPERTS = count32(p.weight->depth);
    if (p.choice != nullptr) {
        push.GEMV_LOGITS = r.address(p.choice->logits);
        push.GEMV_SHARES = r.address(p.choice->shares);
        push.GEMV_SHARE_STRIDE = count32(p.choice->shares.stride);
        reads.push_back(accessOf(p.choice->logits));
        writes.insert(writes.end(), {accessOf(*p.ids), accessOf(p.choice->shares)});
    } else {
        reads.push_back(accessOf(*p.ids));
    }
    if (p.shares != nullptr) {
        push.GEMV_SHARES = r.address(*p.shares);
        push.GEMV_SHARE_STRIDE = count32(p.shares->stride);
        reads.push_back(accessOf(*p.shares));
    }
}

void dispatchExperts(Recorder &r, const ExpertRows &p)
{
    const VulkanWeight &weight = asVulkan(*p.weight);
    const Capabilities &can = r.capabilities();
    const bool gated = p.up != nullptr, summing = p.shares != nullptr;
    const LinearInput input =
        p.norm != nullptr ? LinearInput(p.x, *p.norm, p.eps) : LinearInput(p.x);
    const std::int64_t used = p.ids->cols;
    const bool integers = asIntegers(r, input, weight.storage, weight.rows * p.ids->rows * used);
    const std::optional<Next> next = nextOf(r, p.out);

    GemvProblem problem;
    problem.repeats = p.out.rows;
    problem.rows = weight.rows;
    problem.cols = weight.cols;
    problem.experts = summing ? used : 0;
    problem.perRow = gated ? 2 : 1;
    problem.multiple = next ? kQ8Block : 1;
    problem.single = integers && rowsOneByOne(weight.storage);
    const GemvShape shape = gemvShape(can, problem);

    GemvPush push{};
    push.targets[0] = {weight.address, r.address(p.out), vectorAddress(p.bias),
                       count32(weight.rows), count32(p.out.stride)};
    if (gated) {
        push.targets[1].weight = asVulkan(*p.up).address;
        push.targets[1].bias = vectorAddress(p.upBias);
    }
    std::vector<Access> reads, writes{accessOf(p.out)};
    bindExperts(r, p, push, reads, writes);
    if (p.add)
        reads.push_back(accessOf(p.out));
    bindInput(r, input, integers, push, reads);
    push.count = count32(p.out.rows);
    if (next)
        writeNext(r, *next, push, writes);

    GemvConstants constants = constantsOf(can, shape);
    constants.kXHalf = isHalf(p.x);
    constants.kYHalf = isHalf(p.out);
    constants.kFours = inFours(r, input);
    constants.kNorm = p.norm != nullptr;
    constants.kAccumulate = p.add;
    constants.kGated = gated;
    if (p.act)
        constants.kActivation = static_cast<std::uint32_t>(*p.act);
    constants.kNext = next.has_value();
    constants.kExperts = summing ? kSumExperts : kEachExpert;
    if (p.choice != nullptr)
        setChoice(*p.choice, constants);
    const Workgroups grid{ceilDiv(weight.rows, shape.groupRows()), 1, p.out.rows};
    r.append(weightShader(integers ? "gemv_q8" : "gemv", weight.storage), constants, &push,
             sizeof push, grid, reads, writes, workOf(p));
    if (next)
        r.q8Activations().provide(p.out, next->norm, next->rows);
}

} // namespace

bool mayReadQ8(const Recorder &r, DType type)
{
    const Capabilities &can = r.capabilities();
    return can.integerDot && can.minSubgroup >= 8 && r.hasShader(weightShader("gemv_q8", type));
}

bool fitsExpertsOfFewRows(const Recorder &r, const Weight &weight)
{
    // Each row of experts must find its threads in one group.
    return ceilDiv(weight.cols, 32) <= maxTeam(r.capabilities());
}

bool expertsOfFewRows(Recorder &r, const ExpertRows &p)
{
    if (!fitsExpertsOfFewRows(r, *p.weight))
        return false;
    const std::int64_t tokens = p.ids->rows, step = r.rowsPerDispatch(workOf(p), tokens, 1);
    if (step >= tokens) {
        dispatchExperts(r, p);
        return true;
    }
    for (std::int64_t t = 0; t < tokens; t += step) {
        const std::int64_t count = std::min(step, tokens - t);
        const auto rowsOf = [&](const Tensor &all) { // one or several for each token
            const std::int64_t each = all.rows / tokens;
            return all.rowRange(t * each, count * each);
        };
        ExpertRows part = p;
        part.x = rowsOf(p.x);
        part.out = rowsOf(p.out);
        const Tensor ids = rowsOf(*p.ids), shares = p.shares ? rowsOf(*p.shares) : Tensor();
        part.ids = &ids;
        part.shares = p.shares ? &shares : nullptr;
        ExpertChoice choice;
        if (p.choice != nullptr) {
            choice = {rowsOf(p.choice->logits), rowsOf(p.choice->shares), p.choice->routing};
            part.choice = &choice;
        }
        dispatchExperts(r, part);
    }
    return true;
}

void linearOfFewRows(Recorder &r, const LinearInput &x, std::span<const LinearTarget> targets,
                     Accumulate mode)
{
    inTargetGroups(targets, kMaxGemvTargets,
                   [&](std::span<const LinearTarget> together, std::int64_t outs) {
                       inPieces(r, x, outs, [&](const LinearInput &part, std::int64_t firstRow) {
                           std::vector<LinearTarget> rows(together.begin(), together.end());
                           for (LinearTarget &target : rows)
                               target.out = target.out.rowRange(firstRow, part.x.rows);
                           dispatch(r, part, rows, mode, false, kActivationNone);
                       });
                   });
}

void gatedLinearOfFewRows(Recorder &r, const LinearInput &x, const GatedWeights &weights,
                          Activation act, const Tensor &out)
{
    inPieces(r, x, 2 * out.cols, [&](const LinearInput &part, std::int64_t firstRow) {
        const Tensor rows = out.rowRange(firstRow, part.x.rows);
        const LinearTarget targets[] = {{weights.gate, rows, weights.gateBias},
                                        {weights.up, rows, weights.upBias}};
        dispatch(r, part, targets, Accumulate::Overwrite, true, static_cast<std::uint32_t>(act));
    });
}

} // namespace fireside::vulkan
