#include "engine/core/error.h"
#include "engine/vulkan/ops.h"

// Ops that are not written yet; each goes away with its own file.
namespace fireside::vulkan {
void linear(Recorder &, const LinearInput &, std::span<const LinearTarget>, Accumulate)
{
    throwUnsupported("linear on Vulkan");
}
void gatedLinear(Recorder &, const LinearInput &, const GatedWeights &, Activation, const Tensor &)
{
    throwUnsupported("gatedLinear on Vulkan");
}
} // namespace fireside::vulkan
