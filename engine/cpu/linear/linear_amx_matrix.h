#pragma once
// Matrices of bfloat16 in the tile registers of AMX: TDPBF16PS adds to 16 × 16 sums the products of
// 16 rows of weights and 16 tokens over 32 columns, in 16 cycles. Weights become rows of a tile as
// they lie, x pairs of columns side by side. Private to linear_amx.cpp.
#include "engine/cpu/linear/linear_avx512_impl.h"
#include "engine/cpu/simd/tile_registers.h"

#include <algorithm>

namespace {

using fireside::cpu::kMatrixBlock;
using fireside::cpu::kMatrixStep;
using fireside::cpu::kMatrixTile;
using fireside::cpu::MatrixBlock;
using fireside::cpu::matrixParts;

constexpr std::size_t kTileValues = kMatrixTile * kMatrixStep; // of weights or x: 1 KiB
constexpr std::size_t kTileSums = kMatrixTile * kMatrixTile;   // 1 KiB
constexpr std::size_t kBlockSteps = kMatrixBlock / kMatrixStep;
constexpr std::size_t kTileRowBytes = 64;

/// 32 floats, the first 16 in `low`, to the nearest bfloat16.
inline __m512i rounded(__m512 low, __m512 high)
{
    return __builtin_bit_cast(__m512i, _mm512_cvtne2ps_pbh(high, low));
}

/// What rounded() left of them, rounded too.
inline __m512i restOf(__m512i values, __m512 low, __m512 high)
{
    const auto floatsOf = [](__m256i half) {
        return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
    };
    return rounded(_mm512_sub_ps(low, floatsOf(_mm512_castsi512_si256(values))),
                   _mm512_sub_ps(high, floatsOf(_mm512_extracti64x4_epi64(values, 1))));
}

void roundTokens(const float *x, std::size_t xStride, std::size_t tokens, std::size_t n,
                 std::uint16_t *to, std::uint16_t *rest)
{
    for (std::size_t k = 0; k < n; k += kMatrixStep, to += kTileValues) {
        const std::size_t left = n - k;
        const __mmask16 first = firstLanes(left < 16 ? left : 16);
        const __mmask16 second = firstLanes(left < 16 ? 0 : left < 32 ? left - 16 : 16);
        __m512i values[16], rests[16];
#pragma GCC unroll 16
        for (std::size_t t = 0; t < 16; ++t) {
            values[t] = rests[t] = _mm512_setzero_si512();
            if (t >= tokens)
                continue;
            const float *from = x + t * xStride + k;
            const __m512 low = _mm512_maskz_loadu_ps(first, from);
            const __m512 high = _mm512_maskz_loadu_ps(second, from + 16);
            values[t] = rounded(low, high);
            if (rest)
                rests[t] = restOf(values[t], low, high);
        }
        transpose16(values);
        for (std::size_t pair = 0; pair < 16; ++pair)
            _mm512_storeu_si512(to + kMatrixStep * pair, values[pair]);
        if (!rest)
            continue;
        transpose16(rests);
        for (std::size_t pair = 0; pair < 16; ++pair)
            _mm512_storeu_si512(rest + kMatrixStep * pair, rests[pair]);
        rest += kTileValues;
    }
}

/// A chunk of a row of codes; `to` is its row in the first of eight tiles.
inline void roundChunk(const Decoded &c, std::uint16_t *to)
{
    alignas(64) std::uint8_t q[kChunk];
    alignas(64) float scale[kGroups], offset[kGroups];
    for (int j = 0; j < 4; ++j)
        _mm512_store_si512(q + 64 * j, c.q[j]);
    _mm512_store_ps(scale, c.scale);
    _mm512_store_ps(offset, c.offset);
    const auto sixteen = [&](std::size_t group) {
        const __m512 codes = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(load128(q + 16 * group)));
        return _mm512_fmadd_ps(codes, _mm512_set1_ps(scale[group]), _mm512_set1_ps(offset[group]));
    };
#pragma GCC unroll 8
    for (std::size_t step = 0; step < kChunk / kMatrixStep; ++step)
        _mm512_storeu_si512(to + step * kTileValues,
                            rounded(sixteen(2 * step), sixteen(2 * step + 1)));
}

