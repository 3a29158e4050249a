#include "engine/core/error.h"
#include "engine/vulkan/ops.h"

// Ops that are not written yet; each goes away with its own file.
namespace fireside::vulkan {
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
