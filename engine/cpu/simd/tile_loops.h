#pragma once
// The loops of TileKernels for the including file's instruction set, which defines
// transpose(Floats (&)[kLanes]) and sumsOf(const Floats (&)[kLanes]), whose lane i is the sum of
// vector i.
#include "engine/cpu/simd/lanes.h"
#include "engine/cpu/simd/tile_kernels.h"
#include "engine/tensor/blocks.h"

namespace fireside {
namespace {

// Each type: bytes of a row of dim values. Made for a row from `column` on, at(d, left) gives its
// kLanes values (or, where fewer are left, those) from column + d on; up to kVectors such vectors
// within 32 columns share what is read when it is made.
struct RowsF32
{
    static constexpr std::size_t kVectors = 4;
    static std::size_t bytes(std::size_t dim) { return dim * 4; }
    RowsF32(const std::byte *row, std::size_t column)
        : x(reinterpret_cast<const float *>(row) + column)
    {}
    Floats at(std::size_t d, std::size_t left) const
    {
        return left >= kLanes ? load(x + d) : load(x + d, left);
    }
    void prefetch(std::size_t) const {} // mostly a tile that was just made
    const float *x;
};
struct RowsF16
{
    static constexpr std::size_t kVectors = 4;
    static std::size_t bytes(std::size_t dim) { return dim * 2; }
    RowsF16(const std::byte *row, std::size_t column)
        : x(reinterpret_cast<const std::uint16_t *>(row) + column)
    {}
    Floats at(std::size_t d, std::size_t left) const
    {
        return left >= kLanes ? load(x + d) : load(x + d, left);
    }
    void prefetch(std::size_t bytes) const
    {
        __builtin_prefetch(reinterpret_cast<const std::byte *>(x) + bytes);
    }
    const std::uint16_t *x;
};
struct RowsQ8_0 // dim is a multiple of 32: never a tail
{
    static constexpr std::size_t kVectors = 32 / kLanes;
    static std::size_t bytes(std::size_t dim) { return dim / 32 * sizeof(BlockQ8_0); }
    RowsQ8_0(const std::byte *row, std::size_t column)
        : codes(row + column / 32 * sizeof(BlockQ8_0) + 2 + column % 32)
        , scale(broadcastHalf(row + column / 32 * sizeof(BlockQ8_0)))
    {}
    Floats at(std::size_t d, std::size_t) const { return loadBytes(codes + d) * scale; }
    void prefetch(std::size_t bytes) const { __builtin_prefetch(codes + bytes); }
    const std::byte *codes;
    Floats scale;
};

constexpr std::size_t kMaxRows = 6;
constexpr std::size_t kCacheLine = 64, kAhead = 4096; // bytes

/// Vectors of b at a time for which sums for each row, they themselves and a broadcast of a fit in
/// the registers.
template <typename Rows>
constexpr std::size_t vectorsFor(std::size_t rows)
{
    std::size_t vectors = Rows::kVectors;
    while (vectors * (rows + 1) >= kRegisters)
        vectors /= 2;
    return vectors;
}

/// Rows of b from a column on, of which `left` columns are there.
struct Columns
{
    const std::byte *rows;
    std::size_t bytes, column, left;
};

/// c [kRows, kVectors] (+)= a [kRows, k] · b [k, kVectors]; kVectors 0: one vector, in which
/// columns that are not there count as zeros.
template <typename Rows, std::size_t kRows, std::size_t kVectors>
void block(float *c, std::size_t cStride, const float *a, std::size_t aStride, const Columns &b,
           std::size_t k, bool accumulate)
{
    constexpr std::size_t kCount = kVectors > 0 ? kVectors : 1;
    Floats sum[kRows][kCount];
    for (std::size_t r = 0; r < kRows; ++r)
        for (std::size_t v = 0; v < kCount; ++v)
            sum[r][v] = accumulate ? load(c + r * cStride + v * kLanes) : zeros();
    const std::size_t bytes = b.bytes, column = b.column, left = kVectors > 0 ? kLanes : b.left;
    const std::byte *row = b.rows;
    for (std::size_t i = 0; i < k; ++i, row += bytes) {
        const Rows from(row, column);
        from.prefetch(kTileKeys * bytes);
        Floats right[kCount];
        for (std::size_t v = 0; v < kCount; ++v)
            right[v] = from.at(v * kLanes, left);
        for (std::size_t r = 0; r < kRows; ++r) {
            const Floats x = broadcast(a[r * aStride + i]);
            for (std::size_t v = 0; v < kCount; ++v)
                sum[r][v] = multiplyAdd(x, right[v], sum[r][v]);
        }
    }
    for (std::size_t r = 0; r < kRows; ++r)
        for (std::size_t v = 0; v < kCount; ++v)
            store(c + r * cStride + v * kLanes, sum[r][v]);
}

using Block = decltype(&block<RowsF32, 1, 1>);
constexpr std::size_t upTo(std::size_t n, std::size_t most)
{
    return n < most ? n : most;
}
/// The block for 0, 1, 2 or 4 vectors, or for as many as so many rows allow.
template <typename Rows, std::size_t kRows, std::size_t kVectors>
constexpr Block kBlock = block<Rows, kRows, upTo(kVectors, vectorsFor<Rows>(kRows))>;
template <typename Rows, std::size_t kRows>
constexpr Block kBlocksOfRows[4] = {kBlock<Rows, kRows, 0>, kBlock<Rows, kRows, 1>,
                                    kBlock<Rows, kRows, 2>, kBlock<Rows, kRows, 4>};
template <typename Rows>
constexpr const Block *kBlocks[kMaxRows] = {kBlocksOfRows<Rows, 1>, kBlocksOfRows<Rows, 2>,
                                            kBlocksOfRows<Rows, 3>, kBlocksOfRows<Rows, 4>,
                                            kBlocksOfRows<Rows, 5>, kBlocksOfRows<Rows, 6>};

/// The first of equal parts of at most `most`.
constexpr std::size_t evenPart(std::size_t n, std::size_t most)
{
    const std::size_t parts = (n + most - 1) / most;
    return (n + parts - 1) / parts;
}

/// c [m, n] (+)= a [m, k] · the first n columns of b [k, …] of any type. c is written up to a
/// multiple of kLanes.
template <typename Rows>
void product(float *c, std::size_t cStride, const float *a, std::size_t aStride, const std::byte *b,
             std::size_t bBytes, std::size_t m, std::size_t n, std::size_t k, bool accumulate)
{
    const std::size_t part = evenPart(m, kMaxRows), most = vectorsFor<Rows>(part);
    for (std::size_t j = 0; j < n;) {
        const std::size_t whole = (n - j) / kLanes;
        const std::size_t index = whole >= 4 && most >= 4   ? 3
                                  : whole >= 2 && most >= 2 ? 2
                                  : whole >= 1              ? 1
                                                            : 0;
        const Columns columns{b, bBytes, j, n - j};
        for (std::size_t i = 0; i < m; i += part) {
            const std::size_t rows = m - i < part ? m - i : part;
            kBlocks<Rows>[rows - 1][index](c + i * cStride + j, cStride, a + i * aStride, aStride,
                                           columns, k, accumulate);
        }
        j += index > 0 ? kLanes << (index - 1) : kLanes;
    }
}

void multiply(float *c, std::size_t cStride, const float *a, std::size_t aStride, const float *b,
              std::size_t bStride, std::size_t m, std::size_t n, std::size_t k, bool accumulate)
{
    product<RowsF32>(c, cStride, a, aStride, reinterpret_cast<const std::byte *>(b),
                     bStride * sizeof(float), m, n, k, accumulate);
}

template <typename Rows>
void addValues(float *out, std::size_t outStride, const float *weights, std::size_t weightStride,
               std::size_t m, const std::byte *rows, std::size_t count, std::size_t dim,
               std::size_t n)
{
    product<Rows>(out, outStride, weights, weightStride, rows, Rows::bytes(dim), m, n, count, true);
}

// --- queries · keysᵀ

/// kLanes sums, of kQueries queries with kLanes / kQueries keys each.
template <typename Rows, std::size_t kQueries>
Floats scoresOf(const float *const (&query)[kQueries],
                const std::byte *const (&key)[kLanes / kQueries], std::size_t dim)
{
    constexpr std::size_t kKeys = kLanes / kQueries;
    Floats sum[kLanes];
    for (Floats &s : sum)
        s = zeros();
    const auto add = [&](std::size_t column, std::size_t columns) {
        for (std::size_t d = 0; d < columns; d += kLanes) {
            const std::size_t left = columns - d;
            Floats k[kKeys];
            for (std::size_t j = 0; j < kKeys; ++j)
                k[j] = Rows(key[j], column).at(d, left);
            for (std::size_t q = 0; q < kQueries; ++q) {
                const float *const from = query[q] + column + d;
                // Kept in a register: as an operand it would be read again for each key.
                const Floats x = kept(left < kLanes ? load(from, left) : load(from));
                for (std::size_t j = 0; j < kKeys; ++j)
                    sum[q * kKeys + j] = multiplyAdd(x, k[j], sum[q * kKeys + j]);
            }
            for (Floats &s : sum)
                s = kept(s);
        }
    };
    std::size_t d = 0;
    for (; d + 32 <= dim; d += 32)
        add(d, 32);
    if (d < dim)
        add(d, dim - d);
    return sumsOf(sum);
}

/// For the first m ≤ kQueries queries.
template <typename Rows, std::size_t kQueries>
void scoreRows(float *scores, std::size_t scoreStride, const float *queries, std::size_t m,
               const std::byte *rows, std::size_t count, std::size_t dim)
{
    constexpr std::size_t kKeys = kLanes / kQueries;
    const std::size_t bytes = Rows::bytes(dim);
    const float *query[kQueries];
    for (std::size_t q = 0; q < kQueries; ++q)
        query[q] = queries + (q < m ? q : m - 1) * dim;
    for (std::size_t i = 0; i < count; i += kKeys) {
        const std::size_t keys = count - i < kKeys ? count - i : kKeys;
        const std::byte *key[kKeys];
        for (std::size_t j = 0; j < kKeys; ++j)
            key[j] = rows + (i + (j < keys ? j : keys - 1)) * bytes;
        for (std::size_t j = 0; j < kKeys; ++j)
            for (std::size_t d = 0; d < bytes; d += kCacheLine)
                __builtin_prefetch(key[j] + kAhead + d);
        float sums[kLanes];
        store(sums, scoresOf<Rows, kQueries>(query, key, dim));
        for (std::size_t q = 0; q < m; ++q) {
            float *const to = scores + q * scoreStride + i;
            if (keys == kKeys)
                __builtin_memcpy(to, sums + q * kKeys, kKeys * sizeof(float));
            else
                __builtin_memcpy(to, sums + q * kKeys, keys * sizeof(float));
        }
    }
}

template <typename Rows>
void scores(float *scores, std::size_t scoreStride, const float *queries, std::size_t m,
            const std::byte *rows, std::size_t count, std::size_t dim)
{
    for (std::size_t i = 0; i < m; i += 4) {
        const std::size_t n = m - i < 4 ? m - i : 4;
        const auto part = n > 2   ? scoreRows<Rows, 4>
                          : n > 1 ? scoreRows<Rows, 2>
                                  : scoreRows<Rows, 1>;
        part(scores + i * scoreStride, scoreStride, queries + i * dim, n, rows, count, dim);
    }
}

template <typename Rows>
void loadKeys(float *tile, const std::byte *rows, std::size_t count, std::size_t dim)
{
    const std::size_t bytes = Rows::bytes(dim);
    const std::size_t padded = (count + kTileStep - 1) / kTileStep * kTileStep;
    for (std::size_t key = 0; key < padded; key += kLanes) {
        for (std::size_t d = 0; d < dim; d += kLanes) {
            Floats r[kLanes];
            for (std::size_t i = 0; i < kLanes; ++i)
                r[i] = key + i < count ? Rows(rows + (key + i) * bytes, d).at(0, dim - d) : zeros();
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
            store(tile + d, d < dim ? Rows(rows, d).at(0, dim - d) : zeros());
}

template <typename Rows>
constexpr CacheKernels cacheKernels()
{
    return {loadKeys<Rows>, loadValues<Rows>, scores<Rows>, addValues<Rows>};
}

constexpr TileKernels tableFor(Isa isa)
{
    return {isa, multiply, cacheKernels<RowsF32>(), cacheKernels<RowsF16>(),
            cacheKernels<RowsQ8_0>()};
}

} // namespace
} // namespace fireside
