#pragma once
#include "engine/core/cpu_info.h"
#include "engine/tensor/dtype.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

// The inner loops of linear(), one table per instruction set. Every quantised type is seen as
// chunks of 256 weights in 16 groups: w = scale[g]·q + offset[g] with q an unsigned byte.
// Activations are signed bytes with a scale per 32 (see activationSpan) and sums per group, so that
//   Σ w·x = Σ_g scale[g]·xScale[g]·Σ q·a  +  Σ_g offset[g]·xSum[g].
namespace fireside::cpu {

inline constexpr std::size_t kChunk = 256;    // weights decoded together
inline constexpr std::size_t kGroups = 16;    // groups of 16 in a chunk
inline constexpr std::size_t kPanelRows = 16; // weight rows interleaved in a panel
inline constexpr std::size_t kMaxTile = 12;   // tokens interleaved in a tile
inline constexpr std::size_t kMaxDotRows = 8; // activation rows that dotRows handles at once

// A tile of so many columns stays in the first-level cache, all panels of an item in the second.
inline constexpr std::size_t kByteBlock = 4 * kChunk;
inline constexpr std::size_t kFloatBlock = 512;
inline constexpr std::size_t kMaxPanels = 2; // that a tile is multiplied by at once

constexpr std::size_t roundUp(std::size_t n, std::size_t step)
{
    return (n + step - 1) / step * step;
}

/// Up to kMaxDotRows quantised rows, each padded with zeros to whole chunks.
struct RowActivations
{
    const std::int8_t *q = nullptr; // [rows, stride], LinearKernels::columnPlace in a chunk
    const float *scale = nullptr;   // [rows, stride / 16], LinearKernels::groupPlace in a chunk
    const float *sum = nullptr;     // the same, scale · Σ of the group's 16 bytes
    std::size_t stride = 0;         // multiple of kChunk
    std::size_t rows = 0;
    // [rows, 2 · stride / 16] of LinearKernels::startRow, from three rows on; or null
    const std::int32_t *start = nullptr;
};
/// The columns from `col`, a multiple of kChunk, on.
static constexpr RowActivations columnsFrom(const RowActivations &x, std::size_t col)
{
    RowActivations part = x;
    part.q += col;
    part.scale += col / 16;
    part.sum += col / 16;
    if (part.start != nullptr)
        part.start += 2 * col / 16;
    return part;
}

/// `tokens` quantised rows interleaved for the matrix product; the pointers start at some chunk.
struct ByteTile
{
    std::int8_t *q = nullptr;        // [chunk, 64, tokens, 4]
    float *scale = nullptr;          // [chunk, 8, tokens]
    float *sum32 = nullptr;          // [chunk, 8, tokens], scale · Σ over 32
    float *sum16 = nullptr;          // [chunk, 16, tokens], scale · Σ over 16
    std::int32_t *start = nullptr;   // [chunk, 8, tokens], startOfSum() of Σ over 32
    std::int32_t *start16 = nullptr; // [chunk, 16, tokens], … over 16
    std::int32_t *pairs = nullptr;   // [chunk, 16, tokens], of 16 two sums in 16 bits each: columns
                                     // 0 and 1 of each four, and 2 and 3
    float *top = nullptr;            // [block of kByteBlock, tokens], the largest size
    std::int32_t *factor = nullptr;  // [chunk, 8, tokens], of kFactors for the scale that top would
                                     // have, twice in 16 bits
    std::size_t tokens = 0;
};

/// With block scales that of 32 columns is so many parts at most of that for a block's largest
/// number: as a whole number it multiplies sums of 16 bits while they become 32.
inline constexpr float kFactors = 32767;

/// What a sum of products of bytes begins with so that, of weights with 128 added, it ends as the
/// bits of the float kSumZero + the sum without that: |sum| < 2²².
inline constexpr float kSumZero = 12582912.0f; // 1.5·2²³
static constexpr std::int32_t startOfSum(std::int32_t activations)
{
    return 0x4b400000 - 128 * activations;
}

/// 16 weight rows interleaved: q [chunk, 64, 16, 4]; scale, offset [chunk, groups, 16].
struct BytePanel
{
    std::uint8_t *q = nullptr;
    float *scale = nullptr;
    float *offset = nullptr;
};
/// The panel of the 16 rows behind.
static constexpr BytePanel nextPanel(const BytePanel &panel)
{
    constexpr std::size_t kBytes = kByteBlock * kPanelRows;
    return {panel.q + kBytes, panel.scale + kBytes / 16, panel.offset + kBytes / 16};
}

/// Where a product of one or two panels and one tile goes: out[token · stride + row].
struct TileOutput
{
    float *out = nullptr;
    std::size_t stride = 0;
    std::size_t rows = kPanelRows; // of the panels that exist; beyond kPanelRows: of the second
    bool add = false;
};
/// Of one of two panels.
static constexpr TileOutput ofPanel(const TileOutput &both, std::size_t panel)
{
    TileOutput one = both;
    one.out += panel * kPanelRows;
    one.rows = panel == 0 ? kPanelRows : both.rows - kPanelRows;
    return one;
}

// Matrices of bfloat16, the upper half of a float, in tiles of 16 rows and 32 columns, and sums in
// tiles of 16 rows of weights × 16 tokens, which keep their place from block to block of columns.
inline constexpr std::size_t kMatrixTile = 16; // rows or tokens of a tile
inline constexpr std::size_t kMatrixStep = 32; // its columns
inline constexpr std::size_t kMatrixBlock =
    256; // columns of weights that stay in the first-level cache

/// Values of bfloat16 that together hold a weight: two for floats, whose products are exact to
/// 1e-5. x meets float weights in two parts as well.
static constexpr std::size_t matrixParts(DType type)
{
    return isFloatType(type) && type != DType::BF16 ? 2 : 1;
}

/// One or two tile rows of weights and all tokens, over `steps` steps of columns: sums (+)= w · x.
struct MatrixBlock
{
    const std::uint16_t *w = nullptr; // [rowTiles, parts, kMatrixBlock / 32, 16, 32]
    std::size_t rowTiles = 0, parts = 1;
    const std::uint16_t *x = nullptr; // [tokenTiles, xStride], of which [steps, 16, tokens 16, 2]
    const std::uint16_t *rest = nullptr; // of x that is not in x; null: left out
    std::size_t tokenTiles = 0, xStride = 0, steps = 0;
    float *sums = nullptr; // [tokenTiles, sumStride], of which [rowTiles, 16, tokens 16]
    std::size_t sumStride = 0;
    bool add = false;
    // Of so many blocks that meet these columns of x this is the share-th: each fetches a part of
    // the columns that follow, which the third-level cache is slow to give.
    std::size_t share = 0, shares = 1;
};

/// The parts of a product by tile registers, which processors with AMX have.
struct MatrixKernels
{
    /// n columns of up to 16 rows of x to [steps, 16, 16, 2], and, unless null, what is left of
    /// them.
    void (*roundTokens)(const float *x, std::size_t xStride, std::size_t tokens, std::size_t n,
                        std::uint16_t *to, std::uint16_t *rest);
    /// Columns [firstCol, firstCol + count) of up to 16 rows to a tile row of MatrixBlock::w.
    void (*unpackTiles)(DType type, const std::byte *w, std::size_t rows, std::size_t cols,
                        std::size_t firstCol, std::size_t count, std::uint16_t *tiles);
    void (*multiply)(const MatrixBlock &block);
    /// A tile of sums to where output says; rows ≤ 16.
    void (*storeSums)(const float *sums, std::size_t tokens, const TileOutput &output);
};

struct LinearKernels
{
    Isa isa;

