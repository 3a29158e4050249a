#pragma once
#include "engine/backend/ops/attention.h"

namespace fireside {

/// Where q, k and v lie in one fused projection [T, H·D + Hkv·(D + Dv)].
enum class QkvLayout {
    TokenMajor, // all q heads, all k heads, all v heads
    PerKvHead,  // for each kv head: its H/Hkv q heads, its k, its v (Falcon, GPT-NeoX)
};

} // namespace fireside

namespace fireside::op {

struct SplitQkv
{
    static constexpr const char *kName = "splitQkv";
    Tensor qkv;
    QkvLayout layout = QkvLayout::TokenMajor;
    AttentionShape shape; // heads and their sizes
    Tensor q;             // [T, H·D]
    Tensor k;             // [T, Hkv·D]
    Tensor v;             // [T, Hkv·Dv]
};

inline void check(const SplitQkv &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    const AttentionShape &s = op.shape;
    checkShape(check, s);
    const std::int64_t T = op.qkv.rows, H = s.heads, Hkv = s.kvHeads, D = s.headDim;
    check.activation("qkv", T, H * D + Hkv * (D + s.values()), op.qkv);
    check.activation("q", T, H * D, op.q);
    check.activation("k", T, Hkv * D, op.k);
    check.activation("v", T, Hkv * s.values(), op.v);
}

} // namespace fireside::op
