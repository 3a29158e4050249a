#include "engine/core/error.h"
#include "engine/vulkan/ops.h"

// Ops that are not written yet; each goes away with its own file.
namespace fireside::vulkan {
void reorderHeads(Recorder &, const Tensor &, std::int64_t, HeadOrder, const Tensor &)
{
    throwUnsupported("reorderHeads on Vulkan");
}
void splitQkv(Recorder &, const Tensor &, QkvLayout, const AttentionShape &, const Tensor &,
              const Tensor &, const Tensor &)
{
    throwUnsupported("splitQkv on Vulkan");
}
void softmax(Recorder &, const Tensor &, float, const Tensor *, const Tensor &)
{
    throwUnsupported("softmax on Vulkan");
}
void transformHeads(Recorder &, const Tensor &, const HeadTransform &, HeadOrder, const Tensor &)
{
    throwUnsupported("transformHeads on Vulkan");
}
void headsToCache(Recorder &, const Tensor &, const HeadTransform &, const Tensor &,
                  const HeadTransform &, const Tensor &, std::int64_t, const AttentionShape &)
{
    throwUnsupported("headsToCache on Vulkan");
}
void latentToCache(Recorder &, const Tensor &, const Tensor &, const Rope &, std::int64_t)
{
    throwUnsupported("latentToCache on Vulkan");
}
void attention(Recorder &, const Tensor &, std::int64_t, const AttentionShape &, const Tensor &)
{
    throwUnsupported("attention on Vulkan");
}
void sequenceAttention(Recorder &, const Tensor &, const Tensor &, const Tensor &,
                       const AttentionShape &, const Tensor &)
{
    throwUnsupported("sequenceAttention on Vulkan");
}
} // namespace fireside::vulkan