    /// One row of n floats to bytes, with one scale for each `span` columns, 32 or kChunk; q, scale
    /// and sum as in RowActivations, n padded to whole chunks.
    void (*quantizeRow)(const float *x, std::size_t n, std::size_t span, std::int8_t *q,
                        float *scale, float *sum);
    /// The same for all rows of a tile, or null: they are taken one by one. Of start, start16,
    /// pairs, top and factor each table sets what its multiplyTile reads.
    void (*quantizeTile)(const float *x, std::size_t xStride, std::size_t n, const ByteTile &tile);
    /// The first n of each row: tile [n, tokens]; or null.
    void (*interleave)(const float *x, std::size_t xStride, std::size_t tokens, std::size_t n,
                       float *tile);
    /// out[t · outStride + r] = w[r] · x[t] for `rows` consecutive weight rows of a quantised type.
    void (*dotRows)(DType type, const std::byte *w, std::size_t rows, std::size_t cols,
                    const RowActivations &x, float *out, std::size_t outStride);
    /// The same for weights of float types with float activations, T ≤ kMaxDotRows.
    void (*dotFloatRows)(DType type, const std::byte *w, std::size_t rows, std::size_t cols,
                         const float *x, std::size_t xStride, std::size_t T, float *out,
                         std::size_t outStride);

