#pragma once
// Decoders with AVX-512 instructions to chunks in registers. Private to the including file (see
// tensor/unpack.h).
#include "engine/tensor/unpack.h"

#include <immintrin.h>

namespace {

struct Decoded
{
    __m512i q[4];
    __m512 scale, offset; // of the 16 groups
};

inline __m512i load512(const void *p)
{
    return _mm512_loadu_si512(p);
}
inline __m256i load256(const void *p)
{
    return _mm256_loadu_si256(static_cast<const __m256i *>(p));
}
inline __m128i load128(const void *p)
{
    return _mm_loadu_si128(static_cast<const __m128i *>(p));
}
inline __m512i twice(__m256i x)
{
    return _mm512_broadcast_i64x4(x);
}
inline __m512i lowHigh(short low, short high) // per 16-bit lane: `low` in the first half
{
    return _mm512_inserti64x4(_mm512_set1_epi16(low), _mm256_set1_epi16(high), 1);
}

/// Lanes 2i and 2i + 1: lane first + i.
inline __m512 eachTwice(__m512 x, int first)
{
    const __m512i lanes = _mm512_set_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
    return _mm512_permutexvar_ps(_mm512_add_epi32(lanes, _mm512_set1_epi32(first)), x);
}

template <std::size_t BlockBytes>
inline long long fourHalves(Bytes p)
{
    std::uint64_t halves = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        std::uint64_t half = loadAs<std::uint16_t>(p + i * BlockBytes);
        asm("" : "+r"(half)); // else the compiler makes shuffles of it after all
        halves |= half << (16 * i);
    }
    return static_cast<long long>(halves);
}
// The half at the start of each of 8 blocks, each twice. They are joined as whole numbers, since
// one port of an Intel core has all shuffles to do.
template <std::size_t BlockBytes>
inline __m512 eightHalves(Bytes p)
{
    const __m128i halves =
        _mm_set_epi64x(fourHalves<BlockBytes>(p + 4 * BlockBytes), fourHalves<BlockBytes>(p));
    return eachTwice(_mm512_castps256_ps512(_mm256_cvtph_ps(halves)), 0);
}

// Bytes of the nibbles of two blocks of 16 bytes: low, high, low, high.
inline __m512i nibblesOfTwo(__m128i first, __m128i second)
{
    const __m512i shift = _mm512_set_epi64(0x0004000400040004, 0x0004000400040004, 0, 0,
                                           0x0004000400040004, 0x0004000400040004, 0, 0);
    const __m512i both = _mm512_castsi256_si512(_mm256_set_m128i(second, first));
    const __m512i spread = _mm512_shuffle_i64x2(both, both, 0x50); // first first second second
    return _mm512_and_si512(_mm512_srlv_epi16(spread, shift), _mm512_set1_epi8(15));
}

/// Types without a decoder of their own here have the plain one.
template <DType Type>
inline void decode(Bytes p, Decoded &c)
{
    Chunk plain;
    unpack<Type>(p, plain);
    for (int j = 0; j < 4; ++j)
        c.q[j] = load512(plain.q + 64 * j);
    c.scale = _mm512_load_ps(plain.scale);
    c.offset = _mm512_load_ps(plain.offset);
}

template <>
[[gnu::always_inline]] inline void decode<DType::Q8_0>(Bytes p, Decoded &c)
{
    const __m512i flip = _mm512_set1_epi8(static_cast<char>(0x80));
    for (int j = 0; j < 4; ++j, p += 68)
        c.q[j] = _mm512_xor_si512(
            flip, _mm512_inserti64x4(_mm512_castsi256_si512(load256(p + 2)), load256(p + 36), 1));
    c.scale = eightHalves<34>(p - 272);
    c.offset = _mm512_mul_ps(c.scale, _mm512_set1_ps(-128.0f));
}