template <typename Format>
void roundCodes(const Format &format, Bytes w, std::size_t rows, std::size_t cols,
                std::size_t firstCol, std::size_t count, std::uint16_t *tiles)
{
    const std::size_t bytes = chunkBytes(format.type());
    const std::size_t rowStride = bytesOfRow(format.type(), cols);
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t col = 0; col < count; col += kChunk) {
            const Bytes p = w + r * rowStride + (firstCol + col) / kChunk * bytes;
            for (std::size_t line = 0; line < bytes; line += 64)
                __builtin_prefetch(p + 2 * bytes + line);
            alignas(64) std::uint8_t buffer[kMaxChunkBytes];
            const bool whole = count - col >= kChunk;
            if (!whole)
                copyTail(format.type(), p, count - col, buffer);
            Decoded one;
            format.decode(whole ? p : buffer, one);
            roundChunk(one, tiles + col / kMatrixStep * kTileValues + r * kMatrixStep);
        }
}

/// Weights of a float type; what one bfloat16 does not hold of them goes to the block's second
/// part.
template <DType Type>
void roundFloats(Bytes w, std::size_t rows, std::size_t cols, std::size_t firstCol,
                 std::size_t count, std::uint16_t *tiles)
{
    const std::size_t rowStride = bytesOfRow(Type, cols);
    for (std::size_t r = 0; r < rows; ++r) {
        alignas(64) float floats[kMatrixBlock];
        unpackOneRow<Type>(w + r * rowStride + bytesOfRow(Type, firstCol), count, floats);
        for (std::size_t k = count; k % kMatrixStep != 0; ++k)
            floats[k] = 0;
        for (std::size_t k = 0; k < count; k += kMatrixStep) {
            const __m512 low = _mm512_load_ps(floats + k), high = _mm512_load_ps(floats + k + 16);
            const __m512i values = rounded(low, high);
            std::uint16_t *to = tiles + k / kMatrixStep * kTileValues + r * kMatrixStep;
            _mm512_storeu_si512(to, values);
            if constexpr (matrixParts(Type) == 2)
                _mm512_storeu_si512(to + kBlockSteps * kTileValues, restOf(values, low, high));
        }
    }
}

void unpackTiles(DType type, const std::byte *weights, std::size_t rows, std::size_t cols,
                 std::size_t firstCol, std::size_t count, std::uint16_t *tiles)
{
    const Bytes w = reinterpret_cast<Bytes>(weights);
    if (rows < kMatrixTile) // what does not exist is multiplied too
        std::fill_n(tiles, matrixParts(type) * kBlockSteps * kTileValues, std::uint16_t{0});
    if (fireside::isFloatType(type))
        withFloatType(
            type, [&]<DType Type>() { roundFloats<Type>(w, rows, cols, firstCol, count, tiles); });
    else
        withFormat(type, [&](const auto &format) {
            roundCodes(format, w, rows, cols, firstCol, count, tiles);
        });
}

/// A part of a tile, to the second-level cache.
inline void fetchPart(const std::uint16_t *tile, std::size_t share, std::size_t shares)
{
    constexpr std::size_t kLines = kTileValues / 32;
    for (std::size_t line = share * kLines / shares; line < (share + 1) * kLines / shares; ++line)
        _mm_prefetch(tile + 32 * line, _MM_HINT_T1);
}

