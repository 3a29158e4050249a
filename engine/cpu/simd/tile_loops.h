#pragma once
// The loops of TileKernels for the including file's instruction set, which defines
// transpose(Floats (&)[kLanes]).
#include "engine/cpu/simd/lanes.h"
#include "engine/cpu/simd/tile_kernels.h"
#include "engine/tensor/blocks.h"

namespace fireside {
namespace {

constexpr int kMaxRows = 6;
/// kMaxRows times so many sums, so many vectors of b and a broadcast fit in the registers.
constexpr int kMaxVectors = kRegisters / 8;

template <int Rows, int Vectors>
void block(float *c, std::size_t cStride, const float *a, std::size_t aStride, const float *b,
           std::size_t bStride, std::size_t k, bool accumulate)
{
    Floats sum[Rows][Vectors];
    for (int r = 0; r < Rows; ++r)
        for (int v = 0; v < Vectors; ++v)
            sum[r][v] = accumulate ? load(c + r * cStride + v * kLanes) : zeros();
    for (std::size_t i = 0; i < k; ++i, b += bStride) {
        Floats right[Vectors];
        for (int v = 0; v < Vectors; ++v)
            right[v] = load(b + v * kLanes);
        for (int r = 0; r < Rows; ++r) {
            const Floats left = broadcast(a[r * aStride + i]);
            for (int v = 0; v < Vectors; ++v)
                sum[r][v] = multiplyAdd(left, right[v], sum[r][v]);
        }
    }
    for (int r = 0; r < Rows; ++r)
        for (int v = 0; v < Vectors; ++v)
            store(c + r * cStride + v * kLanes, sum[r][v]);
}

using Block = decltype(&block<1, 1>);
constexpr int upTo(int vectors)
{
    return vectors < kMaxVectors ? vectors : kMaxVectors;
}
template <int Rows>
constexpr Block kBlocksOfRows[4] = {block<Rows, upTo(1)>, block<Rows, upTo(2)>,
                                    block<Rows, upTo(3)>, block<Rows, upTo(4)>};
constexpr const Block *kBlocks[kMaxRows] = {kBlocksOfRows<1>, kBlocksOfRows<2>, kBlocksOfRows<3>,
                                            kBlocksOfRows<4>, kBlocksOfRows<5>, kBlocksOfRows<6>};

void multiply(float *c, std::size_t cStride, const float *a, std::size_t aStride, const float *b,
              std::size_t bStride, std::size_t m, std::size_t n, std::size_t k, bool accumulate)
{
    constexpr std::size_t kStep = kMaxVectors * kLanes;
    for (std::size_t j = 0; j < n; j += kStep) {
        const std::size_t vectors = n - j < kStep ? (n - j) / kLanes : kMaxVectors;
        for (std::size_t i = 0; i < m; i += kMaxRows) {
            const std::size_t rows = m - i < kMaxRows ? m - i : kMaxRows;
            kBlocks[rows - 1][vectors - 1](c + i * cStride + j, cStride, a + i * aStride, aStride,
                                           b + j, bStride, k, accumulate);
        }
    }
}

// Each type: bytes of a row of dim values, and kLanes (or the first `left`) values from d on as
// floats.
struct RowsF32
{
    static std::size_t bytes(std::size_t dim) { return dim * 4; }
    static Floats at(const std::byte *row, std::size_t d, std::size_t left)
    {
        const float *const x = reinterpret_cast<const float *>(row) + d;
        return left >= kLanes ? load(x) : load(x, left);
    }
};
struct RowsF16
{
    static std::size_t bytes(std::size_t dim) { return dim * 2; }
    static Floats at(const std::byte *row, std::size_t d, std::size_t left)
    {
        const std::uint16_t *const x = reinterpret_cast<const std::uint16_t *>(row) + d;
        return left >= kLanes ? load(x) : load(x, left);
    }
};
struct RowsQ8_0 // dim is a multiple of 32: never a tail
{
    static std::size_t bytes(std::size_t dim) { return dim / 32 * sizeof(BlockQ8_0); }
    static Floats at(const std::byte *row, std::size_t d, std::size_t)
    {
        const std::byte *const block = row + d / 32 * sizeof(BlockQ8_0);
        std::uint16_t scale;
        __builtin_memcpy(&scale, block, sizeof scale);
        return loadBytes(block + 2 + d % 32) * broadcast(_cvtsh_ss(scale));
    }
};

template <typename Rows>
void loadKeys(float *tile, const std::byte *rows, std::size_t count, std::size_t dim)
{
    const std::size_t bytes = Rows::bytes(dim);
    const std::size_t padded = (count + kTileStep - 1) / kTileStep * kTileStep;
    for (std::size_t key = 0; key < padded; key += kLanes) {
        for (std::size_t d = 0; d < dim; d += kLanes) {
            Floats r[kLanes];
            for (std::size_t i = 0; i < kLanes; ++i)
                r[i] = key + i < count ? Rows::at(rows + (key + i) * bytes, d, dim - d) : zeros();
            transpose(r);
            const std::size_t used = dim - d < kLanes ? dim - d : kLanes;
            for (std::size_t i = 0; i < used; ++i)
                store(tile + (d + i) * kTileKeys + key, r[i]);
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
            store(tile + d, d < dim ? Rows::at(rows, d, dim - d) : zeros());
}

constexpr TileKernels tableFor(Isa isa)
{
    return {isa,
            multiply,
            loadKeys<RowsF32>,
            loadKeys<RowsF16>,
            loadKeys<RowsQ8_0>,
            loadValues<RowsF32>,
            loadValues<RowsF16>,
            loadValues<RowsQ8_0>};
}

} // namespace
} // namespace fireside
