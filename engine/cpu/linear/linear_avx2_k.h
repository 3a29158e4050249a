#pragma once
// Decoders with AVX2 instructions of the K types. Private to the including file (see
// tensor/unpack.h).
#include "engine/cpu/linear/linear_avx2_formats.h"

#include <type_traits>

namespace {

// Scales and minimums of eight groups in six bits each, as in SixBitPairs.
inline void allSixBitGroups(Bytes p, Groups &g)
{
    const std::uint64_t both = loadAs<std::uint64_t>(p + 4);
    const std::uint64_t rest = loadAs<std::uint32_t>(p + 12);
    const std::uint64_t high =
        ((rest | rest << 28) & 0x0f0f0f0f0f0f0f0full) | ((both >> 2) & 0x3030303030303030ull);
    const __m256i bytes = _mm256_broadcastsi128_si256(
        _mm_unpacklo_epi32(_mm_cvtsi64_si128(static_cast<long long>(both & 0x3f3f3f3f3f3f3f3full)),
                           _mm_cvtsi64_si128(static_cast<long long>(high))));
    const __m256 factors = _mm256_xor_ps(_mm256_cvtph_ps(_mm_set1_epi32(loadAs<int>(p))),
                                         _mm256_setr_ps(0, -0.0f, 0, -0.0f, 0, -0.0f, 0, -0.0f));
    const auto wide = [bytes](char first, __m256 factor) { // from it on, the even ones first
        const __m256i places =
            _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7); // in the lowest byte of each
        const __m256i order =
            _mm256_or_si256(places, _mm256_set1_epi32(static_cast<int>(0x80808000u | first)));
        return _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_shuffle_epi8(bytes, order)), factor);
    };
    g.scale[0] = g.scale[1] = wide(0, _mm256_moveldup_ps(factors));
    g.offset[0] = g.offset[1] = wide(8, _mm256_movehdup_ps(factors));
}

template <>
struct Registers<DType::Q4_K>
{
    static constexpr int kCentre = 0;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups &g) { allSixBitGroups(p, g); }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        const __m256i mask = _mm256_set1_epi8(15);
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
            const __m256i raw = load256(p + 16 + 32 * j);
            use(2 * j, _mm256_and_si256(raw, mask));
            use(2 * j + 1, _mm256_and_si256(_mm256_srli_epi16(raw, 4), mask));
        }
    }
    template <typename Use>
    [[gnu::always_inline]] static void fours(Bytes p, const Use &use)
    {
        const __m256i mask = _mm256_set1_epi8(15);
        const __m256i lowThenHigh = _mm256_setr_epi32(0, 0, 0, 0, 4, 4, 4, 4);
        __m256i raw[4] = {load256(p + 16), load256(p + 48), load256(p + 80), load256(p + 112)};
        transpose4(raw);
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
            use(0, i, _mm256_and_si256(_mm256_srlv_epi32(raw[i], lowThenHigh), mask));
            use(1, i, _mm256_and_si256(_mm256_srlv_epi32(swapHalves(raw[i]), lowThenHigh), mask));
        }
    }
};

template <>
struct Registers<DType::Q5_K>
{
    static constexpr int kCentre = 0;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups &g) { allSixBitGroups(p, g); }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        const __m256i mask = _mm256_set1_epi8(15), sixteen = _mm256_set1_epi8(16);
        const __m256i fifth = load256(p + 16);
        const auto bit = [&](int b) { // the b-th of each byte, as 16
            return _mm256_and_si256(
                b < 4 ? _mm256_slli_epi16(fifth, 4 - b) : _mm256_srli_epi16(fifth, b - 4), sixteen);
        };
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
            const __m256i raw = load256(p + 48 + 32 * j);
            use(2 * j, _mm256_or_si256(_mm256_and_si256(raw, mask), bit(2 * j)));
            use(2 * j + 1,
                _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(raw, 4), mask), bit(2 * j + 1)));
        }
    }
    template <typename Use>
    [[gnu::always_inline]] static void fours(Bytes p, const Use &use)
    {
        const __m256i mask = _mm256_set1_epi8(15), sixteen = _mm256_set1_epi8(16);
        const __m256i lowThenHigh = _mm256_setr_epi32(0, 0, 0, 0, 4, 4, 4, 4);
        __m256i raw[4] = {load256(p + 48), load256(p + 80), load256(p + 112), load256(p + 144)};
        transpose4(raw);
        // Of each byte, bit b of the b-th 32 becomes 16: of the first four from what is shifted.
        const __m256i bit = _mm256_setr_epi32(0, 2, 0, 2, 1, 3, 1, 3);
        const __m256i last = load256(p + 16), first = _mm256_slli_epi32(last, 4);
        const auto join = [&](__m256i nibbles, __m256 fifths) __attribute__((always_inline))
        {
            return _mm256_or_si256(
                _mm256_and_si256(_mm256_srlv_epi32(nibbles, lowThenHigh), mask),
                _mm256_and_si256(_mm256_srlv_epi32(_mm256_castps_si256(fifths), bit), sixteen));
        };
        const auto both = [&]<int I>(std::integral_constant<int, I>) __attribute__((always_inline))
        {
            const auto fifths = [](__m256i a, __m256i b) {
                return _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), I * 0x55);
            };
            use(0, I, join(raw[I], fifths(first, last)));
            use(1, I, join(swapHalves(raw[I]), fifths(swapHalves(first), swapHalves(last))));
        };
        both(std::integral_constant<int, 0>{});
        both(std::integral_constant<int, 1>{});
        both(std::integral_constant<int, 2>{});
        both(std::integral_constant<int, 3>{});
    }
};

