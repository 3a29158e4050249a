#include "engine/vulkan/weights/weight_source.h"

#include "engine/core/error.h"
#include "engine/tensor/half.h"

#include <cstring>

namespace fireside::vulkan {
void rowAsFloats(const WeightSource &source, std::int64_t row, float *out)
{
    const std::size_t cols = static_cast<std::size_t>(source.cols);
    const std::byte *from =
        source.matrixBytes(row / source.rows).data() +
        static_cast<std::size_t>(row % source.rows) * rowBytes(source.dtype, cols);
    const auto half = [from](std::size_t i) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, from + i * sizeof bits, sizeof bits);
        return bits;
    };
    switch (source.dtype) {
    case DType::F32:
        std::memcpy(out, from, cols * sizeof(float));
        return;
    case DType::F16:
        for (std::size_t i = 0; i < cols; ++i)
            out[i] = halfToFloat(half(i));
        return;
    case DType::BF16:
        for (std::size_t i = 0; i < cols; ++i)
            out[i] = bf16ToFloat(half(i));
        return;
    default:
        throwUnsupported("vector '" + source.name + "' of type " + name(source.dtype));
    }
}

} // namespace fireside::vulkan
