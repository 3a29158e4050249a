#pragma once
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

static_assert(sizeof(BlockQ4_0) == 18 && sizeof(BlockQ4_1) == 20 && sizeof(BlockQ5_0) == 22);
static_assert(sizeof(BlockQ5_1) == 24 && sizeof(BlockQ8_0) == 34 && sizeof(BlockQ2_K) == 84);
static_assert(sizeof(BlockQ3_K) == 110 && sizeof(BlockQ4_K) == 144 && sizeof(BlockQ5_K) == 176);
static_assert(sizeof(BlockQ6_K) == 210 && sizeof(BlockIQ4_NL) == 18 && sizeof(BlockIQ4_XS) == 136);
static_assert(sizeof(BlockMXFP4) == 17);

} // namespace fireside
