#pragma once
#include "engine/backend/ops/op_check.h"

namespace fireside::op {

/// Each head its own matrix: out[t, h, :] = x[t, h, :] · weight[h]ᵀ.
struct HeadLinear
{
    static constexpr const char *kName = "headLinear";
    Tensor x;             // [T, H·in]
    const Weight &weight; // [out, in] of depth H
    Tensor out;           // [T, H·out]
};

inline void check(const HeadLinear &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    const Weight &w = op.weight;
    check.activation("x", op.x.rows, w.depth * w.cols, op.x);
    check.activation("out", op.x.rows, w.depth * w.rows, op.out);
}

} // namespace fireside::op
