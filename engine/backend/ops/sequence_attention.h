#pragma once
#include "engine/backend/ops/attention.h"

namespace fireside::op {

/// Attention among the rows of each item, without a cache: encoders.
struct SequenceAttention
{
    static constexpr const char *kName = "sequenceAttention";
    Tensor q; // [T, H·D]
    Tensor k; // [T, Hkv·D]
    Tensor v; // [T, Hkv·Dv]
    AttentionShape shape;
    Tensor out; // [T, H·Dv]
    /// [1, H·(2R + 1)] or none: what a score of head h gets for the distance key − query, cut to
    /// −R … R. arXiv 1910.10683, MPNet. Not together with ALiBi.
    const Weight *distances = nullptr;

    std::int64_t reach() const // R
    {
        return distances != nullptr ? (distances->cols / shape.heads - 1) / 2 : 0;
    }
};
inline constexpr std::int64_t kMaxReach = 65535;

inline void check(const SequenceAttention &op, const PassRows &pass)
{
    const OpCheck check(op.kName);
    const AttentionShape &s = op.shape;
    checkShape(check, s);
    check.activation("q", pass.rows, s.heads * s.headDim, op.q);
    check.activation("k", pass.rows, s.kvHeads * s.headDim, op.k);
    check.activation("v", pass.rows, s.kvHeads * s.values(), op.v);
    check.activation("out", pass.rows, s.heads * s.values(), op.out);
    check.vector(s.sinks, s.heads);
    check.vector(op.distances, s.heads * (2 * op.reach() + 1));
    if (op.distances != nullptr && (s.alibiMaxBias > 0 || op.reach() > kMaxReach))
        check.fail("a bias of distances up to " + std::to_string(op.reach()) +
                   (s.alibiMaxBias > 0 ? " and ALiBi" : ""));
}

} // namespace fireside::op
