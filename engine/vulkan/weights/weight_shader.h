#pragma once
#include "engine/vulkan/weights/vulkan_weight.h"

#include <string>
#include <string_view>

namespace fireside::vulkan {

/// The variant of a shader for a type of weights: "embed" and Q4_K make "embed_q4_k".
inline std::string weightShader(std::string_view shader, DType type)
{
    std::string full(shader);
    full += '_';
    for (const char *c = name(type); *c != '\0'; ++c)
        full += static_cast<char>(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    return full;
}

} // namespace fireside::vulkan
