#pragma once
#include "engine/tensor/blocks.h"
#include "engine/tensor/dtype.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

// A chunk of 256 weights in plain numbers (see engine/cpu/linear/linear_kernels.h), and what
// decoders share. All of it is private to the including file; see unpack.h.
namespace {

using fireside::DType;
using fireside::info;
using Bytes = const std::uint8_t *;

struct alignas(64) Chunk
{
    std::uint8_t q[256];
    float scale[16];
    float offset[16];
};

[[maybe_unused]] inline float asFloat(std::uint32_t bits)
{
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

inline float halfValue(std::uint16_t h)
{
#if defined(__AVX2__)
    return _cvtsh_ss(h);
#else
    // Multiplying by 2^112 moves the exponent of normal and subnormal halves alike.
    const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000u) << 16;
    const std::uint32_t magnitude = static_cast<std::uint32_t>(h & 0x7fffu) << 13;
    const float value = asFloat(magnitude) * asFloat(0x77800000u);
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    bits = magnitude >= 0x0f800000u ? 0x7f800000u | magnitude : bits; // infinity and NaN
    return asFloat(bits | sign);
#endif
}

/// E4M3 of FP8: sign, four bits of exponent with a bias of 7, three of mantissa. The codes of NaN,
/// 0x7f and 0xff, are ±480 here: those who write blocks keep them out (files/unpack_weight.cpp).
inline float fp8Value(std::uint8_t code)
{
    // As the top bits of an F16, whose bias is 8 more.
    return 256.0f * halfValue(static_cast<std::uint16_t>((code & 0x80) << 8 | (code & 0x7f) << 7));
}

template <typename T>
inline T loadAs(Bytes p)
{
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

/// Bytes of a weight of a plain type.
constexpr std::size_t floatBytes(DType type)
{
    return type == DType::F32 ? 4 : 2;
}
/// … and a weight as float.
template <DType Type>
inline float floatAt(Bytes p)
{
    if constexpr (Type == DType::F32)
        return loadAs<float>(p);
    const std::uint16_t half = loadAs<std::uint16_t>(p);
    return Type == DType::F16 ? halfValue(half) : asFloat(static_cast<std::uint32_t>(half) << 16);
}

inline void setGroup32(Chunk &c, std::size_t group, float scale, float offset)
{
    c.scale[2 * group] = c.scale[2 * group + 1] = scale;
    c.offset[2 * group] = c.offset[2 * group + 1] = offset;
}

/// A chunk of consecutive blocks; each type of whole numbers has its own.
template <DType Type>
void unpack(Bytes p, Chunk &c) = delete;

} // namespace
