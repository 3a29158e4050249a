#include "engine/cpu/linear/linear.h"

#include "engine/core/error.h"
#include "engine/cpu/linear/linear_unpack.h"
#include "engine/tensor/half.h"

#include <algorithm>

namespace fireside::cpu {

void dequantizeRow(DType type, const std::byte *row, float *out, std::size_t n)
{
    Bytes p = reinterpret_cast<Bytes>(row);
    switch (type) {
    case DType::F32:
        std::memcpy(out, row, n * sizeof(float));
        return;
    case DType::F16:
        for (std::size_t i = 0; i < n; ++i)
            out[i] = halfToFloat(loadAs<std::uint16_t>(p + 2 * i));
        return;
    case DType::BF16:
        for (std::size_t i = 0; i < n; ++i)
            out[i] = bf16ToFloat(loadAs<std::uint16_t>(p + 2 * i));
        return;
    default:
        break;
    }
    const Unpacker unpack = unpackerFor(type);
    if (!unpack)
        throwUnsupported(std::string("weights of type ") + name(type) +
                         " cannot be read as numbers");
    for (std::size_t i = 0; i < n; i += 256, p += chunkBytes(type)) {
        const std::size_t count = std::min<std::size_t>(256, n - i);
        alignas(64) std::uint8_t tail[kMaxChunkBytes];
        if (count < 256)
            copyTail(type, p, count, tail);
        Chunk chunk;
        unpack(count < 256 ? tail : p, chunk);
        for (std::size_t k = 0; k < count; ++k)
            out[i + k] =
                chunk.scale[k / 16] * static_cast<float>(chunk.q[k]) + chunk.offset[k / 16];
    }
}

} // namespace fireside::cpu