/// Blocks of 16 nibble bytes after `Header` bytes that start with a half, centred at `Zero`.
template <std::size_t Header, int Zero>
[[gnu::always_inline]] inline void decodeNibbles(Bytes p, Decoded &c)
{
    constexpr std::size_t kBytes = Header + 16;
    for (int j = 0; j < 4; ++j)
        c.q[j] = nibblesOfTwo(load128(p + 2 * j * kBytes + Header),
                              load128(p + (2 * j + 1) * kBytes + Header));
    c.scale = eightHalves<kBytes>(p);
    if constexpr (Zero == 0)
        c.offset = eightHalves<kBytes>(p + 2); // Q4_1: a minimum beside the scale
    else
        c.offset = _mm512_mul_ps(c.scale, _mm512_set1_ps(-Zero));
}
template <>
[[gnu::always_inline]] inline void decode<DType::Q4_0>(Bytes p, Decoded &c)
{
    decodeNibbles<2, 8>(p, c);
}
template <>
[[gnu::always_inline]] inline void decode<DType::Q4_1>(Bytes p, Decoded &c)
{
    decodeNibbles<4, 0>(p, c);
}

template <std::size_t Header, int Zero>
[[gnu::always_inline]] inline void decodeFives(Bytes p, Decoded &c)
{
    constexpr std::size_t kBytes = Header + 20; // Header, 32 fifth bits, 16 nibble bytes
    const __m512i sixteen = _mm512_set1_epi8(16);
    for (int j = 0; j < 4; ++j) {
        const Bytes first = p + 2 * j * kBytes, second = first + kBytes;
        const __mmask64 fifth = loadAs<std::uint32_t>(first + Header) |
                                static_cast<std::uint64_t>(loadAs<std::uint32_t>(second + Header))
                                    << 32;
        const __m512i low = nibblesOfTwo(load128(first + Header + 4), load128(second + Header + 4));
        c.q[j] = _mm512_mask_add_epi8(low, fifth, low, sixteen);
    }
    c.scale = eightHalves<kBytes>(p);
    if constexpr (Zero == 0)
        c.offset = eightHalves<kBytes>(p + 2);
    else
        c.offset = _mm512_mul_ps(c.scale, _mm512_set1_ps(-Zero));
}
template <>
[[gnu::always_inline]] inline void decode<DType::Q5_0>(Bytes p, Decoded &c)
{
    decodeFives<2, 16>(p, c);
}
template <>
[[gnu::always_inline]] inline void decode<DType::Q5_1>(Bytes p, Decoded &c)
{
    decodeFives<4, 0>(p, c);
}

inline __m512i lookUpTable(const std::int8_t *table, int offset)
{
    return _mm512_broadcast_i32x4(
        _mm_add_epi8(load128(table), _mm_set1_epi8(static_cast<char>(offset))));
}

template <>
[[gnu::always_inline]] inline void decode<DType::IQ4_NL>(Bytes p, Decoded &c)
{
    const __m512i table = lookUpTable(kIq4Values, kIq4Offset);
    for (int j = 0; j < 4; ++j)
        c.q[j] = _mm512_shuffle_epi8(
            table, nibblesOfTwo(load128(p + 36 * j + 2), load128(p + 36 * j + 20)));
    c.scale = eightHalves<18>(p);
    c.offset = _mm512_mul_ps(c.scale, _mm512_set1_ps(-kIq4Offset));
}

inline void setScales(__m512 scale, float offset, Decoded &c)
{
    c.scale = scale;
    c.offset = _mm512_mul_ps(scale, _mm512_set1_ps(-offset));
}

inline __m512 iq4Scales(Bytes p)
{
    // Lane g takes four low bits at 4·(g/2) of one word and two high bits at 2·(g/2) of
    // another.
    const __m512i pair = _mm512_set_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
    const __m512i low = _mm512_and_si512(
        _mm512_srlv_epi32(_mm512_set1_epi32(loadAs<int>(p + 4)), _mm512_slli_epi32(pair, 2)),
        _mm512_set1_epi32(15));
    const __m512i high =
        _mm512_and_si512(_mm512_srlv_epi32(_mm512_set1_epi32(loadAs<std::uint16_t>(p + 2)),
                                           _mm512_add_epi32(pair, pair)),
                         _mm512_set1_epi32(3));
    const __m512i step =
        _mm512_sub_epi32(_mm512_or_si512(low, _mm512_slli_epi32(high, 4)), _mm512_set1_epi32(32));
    return _mm512_mul_ps(_mm512_cvtepi32_ps(step),
                         _mm512_set1_ps(halfValue(loadAs<std::uint16_t>(p))));
}

