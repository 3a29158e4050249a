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
};

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
}

} // namespace fireside::op
