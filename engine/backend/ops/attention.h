#pragma once
#include "engine/backend/ops/op_check.h"

namespace fireside {

struct AttentionShape
{
    std::int64_t heads = 0, kvHeads = 0;    // H, Hkv: kv head of head h is h / (H / Hkv)
    std::int64_t headDim = 0, valueDim = 0; // D of queries and keys, Dv of values (0: D)
    float scale = 0;                        // 1/√D unless the model says otherwise
    bool causal = true;                     // row i of an item sees keys ≤ past + i
    std::int64_t window = 0; // 0: none. Causal: the last `window` keys, itself included.
                             // Not causal: |query − key| ≤ window / 2
    std::int64_t chunk = 0;  // 0: none. Causal: keys with key / chunk = query / chunk (Llama 4)
    float softcap = 0;       // 0: none; else cap·tanh(score / cap)
    const Weight *sinks =
        nullptr;            // [1, H]: one more logit per head that takes weight, adds no value
    float alibiMaxBias = 0; // 0: none; else score += slope(h)·(key − query), arXiv 2108.12409,
                            // slope(h) = 2^(−maxBias·(h+1)/H) for H a power of two (else as there)
    float alibiScale = 1; // of the slopes: Falcon adds them before it scales the scores
    std::int64_t values() const { return valueDim > 0 ? valueDim : headDim; }
    bool operator==(const AttentionShape &) const = default;
};

} // namespace fireside

namespace fireside::op {

/// out[t, h, :] = softmax(q·Kᵀ·scale)·V over the item's cache of the layer incl. its new rows,
/// flash-style: arXiv 2205.14135. With a latent cache this is the absorbed form of MLA:
/// D = rank + r, Dv = rank, Hkv = 1. A query that sees no key gives zeros. What q holds afterwards
/// is undefined.
struct Attention
{
    static constexpr const char *kName = "attention";
    Tensor q; // [T, H·D]
    std::int64_t layer = 0;
    AttentionShape shape;
    Tensor out; // [T, H·Dv]
};

inline void checkShape(const OpCheck &check, const AttentionShape &s)
{
    if (s.heads <= 0 || s.kvHeads <= 0 || s.headDim <= 0 || s.values() <= 0 ||
        s.heads % s.kvHeads != 0 || s.window < 0 || s.chunk < 0 ||
        (s.chunk > 0 && (!s.causal || s.window > 0)))
        check.fail("invalid attention shape, " + std::to_string(s.heads) + " heads, " +
                   std::to_string(s.kvHeads) + " kv heads of " + std::to_string(s.headDim) +
                   " and " + std::to_string(s.values()) + ", window " + std::to_string(s.window) +
                   ", chunk " + std::to_string(s.chunk) + (s.causal ? "" : ", not causal"));
}

inline void check(const Attention &op, const PassRows &pass)
{
    const OpCheck check(op.kName);
    const AttentionShape &s = op.shape;
    checkShape(check, s);
    check.activation("q", pass.rows, s.heads * s.headDim, op.q);
    check.activation("out", pass.rows, s.heads * s.values(), op.out);
    check.vector(s.sinks, s.heads);
}

} // namespace fireside::op
