#pragma once
#include "engine/backend/memory.h"
#include "engine/vulkan/weights/vulkan_weight.h"

#include <cstddef>
#include <vector>

namespace fireside::vulkan {

/// Whether the weight is a vector (or one per depth) of numbers: these lie as plain F32.
inline bool isVector(const WeightSource &source)
{
    return liesAsVector(source.dtype, source.rows);
}

inline std::int64_t vectorElements(const WeightSource &source)
{
    return fireside::vectorElements(source.cols, source.depth);
}

/// Rows of a matrix where they lie, or made in `scratch`.
const std::byte *rowsOf(const WeightSource &source, std::int64_t matrix, std::int64_t row,
                        std::int64_t count, std::vector<std::byte> &scratch);

/// Row `row` (depths count as more rows) as floats [cols].
void rowAsFloats(const WeightSource &source, std::int64_t row, float *out);

} // namespace fireside::vulkan
