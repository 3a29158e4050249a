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

/// Sums of neighbours in pairs of vectors, of pairs of those, then of 128-bit quarters.
__m512 sumsOf(const __m512 (&v)[16])
{
    __m512 s[8];
    for (int i = 0; i < 8; ++i) // a02 b02 a13 b13 in each quarter
        s[i] = _mm512_add_ps(_mm512_unpacklo_ps(v[2 * i], v[2 * i + 1]),
                             _mm512_unpackhi_ps(v[2 * i], v[2 * i + 1]));
    for (int i = 0; i < 4; ++i) {
        const __m512 a = s[2 * i], b = s[2 * i + 1];
        s[i] = _mm512_add_ps(_mm512_mask_blend_ps(0xcccc, a, b), _mm512_shuffle_ps(a, b, 0x4e));
    }
    for (int count = 2; count > 0; count /= 2)
        for (int i = 0; i < count; ++i) {
            const __m512 a = s[2 * i], b = s[2 * i + 1];
            s[i] =
                _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
        }
    return s[0];
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
