#pragma once
#include "engine/tensor/dtype.h"

#include <cstddef>
#include <cstdint>

// Block layouts of quantised weights as they lie in GGUF files (format facts of the GGML project).
// A "half" is an IEEE binary16 stored as its 16 bits.
namespace fireside {

using Half = std::uint16_t;

struct BlockQ4_0
{
    Half d;
    std::uint8_t qs[16];
}; // 32: (nibble − 8)·d; low nibbles first 16
struct BlockQ4_1
{
    Half d, m;
    std::uint8_t qs[16];
}; // 32: nibble·d + m
struct BlockQ5_0
{
    Half d;
    std::uint8_t qh[4], qs[16];
}; // 32: (q − 16)·d, bit 4 in qh
struct BlockQ5_1
{
    Half d, m;
    std::uint8_t qh[4], qs[16];
}; // 32: q·d + m
struct BlockQ8_0
{
    Half d;
    std::int8_t qs[32];
}; // 32: q·d
struct BlockQ2_K
{
    std::uint8_t scales[16], qs[64];
    Half d, dmin;
}; // 256
struct BlockQ3_K
{
    std::uint8_t hmask[32], qs[64], scales[12];
    Half d;
}; // 256
struct BlockQ4_K
{
    Half d, dmin;
    std::uint8_t scales[12], qs[128];
}; // 256
struct BlockQ5_K
{
    Half d, dmin;
    std::uint8_t scales[12], qh[32], qs[128];
}; // 256
struct BlockQ6_K
{
    std::uint8_t ql[128], qh[64];
    std::int8_t scales[16];
    Half d;
}; // 256
struct BlockIQ4_NL
{
    Half d;
    std::uint8_t qs[16];
}; // 32: table[nibble]·d
struct BlockIQ4_XS
{
    Half d;
    std::uint16_t scalesH;
    std::uint8_t scalesL[4], qs[128];
}; // 256
struct BlockMXFP4
{
    std::uint8_t e;
    std::uint8_t qs[16];
}; // 32: fp4 table[nibble]·2^(e−127)/2

#define BLOCK_TYPE(name, ggml, elements, bytes, ...) static_assert(sizeof(Block##name) == bytes);
#include "engine/tensor/weight_types.def"

/// A factor of a block's values, d, m, dmin or e above.
struct BlockFactor
{
    enum class Form : std::uint8_t { None, F16, F32, Exponent } form = Form::None;
    std::uint8_t at = 0; // byte of the block

    /// As an exponent the power of two below; what is not finite becomes NaN.
    void set(std::byte *block, float value) const;
};
struct BlockFactors
{
    BlockFactor scale, minimum;
};
BlockFactors factorsOf(DType type); // none of plain types

/// Values of a row of weights as floats, n of them; Error(Unsupported) for a type that has none.
void dequantizeRow(DType type, const std::byte *row, float *out, std::size_t n);

} // namespace fireside
