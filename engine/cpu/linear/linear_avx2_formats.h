#pragma once
// Decoders with AVX2 instructions to chunks in memory. Private to the including file (see
// tensor/unpack.h).
#include "engine/tensor/unpack.h"

#include <immintrin.h>

namespace {

inline __m256i load256(const void *p)
{
    return _mm256_loadu_si256(static_cast<const __m256i *>(p));
}
inline __m128i load128(const void *p)
{
    return _mm_loadu_si128(static_cast<const __m128i *>(p));
}
inline void put256(void *p, __m256i v)
{
    _mm256_storeu_si256(static_cast<__m256i *>(p), v);
}

/// Types without a decoder of their own here have the plain one.
template <DType Type>
inline void decode(Bytes p, Chunk &c)
{
    unpack<Type>(p, c);
}

template <std::size_t BlockBytes>
inline void eightHalves(Bytes p, float offset, Chunk &c)
{
    for (std::size_t b = 0; b < 8; ++b) {
        const float d = halfValue(loadAs<std::uint16_t>(p + b * BlockBytes));
        setGroup32(c, b, d, offset * d);
    }
}

template <>
inline void decode<DType::Q8_0>(Bytes p, Chunk &c)
{
    const __m256i flip = _mm256_set1_epi8(static_cast<char>(0x80));
    for (int b = 0; b < 8; ++b)
        put256(c.q + 32 * b, _mm256_xor_si256(load256(p + 34 * b + 2), flip));
    eightHalves<34>(p, -128.0f, c);
}

template <>
inline void decode<DType::Q4_0>(Bytes p, Chunk &c)
{
    const __m256i mask = _mm256_set1_epi8(15);
    for (int b = 0; b < 8; ++b) {
        const __m128i raw = load128(p + 18 * b + 2);
        put256(c.q + 32 * b, _mm256_and_si256(_mm256_set_m128i(_mm_srli_epi16(raw, 4), raw), mask));
    }
    eightHalves<18>(p, -8.0f, c);
}

inline void sixBitGroups(std::uint64_t eight, float factor, float *out)
{
    const __m128i bytes = _mm_cvtsi64_si128(static_cast<long long>(eight));
    const __m128i spread = _mm_unpacklo_epi8(bytes, bytes);
    const __m256 f = _mm256_set1_ps(factor);
    _mm256_store_ps(out, _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(spread)), f));
    _mm256_store_ps(
        out + 8,
        _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_srli_si128(spread, 8))), f));
}

inline void decodeSixBitGroups(Bytes p, Chunk &c)
{
    const SixBitPairs pairs = sixBitPairs(p + 4);
    sixBitGroups(pairs.scales, halfValue(loadAs<std::uint16_t>(p)), c.scale);
    sixBitGroups(pairs.minimums, -halfValue(loadAs<std::uint16_t>(p + 2)), c.offset);
}

template <>
inline void decode<DType::Q4_K>(Bytes p, Chunk &c)
{
    const __m256i mask = _mm256_set1_epi8(15);
    for (int j = 0; j < 4; ++j) {
        const __m256i raw = load256(p + 16 + 32 * j);
        put256(c.q + 64 * j, _mm256_and_si256(raw, mask));
        put256(c.q + 64 * j + 32, _mm256_and_si256(_mm256_srli_epi16(raw, 4), mask));
    }
    decodeSixBitGroups(p, c);
}

template <>
inline void decode<DType::Q5_K>(Bytes p, Chunk &c)
{
    const __m256i mask = _mm256_set1_epi8(15), sixteen = _mm256_set1_epi8(16);
    const __m256i fifth = load256(p + 16);
    __m256i bit = _mm256_set1_epi8(1);
    for (int j = 0; j < 4; ++j) {
        const __m256i raw = load256(p + 48 + 32 * j);
        const __m256i low = _mm256_cmpeq_epi8(_mm256_and_si256(fifth, bit), bit);
        bit = _mm256_add_epi8(bit, bit);
        const __m256i high = _mm256_cmpeq_epi8(_mm256_and_si256(fifth, bit), bit);
        bit = _mm256_add_epi8(bit, bit);
        put256(c.q + 64 * j,
               _mm256_or_si256(_mm256_and_si256(raw, mask), _mm256_and_si256(low, sixteen)));
        put256(c.q + 64 * j + 32, _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(raw, 4), mask),
                                                  _mm256_and_si256(high, sixteen)));
    }
    decodeSixBitGroups(p, c);
}

