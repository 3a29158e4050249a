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

struct TileKernels
{
    Isa isa;

    /// c [m, n] (+)= a [m, k] · b [k, n]; n a multiple of kTileStep, strides in floats.
    void (*multiply)(float *c, std::size_t cStride, const float *a, std::size_t aStride,
                     const float *b, std::size_t bStride, std::size_t m, std::size_t n,
                     std::size_t k, bool accumulate);

    /// Rows [count ≤ kTileKeys, dim] of one type as floats, transposed: tile [dim, kTileKeys].
    /// Columns from count up to the next multiple of kTileStep are zero.
    using LoadKeys = void (*)(float *tile, const std::byte *rows, std::size_t count,
                              std::size_t dim);
    LoadKeys keysF32, keysF16, keysQ8_0;

    /// Rows [count, dim] as floats: tile [count, stride], columns from dim to stride are zero.
    using LoadValues = void (*)(float *tile, std::size_t stride, const std::byte *rows,
                                std::size_t count, std::size_t dim);
    LoadValues valuesF32, valuesF16, valuesQ8_0;
};

/// The table that goes with selectedIsa().
const TileKernels &tileKernels();

const TileKernels &baselineTileKernels();
const TileKernels &avx2TileKernels();
const TileKernels &avx512TileKernels();

} // namespace fireside
