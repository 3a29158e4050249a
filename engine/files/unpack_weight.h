#pragma once
#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/packed_weight.h"
#include "engine/tensor/half.h"

#include <cstring>
#include <string>

// What the readers of packed weights share; private to unpack_*.cpp.
namespace fireside::packed {

template <typename T>
T loadFrom(const SafetensorsTensor &t, std::uint64_t index)
{
    T value;
    std::memcpy(&value, t.bytes.data() + index * sizeof(T), sizeof(T));
    return value;
}

inline float numberAt(const SafetensorsTensor &t, std::uint64_t index)
{
    if (t.dtype == DType::F32)
        return loadFrom<float>(t, index);
    const auto bits = loadFrom<std::uint16_t>(t, index);
    return t.dtype == DType::F16 ? halfToFloat(bits) : bf16ToFloat(bits);
}

[[noreturn]] inline void failIn(const PackedWeight &w, const std::string &text)
{
    throwBadInput("tensor " + fireside::quoted(w.name) + ": " + text);
}

inline std::uint16_t halfOf(const PackedWeight &w, float value)
{
    const std::uint16_t half = floatToHalf(value);
    if ((half & 0x7fff) == 0x7c00)
        failIn(w, "the number " + std::to_string(value) + " is beyond the range of F16");
    return half;
}

inline float scaleAt(const PackedWeight &w, std::uint64_t row, std::uint64_t group)
{
    const bool byColumns = w.form == PackedWeight::Form::Gptq || w.form == PackedWeight::Form::Awq;
    const float scale = numberAt(*w.scales, byColumns ? group * w.rows + row
                                                      : row / w.groupRows * w.groups() + group);
    return w.inverseScale ? 1 / scale : scale;
}

/// The nibbles of a word as bytes, the lowest first.
inline std::uint64_t spread(std::uint32_t word)
{
    std::uint64_t x = word;
    x = (x | x << 16) & 0x0000ffff0000ffffu;
    x = (x | x << 8) & 0x00ff00ff00ff00ffu;
    return (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
}

/// Rows of a weight whose codes are numbers of a floating-point format: FP8, MXFP4, NVFP4.
void unpackFloats(const PackedWeight &w, std::uint64_t firstRow, std::size_t rows, std::byte *out);

} // namespace fireside::packed
