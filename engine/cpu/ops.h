#pragma once
#include "engine/backend/ops.h"
#include "engine/core/thread_pool.h"

#include <cstddef>
#include <cstdint>
#include <span>

// The CPU backend's ops other than linear, on raw memory. One .cpp file per op, named like the op.
// Strides are in floats. All run on the pool and are safe for T = 0.
namespace fireside::cpu {

void rmsNorm(ThreadPool &pool, const float *x, std::size_t xStride, const float *weight, float eps,
             float *out, std::size_t outStride, std::size_t T, std::size_t n);

/// x [T, heads·D] in place, weight [D].
void headRmsNorm(ThreadPool &pool, float *x, std::size_t xStride, const float *weight, float eps,
                 std::size_t T, std::size_t heads, std::size_t headDim);

/// cosSin [T, rotary]: cos of rotary/2 angles, then sin, attentionFactor applied. One call per
/// pass.
void ropeTable(ThreadPool &pool, const Rope &rope, std::span<const std::int32_t> positions,
               float *cosSin);

/// Rotates x [T, heads·D] in place by the table; channels ≥ rotary stay.
void applyRope(ThreadPool &pool, float *x, std::size_t xStride, const float *cosSin,
               std::size_t rotary, RopePairing pairing, std::size_t T, std::size_t heads,
               std::size_t headDim);

/// A cache as raw memory; layout [Hkv, capacity, D].
struct KvView
{
    std::byte *keys = nullptr;
    std::byte *values = nullptr;
    DType dtype = DType::F16; // F32, F16, Q8_0 (D a multiple of 32)
    std::size_t kvHeads = 0, capacity = 0, headDim = 0;
};

/// Rows of k and v [rows, Hkv·D] (strides in floats) to cache positions past … past + rows − 1.
void appendKv(ThreadPool &pool, const KvView &cache, const float *k, const float *v,
              std::size_t stride, std::size_t rows, std::size_t past);

struct AttentionItem
{
    KvView cache;
    std::size_t firstRow = 0, rows = 0, past = 0;
};

/// Flash-style: never a [rows, keys] matrix beyond one tile, F32 accumulation. One-row items split
/// their keys over threads; prompts are tiled over (item, kv head, query tile) with the query heads
/// of a group sharing each loaded key.
void attention(ThreadPool &pool, std::span<const AttentionItem> items, const float *q,
               std::size_t qStride, const AttentionShape &shape, float *out, std::size_t outStride);

/// out ids [rows]; the first maximum wins; NaN never wins, and a row of nothing else gives −1.
void argmax(ThreadPool &pool, const float *x, std::size_t stride, std::size_t rows, std::size_t n,
            std::int32_t *ids);

/// out = act(gate) ⊙ up on n floats, the epilogue of gatedLinear; out may be an input.
void (*gateFunction(Activation act))(float *out, const float *gate, const float *up, std::size_t n);

} // namespace fireside::cpu
