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
struct BlockNVFP4
{
    std::uint8_t scales8[4], qs[32];
}; // 64: fp4 table[nibble]·scale/2, scales as E4M3 without sign for 16 each; low nibbles first 8
struct BlockNVFP4_F32
{
    float d;
    std::uint8_t scales8[16], qs[128];
}; // 256: the same · d. Not in GGUF: NVFP4 weights of safetensors, whose tensors have a factor each
struct BlockF8_E4M3
{
    float d;
    std::uint8_t qs[32];
}; // 32: fp8Value(q)·d. Not in GGUF: what FP8 weights of safetensors become

// The types below name entries of tables (grids.h) of 8 elements, IQ3 of 4; 256 elements each.
struct BlockIQ1_S
{
    Half d;
    std::uint8_t qs[32];
    std::uint16_t qh[8]; // of 32: high 3 bits of 4 numbers, scale (3 bits), sign of the shift
};
struct BlockIQ1_M
{
    std::uint8_t qs[32], qh[16]; // of 8: high 3 bits of the number, sign of the shift
    std::uint16_t scales[4];     // of 16 elements 3 bits each; the high 4 bits of the words are d
};
struct BlockIQ2_XXS
{
    Half d;
    std::uint16_t qs[32]; // of 32 four: four numbers; 4 · 7 signs and the scale
};
struct BlockIQ2_XS
{
    Half d;
    std::uint16_t qs[32];   // of 8: number (9 bits), 7 signs
    std::uint8_t scales[8]; // of 16: 4 bits
};
struct BlockIQ2_S
{
    Half d;
    std::uint8_t qs[32], signs[32], qh[8], scales[8]; // qh: 2 bits of each number
};
struct BlockIQ3_XXS
{
    Half d;
    std::uint8_t qs[64];
    std::uint16_t signs[16]; // of 32 two: 4 · 7 signs and the scale
};
struct BlockIQ3_S
{
    Half d;
    std::uint8_t qs[64], qh[8], signs[32], scales[4]; // qh: a bit of each number
};
struct BlockTQ1_0
{
    std::uint8_t qs[48], qh[4]; // five digits and four to the base 3 in a byte
    Half d;
}; // (digit − 1)·d
struct BlockTQ2_0
{
    std::uint8_t qs[64];
    Half d;
}; // (two bits − 1)·d

#define BLOCK_TYPE(name, ggml, elements, bytes, ...) static_assert(sizeof(Block##name) == bytes);
#include "engine/tensor/weight_types.def"

/// A factor of a block's values, d, m, dmin or e above. Nibbles: an F16 in the high four bits of
/// four words. FourE4m3: four bytes, all the same.
struct BlockFactor
{
    enum class Form : std::uint8_t {
        None,
        F16,
        F32,
        Exponent,
        Nibbles,
        FourE4m3
    } form = Form::None;
    std::uint8_t at = 0; // byte of the block

    /// As an exponent the power of two below; what is not finite becomes NaN. As E4M3 without sign
    /// rounded down, what is not finite the largest.
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
