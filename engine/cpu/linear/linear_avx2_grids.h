#pragma once
// Decoders with AVX2 instructions of the types whose blocks name entries of tables. Entries are
// loaded one by one: gathers are slow on many processors. Private to the including file (see
// tensor/unpack.h).
#include "engine/cpu/linear/linear_avx2_formats.h"

namespace {

inline __m256i entries4(const std::uint64_t *grid, std::size_t a, std::size_t b, std::size_t c,
                        std::size_t d)
{
    return _mm256_set_epi64x(static_cast<long long>(grid[d]), static_cast<long long>(grid[c]),
                             static_cast<long long>(grid[b]), static_cast<long long>(grid[a]));
}
/// Elements of entries in signs, a bit each, as codes.
inline void putSigned(__m256i values, std::uint32_t signs, int offset, std::uint8_t *q)
{
    const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ull));
    const __m256i byteOf =
        _mm256_set_epi64x(0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
    const __m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(signs)), byteOf);
    const __m256i minus = _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit);
    const __m256i value = _mm256_sub_epi8(_mm256_xor_si256(values, minus), minus);
    put256(q, _mm256_add_epi8(value, _mm256_set1_epi8(static_cast<char>(offset))));
}
inline void storeWords(std::uint32_t (&to)[8], __m256i words)
{
    _mm256_store_si256(reinterpret_cast<__m256i *>(to), words);
}

template <>
inline void decode<DType::IQ2_XXS>(Bytes p, Chunk &c)
{
    // The second words of eight pairs.
    const __m256i words = _mm256_permute4x64_epi64(
        _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(load256(p + 2)),
                                              _mm256_castsi256_ps(load256(p + 34)), 0xdd)),
        0xd8);
    alignas(32) std::uint32_t signs[8], scales[8];
    storeWords(signs, signBytes(words));
    storeWords(scales, _mm256_srli_epi32(words, 28));
    const float d = halfValue(loadAs<std::uint16_t>(p));
    for (std::size_t g = 0; g < 8; ++g) {
        const Bytes n = p + 2 + 8 * g;
        putSigned(entries4(fireside::kGridIq2Xxs.entry, n[0], n[1], n[2], n[3]), signs[g],
                  kIq2Offset, c.q + 32 * g);
        setGroups(c, g, iq2Scale(d, scales[g]), kIq2Offset);
    }
}

inline void setNibbleScales(Bytes p, float d, Chunk &c)
{
    for (std::size_t g = 0; g < 16; ++g)
        setGroup16(c, g, iq2Scale(d, (p[g / 2] >> (4 * (g % 2))) & 15u), kIq2Offset);
}

template <>
inline void decode<DType::IQ2_XS>(Bytes p, Chunk &c)
{
    const __m256i seven =
        _mm256_permute4x64_epi64(_mm256_packus_epi16(_mm256_srli_epi16(load256(p + 2), 9),
                                                     _mm256_srli_epi16(load256(p + 34), 9)),
                                 0xd8);
    alignas(32) std::uint32_t signs[8];
    storeWords(signs, evenSignBytes(seven));
    for (std::size_t g = 0; g < 8; ++g) {
        const std::uint64_t n = loadAs<std::uint64_t>(p + 2 + 8 * g);
        putSigned(entries4(fireside::kGridIq2Xs.entry, n & 511, (n >> 16) & 511, (n >> 32) & 511,
                           (n >> 48) & 511),
                  signs[g], kIq2Offset, c.q + 32 * g);
    }
    setNibbleScales(p + 66, halfValue(loadAs<std::uint16_t>(p)), c);
}

template <>
inline void decode<DType::IQ2_S>(Bytes p, Chunk &c)
{
    for (std::size_t g = 0; g < 8; ++g) {
        const Bytes n = p + 2 + 4 * g;
        const std::size_t h = static_cast<std::size_t>(p[66 + g]) << 8;
        putSigned(entries4(fireside::kGridIq2S.entry, n[0] | (h & 0x300), n[1] | ((h >> 2) & 0x300),
                           n[2] | ((h >> 4) & 0x300), n[3] | ((h >> 6) & 0x300)),
                  loadAs<std::uint32_t>(p + 34 + 4 * g), kIq2Offset, c.q + 32 * g);
    }
    setNibbleScales(p + 74, halfValue(loadAs<std::uint16_t>(p)), c);
}

inline long long twoEntries(const std::uint32_t *grid, std::size_t a, std::size_t b)
{
    return static_cast<long long>(grid[a] | static_cast<std::uint64_t>(grid[b]) << 32);
}

