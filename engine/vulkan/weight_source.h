#pragma once
#include "engine/backend/memory.h"

#include <cstddef>

namespace fireside::vulkan {

/// Whether the weight is a vector (or one per depth) of numbers: these lie as plain F32.
inline bool isVector(const WeightSource &source)
{
    return source.rows == 1 && info(source.dtype).blockElements == 1;
}

/// Row `row` (depths count as more rows) as floats [cols].
void rowAsFloats(const WeightSource &source, std::int64_t row, float *out);

} // namespace fireside::vulkan
