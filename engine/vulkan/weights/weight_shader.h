#pragma once
#include "engine/vulkan/weights/vulkan_weight.h"

#include <string>
#include <string_view>

namespace fireside::vulkan {

/// The variant of a shader for a type of weights: "embed" and Q4_K make "embed_q4_k", "embed" and
/// TQ1_0 "embed_tq2_0".
inline std::string weightShader(std::string_view shader, DType type)
{
    return std::string(shader) + '_' + lowerName(storageOf(type));
}

} // namespace fireside::vulkan
