#pragma once
#include "engine/tensor/chunk.h"
#include "engine/tensor/grids.h"

// Plain decoders of the types whose blocks name entries of tables, and of those of three values.
// Private to the including file; see unpack.h.
namespace {

// A code is a signed value and this, the largest one.
constexpr int kIq2Offset = 43, kIq3XxsOffset = 62, kIq3SOffset = 15;
// Codes of IQ1_M are eight times value and shift, and this: 8 · (value + 1) + (0 or 2).
constexpr int kIq1Offset = 9;

/// Elements of an entry with signs, a bit each.
template <typename Entry>
inline void putEntry(Entry entry, unsigned signs, int offset, std::uint8_t *q)
{
    for (std::size_t i = 0; i < sizeof entry; ++i) {
        const int value = static_cast<int>((entry >> (8 * i)) & 255);
        q[i] = static_cast<std::uint8_t>((signs >> i) & 1 ? offset - value : offset + value);
    }
}
/// Seven signs, and the eighth that makes the number of minus signs even.
inline unsigned evenSigns(unsigned seven)
{
    return seven | static_cast<unsigned>(__builtin_parity(seven)) << 7;
}
#if defined(__AVX2__)
/// Bytes of seven signs, each with the eighth that makes their number even.
inline __m256i evenSignBytes(__m256i seven)
{
    const __m256i low = _mm256_set1_epi8(15);
    const __m256i fold =
        _mm256_and_si256(_mm256_xor_si256(seven, _mm256_srli_epi16(seven, 4)), low);
    const __m256i odd = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, -128, -128, 0, -128, 0, 0, -128, -128, 0, 0, -128, 0, -128, -128, 0));
    return _mm256_or_si256(seven, _mm256_shuffle_epi8(odd, fold));
}
/// Four times seven signs in each word.
inline __m256i signBytes(__m256i words)
{
    __m256i seven = _mm256_and_si256(words, _mm256_set1_epi32(0x7f));
    for (int k = 1; k < 4; ++k)
        seven = _mm256_or_si256(seven, _mm256_and_si256(_mm256_slli_epi32(words, k),
                                                        _mm256_set1_epi32(0x7f << (8 * k))));
    return evenSignBytes(seven);
}
#endif
inline void setGroup16(Chunk &c, std::size_t group, float scale, int offset)
{
    c.scale[group] = scale;
    c.offset[group] = -static_cast<float>(offset) * scale;
}
inline void setGroups(Chunk &c, std::size_t group32, float scale, int offset)
{
    setGroup16(c, 2 * group32, scale, offset);
    setGroup16(c, 2 * group32 + 1, scale, offset);
}
/// Halves and quarters of a scale of four bits: (0.5 + scale) · d / 4.
inline float iq2Scale(float d, unsigned scale)
{
    return 0.125f * d * static_cast<float>(2 * scale + 1);
}

template <>
inline void unpack<DType::IQ2_XXS>(Bytes p, Chunk &c)
{
    const float d = halfValue(loadAs<std::uint16_t>(p));
    for (std::size_t g = 0; g < 8; ++g) {
        const Bytes numbers = p + 2 + 8 * g;
        const std::uint32_t word = loadAs<std::uint32_t>(numbers + 4);
        for (std::size_t k = 0; k < 4; ++k)
            putEntry(fireside::kGridIq2Xxs.entry[numbers[k]], evenSigns((word >> (7 * k)) & 127),
                     kIq2Offset, c.q + 32 * g + 8 * k);
        setGroups(c, g, iq2Scale(d, word >> 28), kIq2Offset);
    }
}

template <>
inline void unpack<DType::IQ2_XS>(Bytes p, Chunk &c)
{
    const float d = halfValue(loadAs<std::uint16_t>(p));
    for (std::size_t k = 0; k < 32; ++k) {
        const unsigned code = loadAs<std::uint16_t>(p + 2 + 2 * k);
        putEntry(fireside::kGridIq2Xs.entry[code & 511], evenSigns(code >> 9), kIq2Offset,
                 c.q + 8 * k);
    }
    for (std::size_t g = 0; g < 16; ++g)
        setGroup16(c, g, iq2Scale(d, (p[66 + g / 2] >> (4 * (g % 2))) & 15u), kIq2Offset);
}

template <>
inline void unpack<DType::IQ2_S>(Bytes p, Chunk &c)
{
    const float d = halfValue(loadAs<std::uint16_t>(p));
    for (std::size_t k = 0; k < 32; ++k) {
        const unsigned high = (p[66 + k / 4] >> (2 * (k % 4))) & 3u;
        putEntry(fireside::kGridIq2S.entry[p[2 + k] | high << 8], p[34 + k], kIq2Offset,
                 c.q + 8 * k);
    }
    for (std::size_t g = 0; g < 16; ++g)
        setGroup16(c, g, iq2Scale(d, (p[74 + g / 2] >> (4 * (g % 2))) & 15u), kIq2Offset);
}

