#pragma once
// Bytes in registers of 128 bits and sums of their products, for SSE4.1 (with the instructions of
// SSSE3 that it includes) and NEON. Private to the including file (see kernels.h).
#include "engine/cpu/simd/lanes128.h"

namespace fireside {
namespace {

/// Sixteen bytes; they may stand for signed ones.
using Codes = std::uint8_t __attribute__((vector_size(16)));
using Shorts = std::int16_t __attribute__((vector_size(16)));

inline Codes load16(const void *p)
{
    Codes v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
inline void put16(void *p, Codes v)
{
    __builtin_memcpy(p, &v, sizeof v);
}
inline Codes allCodes(int code)
{
    return Codes{} + static_cast<std::uint8_t>(code);
}

#if defined(__aarch64__)

/// Each byte shifted; what comes in from its neighbours is to be masked out.
template <int Bits>
inline Codes shiftedRight(Codes v)
{
    return v >> Bits;
}
template <int Bits>
inline Codes shiftedLeft(Codes v)
{
    return v << Bits;
}
/// table[i], i < 16.
inline Codes lookUp(Codes table, Codes i)
{
    return as<Codes>(vqtbl1q_u8(as<uint8x16_t>(table), as<uint8x16_t>(i)));
}

/// Σ of the products of each four. Codes are below 128, or signed.
template <bool Signed>
inline Ints dot(Codes q, Codes x)
{
    return as<Ints>(vdotq_s32(vdupq_n_s32(0), as<int8x16_t>(q), as<int8x16_t>(x)));
}
/// The same of two times sixteen, of codes of so many bits.
template <bool Signed, int Bits>
inline Ints dot(Codes q0, Codes x0, Codes q1, Codes x1)
{
    const int32x4_t first = vdotq_s32(vdupq_n_s32(0), as<int8x16_t>(q0), as<int8x16_t>(x0));
    return as<Ints>(vdotq_s32(first, as<int8x16_t>(q1), as<int8x16_t>(x1)));
}
/// Σ of each.
inline Ints joined(Ints a, Ints b, Ints c, Ints d)
{
    const int32x4_t first = vpaddq_s32(as<int32x4_t>(a), as<int32x4_t>(b));
    return as<Ints>(vpaddq_s32(first, vpaddq_s32(as<int32x4_t>(c), as<int32x4_t>(d))));
}

/// Whether sums of products of tiles are of pairs in 16 bits where that is enough.
constexpr bool kPairSums = false;
/// sum + products of each four.
template <bool Signed>
inline Ints addProducts(Ints sum, Codes q, Codes x)
{
    return as<Ints>(vdotq_s32(as<int32x4_t>(sum), as<int8x16_t>(q), as<int8x16_t>(x)));
}
template <bool Signed>
inline Ints totals(Ints sums)
{
    return sums;
}

#if defined(__ARM_FEATURE_MATMUL_INT8)
/// sum + a · bᵀ: a and b [2, 8], sum [2, 2].
inline Ints addMatrix(Ints sum, Codes a, Codes b)
{
    return as<Ints>(vmmlaq_s32(as<int32x4_t>(sum), as<int8x16_t>(a), as<int8x16_t>(b)));
}
#endif

/// As bytes, with saturation.
inline Codes narrowed(Ints a, Ints b, Ints c, Ints d)
{
    const auto half = [](Ints low, Ints high) {
        return vqmovn_s16(
            vcombine_s16(vqmovn_s32(as<int32x4_t>(low)), vqmovn_s32(as<int32x4_t>(high))));
    };
    return as<Codes>(vcombine_s8(half(a, b), half(c, d)));
}
/// Sixteen signed bytes as floats.
inline void widened(Codes bytes, Floats (&out)[4])
{
    const int16x8_t low = vmovl_s8(vget_low_s8(as<int8x16_t>(bytes)));
    const int16x8_t high = vmovl_high_s8(as<int8x16_t>(bytes));
    out[0] = vcvtq_f32_s32(vmovl_s16(vget_low_s16(low)));
    out[1] = vcvtq_f32_s32(vmovl_high_s16(low));
    out[2] = vcvtq_f32_s32(vmovl_s16(vget_low_s16(high)));
    out[3] = vcvtq_f32_s32(vmovl_high_s16(high));
}
/// Sums of each two signed bytes.
inline Shorts pairsOf(Codes bytes)
{
    return as<Shorts>(vpaddlq_s8(as<int8x16_t>(bytes)));
}

#else

/// Each byte shifted; what comes in from its neighbours is to be masked out.
template <int Bits>
inline Codes shiftedRight(Codes v)
{
    return as<Codes>(_mm_srli_epi16(as<__m128i>(v), Bits));
}
template <int Bits>
inline Codes shiftedLeft(Codes v)
{
    return as<Codes>(_mm_slli_epi16(as<__m128i>(v), Bits));
}
/// table[i], i < 16.
inline Codes lookUp(Codes table, Codes i)
{
    return as<Codes>(_mm_shuffle_epi8(as<__m128i>(table), as<__m128i>(i)));
}

/// Σ of the products of each two in 16 bits: as many as 128·127·2. Signed codes as their size, and
/// their sign with x.
template <bool Signed>
inline __m128i products(Codes q, Codes x)
{
    const __m128i codes = as<__m128i>(q), by = as<__m128i>(x);
    if constexpr (Signed)
        return _mm_maddubs_epi16(_mm_abs_epi8(codes), _mm_sign_epi8(by, codes));
    return _mm_maddubs_epi16(codes, by);
}
inline Ints pairsToLanes(__m128i pairs)
{
    return as<Ints>(_mm_madd_epi16(pairs, _mm_set1_epi16(1)));
}
/// Σ of the products of each four. Codes are below 128, or signed.
template <bool Signed>
inline Ints dot(Codes q, Codes x)
{
    return pairsToLanes(products<Signed>(q, x));
}
/// The same of two times sixteen, of codes of so many bits.
template <bool Signed, int Bits>
inline Ints dot(Codes q0, Codes x0, Codes q1, Codes x1)
{
    const __m128i first = products<Signed>(q0, x0), second = products<Signed>(q1, x1);
    if constexpr (Bits <= 6) // 63·127·4 < 2¹⁵
        return pairsToLanes(_mm_add_epi16(first, second));
    return pairsToLanes(first) + pairsToLanes(second);
}
/// Σ of each.
inline Ints joined(Ints a, Ints b, Ints c, Ints d)
{
    const __m128i first = _mm_hadd_epi32(as<__m128i>(a), as<__m128i>(b));
    return as<Ints>(_mm_hadd_epi32(first, _mm_hadd_epi32(as<__m128i>(c), as<__m128i>(d))));
}

/// Whether sums of products of tiles are of pairs in 16 bits where that is enough.
constexpr bool kPairSums = true;
/// sum + products: of unsigned codes of each two, in 16 bits; of signed ones of each four.
template <bool Signed>
inline Ints addProducts(Ints sum, Codes q, Codes x)
{
    if constexpr (Signed)
        return sum + dot<true>(q, x);
    return as<Ints>(_mm_add_epi16(as<__m128i>(sum), products<false>(q, x)));
}
template <bool Signed>
inline Ints totals(Ints sums)
{
    return Signed ? sums : pairsToLanes(as<__m128i>(sums));
}

/// As bytes, with saturation.
inline Codes narrowed(Ints a, Ints b, Ints c, Ints d)
{
    const __m128i low = _mm_packs_epi32(as<__m128i>(a), as<__m128i>(b));
    return as<Codes>(_mm_packs_epi16(low, _mm_packs_epi32(as<__m128i>(c), as<__m128i>(d))));
}
/// Sixteen signed bytes as floats.
inline void widened(Codes bytes, Floats (&out)[4])
{
    const __m128i v = as<__m128i>(bytes);
    out[0] = _mm_cvtepi32_ps(_mm_cvtepi8_epi32(v));
    out[1] = _mm_cvtepi32_ps(_mm_cvtepi8_epi32(_mm_srli_si128(v, 4)));
    out[2] = _mm_cvtepi32_ps(_mm_cvtepi8_epi32(_mm_srli_si128(v, 8)));
    out[3] = _mm_cvtepi32_ps(_mm_cvtepi8_epi32(_mm_srli_si128(v, 12)));
}
/// Sums of each two signed bytes.
inline Shorts pairsOf(Codes bytes)
{
    return as<Shorts>(_mm_maddubs_epi16(_mm_set1_epi8(1), as<__m128i>(bytes)));
}

#endif

} // namespace
} // namespace fireside
