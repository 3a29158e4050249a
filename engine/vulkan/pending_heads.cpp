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
} // namespace fireside::vulkan
