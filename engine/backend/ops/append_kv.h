#pragma once
#include "engine/backend/ops/attention.h"
#include "engine/backend/ops/transform_heads.h"

namespace fireside::op {

/// Norm, rotation and the way into the cache: q is transformed in place, k on its way to each
/// item's cache of the layer, where k and v are written from `past` on. k and v may be views of one
/// product.
struct AppendKv
{
    static constexpr const char *kName = "appendKv";
    Tensor q; // [T, H·D]
    HeadTransform qTransform;
    Tensor k; // [T, Hkv·D]
    HeadTransform kTransform;
    Tensor v; // [T, Hkv·Dv]
    std::int64_t layer = 0;
    AttentionShape shape; // heads and their sizes
};

inline void check(const AppendKv &op, const PassRows &pass)
{
    const OpCheck check(op.kName);
    const AttentionShape &s = op.shape;
    checkShape(check, s);
    check.activation("q", pass.rows, s.heads * s.headDim, op.q);
    check.activation("k", pass.rows, s.kvHeads * s.headDim, op.k);
    check.activation("v", pass.rows, s.kvHeads * s.values(), op.v);
    checkTransform(check, op.qTransform, s.headDim);
    checkTransform(check, op.kTransform, s.headDim);
}

} // namespace fireside::op