// Sixteen signed bytes times a factor.
inline void sixteenGroups(__m128i bytes, float factor, __m256 (&out)[2])
{
    bytes = _mm_shuffle_epi8(bytes,
                             _mm_setr_epi8(0, 4, 8, 12, 3, 7, 11, 15, 1, 5, 9, 13, 2, 6, 10, 14));
    const __m256 f = _mm256_set1_ps(factor);
    const __m256i low = _mm256_cvtepi8_epi32(bytes);
    const __m256i high = _mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8));
    out[0] = _mm256_mul_ps(_mm256_cvtepi32_ps(low), f);
    out[1] = _mm256_mul_ps(_mm256_cvtepi32_ps(high), f);
}

template <>
struct Registers<DType::Q6_K>
{
    static constexpr int kCentre = 32;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups &g)
    {
        sixteenGroups(load128(p + 192), halfValue(loadAs<std::uint16_t>(p + 208)), g.scale);
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        const __m256i low = _mm256_set1_epi8(15), high = _mm256_set1_epi8(48);
        const auto join = [&](__m256i four, __m256i two) {
            return _mm256_or_si256(_mm256_and_si256(four, low), _mm256_and_si256(two, high));
        };
#pragma GCC unroll 2
        for (int n = 0; n < 2; ++n) {
            const __m256i l0 = load256(p + 64 * n), l1 = load256(p + 64 * n + 32);
            const __m256i h = load256(p + 128 + 32 * n);
            use(4 * n, join(l0, _mm256_slli_epi16(h, 4)));
            use(4 * n + 1, join(l1, _mm256_slli_epi16(h, 2)));
            use(4 * n + 2, join(_mm256_srli_epi16(l0, 4), h));
            use(4 * n + 3, join(_mm256_srli_epi16(l1, 4), _mm256_srli_epi16(h, 2)));
        }
    }
};

template <>
struct Registers<DType::Q2_K>
{
    static constexpr int kCentre = 0;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups &g)
    {
        const __m128i scales = load128(p), mask = _mm_set1_epi8(15);
        sixteenGroups(_mm_and_si128(scales, mask), halfValue(loadAs<std::uint16_t>(p + 80)),
                      g.scale);
        sixteenGroups(_mm_and_si128(_mm_srli_epi16(scales, 4), mask),
                      -halfValue(loadAs<std::uint16_t>(p + 82)), g.offset);
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        const __m256i three = _mm256_set1_epi8(3);
#pragma GCC unroll 2
        for (int n = 0; n < 2; ++n) {
            const __m256i raw = load256(p + 16 + 32 * n);
            use(4 * n, _mm256_and_si256(raw, three));
            use(4 * n + 1, _mm256_and_si256(_mm256_srli_epi16(raw, 2), three));
            use(4 * n + 2, _mm256_and_si256(_mm256_srli_epi16(raw, 4), three));
            use(4 * n + 3, _mm256_and_si256(_mm256_srli_epi16(raw, 6), three));
        }
    }
};

inline __m128i sixBitStepBytes(Bytes p)
{
    const SixBitSteps steps = sixBitSteps(p);
    return _mm_sub_epi8(
        _mm_set_epi64x(static_cast<long long>(steps.second), static_cast<long long>(steps.first)),
        _mm_set1_epi8(32));
}

template <>
struct Registers<DType::Q3_K>
{
    static constexpr int kCentre = 4;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups &g)
    {
        sixteenGroups(sixBitStepBytes(p + 96), halfValue(loadAs<std::uint16_t>(p + 108)), g.scale);
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        const __m256i three = _mm256_set1_epi8(3), four = _mm256_set1_epi8(4);
        const __m256i third = load256(p);
#pragma GCC unroll 8
        for (int b = 0; b < 8; ++b) {
            const __m256i low = _mm256_srli_epi16(load256(p + 32 + 32 * (b / 4)), 2 * (b % 4));
            const __m256i high =
                b < 2 ? _mm256_slli_epi16(third, 2 - b) : _mm256_srli_epi16(third, b - 2);
            use(b, _mm256_or_si256(_mm256_and_si256(low, three), _mm256_and_si256(high, four)));
        }
    }
};

} // namespace