template <>
[[gnu::always_inline]] inline void decode<DType::IQ4_XS>(Bytes p, Decoded &c)
{
    const __m512i table = lookUpTable(kIq4Values, kIq4Offset);
    for (int j = 0; j < 4; ++j)
        c.q[j] = _mm512_shuffle_epi8(
            table, nibblesOfTwo(load128(p + 8 + 32 * j), load128(p + 24 + 32 * j)));
    setScales(iq4Scales(p), kIq4Offset, c);
}

inline __m512 fp4Scales(Bytes p)
{
    std::uint64_t exponents = 0;
    for (int j = 0; j < 4; ++j) {
        const Bytes first = p + 34 * j;
        exponents |= static_cast<std::uint64_t>(first[0] | first[17] << 8) << (16 * j);
    }
    const __m128i bytes = _mm_cvtsi64_si128(static_cast<long long>(exponents));
    const __m512i e = _mm512_cvtepu8_epi32(_mm_unpacklo_epi8(bytes, bytes));
    // fp4Scale() in every lane.
    const __m512i normal = _mm512_slli_epi32(_mm512_sub_epi32(e, _mm512_set1_epi32(1)), 23);
    const __m512i tiny = _mm512_sllv_epi32(_mm512_set1_epi32(0x00200000), e);
    return _mm512_castsi512_ps(
        _mm512_mask_mov_epi32(normal, _mm512_cmplt_epi32_mask(e, _mm512_set1_epi32(2)), tiny));
}

template <>
[[gnu::always_inline]] inline void decode<DType::MXFP4>(Bytes p, Decoded &c)
{
    const __m512i table = lookUpTable(kFp4Values, kFp4Offset);
    for (int j = 0; j < 4; ++j)
        c.q[j] = _mm512_shuffle_epi8(
            table, nibblesOfTwo(load128(p + 34 * j + 1), load128(p + 34 * j + 18)));
    setScales(fp4Scales(p), kFp4Offset, c);
}

inline __m512 signedGroups(__m128i bytes, float factor)
{
    return _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes)), _mm512_set1_ps(factor));
}

template <>
[[gnu::always_inline]] inline void decode<DType::Q2_K>(Bytes p, Decoded &c)
{
    const __m512i three = _mm512_set1_epi8(3);
    for (int n = 0; n < 2; ++n) {
        const __m512i raw = twice(load256(p + 16 + 32 * n));
        c.q[2 * n] = _mm512_and_si512(_mm512_srlv_epi16(raw, lowHigh(0, 2)), three);
        c.q[2 * n + 1] = _mm512_and_si512(_mm512_srlv_epi16(raw, lowHigh(4, 6)), three);
    }
    const __m128i scales = load128(p), mask = _mm_set1_epi8(15);
    c.scale = signedGroups(_mm_and_si128(scales, mask), halfValue(loadAs<std::uint16_t>(p + 80)));
    c.offset = signedGroups(_mm_and_si128(_mm_srli_epi16(scales, 4), mask),
                            -halfValue(loadAs<std::uint16_t>(p + 82)));
}

inline __m128i sixBitStepBytes(Bytes p)
{
    const SixBitSteps steps = sixBitSteps(p);
    return _mm_sub_epi8(
        _mm_set_epi64x(static_cast<long long>(steps.second), static_cast<long long>(steps.first)),
        _mm_set1_epi8(32));
}

template <>
[[gnu::always_inline]] inline void decode<DType::Q3_K>(Bytes p, Decoded &c)
{
    const __m512i three = _mm512_set1_epi8(3), four = _mm512_set1_epi8(4);
    const __m512i third = twice(load256(p));
    __m512i bit = lowHigh(0x0101, 0x0202);
    for (int j = 0; j < 4; ++j, bit = _mm512_slli_epi16(bit, 2)) {
        const __m512i raw = twice(load256(p + 32 + 32 * (j / 2)));
        const __m512i shift = j % 2 == 0 ? lowHigh(0, 2) : lowHigh(4, 6);
        const __m512i low = _mm512_and_si512(_mm512_srlv_epi16(raw, shift), three);
        c.q[j] = _mm512_mask_add_epi8(low, _mm512_test_epi8_mask(third, bit), low, four);
    }
    c.scale = signedGroups(sixBitStepBytes(p + 96), halfValue(loadAs<std::uint16_t>(p + 108)));
    c.offset = _mm512_mul_ps(c.scale, _mm512_set1_ps(-4.0f));
}

