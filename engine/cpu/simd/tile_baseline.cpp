#include "engine/cpu/simd/tile_kernels.h"
#include "engine/tensor/blocks.h"
#include "engine/tensor/half.h"

#include <cstring>

namespace fireside {
namespace {

// The compilers' portable vectors: four floats are one register everywhere.
using Vec4 = float __attribute__((vector_size(16)));
constexpr int kVectors = static_cast<int>(kTileStep / 4);

Vec4 loadVec(const float *x)
{
    Vec4 v;
    std::memcpy(&v, x, sizeof v);
    return v;
}

template <int Rows>
void block(float *c, std::size_t cStride, const float *a, std::size_t aStride, const float *b,
           std::size_t bStride, std::size_t k, bool accumulate)
{
    Vec4 sum[Rows][kVectors];
    for (int r = 0; r < Rows; ++r)
        for (int v = 0; v < kVectors; ++v)
            sum[r][v] = accumulate ? loadVec(c + r * cStride + v * 4) : Vec4{};
    for (std::size_t i = 0; i < k; ++i, b += bStride)
        for (int v = 0; v < kVectors; ++v) {
            const Vec4 right = loadVec(b + v * 4);
            for (int r = 0; r < Rows; ++r)
                sum[r][v] += a[r * aStride + i] * right;
        }
    for (int r = 0; r < Rows; ++r)
        for (int v = 0; v < kVectors; ++v)
            std::memcpy(c + r * cStride + v * 4, &sum[r][v], sizeof(Vec4));
}

void multiply(float *c, std::size_t cStride, const float *a, std::size_t aStride, const float *b,
              std::size_t bStride, std::size_t m, std::size_t n, std::size_t k, bool accumulate)
{
    for (std::size_t j = 0; j < n; j += kTileStep) {
        std::size_t i = 0;
        for (; i + 2 <= m; i += 2)
            block<2>(c + i * cStride + j, cStride, a + i * aStride, aStride, b + j, bStride, k,
                     accumulate);
        if (i < m)
            block<1>(c + i * cStride + j, cStride, a + i * aStride, aStride, b + j, bStride, k,
                     accumulate);
    }
}

// Each type: bytes of a row of dim values, and value d of a row.
struct RowsF32
{
    static std::size_t bytes(std::size_t dim) { return dim * 4; }
    static float load(const std::byte *row, std::size_t d)
    {
        float x;
        std::memcpy(&x, row + d * 4, sizeof x);
        return x;
    }
};
struct RowsF16
{
    static std::size_t bytes(std::size_t dim) { return dim * 2; }
    static float load(const std::byte *row, std::size_t d)
    {
        std::uint16_t x;
        std::memcpy(&x, row + d * 2, sizeof x);
        return halfToFloat(x);
    }
};
struct RowsQ8_0
{
    static std::size_t bytes(std::size_t dim) { return dim / 32 * sizeof(BlockQ8_0); }
    static float load(const std::byte *row, std::size_t d)
    {
        BlockQ8_0 block;
        std::memcpy(&block, row + d / 32 * sizeof block, sizeof block);
        return static_cast<float>(block.qs[d % 32]) * halfToFloat(block.d);
    }
};

template <typename Rows>
void loadKeys(float *tile, const std::byte *rows, std::size_t count, std::size_t dim)
{
    const std::size_t bytes = Rows::bytes(dim);
    const std::size_t padded = (count + kTileStep - 1) / kTileStep * kTileStep;
    for (std::size_t key = 0; key < padded; ++key)
        for (std::size_t d = 0; d < dim; ++d)
            tile[d * kTileKeys + key] = key < count ? Rows::load(rows + key * bytes, d) : 0.0f;
}

template <typename Rows>
void loadValues(float *tile, std::size_t stride, const std::byte *rows, std::size_t count,
                std::size_t dim)
{
    const std::size_t bytes = Rows::bytes(dim);
    for (std::size_t key = 0; key < count; ++key, rows += bytes, tile += stride)
        for (std::size_t d = 0; d < stride; ++d)
            tile[d] = d < dim ? Rows::load(rows, d) : 0.0f;
}

template <typename Rows>
void scores(float *scores, std::size_t scoreStride, const float *queries, std::size_t m,
            const std::byte *rows, std::size_t count, std::size_t dim)
{
    for (std::size_t i = 0; i < count; ++i, rows += Rows::bytes(dim))
        for (std::size_t q = 0; q < m; ++q) {
            float sum = 0;
            for (std::size_t d = 0; d < dim; ++d)
                sum += queries[q * dim + d] * Rows::load(rows, d);
            scores[q * scoreStride + i] = sum;
        }
}

template <typename Rows>
void addValues(float *out, std::size_t outStride, const float *weights, std::size_t weightStride,
               std::size_t m, const std::byte *rows, std::size_t count, std::size_t dim,
               std::size_t n)
{
    for (std::size_t i = 0; i < count; ++i, rows += Rows::bytes(dim))
        for (std::size_t d = 0; d < n; ++d) {
            const float value = Rows::load(rows, d);
            for (std::size_t q = 0; q < m; ++q)
                out[q * outStride + d] += weights[q * weightStride + i] * value;
        }
}

template <typename Rows>
constexpr CacheKernels cacheKernels()
{
    return {loadKeys<Rows>, loadValues<Rows>, scores<Rows>, addValues<Rows>};
}

} // namespace

const TileKernels &baselineTileKernels()
{
    static constexpr TileKernels kTable{Isa::Baseline, multiply, cacheKernels<RowsF32>(),
                                        cacheKernels<RowsF16>(), cacheKernels<RowsQ8_0>()};
    return kTable;
}

} // namespace fireside
