#pragma once
#include "engine/backend/ops/attention.h"

namespace fireside::op {

/// MLA, arXiv 2405.04434, as it is defined: keys and values of each head are made from the rows of
/// a latent cache, k = [keys·latent, rotated part] and v = values·latent, then attention over them.
/// Of many queries less work than with matrices absorbed (Attention over a latent cache).
struct ExpandedAttention
{
    static constexpr const char *kName = "expandedAttention";
    Tensor q; // [T, H·(plain + r)]: as `keys`, then as the rotated part of the cache
    std::int64_t layer = 0;
    AttentionShape shape;  // Hkv = H, D = plain + r
    const Weight &keys;    // [plain, rank] of depth H
    const Weight &values;  // [Dv, rank] of depth H
    Tensor out;            // [T, H·Dv]
    std::int64_t room = 0; // bytes of scratch for keys and values; heads take turns in it
};

/// For caches of so many tokens: bytes for all heads, up to a bound.
inline std::int64_t roomForHeads(const AttentionShape &shape, std::int64_t tokens)
{
    constexpr std::int64_t kMost = std::int64_t{256} << 20;
    const std::int64_t ofToken = shape.heads * (shape.headDim + shape.values()) * 2;
    return ofToken > 0 && tokens > kMost / ofToken ? kMost : tokens * ofToken;
}

inline void check(const ExpandedAttention &op, const PassRows &pass)
{
    const OpCheck check(op.kName);
    const AttentionShape &s = op.shape;
    checkShape(check, s);
    if (s.kvHeads != s.heads || op.keys.rows > s.headDim)
        check.fail(std::to_string(s.heads) + " heads of " + std::to_string(s.headDim) + " with " +
                   std::to_string(s.kvHeads) + " kv heads and keys of " +
                   std::to_string(op.keys.rows));
    if (s.window > 0 || s.chunk > 0 || s.softcap > 0 || s.alibiMaxBias > 0 || s.sinks != nullptr)
        check.fail("a window of " + std::to_string(s.window) + ", chunks of " +
                   std::to_string(s.chunk) + ", a softcap, slopes or sinks");
    check.activation("q", pass.rows, s.heads * s.headDim, op.q);
    check.matrix(op.keys, op.keys.rows, op.keys.cols, s.heads);
    check.matrix(op.values, s.values(), op.keys.cols, s.heads);
    check.activation("out", pass.rows, s.heads * s.values(), op.out);
}

} // namespace fireside::op
