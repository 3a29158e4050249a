#pragma once
#include "engine/tensor/blocks.h"
#include "engine/tensor/quantize/superblock.h"

#include <algorithm>
#include <cstring>

// Codes and factors to the blocks of files (blocks.h).
namespace fireside {
namespace {

/// The codes of a tile: number i of group g at N·g + i.
template <int N>
struct Codes
{
    std::uint8_t at[kLanes * N];
    void set(int i, const Floats &codes)
    {
        for (int g = 0; g < kLanes; ++g)
            at[g * N + i] = static_cast<std::uint8_t>(codes[g]);
    }
};

template <int N>
Codes<N> affineCodes(const Groups<N> &groups, const Floats &scale, const Floats &minimum,
                     float mostCode)
{
    const Floats inverse = scale != 0.0f ? 1.0f / scale : Floats{};
    Codes<N> codes;
    for (int i = 0; i < N; ++i)
        codes.set(i, codeOf((groups.x[i] - minimum) * inverse, mostCode));
    return codes;
}

template <int N>
Codes<N> evenCodes(const Groups<N> &groups, const Floats &scale, float half)
{
    const Floats inverse = scale != 0.0f ? 1.0f / scale : Floats{};
    const WholeValues values{half};
    Codes<N> codes;
    for (int i = 0; i < N; ++i)
        codes.set(i, values(groups.x[i] * inverse) + half);
    return codes;
}

inline Floats halves(Floats x)
{
    for (int g = 0; g < kLanes; ++g)
        x[g] = asHalf(x[g]);
    return x;
}

// Two codes of four bits to a byte, number i beside number i + 16.
inline void packNibbles(const std::uint8_t *codes, std::uint8_t *qs)
{
    for (int i = 0; i < 16; ++i)
        qs[i] = static_cast<std::uint8_t>((codes[i] & 15) | (codes[16 + i] & 15) << 4);
}
/// Bit 4 of 32 codes.
inline void packFifthBits(const std::uint8_t *codes, std::uint8_t *qh)
{
    std::uint32_t bits = 0;
    for (int i = 0; i < 32; ++i)
        bits |= static_cast<std::uint32_t>((codes[i] >> 4) & 1) << i;
    std::memcpy(qh, &bits, sizeof bits);
}

inline Half half(float x)
{
    return floatToHalf(x);
}

/// Eight scales and eight minimums of 6 bits.
inline void packSixBitPairs(const Floats &steps, const Floats &minimums, int first,
                            std::uint8_t *out)
{
    std::uint8_t s[8], m[8];
    for (int g = 0; g < 8; ++g) {
        s[g] = static_cast<std::uint8_t>(steps[first + g]);
        m[g] = static_cast<std::uint8_t>(minimums[first + g]);
    }
    for (int g = 0; g < 4; ++g) {
        out[g] = static_cast<std::uint8_t>(s[g] | (s[g + 4] >> 4) << 6);
        out[4 + g] = static_cast<std::uint8_t>(m[g] | (m[g + 4] >> 4) << 6);
        out[8 + g] = static_cast<std::uint8_t>((s[g + 4] & 15) | (m[g + 4] & 15) << 4);
    }
}

inline void packQ4K(const std::uint8_t *codes, std::uint8_t *qs)
{
    for (int j = 0; j < 4; ++j)
        for (int i = 0; i < 32; ++i)
            qs[32 * j + i] = static_cast<std::uint8_t>((codes[64 * j + i] & 15) |
                                                       (codes[64 * j + 32 + i] & 15) << 4);
}

inline void packQ5KHigh(const std::uint8_t *codes, std::uint8_t *qh)
{
    for (int i = 0; i < 32; ++i) {
        unsigned bits = 0;
        for (int g = 0; g < 8; ++g)
            bits |= static_cast<unsigned>((codes[32 * g + i] >> 4) & 1) << g;
        qh[i] = static_cast<std::uint8_t>(bits);
    }
}

/// Codes of two bits, of each 128 four to a byte.
inline void packPairs(const std::uint8_t *codes, std::uint8_t *qs)
{
    for (int n = 0; n < 2; ++n)
        for (int i = 0; i < 32; ++i) {
            unsigned bits = 0;
            for (int j = 0; j < 4; ++j)
                bits |= static_cast<unsigned>(codes[128 * n + 32 * j + i] & 3) << (2 * j);
            qs[32 * n + i] = static_cast<std::uint8_t>(bits);
        }
}

inline void packQ6K(const std::uint8_t *codes, BlockQ6_K &block)
{
    for (int n = 0; n < 2; ++n)
        for (int i = 0; i < 32; ++i) {
            const std::uint8_t *q = codes + 128 * n + i;
            block.ql[64 * n + i] = static_cast<std::uint8_t>((q[0] & 15) | (q[64] & 15) << 4);
            block.ql[64 * n + 32 + i] = static_cast<std::uint8_t>((q[32] & 15) | (q[96] & 15) << 4);
            block.qh[32 * n + i] = static_cast<std::uint8_t>(q[0] >> 4 | (q[32] >> 4) << 2 |
                                                             (q[64] >> 4) << 4 | (q[96] >> 4) << 6);
        }
}

/// Sixteen steps of 6 bits, 32 added to each.
inline void packSixBitSteps(const Floats &steps, std::uint8_t *out)
{
    std::uint8_t s[16];
    for (int g = 0; g < 16; ++g)
        s[g] = static_cast<std::uint8_t>(steps[g] + 32.0f);
    for (int g = 0; g < 8; ++g)
        out[g] = static_cast<std::uint8_t>((s[g] & 15) | (s[8 + g] & 15) << 4);
    for (int g = 0; g < 4; ++g)
        out[8 + g] = static_cast<std::uint8_t>(s[g] >> 4 | (s[4 + g] >> 4) << 2 |
                                               (s[8 + g] >> 4) << 4 | (s[12 + g] >> 4) << 6);
}

} // namespace
} // namespace fireside
