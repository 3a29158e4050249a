#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

namespace fireside {

/// Whether no value is NaN or infinite. Magnitudes of floats order like their bits, and loops over
/// integers without a way out vectorise.
inline bool allFinite(std::span<const float> values)
{
    std::int32_t largest = 0;
    for (const float v : values)
        largest = std::max(largest, std::bit_cast<std::int32_t>(v) & 0x7fffffff);
    return largest < 0x7f800000;
}

} // namespace fireside
