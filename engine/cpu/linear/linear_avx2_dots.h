#pragma once
// Products of bytes in 256-bit registers: a multiply-add to 16 bits followed by one to 32, or the
// one instruction of AVX-VNNI. FIRESIDE_BYTE_DOTS makes the kernels for that one of AVX2, for
// tests. Private to the including file (see tensor/unpack.h).
#include <immintrin.h>

namespace {

#if defined(__AVXVNNI__) || defined(FIRESIDE_BYTE_DOTS)
constexpr bool kByteDots = true; // addDot4() is the way to multiply
#else
constexpr bool kByteDots = false;
#endif

inline __m256i pairsToLanes(__m256i pairs)
{
    return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

/// sum + Σ of four unsigned·signed byte products per lane, exactly.
inline __m256i addDot4(__m256i sum, __m256i q, __m256i a)
{
#if defined(__AVXVNNI__)
    return _mm256_dpbusd_avx_epi32(sum, q, a);
#else
    // Two products of codes above 127 would saturate 16 bits.
    const __m256i low = _mm256_set1_epi16(0x00ff);
    const __m256i even = _mm256_maddubs_epi16(_mm256_and_si256(q, low), a);
    const __m256i odd = _mm256_maddubs_epi16(_mm256_andnot_si256(low, q), a);
    return _mm256_add_epi32(sum, _mm256_add_epi32(pairsToLanes(even), pairsToLanes(odd)));
#endif
}

/// Σ of four products per lane. Wide: q may exceed 127.
template <bool Wide>
inline __m256i dot4(__m256i q, __m256i a)
{
    if constexpr (Wide || kByteDots)
        return addDot4(_mm256_setzero_si256(), q, a);
    return pairsToLanes(_mm256_maddubs_epi16(q, a));
}

} // namespace
