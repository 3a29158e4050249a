#include "engine/core/error.h"
#include "engine/vulkan/gemm.h"
#include "engine/vulkan/matvec.h"
#include "engine/vulkan/ops.h"
#include "engine/vulkan/row_launch.h"

namespace fireside::vulkan {
namespace {

/// Up to this many rows weights are read once per eight rows and multiplied as they come; that is
/// as fast as memory. With more rows, tiles that are decoded once for all of them win.
constexpr std::int64_t kFewRows = 8;

void expectInput(const char *op, const LinearInput &x)
{
    expectActivation(op, "x", x.x);
    expectVector(op, x.x.cols, x.norm);
}

} // namespace

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
    if (x.x.rows <= kFewRows)
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
    if (x.x.rows <= kFewRows)
        gatedLinearOfFewRows(r, x, weights, act, out);
    else
        gatedLinearTiled(r, x, weights, act, out);
}

} // namespace fireside::vulkan
