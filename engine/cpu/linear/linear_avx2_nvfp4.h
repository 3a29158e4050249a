#pragma once
// Decoders with AVX2 instructions of NVFP4. Private to the including file (see tensor/unpack.h).
#include "engine/cpu/linear/linear_avx2_formats.h"

namespace {

/// Sixteen E4M3 without sign times a factor, halved; 0x7f is 0 (nvfp4Scale()).
inline void e4m3Groups(__m128i bytes, float factor, __m256 (&out)[2])
{
    const __m128i largest = _mm_set1_epi8(0x7f);
    const __m128i magnitude = _mm_and_si128(bytes, largest);
    const __m128i ordered =
        _mm_shuffle_epi8(_mm_andnot_si128(_mm_cmpeq_epi8(magnitude, largest), magnitude),
                         _mm_setr_epi8(0, 4, 8, 12, 3, 7, 11, 15, 1, 5, 9, 13, 2, 6, 10, 14));
    // As the top bits of F16, whose bias is 8 more.
    const __m256i halves = _mm256_slli_epi16(_mm256_cvtepu8_epi16(ordered), 7);
    const __m256 by = _mm256_set1_ps(128.0f * factor);
    out[0] = _mm256_mul_ps(_mm256_cvtph_ps(_mm256_castsi256_si128(halves)), by);
    out[1] = _mm256_mul_ps(_mm256_cvtph_ps(_mm256_extracti128_si256(halves, 1)), by);
}

/// 32 codes of two eights, of which the low nibbles come first.
inline __m256i fp4Eights(Bytes p)
{
    const __m256i twice = _mm256_permute4x64_epi64(_mm256_castsi128_si256(load128(p)), 0x50);
    const __m256i nibbles = _mm256_and_si256(
        _mm256_srlv_epi64(twice, _mm256_set_epi64x(4, 0, 4, 0)), _mm256_set1_epi8(15));
    const __m128i values = _mm_add_epi8(load128(kFp4Values), _mm_set1_epi8(kFp4Offset));
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(values), nibbles);
}

template <>
struct Registers<DType::NVFP4>
{
    static constexpr int kCentre = kFp4Offset;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups &g)
    {
        const auto at = [p](std::size_t b) { return loadAs<int>(p + 36 * b); };
        e4m3Groups(_mm_set_epi32(at(3), at(2), at(1), at(0)), 1.0f, g.scale);
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
#pragma GCC unroll 8
        for (int b = 0; b < 8; ++b)
            use(b, fp4Eights(p + b / 2 * 36 + 4 + b % 2 * 16));
    }
};

template <>
struct Registers<DType::NVFP4_F32>
{
    static constexpr int kCentre = kFp4Offset;
    static constexpr bool kSigned = false;
    static void groups(Bytes p, Groups &g)
    {
        e4m3Groups(load128(p + 4), loadAs<float>(p), g.scale);
    }
    template <typename Use>
    [[gnu::always_inline]] static void codes(Bytes p, const Use &use)
    {
#pragma GCC unroll 8
        for (int b = 0; b < 8; ++b)
            use(b, fp4Eights(p + 20 + 16 * b));
    }
};

} // namespace
