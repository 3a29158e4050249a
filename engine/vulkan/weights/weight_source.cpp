#include "engine/vulkan/weights/weight_source.h"

#include "engine/tensor/blocks.h"

namespace fireside::vulkan {

const std::byte *rowsOf(const WeightSource &source, std::int64_t matrix, std::int64_t row,
                        std::int64_t count, std::vector<std::byte> &scratch)
{
    const std::size_t bytes = rowBytes(source.dtype, static_cast<std::size_t>(source.cols));
    if (!source.makeRows)
        return source.matrixBytes(matrix).data() + static_cast<std::size_t>(row) * bytes;
    scratch.resize(static_cast<std::size_t>(count) * bytes);
    source.makeRows(matrix, row, count, scratch.data());
    return scratch.data();
}

void rowAsFloats(const WeightSource &source, std::int64_t row, float *out)
{
    const std::size_t cols = static_cast<std::size_t>(source.cols);
    std::vector<std::byte> scratch;
    dequantizeRow(source.dtype, rowsOf(source, row / source.rows, row % source.rows, 1, scratch),
                  out, cols);
}

} // namespace fireside::vulkan
