#pragma once
// Decoders with AVX-512 instructions of the types whose blocks name entries of tables, and of those
// of three values. Private to the including file (see tensor/unpack.h).
#include "engine/cpu/linear/linear_avx512_formats.h"

namespace {

/// Eight entries of eight elements; numbers in 16 bits each.
inline __m512i eightEntries(const std::uint64_t *grid, __m128i numbers)
{
    return _mm512_i32gather_epi64(_mm256_cvtepu16_epi32(numbers), grid, 8);
}
/// Elements of entries in signs, a bit each, as codes.
inline __m512i withSigns(__m512i values, std::uint64_t signs, int offset)
{
    const __m512i middle = _mm512_set1_epi8(static_cast<char>(offset));
    return _mm512_mask_sub_epi8(_mm512_add_epi8(middle, values), signs, middle, values);
}
inline __m128i part(__m512i numbers, int j)
{
    return j == 0   ? _mm512_castsi512_si128(numbers)
           : j == 1 ? _mm512_extracti32x4_epi32(numbers, 1)
           : j == 2 ? _mm512_extracti32x4_epi32(numbers, 2)
                    : _mm512_extracti32x4_epi32(numbers, 3);
}
/// Codes of 32 entries; numbers in 16 bits each, 32 bytes of signs.
[[gnu::always_inline]] inline void decodeEights(const std::uint64_t *grid, __m512i numbers,
                                                const std::uint64_t *signs, Decoded &c)
{
    for (int j = 0; j < 4; ++j)
        c.q[j] = withSigns(eightEntries(grid, part(numbers, j)),
                           loadAs<std::uint64_t>(reinterpret_cast<Bytes>(signs + j)), kIq2Offset);
}

/// (2 · scale + 1) · factor of 16 groups.
inline __m512 oddScales(__m512i scales, float factor)
{
    const __m512i odd = _mm512_add_epi32(_mm512_add_epi32(scales, scales), _mm512_set1_epi32(1));
    return _mm512_mul_ps(_mm512_cvtepi32_ps(odd), _mm512_set1_ps(factor));
}
inline __m512i eachTwice(__m256i eight)
{
    const __m512i pair = _mm512_set_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
    return _mm512_permutexvar_epi32(pair, _mm512_castsi256_si512(eight));
}
/// Sixteen nibbles, the low one of each byte first.
inline __m512i sixteenNibbles(Bytes p)
{
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(p));
    const __m128i both = _mm_unpacklo_epi8(bytes, _mm_srli_epi16(bytes, 4));
    return _mm512_cvtepu8_epi32(_mm_and_si128(both, _mm_set1_epi8(15)));
}

template <>
[[gnu::always_inline]] inline void decode<DType::IQ2_XXS>(Bytes p, Decoded &c)
{
    const __m512i pairs = load512(p + 2);
    const __m256i words = _mm512_cvtepi64_epi32(_mm512_srli_epi64(pairs, 32));
    alignas(32) std::uint64_t signs[4];
    _mm256_store_si256(reinterpret_cast<__m256i *>(signs), signBytes(words));
    decodeEights(fireside::kGridIq2Xxs.entry, _mm512_cvtepu8_epi16(_mm512_cvtepi64_epi32(pairs)),
                 signs, c);
    setScales(oddScales(eachTwice(_mm256_srli_epi32(words, 28)),
                        0.125f * halfValue(loadAs<std::uint16_t>(p))),
              kIq2Offset, c);
}

template <>
[[gnu::always_inline]] inline void decode<DType::IQ2_XS>(Bytes p, Decoded &c)
{
    const __m512i codes = load512(p + 2);
    alignas(32) std::uint64_t signs[4];
    _mm256_store_si256(reinterpret_cast<__m256i *>(signs),
                       evenSignBytes(_mm512_cvtepi16_epi8(_mm512_srli_epi16(codes, 9))));
    decodeEights(fireside::kGridIq2Xs.entry, _mm512_and_si512(codes, _mm512_set1_epi16(511)), signs,
                 c);
    setScales(oddScales(sixteenNibbles(p + 66), 0.125f * halfValue(loadAs<std::uint16_t>(p))),
              kIq2Offset, c);
}

/// 32 numbers: the low eight bits of each, and `rests` whose high bits lie at `shift`.
inline __m512i numbers32(Bytes low, __m512i rests, __m512i shift, short mask)
{
    const __m512i high = _mm512_and_si512(_mm512_srlv_epi16(rests, shift), _mm512_set1_epi16(mask));
    return _mm512_or_si512(_mm512_cvtepu8_epi16(load256(low)), _mm512_slli_epi16(high, 8));
}
inline __m512i everyFour(short a, short b, short c, short d)
{
    return _mm512_set1_epi64(static_cast<long long>(a) | static_cast<long long>(b) << 16 |
                             static_cast<long long>(c) << 32 | static_cast<long long>(d) << 48);
}
/// Eight numbers of 16 bits, each four times.
inline __m512i fourTimes(__m128i eight)
{
    const __m512i words = _mm512_cvtepu16_epi64(eight);
    // Per 128 bits: the low 16 bits of both halves.
    const __m512i spread =
        _mm512_broadcast_i32x4(_mm_set_epi64x(0x0908090809080908, 0x0100010001000100));
    return _mm512_shuffle_epi8(words, spread);
}

