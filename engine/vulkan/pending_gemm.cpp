#include "engine/core/error.h"
#include "engine/vulkan/gemm.h"
#include "engine/vulkan/ops.h"

// Ops that are not written yet; each goes away with its own file.
namespace fireside::vulkan {
void linearTiled(Recorder &, const LinearInput &, std::span<const LinearTarget>, Accumulate)
{
    throwUnsupported("linear of many rows on Vulkan");
}
void gatedLinearTiled(Recorder &, const LinearInput &, const GatedWeights &, Activation,
                      const Tensor &)
{
    throwUnsupported("gatedLinear of many rows on Vulkan");
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
