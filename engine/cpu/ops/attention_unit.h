#pragma once
#include "engine/cpu/ops/head_ops.h"

#include <cstddef>

// The unit of work of attention: the query heads of one kv head, for some queries, over a
// range of keys, with the running softmax of Milakov & Gimelshein 2018 (as in FlashAttention, Dao
// et al. 2022).
namespace fireside::cpu {

struct AttentionInput
{
    InRows q; // [T, H·D]
    AttentionShape shape;
    const float *sinks = nullptr; // [H] or none
    FloatRows out;                // [T, H·Dv]
    DistanceBias distances{};

    std::size_t valueDim() const { return static_cast<std::size_t>(shape.values()); }
    std::size_t group() const { return static_cast<std::size_t>(shape.heads / shape.kvHeads); }
};

/// Queries [begin, end) of an item for one kv head: (end − begin) · group rows, query-major.
struct AttentionTile
{
    const AttentionItem *item = nullptr;
    std::size_t kvHead = 0;
    std::size_t begin = 0, end = 0;
};

struct KeyRange
{
    std::size_t begin = 0, end = 0;
    std::size_t size() const { return end - begin; }
};

/// Keys that at least one query of the tile sees.
KeyRange visibleKeys(const AttentionInput &input, const AttentionTile &tile);

inline constexpr std::size_t kNoPartial = ~std::size_t{0};
struct AttentionUnit
{
    AttentionTile tile;
    KeyRange keys;
    std::size_t partial = kNoPartial; // floats into the partial results, or straight to `out`
};

/// Floats of working memory for a unit of this tile, and of one partial result.
std::size_t attentionScratch(const AttentionInput &input, const AttentionTile &tile);
std::size_t partialSize(const AttentionInput &input, const AttentionTile &tile);

void runAttentionUnit(const AttentionInput &input, const AttentionUnit &unit, float *scratch,
                      float *partials);

/// Joins `splits` consecutive partial results of a tile into `out`.
void joinPartials(const AttentionInput &input, const AttentionTile &tile, float *partials,
                  std::size_t splits);

} // namespace fireside::cpu
