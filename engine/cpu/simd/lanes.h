#pragma once
// A vector of floats of the widest registers that the including file is compiled for, so that loops
// are written once for AVX2, AVX-512 and, in lanes128.h, SSE4.1 and NEON. Private to the including
// file (see kernels.h). What takes n ≤ kLanes reads or writes only the first n; lanes beyond are
// zero. Halves are F16.
#include <cstddef>
#include <cstdint>

#if !defined(__AVX2__)
#include "engine/cpu/simd/lanes128.h"
#else
#include <immintrin.h>

namespace fireside {
namespace {

#if defined(__AVX512F__)

using Floats = __m512;
constexpr std::size_t kLanes = 16;
constexpr int kRegisters = 32;

inline __mmask16 firstLanes(std::size_t n)
{
    return n >= kLanes ? static_cast<__mmask16>(0xffff) : static_cast<__mmask16>((1u << n) - 1u);
}
inline Floats zeros()
{
    return _mm512_setzero_ps();
}
inline Floats broadcast(float x)
{
    return _mm512_set1_ps(x);
}
inline Floats load(const float *x)
{
    return _mm512_loadu_ps(x);
}
inline Floats load(const float *x, std::size_t n)
{
    return _mm512_maskz_loadu_ps(firstLanes(n), x);
}
inline void store(float *out, Floats v)
{
    _mm512_storeu_ps(out, v);
}
inline void store(float *out, Floats v, std::size_t n)
{
    _mm512_mask_storeu_ps(out, firstLanes(n), v);
}
inline Floats load(const std::uint16_t *x)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(x)));
}
inline Floats load(const std::uint16_t *x, std::size_t n)
{
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(firstLanes(n), x));
}
inline void store(std::uint16_t *out, Floats v)
{
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(out),
                        _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}
inline void store(std::uint16_t *out, Floats v, std::size_t n)
{
    _mm256_mask_storeu_epi16(out, firstLanes(n), _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}
inline Floats loadBytes(const void *x) // signed
{
    return _mm512_cvtepi32_ps(
        _mm512_cvtepi8_epi32(_mm_loadu_si128(static_cast<const __m128i *>(x))));
}
inline Floats broadcastHalf(const void *x)
{
    std::int16_t half;
    __builtin_memcpy(&half, x, sizeof half);
    return _mm512_cvtph_ps(_mm256_set1_epi16(half));
}
/// The first n lanes of v, and `other`.
inline Floats firstOf(Floats v, std::size_t n, Floats other)
{
    return _mm512_mask_blend_ps(firstLanes(n), other, v);
}
inline Floats multiplyAdd(Floats a, Floats b, Floats c)
{
    return _mm512_fmadd_ps(a, b, c);
}
inline Floats negatedMultiplyAdd(Floats a, Floats b, Floats c) // c − a·b
{
    return _mm512_fnmadd_ps(a, b, c);
}
inline Floats larger(Floats a, Floats b) // b where one of them is NaN
{
    return _mm512_max_ps(a, b);
}
inline Floats smaller(Floats a, Floats b) // b where one of them is NaN
{
    return _mm512_min_ps(a, b);
}
inline Floats rounded(Floats x)
{
    return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline Floats timesPowerOf2(Floats p, Floats n) // n whole; right for subnormal and infinite results
{
    return _mm512_scalef_ps(p, n);
}
inline float sumOf(Floats v)
{
    return _mm512_reduce_add_ps(v);
}
inline float largestOf(Floats v)
{
    return _mm512_reduce_max_ps(v);
}

#else

using Floats = __m256;
constexpr std::size_t kLanes = 8;
constexpr int kRegisters = 16;

inline __m256i firstLanes(std::size_t n)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), lane);
}
inline Floats zeros()
{
    return _mm256_setzero_ps();
}
inline Floats broadcast(float x)
{
    return _mm256_set1_ps(x);
}
inline Floats load(const float *x)
{
    return _mm256_loadu_ps(x);
}
inline Floats load(const float *x, std::size_t n)
{
    return _mm256_maskload_ps(x, firstLanes(n));
}
inline void store(float *out, Floats v)
{
    _mm256_storeu_ps(out, v);
}
inline void store(float *out, Floats v, std::size_t n)
{
    _mm256_maskstore_ps(out, firstLanes(n), v);
}
inline Floats load(const std::uint16_t *x)
{
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(x)));
}
inline Floats load(const std::uint16_t *x, std::size_t n)
{
    alignas(16) std::uint16_t lanes[kLanes] = {};
    __builtin_memcpy(lanes, x, n * sizeof(std::uint16_t));
    return load(lanes);
}
inline void store(std::uint16_t *out, Floats v)
{
    _mm_storeu_si128(reinterpret_cast<__m128i *>(out),
                     _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}
inline void store(std::uint16_t *out, Floats v, std::size_t n)
{
    alignas(16) std::uint16_t lanes[kLanes];
    store(lanes, v);
    __builtin_memcpy(out, lanes, n * sizeof(std::uint16_t));
}
inline Floats loadBytes(const void *x) // signed
{
    return _mm256_cvtepi32_ps(
        _mm256_cvtepi8_epi32(_mm_loadl_epi64(static_cast<const __m128i *>(x))));
}
inline Floats broadcastHalf(const void *x)
{
    std::int16_t half;
    __builtin_memcpy(&half, x, sizeof half);
    return _mm256_cvtph_ps(_mm_set1_epi16(half));
}
/// The first n lanes of v, and `other`.
inline Floats firstOf(Floats v, std::size_t n, Floats other)
{
    return _mm256_blendv_ps(other, v, _mm256_castsi256_ps(firstLanes(n)));
}
inline Floats multiplyAdd(Floats a, Floats b, Floats c)
{
    return _mm256_fmadd_ps(a, b, c);
}
inline Floats negatedMultiplyAdd(Floats a, Floats b, Floats c) // c − a·b
{
    return _mm256_fnmadd_ps(a, b, c);
}
inline Floats larger(Floats a, Floats b) // b where one of them is NaN
{
    return _mm256_max_ps(a, b);
}
inline Floats smaller(Floats a, Floats b) // b where one of them is NaN
{
    return _mm256_min_ps(a, b);
}
inline Floats rounded(Floats x)
{
    return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline Floats timesPowerOf2(Floats p, Floats n) // n whole; right for subnormal and infinite results
{
    // In two factors, each a normal number.
    const __m256i power = _mm256_cvtps_epi32(n);
    const __m256i half = _mm256_srai_epi32(power, 1), bias = _mm256_set1_epi32(127);
    const __m256i first = _mm256_slli_epi32(_mm256_add_epi32(half, bias), 23);
    const __m256i second =
        _mm256_slli_epi32(_mm256_add_epi32(_mm256_sub_epi32(power, half), bias), 23);
    p = _mm256_mul_ps(p, _mm256_castsi256_ps(first));
    return _mm256_mul_ps(p, _mm256_castsi256_ps(second));
}
inline float sumOf(Floats v)
{
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    s = _mm_add_ss(s, _mm_movehdup_ps(s));
    return _mm_cvtss_f32(s);
}
inline float largestOf(Floats v)
{
    __m128 m = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    m = _mm_max_ss(m, _mm_movehdup_ps(m));
    return _mm_cvtss_f32(m);
}

#endif

/// v, which the compiler then has in a register.
inline Floats kept(Floats v)
{
    asm("" : "+v"(v));
    return v;
}

} // namespace
} // namespace fireside
#endif