template <>
inline void decode<DType::Q6_K>(Bytes p, Chunk &c)
{
    const __m256i low = _mm256_set1_epi8(15), high = _mm256_set1_epi8(48);
    for (int n = 0; n < 2; ++n) {
        const __m256i l0 = load256(p + 64 * n), l1 = load256(p + 64 * n + 32);
        const __m256i h = load256(p + 128 + 32 * n);
        const auto put = [&](int at, __m256i nibbles, __m256i bits) {
            put256(c.q + 128 * n + at,
                   _mm256_or_si256(_mm256_and_si256(nibbles, low), _mm256_and_si256(bits, high)));
        };
        put(0, l0, _mm256_slli_epi16(h, 4));
        put(32, l1, _mm256_slli_epi16(h, 2));
        put(64, _mm256_srli_epi16(l0, 4), h);
        put(96, _mm256_srli_epi16(l1, 4), _mm256_srli_epi16(h, 2));
    }
    const __m256 d = _mm256_set1_ps(halfValue(loadAs<std::uint16_t>(p + 208)));
    const __m128i scales = load128(p + 192);
    const __m256 offset = _mm256_set1_ps(-32.0f);
    for (int h = 0; h < 2; ++h) {
        const __m256i wide = _mm256_cvtepi8_epi32(h == 0 ? scales : _mm_srli_si128(scales, 8));
        const __m256 scale = _mm256_mul_ps(_mm256_cvtepi32_ps(wide), d);
        _mm256_store_ps(c.scale + 8 * h, scale);
        _mm256_store_ps(c.offset + 8 * h, _mm256_mul_ps(scale, offset));
    }
}

// Bytes of the low nibbles, then of the high nibbles, of 16 bytes.
inline __m256i nibbles(Bytes p)
{
    const __m128i raw = load128(p);
    return _mm256_and_si256(_mm256_set_m128i(_mm_srli_epi16(raw, 4), raw), _mm256_set1_epi8(15));
}

inline __m256i lookUp(const std::int8_t *table, int offset, Bytes p)
{
    const __m128i values = _mm_add_epi8(load128(table), _mm_set1_epi8(static_cast<char>(offset)));
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(values), nibbles(p));
}

// 16 in each byte whose bit of the word is set.
inline __m256i fifthBits(std::uint32_t word)
{
    const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ull));
    const __m256i byteOf =
        _mm256_set_epi64x(0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
    const __m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(word)), byteOf);
    return _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit),
                            _mm256_set1_epi8(16));
}

template <>
inline void decode<DType::Q4_1>(Bytes p, Chunk &c)
{
    for (std::size_t b = 0; b < 8; ++b, p += 20) {
        put256(c.q + 32 * b, nibbles(p + 4));
        setGroup32(c, b, halfValue(loadAs<std::uint16_t>(p)),
                   halfValue(loadAs<std::uint16_t>(p + 2)));
    }
}

template <>
inline void decode<DType::Q5_0>(Bytes p, Chunk &c)
{
    eightHalves<22>(p, -16.0f, c);
    for (std::size_t b = 0; b < 8; ++b, p += 22)
        put256(c.q + 32 * b,
               _mm256_or_si256(nibbles(p + 6), fifthBits(loadAs<std::uint32_t>(p + 2))));
}

template <>
inline void decode<DType::Q5_1>(Bytes p, Chunk &c)
{
    for (std::size_t b = 0; b < 8; ++b, p += 24) {
        put256(c.q + 32 * b,
               _mm256_or_si256(nibbles(p + 8), fifthBits(loadAs<std::uint32_t>(p + 4))));
        setGroup32(c, b, halfValue(loadAs<std::uint16_t>(p)),
                   halfValue(loadAs<std::uint16_t>(p + 2)));
    }
}

template <>
inline void decode<DType::IQ4_NL>(Bytes p, Chunk &c)
{
    eightHalves<18>(p, -static_cast<float>(kIq4Offset), c);
    for (std::size_t b = 0; b < 8; ++b, p += 18)
        put256(c.q + 32 * b, lookUp(kIq4Values, kIq4Offset, p + 2));
}