/// Sums 0 to 3 in registers 0 to 3, weights in 4 and 5, x in 6 and 7; R and T are 1 or 2.
template <int R, int T>
inline void addProducts(const MatrixBlock &b, const std::uint16_t *w, const std::uint16_t *x)
{
    const std::size_t wTile = b.parts * kBlockSteps * kTileValues;
    const std::uint16_t *const end = x + b.steps * kTileValues;
    const std::size_t next = b.steps * kTileValues;
    for (; x != end; w += kTileValues, x += kTileValues) {
        _tile_loadd(6, x, kTileRowBytes);
        _tile_loadd(4, w, kTileRowBytes);
        _tile_dpbf16ps(0, 4, 6);
        fetchPart(x + next, b.share, b.shares);
        if constexpr (T == 2) {
            _tile_loadd(7, x + b.xStride, kTileRowBytes);
            _tile_dpbf16ps(1, 4, 7);
            fetchPart(x + b.xStride + next, b.share, b.shares);
        }
        if constexpr (R == 2) {
            _tile_loadd(5, w + wTile, kTileRowBytes);
            _tile_dpbf16ps(2, 5, 6);
            if constexpr (T == 2)
                _tile_dpbf16ps(3, 5, 7);
        }
    }
}

template <int R, int T>
inline void multiplyTiles(const MatrixBlock &b, const std::uint16_t *x, const std::uint16_t *rest,
                          float *sums)
{
    float *const next = sums + b.sumStride; // of the next token tile
    if (b.add) {
        _tile_loadd(0, sums, kTileRowBytes);
        if constexpr (T == 2)
            _tile_loadd(1, next, kTileRowBytes);
        if constexpr (R == 2)
            _tile_loadd(2, sums + kTileSums, kTileRowBytes);
        if constexpr (R == 2 && T == 2)
            _tile_loadd(3, next + kTileSums, kTileRowBytes);
    } else {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
    }
    addProducts<R, T>(b, b.w, x);
    if (rest)
        addProducts<R, T>(b, b.w, rest);
    if (b.parts == 2)
        addProducts<R, T>(b, b.w + kBlockSteps * kTileValues, x);
    _tile_stored(0, sums, kTileRowBytes);
    if constexpr (T == 2)
        _tile_stored(1, next, kTileRowBytes);
    if constexpr (R == 2)
        _tile_stored(2, sums + kTileSums, kTileRowBytes);
    if constexpr (R == 2 && T == 2)
        _tile_stored(3, next + kTileSums, kTileRowBytes);
}

template <int R>
inline void multiplyRows(const MatrixBlock &b)
{
    const auto at = [&](std::size_t token) { return b.x + token * b.xStride; };
    const auto restAt = [&](std::size_t token) {
        return b.rest ? b.rest + token * b.xStride : nullptr;
    };
    std::size_t token = 0;
    for (; token + 2 <= b.tokenTiles; token += 2)
        multiplyTiles<R, 2>(b, at(token), restAt(token), b.sums + token * b.sumStride);
    if (token < b.tokenTiles)
        multiplyTiles<R, 1>(b, at(token), restAt(token), b.sums + token * b.sumStride);
}

void multiplyMatrix(const MatrixBlock &block)
{
    // The compiler does not know that tiles are read from memory.
    asm volatile("" ::: "memory");
    _tile_loadconfig(&kWholeTiles);
    if (block.rowTiles == 2)
        multiplyRows<2>(block);
    else
        multiplyRows<1>(block);
    _tile_release();
    asm volatile("" ::: "memory");
}

void storeSums(const float *sums, std::size_t tokens, const TileOutput &output)
{
    __m512i m[16];
    for (std::size_t r = 0; r < 16; ++r)
        m[r] = load512(sums + 16 * r);
    transpose16(m);
#pragma GCC unroll 16
    for (std::size_t t = 0; t < 16; ++t)
        if (t < tokens)
            storeTile(output, static_cast<int>(t), _mm512_castsi512_ps(m[t]));
}

constexpr fireside::cpu::MatrixKernels kMatrix{roundTokens, unpackTiles, multiplyMatrix, storeSums};

constexpr fireside::cpu::LinearKernels withMatrix(fireside::cpu::LinearKernels table)
{
    table.matrix = &kMatrix;
    return table;
}

} // namespace
