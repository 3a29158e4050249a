#pragma once
#include "engine/backend/ops/attention.h"
#include "engine/vulkan/platform/capabilities.h"

#include <cstdint>
#include <optional>

namespace fireside::vulkan {

/// How attention_few.comp is cut (AttentionFewConstants), and how keys are spread over workgroups.
struct FewKernel
{
    std::int64_t threads, slots, keysEach, lanes, room;
    std::int64_t groupsEach; // that a compute unit should have
    std::int64_t fewestKeys; // of a group
};

/// For `items` items of up to `slots` slots (rows · heads of a group); `keyType` as in
/// shaders/common/cache.glsl; no cache has more than `keys` keys. None where heads are too large
/// for the threads of a subgroup.
std::optional<FewKernel> fewKernel(const Capabilities &can, const AttentionShape &shape,
                                   std::uint32_t keyType, std::int64_t slots, std::int64_t items,
                                   std::int64_t keys);

} // namespace fireside::vulkan
