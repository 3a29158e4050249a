#include "engine/vulkan/gemm.h"
#include "engine/vulkan/integer_rows.h"
#include "engine/vulkan/matvec.h"
#include "engine/vulkan/ops.h"
#include "engine/vulkan/row_launch.h"

namespace fireside::vulkan {
namespace {

/// Up to how many rows weights are multiplied as they come; with more, tiles that are decoded once
/// for all rows. Measured on an H200, Q4_K 4096 × 4096: 4 rows 18 µs against 25 in tiles, 8 rows 34
/// against 25. Without matrix units tiles win later.
std::int64_t fewRows(const Recorder &r)
{
    return r.capabilities().cooperativeMatrix() ? 4 : 8;
}

void expectInput(const char *op, const LinearInput &x)
{
    expectActivation(op, "x", x.x);
    expectVector(op, x.x.cols, x.norm);
}

} // namespace

void announceLinear(Recorder &r, const LinearInput &input, const Weight &weight)
{
    // Rows for experts are several for each token.
    constexpr std::int64_t kMostPairs = 128;
    const std::int64_t most = weight.depth > 1 ? kMostPairs : fewRows(r);
    if (input.x.rows > 0 && input.x.rows <= most && mayReadIntegers(r, weight.dtype))
        r.integerRows().announce(input, weight);
}

void linear(Recorder &r, const LinearInput &x, std::span<const LinearTarget> targets,
            Accumulate mode)
{
    expectInput("linear", x);
    for (const LinearTarget &target : targets) {
        expectShape("linear", target.out.cols, x.x.cols, *target.weight);
        expectShape("linear", "out", x.x.rows, target.weight->rows, target.out);
        expectActivation("linear", "out", target.out);
        expectVector("linear", target.out.cols, target.bias);
    }
    if (x.x.rows == 0 || targets.empty())
        return;
    if (x.x.rows <= fewRows(r))
        linearOfFewRows(r, x, targets, mode);
    else
        linearTiled(r, x, targets, mode);
}

void gatedLinear(Recorder &r, const LinearInput &x, const GatedWeights &weights, Activation act,
                 const Tensor &out)
{
    expectInput("gatedLinear", x);
    expectShape("gatedLinear", out.cols, x.x.cols, *weights.gate);
    expectShape("gatedLinear", out.cols, x.x.cols, *weights.up);
    expectShape("gatedLinear", "out", x.x.rows, weights.gate->rows, out);
    expectActivation("gatedLinear", "out", out);
    expectVector("gatedLinear", out.cols, weights.gateBias);
    expectVector("gatedLinear", out.cols, weights.upBias);
    if (x.x.rows == 0)
        return;
    if (asVulkan(*weights.gate).storage != asVulkan(*weights.up).storage) {
        // No file is known to do this: two products and the function on its own.
        const std::size_t mark = r.mark();
        const Tensor gates = r.scratch(x.x.rows, out.cols), ups = r.scratch(x.x.rows, out.cols);
        const LinearTarget targets[] = {{weights.gate, gates, weights.gateBias},
                                        {weights.up, ups, weights.upBias}};
        linear(r, x, targets, Accumulate::Overwrite);
        gate(r, gates, ups, act, out);
        r.release(mark);
        return;
    }
    if (x.x.rows <= fewRows(r))
        gatedLinearOfFewRows(r, x, weights, act, out);
    else
        gatedLinearTiled(r, x, weights, act, out);
}

} // namespace fireside::vulkan
