#pragma once
#include "engine/core/error.h"
#include "engine/vulkan/weights/vulkan_weight.h"
#include "shaders/common/plain_weight_types.h"

#include <string>

namespace fireside::vulkan {

/// The constant for a weight that shaders read with loadPlain(); Error(Unsupported) for `op` where
/// it is quantised.
inline std::uint32_t plainWeightType(const char *op, const VulkanWeight &weight)
{
    switch (weight.storage) {
    case DType::F32:
        return kWeightFloats;
    case DType::F16:
        return kWeightHalves;
    case DType::BF16:
        return kWeightBrainFloats;
    default:
        throwUnsupported(std::string(op) + " on Vulkan with the " +
                         std::string(info(weight.dtype).name) + " weight " + weight.name);
    }
}

/// Elements between its rows.
inline std::uint32_t plainWeightStride(const VulkanWeight &weight)
{
    return weight.rows == 1 ? 0 : weight.groupsPerRow() * 32;
}

} // namespace fireside::vulkan
