#pragma once
// Decoders with AVX-512 instructions of NVFP4. Private to the including file (see tensor/unpack.h).
#include "engine/cpu/linear/linear_avx512_formats.h"

namespace {

/// Sixteen E4M3 without sign times a factor, halved; 0x7f is 0 (nvfp4Scale()).
inline __m512 e4m3Groups(__m128i bytes, float factor)
{
    const __m128i largest = _mm_set1_epi8(0x7f);
    const __m128i magnitude = _mm_and_si128(bytes, largest);
    const __m128i known = _mm_andnot_si128(_mm_cmpeq_epi8(magnitude, largest), magnitude);
    // As the top bits of F16, whose bias is 8 more.
    const __m256i halves = _mm256_slli_epi16(_mm256_cvtepu8_epi16(known), 7);
    return _mm512_mul_ps(_mm512_cvtph_ps(halves), _mm512_set1_ps(128.0f * factor));
}

/// 64 codes of four eights, of which the low nibbles come first.
inline __m512i fp4Eights(Bytes p)
{
    const __m512i twice = _mm512_permutexvar_epi64(_mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0),
                                                   _mm512_castsi256_si512(load256(p)));
    const __m512i nibbles = _mm512_and_si512(
        _mm512_srlv_epi64(twice, _mm512_set_epi64(4, 0, 4, 0, 4, 0, 4, 0)), _mm512_set1_epi8(15));
    const __m128i values = _mm_add_epi8(load128(kFp4Values), _mm_set1_epi8(kFp4Offset));
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(values), nibbles);
}

inline void decodeNvfp4(Bytes codes, std::size_t stride, __m512 scales, Decoded &c)
{
    for (std::size_t j = 0; j < 4; ++j)
        c.q[j] = fp4Eights(codes + j * stride);
    c.scale = scales;
    c.offset = _mm512_mul_ps(scales, _mm512_set1_ps(-static_cast<float>(kFp4Offset)));
}

template <>
[[gnu::always_inline]] inline void decode<DType::NVFP4>(Bytes p, Decoded &c)
{
    const auto at = [p](std::size_t b) { return loadAs<int>(p + 36 * b); };
    decodeNvfp4(p + 4, 36, e4m3Groups(_mm_set_epi32(at(3), at(2), at(1), at(0)), 1.0f), c);
}

template <>
[[gnu::always_inline]] inline void decode<DType::NVFP4_F32>(Bytes p, Decoded &c)
{
    decodeNvfp4(p + 20, 32, e4m3Groups(load128(p + 4), loadAs<float>(p)), c);
}

} // namespace
