#include "tests/support/weight_reference.h"

#include "engine/tensor/blocks.h"

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

// Scale `j` (0–7) of the twelve bytes at `at` of Q4_K and Q5_K; minimum when `second`.
unsigned sixBits(const Reader &b, std::size_t at, std::size_t j, bool second)
{
    const std::size_t low = at + j + (second ? 4 : 0);
    if (j < 4)
        return b.bits(low, 0, 6);
    const unsigned four = b.bits(at + j + 4, second ? 4 : 0, 4);
    return four | (b.bits(at + j - 4 + (second ? 4 : 0), 6, 2) << 4);
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
    }
    return row;
}

} // namespace fireside::test
