#include "engine/vulkan/weights/weight_source.h"

#include "engine/tensor/blocks.h"

namespace fireside::vulkan {
void rowAsFloats(const WeightSource &source, std::int64_t row, float *out)
{
    const std::size_t cols = static_cast<std::size_t>(source.cols);
    const std::byte *from =
        source.matrixBytes(row / source.rows).data() +
        static_cast<std::size_t>(row % source.rows) * rowBytes(source.dtype, cols);
    dequantizeRow(source.dtype, from, out, cols);
}

} // namespace fireside::vulkan
