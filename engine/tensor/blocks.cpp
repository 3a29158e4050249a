#include "engine/tensor/blocks.h"

#include "engine/core/error.h"
#include "engine/tensor/half.h"
#include "engine/tensor/unpack.h"

#include <algorithm>
#include <cmath>

namespace fireside {
namespace {

using Form = BlockFactor::Form;

template <typename Block>
constexpr BlockFactors factorsIn()
{
    BlockFactors found;
    if constexpr (requires { &Block::e; })
        found.scale = {Form::Exponent, offsetof(Block, e)};
    else if constexpr (
        requires { &Block::scales8; } && !requires { &Block::d; })
        found.scale = {Form::FourE4m3, offsetof(Block, scales8)};
    else if constexpr (!requires { &Block::d; })
        found.scale = {Form::Nibbles, offsetof(Block, scales)};
    else
        found.scale = {sizeof(Block::d) == 2 ? Form::F16 : Form::F32, offsetof(Block, d)};
    if constexpr (requires { &Block::m; })
        found.minimum = {found.scale.form, offsetof(Block, m)};
    else if constexpr (requires { &Block::dmin; })
        found.minimum = {found.scale.form, offsetof(Block, dmin)};
    return found;
}

/// The largest E4M3 without sign that is not above it.
std::uint8_t belowAsE4m3(float value)
{
    std::uint8_t code = 0x7e;
    while (code > 0 && std::isfinite(value) && fp8Value(code) > std::abs(value))
        --code;
    return code;
}

} // namespace

BlockFactors factorsOf(DType type)
{
    switch (type) {
#define BLOCK_TYPE(name, ...)                                                                      \
    case DType::name:                                                                              \
        return factorsIn<Block##name>();
#include "engine/tensor/weight_types.def"
    default:
        return {};
    }
}

void BlockFactor::set(std::byte *block, float value) const
{
    const std::uint16_t half = floatToHalf(value);
    const int exponent = std::isfinite(value) && value != 0 ? std::ilogb(value) : 128;
    const auto byte = static_cast<std::uint8_t>(std::clamp(exponent, -127, 128) + 127);
    if (form == Form::F16)
        std::memcpy(block + at, &half, sizeof half);
    else if (form == Form::F32)
        std::memcpy(block + at, &value, sizeof value);
    else if (form == Form::Exponent)
        std::memcpy(block + at, &byte, sizeof byte);
    else if (form == Form::FourE4m3)
        std::memset(block + at, belowAsE4m3(value), 4);
    else if (form == Form::Nibbles)
        for (std::size_t i = 0; i < 4; ++i) {
            std::byte &high = block[at + 2 * i + 1];
            high = (high & std::byte{0x0f}) | static_cast<std::byte>((half >> (4 * i) & 15) << 4);
        }
}

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
    case DType::F8_E4M3:
        for (std::size_t i = 0; i < n; ++i) {
            const Bytes block = p + i / 32 * sizeof(BlockF8_E4M3);
            out[i] = loadAs<float>(block) * fp8Value(block[sizeof(float) + i % 32]);
        }
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

} // namespace fireside