/// Scales and minimums of Q4_K and Q5_K; scales of odd blocks times `ofOdd`.
inline void decodeSixBitGroups(Bytes p, float ofOdd, Decoded &c)
{
    // Whole numbers of 64 bits (see eightHalves()): four scales and, in the high half, minimums.
    constexpr std::uint64_t kHigh = 0xffffffff00000000u;
    const auto steps = loadAs<std::uint64_t>(p + 4);
    const std::uint64_t last = loadAs<std::uint32_t>(p + 12);
    const std::uint64_t first = steps & 0x3f3f3f3f3f3f3f3fu;
    const std::uint64_t second =
        ((last | last << 28) & 0x0f0f0f0f0f0f0f0fu) | ((steps >> 2) & 0x3030303030303030u);
    const std::uint64_t scales = (first & ~kHigh) | second << 32;
    const std::uint64_t minimums = first >> 32 | (second & kHigh);
    const __m128i both = _mm_unpacklo_epi8(_mm_cvtsi64_si128(static_cast<long long>(scales)),
                                           _mm_cvtsi64_si128(static_cast<long long>(minimums)));
    const __m512 factor =
        _mm512_mul_ps(_mm512_cvtph_ps(_mm256_set1_epi32(loadAs<int>(p))),
                      _mm512_broadcast_f32x4(_mm_set_ps(-1.0f, ofOdd, -1.0f, 1.0f)));
    const __m512 values = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(both)), factor);
    c.scale = _mm512_moveldup_ps(values);
    c.offset = _mm512_movehdup_ps(values);
}

template <>
[[gnu::always_inline]] inline void decode<DType::Q4_K>(Bytes p, Decoded &c)
{
    const __m512i shift = lowHigh(0, 4), mask = _mm512_set1_epi8(15);
    for (int j = 0; j < 4; ++j)
        c.q[j] = _mm512_and_si512(_mm512_srlv_epi16(twice(load256(p + 16 + 32 * j)), shift), mask);
    decodeSixBitGroups(p, 1.0f, c);
}

template <>
[[gnu::always_inline]] inline void decode<DType::Q5_K>(Bytes p, Decoded &c)
{
    const __m512i shift = lowHigh(0, 4), mask = _mm512_set1_epi8(15);
    const __m512i sixteen = _mm512_set1_epi8(16);
    const __m512i fifth = twice(load256(p + 16));
    __m512i bit = lowHigh(0x0101, 0x0202);
    for (int j = 0; j < 4; ++j, bit = _mm512_slli_epi16(bit, 2)) {
        const __m512i low =
            _mm512_and_si512(_mm512_srlv_epi16(twice(load256(p + 48 + 32 * j)), shift), mask);
        c.q[j] = _mm512_mask_add_epi8(low, _mm512_test_epi8_mask(fifth, bit), low, sixteen);
    }
    decodeSixBitGroups(p, 1.0f, c);
}

template <>
[[gnu::always_inline]] inline void decode<DType::Q6_K>(Bytes p, Decoded &c)
{
    const __m512i low = _mm512_set1_epi8(15), high = _mm512_set1_epi8(48);
    const __m512i left = lowHigh(4, 2), right = lowHigh(0, 2);
    for (int n = 0; n < 2; ++n) {
        const __m512i l = load512(p + 64 * n);
        const __m512i h = twice(load256(p + 128 + 32 * n));
        c.q[2 * n] = _mm512_or_si512(_mm512_and_si512(l, low),
                                     _mm512_and_si512(_mm512_sllv_epi16(h, left), high));
        c.q[2 * n + 1] = _mm512_or_si512(_mm512_and_si512(_mm512_srli_epi16(l, 4), low),
                                         _mm512_and_si512(_mm512_srlv_epi16(h, right), high));
    }
    const __m512 d = _mm512_set1_ps(halfValue(loadAs<std::uint16_t>(p + 208)));
    c.scale = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(load128(p + 192))), d);
    c.offset = _mm512_mul_ps(c.scale, _mm512_set1_ps(-32.0f));
}

} // namespace
