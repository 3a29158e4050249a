#pragma once
#include "engine/backend/ops/attention.h"
#include "engine/backend/ops/split_qkv.h"
#include "engine/backend/ops/transform_heads.h"
#include "engine/cpu/simd/rows.h"

#include <cstddef>
#include <cstdint>
#include <span>

// Ops on heads, caches and attention, on raw memory; engine/backend/ops describes them. Strides are
// in floats. All run on the pool and are safe for T = 0.
namespace fireside::cpu {

/// cosSin [T, 2·pairs]: cos of each pair's angle, then sin, attentionFactor applied. One call per
/// pass.
void ropeTable(ThreadPool &pool, const Rope &rope, std::span<const std::int32_t> positions,
               float *cosSin);

/// A HeadTransform with pointers to its norm and to the pass's rotations.
struct HeadStep
{
    const float *norm = nullptr; // [D] or none
    float eps = 0;
    const float *cosSin = nullptr; // of ropeTable(), or none
    std::size_t pairs = 0, firstChannel = 0;
    RopePairing pairing = RopePairing::HalfSplit;
};
/// x [T, heads·D] → out of the same shape (may be x), or [heads·T, D].
void transformHeads(ThreadPool &pool, const InRows &x, std::size_t heads, const HeadStep &step,
                    HeadOrder to, const FloatRows &out);

void reorderHeads(ThreadPool &pool, const InRows &x, std::size_t heads, HeadOrder to,
                  const FloatRows &out);
void splitQkv(ThreadPool &pool, const InRows &qkv, QkvLayout layout, const AttentionShape &shape,
              const FloatRows &q, const FloatRows &k, const FloatRows &v);

/// A cache as raw memory; layout [Hkv, capacity, D] and [Hkv, capacity, Dv].
struct KvView
{
    std::byte *keys = nullptr;
    std::byte *values = nullptr; // null: the first Dv channels of the keys
    DType dtype = DType::F16;    // F32, F16, Q8_0 (D and Dv multiples of 32)
    std::size_t kvHeads = 0, capacity = 0;
    std::size_t headDim = 0, valueDim = 0; // valueDim 0: headDim
    std::size_t valueSize() const { return valueDim > 0 ? valueDim : headDim; }
};

/// Rows of k [rows, Hkv·D] and v [rows, Hkv·Dv] to cache positions past … past + rows − 1. A cache
/// without values of its own takes no v.
void appendKv(ThreadPool &pool, const KvView &cache, const InRows &k, const InRows &v,
              std::size_t past);

struct AttentionItem
{
    KvView cache;
    std::size_t firstRow = 0, rows = 0, past = 0;
};

/// What scores get for the distance key − query, cut to −reach … reach.
struct DistanceBias
{
    const float *values = nullptr; // [H, 2·reach + 1] or none
    std::ptrdiff_t reach = 0;
};

/// Flash-style: never a [rows, keys] matrix beyond one tile, F32 accumulation. One-row items split
/// their keys over threads; prompts are tiled over (item, kv head, query tile) with the query heads
/// of a group sharing each loaded key. sinks [H] or null.
void attention(ThreadPool &pool, std::span<const AttentionItem> items, const InRows &q,
               const AttentionShape &shape, const float *sinks, const FloatRows &out,
               const DistanceBias &distances = {});

} // namespace fireside::cpu