template <>
inline void unpack<DType::IQ3_XXS>(Bytes p, Chunk &c)
{
    const float d = halfValue(loadAs<std::uint16_t>(p));
    for (std::size_t g = 0; g < 8; ++g) {
        const std::uint32_t word = loadAs<std::uint32_t>(p + 66 + 4 * g);
        for (std::size_t k = 0; k < 8; ++k) {
            const unsigned signs = evenSigns((word >> (7 * (k / 2))) & 127) >> (4 * (k % 2));
            putEntry(fireside::kGridIq3Xxs.entry[p[2 + 8 * g + k]], signs, kIq3XxsOffset,
                     c.q + 32 * g + 4 * k);
        }
        setGroups(c, g, 2 * iq2Scale(d, word >> 28), kIq3XxsOffset);
    }
}

template <>
inline void unpack<DType::IQ3_S>(Bytes p, Chunk &c)
{
    const float d = halfValue(loadAs<std::uint16_t>(p));
    for (std::size_t k = 0; k < 64; ++k) {
        const unsigned high = (p[66 + k / 8] >> (k % 8)) & 1u;
        putEntry(fireside::kGridIq3S.entry[p[2 + k] | high << 8], p[74 + k / 2] >> (4 * (k % 2)),
                 kIq3SOffset, c.q + 4 * k);
    }
    for (std::size_t g = 0; g < 8; ++g) {
        const unsigned scale = (p[106 + g / 2] >> (4 * (g % 2))) & 15u;
        setGroups(c, g, d * static_cast<float>(2 * scale + 1), kIq3SOffset);
    }
}

/// The elements of entry `number`, shifted up or down by an eighth.
inline void putShifted(unsigned number, unsigned down, std::uint8_t *q)
{
    const std::uint64_t entry = fireside::kGridIq1.entry[number];
    for (std::size_t i = 0; i < 8; ++i)
        q[i] = static_cast<std::uint8_t>(8 * ((entry >> (8 * i)) & 255) + (down ? 0 : 2));
}

template <>
inline void unpack<DType::IQ1_S>(Bytes p, Chunk &c)
{
    const float d = halfValue(loadAs<std::uint16_t>(p));
    for (std::size_t g = 0; g < 8; ++g) {
        const unsigned word = loadAs<std::uint16_t>(p + 34 + 2 * g);
        for (std::size_t k = 0; k < 4; ++k)
            putShifted(p[2 + 4 * g + k] | ((word >> (3 * k)) & 7) << 8, word >> 15,
                       c.q + 32 * g + 8 * k);
        setGroups(c, g, 0.125f * d * static_cast<float>(2 * ((word >> 12) & 7) + 1), kIq1Offset);
    }
}

/// The F16 in the high bits of four words.
inline float nibblesValue(Bytes p)
{
    return halfValue(static_cast<std::uint16_t>((p[1] >> 4) | (p[3] & 0xf0) | (p[5] & 0xf0) << 4 |
                                                (p[7] & 0xf0) << 8));
}

template <>
inline void unpack<DType::IQ1_M>(Bytes p, Chunk &c)
{
    for (std::size_t k = 0; k < 32; ++k) {
        const unsigned rest = (p[32 + k / 2] >> (4 * (k % 2))) & 15u;
        putShifted(p[k] | (rest & 7) << 8, rest >> 3, c.q + 8 * k);
    }
    const float d = nibblesValue(p + 48);
    for (std::size_t g = 0; g < 16; ++g) {
        const unsigned word = loadAs<std::uint16_t>(p + 48 + 2 * (g / 4));
        const unsigned scale = (word >> (3 * (g % 4))) & 7;
        setGroup16(c, g, 0.125f * d * static_cast<float>(2 * scale + 1), kIq1Offset);
    }
}

template <>
inline void unpack<DType::TQ2_0>(Bytes p, Chunk &c)
{
    for (std::size_t n = 0; n < 2; ++n)
        for (std::size_t j = 0; j < 4; ++j)
            for (std::size_t i = 0; i < 32; ++i)
                c.q[128 * n + 32 * j + i] = (p[32 * n + i] >> (2 * j)) & 3;
    const float d = halfValue(loadAs<std::uint16_t>(p + 64));
    for (std::size_t g = 0; g < 8; ++g)
        setGroups(c, g, d, 1);
}

/// Digits to the base 3 of `Count` bytes: the n-th of byte i is element Count · n + i. A byte is
/// the fraction of the number, rounded up.
template <std::size_t Count, std::size_t Digits>
inline void unpackDigits(Bytes p, std::uint8_t *q)
{
    for (std::size_t i = 0; i < Count; ++i) {
        unsigned fraction = p[i];
        for (std::size_t n = 0; n < Digits; ++n, fraction &= 255) {
            fraction *= 3;
            q[Count * n + i] = static_cast<std::uint8_t>(fraction >> 8);
        }
    }
}

template <>
inline void unpack<DType::TQ1_0>(Bytes p, Chunk &c)
{
    unpackDigits<32, 5>(p, c.q);
    unpackDigits<16, 5>(p + 32, c.q + 160);
    unpackDigits<4, 4>(p + 48, c.q + 240);
    const float d = halfValue(loadAs<std::uint16_t>(p + 52));
    for (std::size_t g = 0; g < 8; ++g)
        setGroups(c, g, d, 1);
}

} // namespace