template <>
inline void decode<DType::IQ3_XXS>(Bytes p, Chunk &c)
{
    const __m256i words = load256(p + 66);
    alignas(32) std::uint32_t signs[8], scales[8];
    storeWords(signs, signBytes(words));
    storeWords(scales, _mm256_srli_epi32(words, 28));
    const float d = 2 * halfValue(loadAs<std::uint16_t>(p));
    const std::uint32_t *grid = fireside::kGridIq3Xxs.entry;
    for (std::size_t g = 0; g < 8; ++g) {
        const Bytes n = p + 2 + 8 * g;
        putSigned(_mm256_set_epi64x(twoEntries(grid, n[6], n[7]), twoEntries(grid, n[4], n[5]),
                                    twoEntries(grid, n[2], n[3]), twoEntries(grid, n[0], n[1])),
                  signs[g], kIq3XxsOffset, c.q + 32 * g);
        setGroups(c, g, iq2Scale(d, scales[g]), kIq3XxsOffset);
    }
}

template <>
inline void decode<DType::IQ3_S>(Bytes p, Chunk &c)
{
    const float d = halfValue(loadAs<std::uint16_t>(p));
    const std::uint32_t *grid = fireside::kGridIq3S.entry, scales = loadAs<std::uint32_t>(p + 106);
    for (std::size_t g = 0; g < 8; ++g) {
        const Bytes n = p + 2 + 8 * g;
        const std::size_t h = p[66 + g];
        const auto two = [&](std::size_t k) {
            return twoEntries(grid, n[k] | ((h << (8 - k)) & 256),
                              n[k + 1] | ((h << (7 - k)) & 256));
        };
        putSigned(_mm256_set_epi64x(two(6), two(4), two(2), two(0)),
                  loadAs<std::uint32_t>(p + 74 + 4 * g), kIq3SOffset, c.q + 32 * g);
        const float odd = static_cast<float>(2 * ((scales >> (4 * g)) & 15u) + 1);
        setGroups(c, g, d * odd, kIq3SOffset);
    }
}

template <>
inline void decode<DType::IQ1_S>(Bytes p, Chunk &c)
{
    const float d = halfValue(loadAs<std::uint16_t>(p));
    for (std::size_t g = 0; g < 8; ++g) {
        const Bytes n = p + 2 + 4 * g;
        const std::size_t h = loadAs<std::uint16_t>(p + 34 + 2 * g);
        put256(c.q + 32 * g, entries4(fireside::kGridIq1.entry, n[0] | ((h << 8) & 0x700),
                                      n[1] | ((h << 5) & 0x700), n[2] | ((h << 2) & 0x700),
                                      n[3] | ((h >> 1) & 0x700)));
        // Codes are values + 1, shifted by an eighth up or down.
        const float scale = d * static_cast<float>(2 * ((h >> 12) & 7) + 1);
        setGroup32(c, g, scale, scale * (h >> 15 ? -1.125f : -0.875f));
    }
}

template <>
inline void decode<DType::IQ1_M>(Bytes p, Chunk &c)
{
    const __m256i bit = _mm256_set_epi64x(0x8000, 0x0800, 0x0080, 0x0008);
    const __m256i two = _mm256_set1_epi8(2);
    for (std::size_t g = 0; g < 8; ++g) {
        const Bytes n = p + 4 * g;
        const std::size_t h = loadAs<std::uint16_t>(p + 32 + 2 * g);
        const __m256i values =
            entries4(fireside::kGridIq1.entry, n[0] | ((h << 8) & 0x700), n[1] | ((h << 4) & 0x700),
                     n[2] | (h & 0x700), n[3] | ((h >> 4) & 0x700));
        const __m256i down = _mm256_cmpeq_epi64(
            _mm256_and_si256(_mm256_set1_epi64x(static_cast<long long>(h)), bit), bit);
        put256(c.q + 32 * g,
               _mm256_add_epi8(_mm256_slli_epi64(values, 3), _mm256_andnot_si256(down, two)));
    }
    const float d = 0.125f * nibblesValue(p + 48);
    const std::uint64_t words = loadAs<std::uint64_t>(p + 48);
    for (std::size_t g = 0; g < 16; ++g) {
        const std::uint64_t scale = (words >> (16 * (g / 4) + 3 * (g % 4))) & 7;
        setGroup16(c, g, d * static_cast<float>(2 * scale + 1), kIq1Offset);
    }
}

} // namespace
