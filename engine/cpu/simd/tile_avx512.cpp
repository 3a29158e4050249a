#if defined(__AVX512F__)
#include <immintrin.h>

namespace fireside {
namespace {

/// r[i][j] ↔ r[j][i]: pairs of floats, of doubles, then of 128-bit quarters.
void transpose(__m512 (&r)[16])
{
    __m512 t[16];
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < 16; i += 4)
        for (int j = 0; j < 2; ++j) {
            const __m512d even = _mm512_castps_pd(t[i + j]);
            const __m512d odd = _mm512_castps_pd(t[i + j + 2]);
            r[i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(even, odd));
            r[i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(even, odd));
        }
    // r[4g + c] now holds column c of each quarter, for rows 4g … 4g + 3.
    for (int c = 0; c < 4; ++c) {
        t[c] = _mm512_shuffle_f32x4(r[c], r[4 + c], 0x88);
        t[4 + c] = _mm512_shuffle_f32x4(r[c], r[4 + c], 0xdd);
        t[8 + c] = _mm512_shuffle_f32x4(r[8 + c], r[12 + c], 0x88);
        t[12 + c] = _mm512_shuffle_f32x4(r[8 + c], r[12 + c], 0xdd);
    }
    for (int c = 0; c < 4; ++c) {
        r[c] = _mm512_shuffle_f32x4(t[c], t[8 + c], 0x88);
        r[8 + c] = _mm512_shuffle_f32x4(t[c], t[8 + c], 0xdd);
        r[4 + c] = _mm512_shuffle_f32x4(t[4 + c], t[12 + c], 0x88);
        r[12 + c] = _mm512_shuffle_f32x4(t[4 + c], t[12 + c], 0xdd);
    }
}

/// Σ over the quarters of a and of b, in the quarters of one vector.
[[gnu::always_inline]] inline __m512 joinQuarters(__m512 a, __m512 b)
{
    return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
}
/// In each quarter the sums of that quarter of four vectors.
[[gnu::always_inline]] inline __m512 sumsOfFour(__m512 a, __m512 b, __m512 c, __m512 d)
{
    const __m512 ab = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
    const __m512 cd = _mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
    return _mm512_add_ps(_mm512_mask_blend_ps(0xcccc, ab, cd), _mm512_shuffle_ps(ab, cd, 0x4e));
}
[[gnu::always_inline]] inline __m512 sumsOf(const __m512 (&v)[16])
{
    const __m512 low =
        joinQuarters(sumsOfFour(v[0], v[1], v[2], v[3]), sumsOfFour(v[4], v[5], v[6], v[7]));
    const __m512 high =
        joinQuarters(sumsOfFour(v[8], v[9], v[10], v[11]), sumsOfFour(v[12], v[13], v[14], v[15]));
    return joinQuarters(low, high);
}

} // namespace
} // namespace fireside

#include "engine/cpu/simd/tile_loops.h"

namespace fireside {

const TileKernels &avx512TileKernels()
{
    static constexpr TileKernels kTable = tableFor(Isa::Avx512);
    return kTable;
}

} // namespace fireside
#endif
