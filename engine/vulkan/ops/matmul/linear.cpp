#include "engine/vulkan/ops/matmul/gemm.h"
#include "engine/vulkan/ops/matmul/gemv.h"
#include "engine/vulkan/ops/matmul/gemv_few.h"
#include "engine/vulkan/ops/matmul/small_gemm.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/q8_activations.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <vector>

namespace fireside::vulkan {
namespace {

enum class Way { Few, SmallGemm, Tiled };

/// Few: weights are multiplied as they come, which takes longer with each row. SmallGemm and Tiled:
/// on matrix units, decoded once for 128 rows or for all. Measured on an H200, µs of Q4_K 4096 x
/// 4096 and, gated, 14336 x 4096:
///
///   rows      2         8         16        32        64
///   few       8, 31
///   smallGemm   11, 38    11, 39    11, 37    13, 51    17, 75
///   tiled    18, 80    18, 81    18, 76    18, 79    21, 93
///
/// Of 96 and 117 rows, on an H100, smallGemm takes 25.6, 85.6 and 28.8, 97.5, tiles 26.8, 124.5 and
/// 27.7, 127. Of 64 rows tiles win where a weight has few rows (Q4_K 1024 x 4096, 14 and 16 µs) or
/// very many in Q8_0 (128256 x 4096); types of tables were not measured there. Among the other
/// dispatches of a pass: two chats of the 8B make 690 tokens a second by `smallGemm` and 767 by
/// `few`, where x goes through as integers; four chats 1367 and 688. Without matrix units, and for
/// F32, which they cannot multiply, tiles win from nine rows on.
Way wayOf(const Recorder &r, std::int64_t rows, const Weight &weight)
{
    const DType type = asVulkan(weight).storage;
    const std::int64_t smallGemm = maxSmallGemmRows(r, type);
    const bool exact = type == DType::F16 || type == DType::BF16; // twice the work in matrices
    const bool matrices = r.capabilities().cooperativeMatrix() && type != DType::F32;
    const std::int64_t beside = mayReadQ8(r, type) ? 2 : 1; // where smallGemm can follow
    const std::int64_t few = smallGemm > 0 && !exact ? beside : matrices ? 4 : 8;
    return rows <= few ? Way::Few : suitsSmallGemm(r, rows, weight) ? Way::SmallGemm : Way::Tiled;
}

} // namespace

bool hintReader(Recorder &r, const LinearInput &input, const Weight &weight)
{
    if (!r.q8Activations().isOurs(weight))
        return false;
    const std::int64_t rows = input.x.rows;
    if (weight.depth <= 1 && rows > 0 && wayOf(r, rows, weight) == Way::SmallGemm) {
        const std::optional<RowOrder> form = smallGemmForm(r, input, weight);
        if (form)
            r.q8Activations().hint(input, *form);
        return form.has_value();
    }
    if (!r.q8Activations().mayServe(input, weight) || !mayReadQ8(r, weight.dtype))
        return false;
    // Rows for experts are several for each token.
    constexpr std::int64_t kMaxPairs = 128;
    const bool few = weight.depth > 1 ? rows <= kMaxPairs : wayOf(r, rows, weight) == Way::Few;
    if (few)
        r.q8Activations().hint(input);
    return few;
}

bool readsHalves(const Recorder &r, const Weight &weight, std::int64_t rows)
{
    if (weight.depth > 1)
        return rows > weight.depth && roundsInput(r, weight, rows);
    const Way way = wayOf(r, rows, weight);
    return way == Way::Tiled ? roundsInput(r, weight, rows)
                             : way == Way::SmallGemm && roundsSmallGemmInput(weight);
}

void run(Recorder &r, const op::Linear &op)
{
    const LinearInput &x = op.input;
    const std::vector<LinearTarget> &targets = op.targets;
    const Accumulate mode = op.mode;
    if (x.x.rows == 0 || targets.empty())
        return;
    std::vector<LinearTarget> few, smallGemm, tiled;
    for (const LinearTarget &target : targets) {
        const Way way = wayOf(r, x.x.rows, *target.weight);
        (way == Way::Few ? few : way == Way::SmallGemm ? smallGemm : tiled).push_back(target);
    }
    if (few.size() != 1 || mode != Accumulate::Overwrite || !linearGemvFew(r, x, few[0]))
        linearOfFewRows(r, x, few, mode);
    linearSmallGemm(r, x, smallGemm, mode);
    linearTiled(r, x, tiled, mode);
}

bool goTogether(const Recorder &r, const op::Linear &linear, const op::Activate &activate)
{
    if (linear.targets.size() != 1 || linear.mode != Accumulate::Overwrite)
        return false;
    const LinearTarget &target = linear.targets.front();
    return target.out.forOneReader && isSame(target.out, activate.x) &&
           activate.act != Activation::XIelu &&
           (target.bias == nullptr || activate.bias == nullptr) && target.out.rows > 0 &&
           wayOf(r, target.out.rows, *target.weight) == Way::Tiled;
}

void run(Recorder &r, const op::Linear &linear, const op::Activate &activate)
{
    LinearTarget target = linear.targets.front();
    target.out = activate.out;
    if (activate.bias != nullptr)
        target.bias = activate.bias;
    activatedLinearTiled(r, linear.input, target, activate.act);
}

void run(Recorder &r, const op::GatedLinear &op)
{
    const LinearInput &x = op.input;
    const GatedWeights &weights = op.weights;
    const Activation act = op.act;
    const Tensor &out = op.out;
    if (x.x.rows == 0)
        return;
    if (asVulkan(*weights.gate).storage != asVulkan(*weights.up).storage) {
        // No file is known to do this: two products and the function on its own.
        const std::size_t mark = r.mark();
        const Tensor gates = r.scratch(x.x.rows, out.cols), ups = r.scratch(x.x.rows, out.cols);
        run(r,
            op::Linear{
                x, {{weights.gate, gates, weights.gateBias}, {weights.up, ups, weights.upBias}}});
        run(r, op::Gate{gates, ups, act, out});
        r.release(mark);
        return;
    }
    switch (wayOf(r, x.x.rows, *weights.gate)) {
    case Way::Few:
        return gatedLinearOfFewRows(r, x, weights, act, out);
    case Way::SmallGemm:
        return gatedLinearSmallGemm(r, x, weights, act, out);
    case Way::Tiled:
        return gatedLinearTiled(r, x, weights, act, out);
    }
}

} // namespace fireside::vulkan
