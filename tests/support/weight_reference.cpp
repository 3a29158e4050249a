#include "tests/support/weight_reference.h"

#include "engine/tensor/blocks.h"
#include "engine/tensor/grids.h"

#include <cmath>
#include <cstring>

namespace fireside::test {
namespace {

struct Reader
{
    const std::byte *p;
    unsigned u8(std::size_t at) const { return static_cast<unsigned>(p[at]); }
    int s8(std::size_t at) const { return u8(at) < 128 ? int(u8(at)) : int(u8(at)) - 256; }
    unsigned u16(std::size_t at) const { return u8(at) | (u8(at + 1) << 8); }
    unsigned bits(std::size_t at, std::size_t shift, unsigned count) const
    {
        return (u8(at) >> shift) & ((1u << count) - 1);
    }
    double half(std::size_t at) const
    {
        const unsigned h = u16(at), exponent = (h >> 10) & 31, mantissa = h & 1023;
        const double magnitude = exponent == 0 ? std::ldexp(mantissa, -24)
                                               : std::ldexp(1024 + mantissa, int(exponent) - 25);
        return h & 0x8000 ? -magnitude : magnitude;
    }
};

constexpr int kNonLinear[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                1,    13,   25,  38,  53,  69,  89,  113};
constexpr double kFp4[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};

double e4m3(unsigned code)
{
    const unsigned exponent = code >> 3 & 15, mantissa = code & 7;
    const double magnitude = exponent == 0
                                 ? mantissa / 512.0
                                 : std::ldexp(8 + mantissa, static_cast<int>(exponent) - 10);
    return code & 0x80 ? -magnitude : magnitude;
}

// Scale `j` (0–7) of the twelve bytes at `at` of Q4_K and Q5_K; minimum when `second`.
unsigned sixBits(const Reader &b, std::size_t at, std::size_t j, bool second)
{
    const std::size_t low = at + j + (second ? 4 : 0);
    if (j < 4)
        return b.bits(low, 0, 6);
    const unsigned four = b.bits(at + j + 4, second ? 4 : 0, 4);
    return four | (b.bits(at + j - 4 + (second ? 4 : 0), 6, 2) << 4);
}

// An element of an entry. The tables themselves are checked by their hashes, and by what llama.cpp
// computes with them.
template <typename Grid>
int gridDigit(const Grid &grid, unsigned number, std::size_t element)
{
    return static_cast<int>(grid.entry[number] >> (8 * element) & 255);
}
// Element 0–7 of seven signs; there is an even number of minus signs.
int signOf(unsigned seven, std::size_t element)
{
    unsigned minus = 0;
    for (unsigned k = 0; k < 7; ++k)
        minus += seven >> k & 1;
    return (element < 7 ? seven >> element & 1 : minus % 2) ? -1 : 1;
}

double valueOf(DType type, const Reader &b, std::size_t i)
{
    const std::size_t nibble = i % 16; // of the 32-element types
    const unsigned shift32 = i < 16 ? 0 : 4;
    switch (type) {
    case DType::Q4_0:
        return b.half(0) * (int(b.bits(2 + nibble, shift32, 4)) - 8);
    case DType::Q4_1:
        return b.half(0) * b.bits(4 + nibble, shift32, 4) + b.half(2);
    case DType::Q5_0: {
        const unsigned q = b.bits(6 + nibble, shift32, 4) | (b.bits(2 + i / 8, i % 8, 1) << 4);
        return b.half(0) * (int(q) - 16);
    }
    case DType::Q5_1: {
        const unsigned q = b.bits(8 + nibble, shift32, 4) | (b.bits(4 + i / 8, i % 8, 1) << 4);
        return b.half(0) * q + b.half(2);
    }
    case DType::Q8_0:
        return b.half(0) * b.s8(2 + i);
    case DType::IQ4_NL:
        return b.half(0) * kNonLinear[b.bits(2 + nibble, shift32, 4)];
    case DType::MXFP4: {
        const unsigned q = b.bits(1 + nibble, shift32, 4);
        return (q & 8 ? -1 : 1) * std::ldexp(kFp4[q & 7], int(b.u8(0)) - 127);
    }
    case DType::NVFP4:
    case DType::NVFP4_F32: {
        const bool factor = type == DType::NVFP4_F32;
        const unsigned q = b.bits((factor ? 20 : 4) + i / 16 * 8 + i % 8, i % 16 < 8 ? 0 : 4, 4);
        const unsigned scale = b.bits((factor ? 4 : 0) + i / 16, 0, 7);
        const double d = factor ? valueOf(DType::F32, b, 0) : 1;
        return scale == 0x7f ? 0 : d * e4m3(scale) * (q & 8 ? -1 : 1) * kFp4[q & 7];
    }
    case DType::F8_E4M3:
        return valueOf(DType::F32, b, 0) * e4m3(b.u8(4 + i));
    case DType::Q2_K: {
        const unsigned q = b.bits(16 + 32 * (i / 128) + i % 32, 2 * (i % 128 / 32), 2);
        return b.half(80) * b.bits(i / 16, 0, 4) * q - b.half(82) * b.bits(i / 16, 4, 4);
    }
    case DType::Q3_K: {
        const unsigned low = b.bits(32 + 32 * (i / 128) + i % 32, 2 * (i % 128 / 32), 2);
        const unsigned high = b.bits(i % 32, i / 32, 1);
        const std::size_t g = i / 16;
        const unsigned scale =
            b.bits(96 + g % 8, g < 8 ? 0 : 4, 4) | (b.bits(104 + g % 4, g / 4 * 2, 2) << 4);
        return b.half(108) * (int(scale) - 32) * (int(low) - (high ? 0 : 4));
    }
    case DType::Q4_K: {
        const unsigned q = b.bits(16 + 32 * (i / 64) + i % 32, i % 64 < 32 ? 0 : 4, 4);
        return b.half(0) * sixBits(b, 4, i / 32, false) * q -
               b.half(2) * sixBits(b, 4, i / 32, true);
    }
    case DType::Q5_K: {
        const unsigned q = b.bits(48 + 32 * (i / 64) + i % 32, i % 64 < 32 ? 0 : 4, 4) |
                           (b.bits(16 + i % 32, i / 32, 1) << 4);
        return b.half(0) * sixBits(b, 4, i / 32, false) * q -
               b.half(2) * sixBits(b, 4, i / 32, true);
    }
    case DType::Q6_K: {
        const std::size_t half = i / 128, quarter = i % 128 / 32;
        const unsigned low =
            b.bits(64 * half + 32 * (quarter % 2) + i % 32, quarter < 2 ? 0 : 4, 4);
        const unsigned high = b.bits(128 + 32 * half + i % 32, quarter * 2, 2);
        return b.half(208) * b.s8(192 + i / 16) * (int(low | (high << 4)) - 32);
    }
    case DType::IQ4_XS: {
        const std::size_t g = i / 32;
        const unsigned low = b.bits(4 + g / 2, g % 2 ? 4 : 0, 4);
        const unsigned high = (b.u16(2) >> (2 * g)) & 3;
        const unsigned q = b.bits(8 + 16 * g + i % 16, i % 32 < 16 ? 0 : 4, 4);
        return b.half(0) * (int(low | (high << 4)) - 32) * kNonLinear[q];
    }
    case DType::IQ1_S: {
        const unsigned word = b.u16(34 + i / 32 * 2);
        const unsigned number = b.u8(2 + i / 8) | (word >> (3 * (i % 32 / 8)) & 7) << 8;
        const double shift = word >> 15 ? -0.125 : 0.125;
        return b.half(0) * (2 * (word >> 12 & 7) + 1) *
               (gridDigit(kGridIq1, number, i % 8) - 1 + shift);
    }
    case DType::IQ1_M: {
        const unsigned rest = b.bits(32 + i / 16, i % 16 < 8 ? 0 : 4, 4);
        const unsigned number = b.u8(i / 8) | (rest & 7) << 8;
        const unsigned scale = b.u16(48 + i / 64 * 2) >> (3 * (i % 64 / 16)) & 7;
        unsigned half = 0;
        for (unsigned k = 0; k < 4; ++k)
            half |= (b.u16(48 + 2 * k) >> 12) << (4 * k);
        const std::byte d[2] = {std::byte(half & 255), std::byte(half >> 8)};
        return Reader{d}.half(0) * (2 * scale + 1) *
               (gridDigit(kGridIq1, number, i % 8) - 1 + (rest & 8 ? -0.125 : 0.125));
    }
    case DType::IQ2_XXS: {
        const std::size_t at = 2 + i / 32 * 8;
        const unsigned word = b.u16(at + 4) | b.u16(at + 6) << 16;
        const int value = gridDigit(kGridIq2Xxs, b.u8(at + i % 32 / 8), i % 8);
        return b.half(0) * (0.5 + (word >> 28)) / 4 *
               signOf(word >> (7 * (i % 32 / 8)) & 127, i % 8) * value;
    }
    case DType::IQ2_XS: {
        const unsigned code = b.u16(2 + i / 8 * 2);
        const unsigned scale = b.bits(66 + i / 32, i % 32 < 16 ? 0 : 4, 4);
        return b.half(0) * (0.5 + scale) / 4 * signOf(code >> 9, i % 8) *
               gridDigit(kGridIq2Xs, code & 511, i % 8);
    }
    case DType::IQ2_S: {
        const unsigned number = b.u8(2 + i / 8) | b.bits(66 + i / 32, i % 32 / 8 * 2, 2) << 8;
        const unsigned scale = b.bits(74 + i / 32, i % 32 < 16 ? 0 : 4, 4);
        return b.half(0) * (0.5 + scale) / 4 * (b.bits(34 + i / 8, i % 8, 1) ? -1 : 1) *
               gridDigit(kGridIq2S, number, i % 8);
    }
    case DType::IQ3_XXS: {
        const std::size_t at = 66 + i / 32 * 4;
        const unsigned word = b.u16(at) | b.u16(at + 2) << 16;
        return b.half(0) * (0.5 + (word >> 28)) / 2 *
               signOf(word >> (7 * (i % 32 / 8)) & 127, i % 8) *
               gridDigit(kGridIq3Xxs, b.u8(2 + i / 4), i % 4);
    }
    case DType::IQ3_S: {
        const unsigned number = b.u8(2 + i / 4) | b.bits(66 + i / 32, i % 32 / 4, 1) << 8;
        const unsigned scale = b.bits(106 + i / 64, i % 64 < 32 ? 0 : 4, 4);
        return b.half(0) * (1 + 2 * scale) * (b.bits(74 + i / 8, i % 8, 1) ? -1 : 1) *
               gridDigit(kGridIq3S, number, i % 4);
    }
    case DType::TQ1_0: {
        const std::size_t bytes = i < 160 ? 32 : i < 240 ? 16 : 4;
        const std::size_t from = i < 160 ? 0 : i < 240 ? 160 : 240;
        unsigned fraction = b.u8((i < 160 ? 0 : i < 240 ? 32 : 48) + (i - from) % bytes);
        for (std::size_t n = 0; n < (i - from) / bytes; ++n)
            fraction = fraction * 3 % 256;
        return b.half(52) * (int(fraction * 3 / 256) - 1);
    }
    case DType::TQ2_0:
        return b.half(64) * (int(b.bits(32 * (i / 128) + i % 32, i % 128 / 32 * 2, 2)) - 1);
    case DType::F16:
        return b.half(0);
    case DType::BF16:
    case DType::F32: {
        std::uint32_t word = 0;
        std::memcpy(type == DType::F32 ? reinterpret_cast<char *>(&word)
                                       : reinterpret_cast<char *>(&word) + 2,
                    b.p, type == DType::F32 ? 4 : 2);
        float value;
        std::memcpy(&value, &word, 4);
        return value;
    }
    case DType::I32:
        break;
    }
    return std::nan("");
}

} // namespace

double weightAt(DType type, const std::byte *row, std::size_t index)
{
    const DTypeInfo &format = info(type);
    return valueOf(type, {row + index / format.blockElements * format.blockBytes},
                   index % format.blockElements);
}

std::vector<std::byte> randomRow(DType type, std::size_t elements, std::mt19937 &random)
{
    const DTypeInfo &format = info(type);
    std::vector<std::byte> row(elements / format.blockElements * format.blockBytes);
    for (std::byte &b : row)
        b = static_cast<std::byte>(random() & 255);
    std::normal_distribution<float> normal;
    for (std::size_t at = 0; at < row.size(); at += format.blockBytes) {
        if (type == DType::F32) {
            const float value = normal(random);
            std::memcpy(&row[at], &value, 4);
        } else if (type == DType::F16 || type == DType::BF16) {
            // Sign and mantissa stay random; the exponent becomes one of a few below 1.
            const unsigned exponent = (type == DType::F16 ? 15u : 127u) - unsigned(random() % 4);
            const unsigned mantissaBits = type == DType::F16 ? 10 : 7;
            const unsigned word = (unsigned(random()) & (0x8000u | ((1u << mantissaBits) - 1))) |
                                  (exponent << mantissaBits);
            row[at] = static_cast<std::byte>(word & 255);
            row[at + 1] = static_cast<std::byte>(word >> 8);
        }
        const BlockFactors factors = factorsOf(type);
        for (const BlockFactor &factor : {factors.scale, factors.minimum}) {
            const float value =
                std::ldexp(1 + float(random() % 1024) / 1024, int(random() % 3) - 9);
            factor.set(&row[at], random() % 2 == 0 ? value : -value);
        }
        const std::size_t first = type == DType::NVFP4_F32 ? 4 : 0;
        const std::size_t scales = type == DType::NVFP4 ? 4 : type == DType::NVFP4_F32 ? 16 : 0;
        // Scales that differ, most of a few sizes. None so large that its group alone is the row:
        // the rounding of 16 activations would then show whole.
        for (std::size_t i = 0; i < scales; ++i)
            row[at + first + i] =
                static_cast<std::byte>(random() % 16 == 0 ? random() % 64 : 0x20 + random() % 16);
    }
    return row;
}

} // namespace fireside::test
