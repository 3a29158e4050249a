#include "engine/core/error.h"
#include "engine/vulkan/ops.h"

// Ops that are not written yet; each goes away with its own file.
namespace fireside::vulkan {
void gatherRows(Recorder &, const Tensor &, const Tensor &, const Tensor &)
{
    throwUnsupported("gatherRows on Vulkan");
}
void copy(Recorder &, const Tensor &, const Tensor &)
{
    throwUnsupported("copy on Vulkan");
}
void rmsNorm(Recorder &, const Tensor &, const Weight &, float, const Tensor &)
{
    throwUnsupported("rmsNorm on Vulkan");
}
void addRmsNorm(Recorder &, const Tensor &, const Tensor &, const Weight &, float, const Tensor &)
{
    throwUnsupported("addRmsNorm on Vulkan");
}
void layerNorm(Recorder &, const Tensor &, const Weight &, const Weight *, float, const Tensor &)
{
    throwUnsupported("layerNorm on Vulkan");
}
void addLayerNorm(Recorder &, const Tensor &, const Tensor &, const Weight &, const Weight *, float,
                  const Tensor &)
{
    throwUnsupported("addLayerNorm on Vulkan");
}
void l2Normalize(Recorder &, const Tensor &, const Tensor &)
{
    throwUnsupported("l2Normalize on Vulkan");
}
void add(Recorder &, const Tensor &, const Tensor &, const Tensor &)
{
    throwUnsupported("add on Vulkan");
}
void multiply(Recorder &, const Tensor &, const Tensor &, const Tensor &)
{
    throwUnsupported("multiply on Vulkan");
}
void addScaled(Recorder &, const Tensor &, float, const Tensor &)
{
    throwUnsupported("addScaled on Vulkan");
}
void addBias(Recorder &, const Tensor &, const Weight &, const Tensor *, const Tensor &)
{
    throwUnsupported("addBias on Vulkan");
}
void activate(Recorder &, const Tensor &, Activation, const Weight *, const Tensor &)
{
    throwUnsupported("activate on Vulkan");
}
void gate(Recorder &, const Tensor &, const Tensor &, Activation, const Tensor &)
{
    throwUnsupported("gate on Vulkan");
}
void softcap(Recorder &, const Tensor &, float, const Tensor &)
{
    throwUnsupported("softcap on Vulkan");
}
void route(Recorder &, const Tensor &, const Routing &, const Tensor &, const Tensor &)
{
    throwUnsupported("route on Vulkan");
}
void shortConvolution(Recorder &, const Tensor &, const Weight &, const Weight *, const Tensor &,
                      const Tensor &)
{
    throwUnsupported("shortConvolution on Vulkan");
}
void gatedDeltaRule(Recorder &, const Tensor &, const Tensor &, const Tensor &, const Tensor &,
                    const Tensor &, std::int64_t, const Tensor &, const Tensor &)
{
    throwUnsupported("gatedDeltaRule on Vulkan");
}
void argmax(Recorder &, const Tensor &, const Tensor &)
{
    throwUnsupported("argmax on Vulkan");
}
void topK(Recorder &, const Tensor &, const Tensor &, const Tensor &)
{
    throwUnsupported("topK on Vulkan");
}
void pad(Recorder &, const Tensor &, const Tensor &)
{
    throwUnsupported("pad on Vulkan");
}
void unpad(Recorder &, const Tensor &, const Tensor &)
{
    throwUnsupported("unpad on Vulkan");
}
void pool(Recorder &, const Tensor &, Pooling, const Tensor &)
{
    throwUnsupported("pool on Vulkan");
}
} // namespace fireside::vulkan
