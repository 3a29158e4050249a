#if defined(__AVX2__)
#include <immintrin.h>

namespace fireside {
namespace {

/// r[i][j] ↔ r[j][i]: pairs of floats, of doubles, then of 128-bit halves.
void transpose(__m256 (&r)[8])
{
    __m256 t[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    __m256 u[8];
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; ++j) {
            const __m256d even = _mm256_castps_pd(t[i + j]);
            const __m256d odd = _mm256_castps_pd(t[i + j + 2]);
            u[i + 2 * j] = _mm256_castpd_ps(_mm256_unpacklo_pd(even, odd));
            u[i + 2 * j + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(even, odd));
        }
    for (int c = 0; c < 4; ++c) {
        r[c] = _mm256_permute2f128_ps(u[c], u[4 + c], 0x20);
        r[4 + c] = _mm256_permute2f128_ps(u[c], u[4 + c], 0x31);
    }
}

/// Sums of neighbours in pairs of vectors, of pairs of those, then of 128-bit halves.
__m256 sumsOf(const __m256 (&v)[8])
{
    __m256 s[4];
    for (int i = 0; i < 4; ++i) // a02 b02 a13 b13 in each half
        s[i] = _mm256_add_ps(_mm256_unpacklo_ps(v[2 * i], v[2 * i + 1]),
                             _mm256_unpackhi_ps(v[2 * i], v[2 * i + 1]));
    for (int i = 0; i < 2; ++i) {
        const __m256 a = s[2 * i], b = s[2 * i + 1];
        s[i] = _mm256_add_ps(_mm256_blend_ps(a, b, 0xcc), _mm256_shuffle_ps(a, b, 0x4e));
    }
    return _mm256_add_ps(_mm256_blend_ps(s[0], s[1], 0xf0),
                         _mm256_permute2f128_ps(s[0], s[1], 0x21));
}

} // namespace
} // namespace fireside

#include "engine/cpu/simd/tile_loops.h"

namespace fireside {

const TileKernels &avx2TileKernels()
{
    static constexpr TileKernels kTable = tableFor(Isa::Avx2);
    return kTable;
}

} // namespace fireside
#endif