    /// Columns [firstCol, firstCol + count) of up to 16 rows; firstCol is a multiple of kChunk.
    void (*unpackPanel)(DType type, const std::byte *w, std::size_t rows, std::size_t cols,
                        std::size_t firstCol, std::size_t count, const BytePanel &panel);
    void (*multiplyTile)(DType type, const BytePanel &panel, const ByteTile &tile,
                         std::size_t chunks, const TileOutput &output);

    /// Float panels [kFloatBlock, 16], of which `count` columns are used, and tiles [count,
    /// tokens]; what lies in rows that do not exist is not stored.
    void (*unpackFloatPanel)(DType type, const std::byte *w, std::size_t rows, std::size_t cols,
                             std::size_t firstCol, std::size_t count, float *panel);
    void (*multiplyFloatTile)(const float *panel, const float *tile, std::size_t tokens,
                              std::size_t count, const TileOutput &output);
    /// n consecutive weights of a float type, at any address, as floats; whole blocks.
    void (*unpackFloatRow)(DType type, const std::byte *w, std::size_t n, float *out);

    /// Where quantizeRow puts scale and sum of each group of a chunk.
    std::array<std::uint8_t, kGroups> groupPlace = {0, 1, 2,  3,  4,  5,  6,  7,
                                                    8, 9, 10, 11, 12, 13, 14, 15};
    /// … and each column, where a scale is for 32; null: in order.
    std::size_t (*columnPlace)(std::size_t column) = nullptr;
    /// Up to so many rows of x dotRows, which decodes and multiplies at once, is faster than panels
    /// for weights of quantised types; 2, 4 or kMaxDotRows.
    std::size_t fewRows = 4;
    /// Scales of a tile are parts of one for a block of columns: factor / (127 · kFactors) · top.
    bool blockScales = false;
    /// Takes the place of tiles of bytes and of floats; null: the processor has no tile registers.
    const MatrixKernels *matrix = nullptr;
    /// From so many rows of x on: matrices round otherwise than bytes, so that what replies
    /// computed together get would depend on their number.
    std::size_t matrixRows = 64;
    /// For each chunk of bytes with a scale for 32 columns, n of them: startOfSum() of each group;
    /// then the same, but with 8 in place of 128 for each first group of two. Null: not needed.
    void (*startRow)(const std::int8_t *q, std::size_t n, std::int32_t *start) = nullptr;

    const MatrixKernels *matrixFor(std::size_t rows) const
    {
        return rows >= matrixRows ? matrix : nullptr;
    }
};

/// Groups per chunk of a panel: 16 where scales change every 16 weights, else 8. Static, because
/// the files of every instruction set compile their own copy.
static constexpr std::size_t panelGroups(DType type)
{
    return info(type).scaleElements == 16 ? 16 : 8;
}
/// Whether q may exceed 127, so that two products of bytes may exceed 16 bits: 127·127·2 does not.
static constexpr bool isWide(DType type)
{
    return info(type).codeBits > 7;
}

/// Columns of a row that share a scale where dotRows multiplies it by weights of a type. A chunk of
/// weights of three values has one scale: with one for its activations, too, all their products
/// are one sum.
static constexpr std::size_t activationSpan(DType type)
{
    return type == DType::TQ1_0 || type == DType::TQ2_0 ? kChunk : 32;
}

/// How far ahead of its reads a row stream prefetches. Short rows end before a fixed distance does,
/// and what follows is another stream's row: there, the same place some whole blocks of rows later.
static constexpr std::size_t prefetchDistance(std::size_t blockStride)
{
    constexpr std::size_t kInRow = 1536, kLeast = 8192, kMax = 49152;
    if (blockStride > kMax)
        return kInRow;
    return (kLeast + blockStride - 1) / blockStride * blockStride;
}

/// Tables this processor can run, best first, baseline last.
std::span<const LinearKernels *const> availableLinearKernels();
/// The best of them, or the one that FIRESIDE_ISA names.
const LinearKernels &linearKernels();

} // namespace fireside::cpu
