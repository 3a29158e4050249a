#pragma once
// Decoders with AVX2 instructions of the types of three values. Private to the including file (see
// tensor/unpack.h).
#include "engine/cpu/linear/linear_avx2_formats.h"

namespace {

/// One scale for all groups.
inline void oneScale(float scale, Groups &g)
{
    g.scale[0] = g.scale[1] = _mm256_set1_ps(scale);
}

template <>
struct Registers<DType::TQ2_0>
{
    static constexpr int kCentre = 1;
    static constexpr bool kSigned = false;
    static float scale(Bytes p) { return halfValue(loadAs<std::uint16_t>(p + 64)); }
    static void groups(Bytes p, Groups &g) { oneScale(scale(p), g); }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        const __m256i three = _mm256_set1_epi8(3);
#pragma GCC unroll 2
        for (int n = 0; n < 2; ++n) {
            const __m256i raw = load256(p + 32 * n);
            use(4 * n, _mm256_and_si256(raw, three));
            use(4 * n + 1, _mm256_and_si256(_mm256_srli_epi16(raw, 2), three));
            use(4 * n + 2, _mm256_and_si256(_mm256_srli_epi16(raw, 4), three));
            use(4 * n + 3, _mm256_and_si256(_mm256_srli_epi16(raw, 6), three));
        }
    }
};

/// Bytes times 3, the rest of their division by 256.
inline __m256i threefold(__m256i x)
{
    return _mm256_add_epi8(x, _mm256_add_epi8(x, x));
}
inline __m256i ninefold(__m256i x)
{
    return threefold(threefold(x));
}
/// ⌊3 · byte / 256⌋, the first digit to the base 3, as averages of complements: those round up.
inline __m256i firstDigits(__m256i bytes)
{
    const __m256i all = _mm256_set1_epi8(-1), rest = _mm256_xor_si256(bytes, all);
    const __m256i average = _mm256_avg_epu8(rest, _mm256_avg_epu8(rest, all));
    return _mm256_andnot_si256(_mm256_srli_epi16(average, 6), _mm256_set1_epi8(3));
}

// Each further digit of a byte is the first one of three times the byte; see unpackDigits().
template <>
struct Registers<DType::TQ1_0>
{
    static constexpr int kCentre = 1;
    static constexpr bool kSigned = false;
    static float scale(Bytes p) { return halfValue(loadAs<std::uint16_t>(p + 52)); }
    static void groups(Bytes p, Groups &g) { oneScale(scale(p), g); }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
        __m256i bytes = load256(p);
#pragma GCC unroll 5
        for (int digit = 0; digit < 5; ++digit) {
            use(digit, firstDigits(bytes));
            bytes = threefold(bytes);
        }
        // Of 16 bytes digits 0 and 1, then 2 and 3, then 4; then of four bytes digits 0 … 3.
        const __m256i sixteen = _mm256_broadcastsi128_si256(load128(p + 32));
        const __m256i first = _mm256_blend_epi32(sixteen, threefold(sixteen), 0xf0);
        const __m256i second = ninefold(first);
        use(5, firstDigits(first));
        use(6, firstDigits(second));
        const __m256i four = _mm256_set1_epi32(loadAs<int>(p + 48));
        const __m256i two = _mm256_blend_epi32(four, threefold(four), 0xaa);
        const __m256i fours = _mm256_blend_epi32(two, ninefold(two), 0xcc);
        use(7, firstDigits(_mm256_blend_epi32(ninefold(second), fours, 0xf0)));
    }
};

} // namespace