template <>
[[gnu::always_inline]] inline void decode<DType::IQ2_S>(Bytes p, Decoded &c)
{
    const __m512i rests =
        fourTimes(_mm_cvtepu8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(p + 66))));
    const __m512i numbers = numbers32(p + 2, rests, everyFour(0, 2, 4, 6), 3);
    std::uint64_t signs[4];
    std::memcpy(signs, p + 34, sizeof signs);
    decodeEights(fireside::kGridIq2S.entry, numbers, signs, c);
    setScales(oddScales(sixteenNibbles(p + 74), 0.125f * halfValue(loadAs<std::uint16_t>(p))),
              kIq2Offset, c);
}

template <>
[[gnu::always_inline]] inline void decode<DType::IQ3_XXS>(Bytes p, Decoded &c)
{
    const __m256i words = load256(p + 66);
    alignas(32) std::uint64_t signs[4];
    _mm256_store_si256(reinterpret_cast<__m256i *>(signs), signBytes(words));
    for (int j = 0; j < 4; ++j)
        c.q[j] = withSigns(_mm512_i32gather_epi32(_mm512_cvtepu8_epi32(load128(p + 2 + 16 * j)),
                                                  fireside::kGridIq3Xxs.entry, 4),
                           signs[j], kIq3XxsOffset);
    setScales(oddScales(eachTwice(_mm256_srli_epi32(words, 28)),
                        0.25f * halfValue(loadAs<std::uint16_t>(p))),
              kIq3XxsOffset, c);
}

template <>
[[gnu::always_inline]] inline void decode<DType::IQ3_S>(Bytes p, Decoded &c)
{
    for (int j = 0; j < 4; ++j) {
        const __m512i low = _mm512_cvtepu8_epi32(load128(p + 2 + 16 * j));
        const __m512i numbers = _mm512_mask_add_epi32(low, loadAs<std::uint16_t>(p + 66 + 2 * j),
                                                      low, _mm512_set1_epi32(256));
        c.q[j] = withSigns(_mm512_i32gather_epi32(numbers, fireside::kGridIq3S.entry, 4),
                           loadAs<std::uint64_t>(p + 74 + 8 * j), kIq3SOffset);
    }
    const __m512i pair = _mm512_set_epi32(28, 28, 24, 24, 20, 20, 16, 16, 12, 12, 8, 8, 4, 4, 0, 0);
    const __m512i scales = _mm512_and_si512(
        _mm512_srlv_epi32(_mm512_set1_epi32(loadAs<int>(p + 106)), pair), _mm512_set1_epi32(15));
    setScales(oddScales(scales, halfValue(loadAs<std::uint16_t>(p))), kIq3SOffset, c);
}

template <>
[[gnu::always_inline]] inline void decode<DType::IQ1_S>(Bytes p, Decoded &c)
{
    const __m128i words = load128(p + 34);
    const __m512i numbers = numbers32(p + 2, fourTimes(words), everyFour(0, 3, 6, 9), 7);
    for (int j = 0; j < 4; ++j)
        c.q[j] = eightEntries(fireside::kGridIq1.entry, part(numbers, j));
    const __m512i both = eachTwice(_mm256_cvtepu16_epi32(words));
    const __m512i scales = _mm512_and_si512(_mm512_srli_epi32(both, 12), _mm512_set1_epi32(7));
    c.scale = oddScales(scales, halfValue(loadAs<std::uint16_t>(p)));
    // Codes are values + 1, shifted by an eighth up or down.
    const __mmask16 down = _mm512_test_epi32_mask(both, _mm512_set1_epi32(0x8000));
    c.offset = _mm512_mul_ps(
        c.scale, _mm512_mask_mov_ps(_mm512_set1_ps(-0.875f), down, _mm512_set1_ps(-1.125f)));
}

