#pragma once
#include "engine/backend/memory.h"
#include "engine/vulkan/weights/vulkan_weight.h"

#include <cstddef>
#include <vector>

namespace fireside::vulkan {

/// Whether the weight is a vector (or one per depth) of numbers: these lie as plain F32.
inline bool isVector(const WeightSource &source)
{
    return source.rows == 1 && info(source.dtype).blockElements == 1;
}

/// Elements that a vector takes. A lone one may be multiplied as a matrix of one row, so it ends as
/// rows of matrices do: with zeros, at a multiple of 32. Those of several depths lie close
/// together.
inline std::int64_t vectorElements(const WeightSource &source)
{
    return source.depth == 1 ? paddedCols(source.cols) : source.cols;
}

/// Rows of a matrix where they lie, or made in `scratch`.
const std::byte *rowsOf(const WeightSource &source, std::int64_t matrix, std::int64_t row,
                        std::int64_t count, std::vector<std::byte> &scratch);

/// Row `row` (depths count as more rows) as floats [cols].
void rowAsFloats(const WeightSource &source, std::int64_t row, float *out);

} // namespace fireside::vulkan