template <>
inline void decode<DType::IQ4_XS>(Bytes p, Chunk &c)
{
    const float d = halfValue(loadAs<std::uint16_t>(p));
    const unsigned high = loadAs<std::uint16_t>(p + 2);
    const std::uint32_t low = loadAs<std::uint32_t>(p + 4);
    for (std::size_t b = 0; b < 8; ++b) {
        put256(c.q + 32 * b, lookUp(kIq4Values, kIq4Offset, p + 8 + 16 * b));
        const unsigned step = ((low >> (4 * b)) & 15u) | (((high >> (2 * b)) & 3u) << 4);
        const float scale = d * static_cast<float>(static_cast<int>(step) - 32);
        setGroup32(c, b, scale, -static_cast<float>(kIq4Offset) * scale);
    }
}

template <>
inline void decode<DType::MXFP4>(Bytes p, Chunk &c)
{
    for (std::size_t b = 0; b < 8; ++b, p += 17) {
        const float d = fp4Scale(p[0]);
        put256(c.q + 32 * b, lookUp(kFp4Values, kFp4Offset, p + 1));
        setGroup32(c, b, d, -static_cast<float>(kFp4Offset) * d);
    }
}

// Sixteen signed bytes times a factor.
inline void sixteenGroups(__m128i bytes, float factor, float *out)
{
    const __m256 f = _mm256_set1_ps(factor);
    const __m256i low = _mm256_cvtepi8_epi32(bytes);
    const __m256i high = _mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8));
    _mm256_store_ps(out, _mm256_mul_ps(_mm256_cvtepi32_ps(low), f));
    _mm256_store_ps(out + 8, _mm256_mul_ps(_mm256_cvtepi32_ps(high), f));
}

template <>
inline void decode<DType::Q2_K>(Bytes p, Chunk &c)
{
    const __m256i three = _mm256_set1_epi8(3);
    for (int n = 0; n < 2; ++n) {
        const __m256i raw = load256(p + 16 + 32 * n);
        put256(c.q + 128 * n, _mm256_and_si256(raw, three));
        put256(c.q + 128 * n + 32, _mm256_and_si256(_mm256_srli_epi16(raw, 2), three));
        put256(c.q + 128 * n + 64, _mm256_and_si256(_mm256_srli_epi16(raw, 4), three));
        put256(c.q + 128 * n + 96, _mm256_and_si256(_mm256_srli_epi16(raw, 6), three));
    }
    const __m128i scales = load128(p), mask = _mm_set1_epi8(15);
    sixteenGroups(_mm_and_si128(scales, mask), halfValue(loadAs<std::uint16_t>(p + 80)), c.scale);
    sixteenGroups(_mm_and_si128(_mm_srli_epi16(scales, 4), mask),
                  -halfValue(loadAs<std::uint16_t>(p + 82)), c.offset);
}

inline __m128i sixBitStepBytes(Bytes p)
{
    const SixBitSteps steps = sixBitSteps(p);
    return _mm_sub_epi8(
        _mm_set_epi64x(static_cast<long long>(steps.second), static_cast<long long>(steps.first)),
        _mm_set1_epi8(32));
}

template <>
inline void decode<DType::Q3_K>(Bytes p, Chunk &c)
{
    const __m256i three = _mm256_set1_epi8(3), four = _mm256_set1_epi8(4);
    const __m256i mask = load256(p);
    __m256i bit = _mm256_set1_epi8(1);
    for (int n = 0; n < 2; ++n) {
        __m256i raw = load256(p + 32 + 32 * n);
        for (int j = 0; j < 4; ++j) {
            const __m256i third = _mm256_cmpeq_epi8(_mm256_and_si256(mask, bit), bit);
            put256(c.q + 128 * n + 32 * j,
                   _mm256_or_si256(_mm256_and_si256(raw, three), _mm256_and_si256(third, four)));
            raw = _mm256_srli_epi16(raw, 2);
            bit = _mm256_add_epi8(bit, bit);
        }
    }
    const float d = halfValue(loadAs<std::uint16_t>(p + 108));
    const __m128i steps = sixBitStepBytes(p + 96);
    sixteenGroups(steps, d, c.scale);
    sixteenGroups(steps, -4.0f * d, c.offset);
}

} // namespace
