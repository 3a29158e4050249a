#pragma once
#include "engine/core/cpu_info.h"

#include <cstddef>
#include <cstdint>

// What attention needs on tiles of keys and values: conversion to floats and one small matrix
// product. Same rules for the tile_<isa>.cpp files as in kernels.h.
namespace fireside {

/// Keys are handled in tiles of this many; matrix widths are padded to kTileStep floats.
inline constexpr std::size_t kTileKeys = 64;
inline constexpr std::size_t kTileStep = 16;

/// What is done with keys and values of one type, which lie row by row.
struct CacheKernels
{
    /// Rows [count ≤ kTileKeys, dim] as floats, transposed: tile [dim, kTileKeys]. Columns from
    /// count up to the next multiple of kTileStep are zero.
    void (*loadKeys)(float *tile, const std::byte *rows, std::size_t count, std::size_t dim);

    /// Rows [count, dim] as floats: tile [count, stride], columns from dim to stride are zero.
    void (*loadValues)(float *tile, std::size_t stride, const std::byte *rows, std::size_t count,
                       std::size_t dim);

    // The same without a tile, for few queries: each value is converted where it is multiplied.

    /// scores [m, count] = queries [m, dim] · rows [count, dim]ᵀ
    void (*scores)(float *scores, std::size_t scoreStride, const float *queries, std::size_t m,
                   const std::byte *rows, std::size_t count, std::size_t dim);

    /// out [m, n] += weights [m, count] · the first n columns of rows [count, dim]
    void (*addValues)(float *out, std::size_t outStride, const float *weights,
                      std::size_t weightStride, std::size_t m, const std::byte *rows,
                      std::size_t count, std::size_t dim, std::size_t n);
};

struct TileKernels
{
    Isa isa;

    /// c [m, n] (+)= a [m, k] · b [k, n]; n a multiple of kTileStep, strides in floats.
    void (*multiply)(float *c, std::size_t cStride, const float *a, std::size_t aStride,
                     const float *b, std::size_t bStride, std::size_t m, std::size_t n,
                     std::size_t k, bool accumulate);

    CacheKernels f32, f16, q8_0;
};

/// The table that goes with selectedIsa().
const TileKernels &tileKernels();

const TileKernels &baselineTileKernels();
const TileKernels &sse41TileKernels();
const TileKernels &avx2TileKernels();
const TileKernels &avx512TileKernels();
const TileKernels &neonTileKernels();

} // namespace fireside
