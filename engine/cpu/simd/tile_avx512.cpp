#include "engine/cpu/simd/tile_kernels.h"
#include "engine/tensor/blocks.h"

#if defined(__AVX512F__)
#include <immintrin.h>

namespace fireside {
namespace {

constexpr std::size_t kLanes = 16;
constexpr int kMaxRows = 6; // 6 × 4 accumulators + 4 of b + 1 broadcast fit in 32 registers

template <int Rows, int Vectors>
void block(float *c, std::size_t cStride, const float *a, std::size_t aStride, const float *b,
           std::size_t bStride, std::size_t k, bool accumulate)
{
    __m512 sum[Rows][Vectors];
    for (int r = 0; r < Rows; ++r)
        for (int v = 0; v < Vectors; ++v)
            sum[r][v] =
                accumulate ? _mm512_loadu_ps(c + r * cStride + v * kLanes) : _mm512_setzero_ps();
    for (std::size_t i = 0; i < k; ++i, b += bStride) {
        __m512 right[Vectors];
        for (int v = 0; v < Vectors; ++v)
            right[v] = _mm512_loadu_ps(b + v * kLanes);
        for (int r = 0; r < Rows; ++r) {
            const __m512 left = _mm512_set1_ps(a[r * aStride + i]);
            for (int v = 0; v < Vectors; ++v)
                sum[r][v] = _mm512_fmadd_ps(left, right[v], sum[r][v]);
        }
    }
    for (int r = 0; r < Rows; ++r)
        for (int v = 0; v < Vectors; ++v)
            _mm512_storeu_ps(c + r * cStride + v * kLanes, sum[r][v]);
}

using Block = decltype(&block<1, 1>);
template <int Rows>
constexpr Block kBlocksOfRows[4] = {block<Rows, 1>, block<Rows, 2>, block<Rows, 3>, block<Rows, 4>};
constexpr const Block *kBlocks[kMaxRows] = {kBlocksOfRows<1>, kBlocksOfRows<2>, kBlocksOfRows<3>,
                                            kBlocksOfRows<4>, kBlocksOfRows<5>, kBlocksOfRows<6>};

void multiply(float *c, std::size_t cStride, const float *a, std::size_t aStride, const float *b,
              std::size_t bStride, std::size_t m, std::size_t n, std::size_t k, bool accumulate)
{
    for (std::size_t j = 0; j < n; j += 4 * kLanes) {
        const std::size_t vectors = n - j < 4 * kLanes ? (n - j) / kLanes : 4;
        for (std::size_t i = 0; i < m; i += kMaxRows) {
            const std::size_t rows = m - i < kMaxRows ? m - i : kMaxRows;
            kBlocks[rows - 1][vectors - 1](c + i * cStride + j, cStride, a + i * aStride, aStride,
                                           b + j, bStride, k, accumulate);
        }
    }
}

__mmask16 tailMask(std::size_t n)
{
    return n >= kLanes ? static_cast<__mmask16>(0xffff) : static_cast<__mmask16>((1u << n) - 1u);
}

// Each type: bytes of a row of dim values, and 16 (or the first `left`) values from d on as floats.
struct RowsF32
{
    static std::size_t bytes(std::size_t dim) { return dim * 4; }
    static __m512 load(const std::byte *row, std::size_t d, std::size_t left)
    {
        return _mm512_maskz_loadu_ps(tailMask(left), row + d * 4);
    }
};
struct RowsF16
{
    static std::size_t bytes(std::size_t dim) { return dim * 2; }
    static __m512 load(const std::byte *row, std::size_t d, std::size_t left)
    {
        return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(tailMask(left), row + d * 2));
    }
};
struct RowsQ8_0 // dim is a multiple of 32: never a tail
{
    static std::size_t bytes(std::size_t dim) { return dim / 32 * sizeof(BlockQ8_0); }
    static __m512 load(const std::byte *row, std::size_t d, std::size_t)
    {
        const std::byte *block = row + d / 32 * sizeof(BlockQ8_0);
        std::uint16_t scale;
        __builtin_memcpy(&scale, block, sizeof scale);
        const __m128i q = _mm_loadu_si128(reinterpret_cast<const __m128i *>(block + 2 + d % 32));
        return _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(q)),
                             _mm512_set1_ps(_cvtsh_ss(scale)));
    }
};

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

template <typename Rows>
void loadKeys(float *tile, const std::byte *rows, std::size_t count, std::size_t dim)
{
    const std::size_t bytes = Rows::bytes(dim);
    for (std::size_t key = 0; key < count; key += kLanes) {
        for (std::size_t d = 0; d < dim; d += kLanes) {
            __m512 r[kLanes];
            for (std::size_t i = 0; i < kLanes; ++i)
                r[i] = key + i < count ? Rows::load(rows + (key + i) * bytes, d, dim - d)
                                       : _mm512_setzero_ps();
            transpose(r);
            const std::size_t used = dim - d < kLanes ? dim - d : kLanes;
            for (std::size_t i = 0; i < used; ++i)
                _mm512_storeu_ps(tile + (d + i) * kTileKeys + key, r[i]);
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
            _mm512_storeu_ps(tile + d,
                             d < dim ? Rows::load(rows, d, dim - d) : _mm512_setzero_ps());
}

} // namespace

const TileKernels &avx512TileKernels()
{
    static constexpr TileKernels kTable{Isa::Avx512,         multiply,
                                        loadKeys<RowsF32>,   loadKeys<RowsF16>,
                                        loadKeys<RowsQ8_0>,  loadValues<RowsF32>,
                                        loadValues<RowsF16>, loadValues<RowsQ8_0>};
    return kTable;
}

} // namespace fireside
#endif
