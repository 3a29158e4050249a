#include "engine/cpu/simd/tile_kernels.h"
#include "engine/tensor/blocks.h"

#if defined(__AVX2__)
#include <immintrin.h>

namespace fireside {
namespace {

constexpr std::size_t kLanes = 8;
constexpr int kMaxRows = 6; // 6 × 2 accumulators + 2 of b + 1 broadcast fit in 16 registers

template <int Rows>
void block(float *c, std::size_t cStride, const float *a, std::size_t aStride, const float *b,
           std::size_t bStride, std::size_t k, bool accumulate)
{
    __m256 low[Rows], high[Rows];
    for (int r = 0; r < Rows; ++r) {
        low[r] = accumulate ? _mm256_loadu_ps(c + r * cStride) : _mm256_setzero_ps();
        high[r] = accumulate ? _mm256_loadu_ps(c + r * cStride + kLanes) : _mm256_setzero_ps();
    }
    for (std::size_t i = 0; i < k; ++i, b += bStride) {
        const __m256 rightLow = _mm256_loadu_ps(b);
        const __m256 rightHigh = _mm256_loadu_ps(b + kLanes);
        for (int r = 0; r < Rows; ++r) {
            const __m256 left = _mm256_broadcast_ss(a + r * aStride + i);
            low[r] = _mm256_fmadd_ps(left, rightLow, low[r]);
            high[r] = _mm256_fmadd_ps(left, rightHigh, high[r]);
        }
    }
    for (int r = 0; r < Rows; ++r) {
        _mm256_storeu_ps(c + r * cStride, low[r]);
        _mm256_storeu_ps(c + r * cStride + kLanes, high[r]);
    }
}

using Block = decltype(&block<1>);
constexpr Block kBlocks[kMaxRows] = {block<1>, block<2>, block<3>, block<4>, block<5>, block<6>};

void multiply(float *c, std::size_t cStride, const float *a, std::size_t aStride, const float *b,
              std::size_t bStride, std::size_t m, std::size_t n, std::size_t k, bool accumulate)
{
    for (std::size_t j = 0; j < n; j += kTileStep) {
        for (std::size_t i = 0; i < m; i += kMaxRows) {
            const std::size_t rows = m - i < kMaxRows ? m - i : kMaxRows;
            kBlocks[rows - 1](c + i * cStride + j, cStride, a + i * aStride, aStride, b + j,
                              bStride, k, accumulate);
        }
    }
}

// Each type: bytes of a row of dim values, and 8 (or the first `left`) values from d on as floats.
struct RowsF32
{
    static std::size_t bytes(std::size_t dim) { return dim * 4; }
    static __m256 load(const std::byte *row, std::size_t d, std::size_t left)
    {
        const float *x = reinterpret_cast<const float *>(row) + d;
        if (left >= kLanes)
            return _mm256_loadu_ps(x);
        const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        const __m256i limit = _mm256_set1_epi32(static_cast<int>(left));
        return _mm256_maskload_ps(x, _mm256_cmpgt_epi32(limit, lane));
    }
};
struct RowsF16
{
    static std::size_t bytes(std::size_t dim) { return dim * 2; }
    static __m256 load(const std::byte *row, std::size_t d, std::size_t left)
    {
        const std::byte *x = row + d * 2;
        if (left >= kLanes)
            return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(x)));
        alignas(16) std::uint16_t lanes[kLanes] = {};
        __builtin_memcpy(lanes, x, left * 2);
        return _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i *>(lanes)));
    }
};
struct RowsQ8_0 // dim is a multiple of 32: never a tail
{
    static std::size_t bytes(std::size_t dim) { return dim / 32 * sizeof(BlockQ8_0); }
    static __m256 load(const std::byte *row, std::size_t d, std::size_t)
    {
        const std::byte *block = row + d / 32 * sizeof(BlockQ8_0);
        std::uint16_t scale;
        __builtin_memcpy(&scale, block, sizeof scale);
        const __m128i q = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(block + 2 + d % 32));
        return _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(q)),
                             _mm256_set1_ps(_cvtsh_ss(scale)));
    }
};

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

template <typename Rows>
void loadKeys(float *tile, const std::byte *rows, std::size_t count, std::size_t dim)
{
    const std::size_t bytes = Rows::bytes(dim);
    const std::size_t padded = (count + kTileStep - 1) / kTileStep * kTileStep;
    for (std::size_t key = 0; key < padded; key += kLanes) {
        for (std::size_t d = 0; d < dim; d += kLanes) {
            __m256 r[kLanes];
            for (std::size_t i = 0; i < kLanes; ++i)
                r[i] = key + i < count ? Rows::load(rows + (key + i) * bytes, d, dim - d)
                                       : _mm256_setzero_ps();
            transpose(r);
            const std::size_t used = dim - d < kLanes ? dim - d : kLanes;
            for (std::size_t i = 0; i < used; ++i)
                _mm256_storeu_ps(tile + (d + i) * kTileKeys + key, r[i]);
        }
    }
}

template <typename Rows>
void loadValues(float *tile, std::size_t stride, const std::byte *rows, std::size_t count,
                std::size_t dim)
{
    const std::size_t bytes = Rows::bytes(dim);
    for (std::size_t key = 0; key < count; ++key, rows += bytes, tile += stride)
        for (std::size_t d = 0; d < stride; d += kLanes)
            _mm256_storeu_ps(tile + d,
                             d < dim ? Rows::load(rows, d, dim - d) : _mm256_setzero_ps());
}

} // namespace

const TileKernels &avx2TileKernels()
{
    static constexpr TileKernels kTable{Isa::Avx2,           multiply,
                                        loadKeys<RowsF32>,   loadKeys<RowsF16>,
                                        loadKeys<RowsQ8_0>,  loadValues<RowsF32>,
                                        loadValues<RowsF16>, loadValues<RowsQ8_0>};
    return kTable;
}

} // namespace fireside
#endif
