#include "engine/vulkan/weight_source.h"

#include "engine/core/error.h"
#include "engine/tensor/half.h"

#include <cstring>
#include <optional>

namespace fireside::vulkan {
namespace {

std::string describe(const WeightSource &s)
{
    std::string text = "[" + std::to_string(s.rows) + ", " + std::to_string(s.cols);
    if (s.depth != 1)
        text += ", " + std::to_string(s.depth);
    return text + "] " + name(s.dtype);
}

/// Bytes the shape asks for; nullopt when it is empty, cuts a block or overflows.
std::optional<std::size_t> expectedBytes(const WeightSource &s)
{
    const DTypeInfo &type = info(s.dtype);
    if (s.rows <= 0 || s.cols <= 0 || s.depth <= 0 || s.cols % type.blockElements != 0)
        return std::nullopt;
    std::size_t rows = 0, bytes = 0;
    const std::size_t blocks = static_cast<std::size_t>(s.cols) / type.blockElements;
    if (__builtin_mul_overflow(static_cast<std::size_t>(s.rows), static_cast<std::size_t>(s.depth),
                               &rows) ||
        __builtin_mul_overflow(rows, blocks, &bytes) ||
        __builtin_mul_overflow(bytes, std::size_t{type.blockBytes}, &bytes))
        return std::nullopt;
    return bytes;
}

} // namespace

void checkSource(const WeightSource &source)
{
    const auto expected = expectedBytes(source);
    if (!expected)
        throwBadInput("tensor '" + source.name + "' has an invalid shape " + describe(source));
    const auto depth = static_cast<std::size_t>(source.depth);
    if (!source.parts.empty() && source.parts.size() != depth)
        throwBadInput("tensor '" + source.name + "' " + describe(source) + " comes in " +
                      std::to_string(source.parts.size()) + " parts");
    const auto expectBytes = [&](std::size_t needed, std::size_t bytes) {
        if (bytes != needed)
            throwBadInput("tensor '" + source.name + "' " + describe(source) + " needs " +
                          std::to_string(needed) + " bytes but has " + std::to_string(bytes));
    };
    if (source.parts.empty())
        expectBytes(*expected, source.bytes.size());
    for (const std::span<const std::byte> part : source.parts)
        expectBytes(*expected / depth, part.size());
}

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