template <>
[[gnu::always_inline]] inline void decode<DType::IQ1_M>(Bytes p, Decoded &c)
{
    const __m128i bytes = load128(p + 32);
    const __m256i rests =
        _mm256_and_si256(_mm256_set_m128i(_mm_unpackhi_epi8(bytes, _mm_srli_epi16(bytes, 4)),
                                          _mm_unpacklo_epi8(bytes, _mm_srli_epi16(bytes, 4))),
                         _mm256_set1_epi8(15));
    const __m512i numbers = numbers32(p, _mm512_cvtepu8_epi16(rests), _mm512_setzero_si512(), 7);
    const std::uint32_t up =
        ~static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_slli_epi16(rests, 4)));
    for (int j = 0; j < 4; ++j)
        c.q[j] = _mm512_add_epi8(
            _mm512_slli_epi64(eightEntries(fireside::kGridIq1.entry, part(numbers, j)), 3),
            _mm512_maskz_set1_epi64(static_cast<__mmask8>(up >> (8 * j)), 0x0202020202020202));
    const __m128i words =
        _mm_cvtepu16_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(p + 48)));
    const __m512i four = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    const __m512i shift = _mm512_set_epi32(9, 6, 3, 0, 9, 6, 3, 0, 9, 6, 3, 0, 9, 6, 3, 0);
    const __m512i scales = _mm512_and_si512(
        _mm512_srlv_epi32(_mm512_permutexvar_epi32(four, _mm512_castsi128_si512(words)), shift),
        _mm512_set1_epi32(7));
    setScales(oddScales(scales, 0.125f * nibblesValue(p + 48)), kIq1Offset, c);
}

template <>
[[gnu::always_inline]] inline void decode<DType::TQ2_0>(Bytes p, Decoded &c)
{
    const __m512i three = _mm512_set1_epi8(3);
    for (int n = 0; n < 2; ++n) {
        const __m512i raw = twice(load256(p + 32 * n));
        c.q[2 * n] = _mm512_and_si512(_mm512_srlv_epi16(raw, lowHigh(0, 2)), three);
        c.q[2 * n + 1] = _mm512_and_si512(_mm512_srlv_epi16(raw, lowHigh(4, 6)), three);
    }
    setScales(_mm512_set1_ps(halfValue(loadAs<std::uint16_t>(p + 64))), 1, c);
}

inline __m512i joined(__m256i low, __m256i high)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
// Bytes times 3 and times 9, the rest of their division by 256.
inline __m512i threefold(__m512i x)
{
    return _mm512_add_epi8(x, _mm512_add_epi8(x, x));
}
inline __m512i ninefold(__m512i x)
{
    return threefold(threefold(x));
}
/// ⌊3 · byte / 256⌋, the first digit to the base 3, as averages of complements: those round up.
inline __m512i firstDigits(__m512i bytes)
{
    const __m512i all = _mm512_set1_epi8(-1), rest = _mm512_xor_si512(bytes, all);
    const __m512i average = _mm512_avg_epu8(rest, _mm512_avg_epu8(rest, all));
    return _mm512_andnot_si512(_mm512_srli_epi16(average, 6), _mm512_set1_epi8(3));
}

// Each further digit of a byte is the first one of three times the byte; see unpackDigits().
template <>
[[gnu::always_inline]] inline void decode<DType::TQ1_0>(Bytes p, Decoded &c)
{
    const __m256i low = load256(p);
    const __m256i tail = _mm256_set_m128i(_mm_set1_epi32(loadAs<int>(p + 48)), load128(p + 32));
    const __m512i low3 = threefold(_mm512_castsi256_si512(low));
    const __m512i tail3 = threefold(_mm512_castsi256_si512(tail));
    const __m512i first = joined(low, _mm512_castsi512_si256(low3)); // digits 0 and 1 of 32 bytes
    const __m512i second = ninefold(first);                          // 2 and 3
    // Of 16 bytes digits 0 … 4, of four bytes digits 0 … 3.
    const __m128i sixteen3 = _mm512_castsi512_si128(tail3);
    const __m512i third = joined(_mm512_castsi512_si256(ninefold(second)),
                                 _mm256_set_m128i(sixteen3, _mm256_castsi256_si128(tail)));
    const __m512i tails = joined(tail, _mm512_castsi512_si256(tail3)), tails9 = ninefold(tails);
    const __m128i nine = _mm512_castsi512_si128(tails9);
    const __m128i twentySeven = _mm512_extracti32x4_epi32(tails9, 2);
    const __m128i eightyOne = _mm512_castsi512_si128(ninefold(tails9));
    const __m128i four = _mm_blend_epi32(
        _mm_blend_epi32(_mm256_extracti128_si256(tail, 1), _mm512_extracti32x4_epi32(tails, 3), 2),
        _mm_blend_epi32(_mm512_extracti32x4_epi32(tails9, 1), _mm512_extracti32x4_epi32(tails9, 3),
                        8),
        12);
    c.q[0] = firstDigits(first);
    c.q[1] = firstDigits(second);
    c.q[2] = firstDigits(third);
    c.q[3] =
        firstDigits(joined(_mm256_set_m128i(twentySeven, nine), _mm256_set_m128i(four, eightyOne)));
    setScales(_mm512_set1_ps(halfValue(loadAs<std::uint16_t>(p + 52))), 1, c);
}

} // namespace
