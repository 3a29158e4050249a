#include "engine/core/error.h"
#include "engine/vulkan/gemm.h"
#include "engine/vulkan/matvec.h"
#include "engine/vulkan/ops.h"

// Ops that are not written yet; each goes away with its own file.
namespace fireside::vulkan {
// Slow for many rows, but right.
void linearTiled(Recorder &r, const LinearInput &x, std::span<const LinearTarget> targets,
                 Accumulate mode)
{
    linearOfFewRows(r, x, targets, mode);
}
void gatedLinearTiled(Recorder &r, const LinearInput &x, const GatedWeights &weights,
                      Activation act, const Tensor &out)
{
    gatedLinearOfFewRows(r, x, weights, act, out);
}
void headLinear(Recorder &, const Tensor &, const Weight &, const Tensor &)
{
    throwUnsupported("headLinear on Vulkan");
}
void batchedProduct(Recorder &, const Tensor &, const Tensor &, const BatchedProduct &,
                    const Tensor &)
{
    throwUnsupported("batchedProduct on Vulkan");
}
void expertGatedLinear(Recorder &, const LinearInput &, const Tensor &, const GatedWeights &,
                       Activation, const Tensor &)
{
    throwUnsupported("expertGatedLinear on Vulkan");
}
void expertLinear(Recorder &, const Tensor &, const Tensor &, const Tensor &, const Weight &,
                  const Weight *, const Tensor &, Accumulate)
{
    throwUnsupported("expertLinear on Vulkan");
}
} // namespace fireside::vulkan
