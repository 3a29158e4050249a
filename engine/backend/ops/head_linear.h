#pragma once
#include "engine/backend/ops/op_check.h"

namespace fireside::op {

/// Each head its own matrix: out[t, h, :] = x[t, h, :] · weight[h]ᵀ.
struct HeadLinear
{
    static constexpr const char *kName = "headLinear";
    Tensor x;             // [T, (H − 1)·xStep + in]
    const Weight &weight; // [out, in] of depth H
    Tensor out;           // [T, (H − 1)·outStep + out]
    /// Columns from one head to the next, none between them: 0.
    std::int64_t xStep = 0, outStep = 0;

    std::int64_t stepOfX() const { return xStep > 0 ? xStep : weight.cols; }
    std::int64_t stepOfOut() const { return outStep > 0 ? outStep : weight.rows; }
};

inline void check(const HeadLinear &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    const Weight &w = op.weight;
    if (op.stepOfX() < w.cols || op.stepOfOut() < w.rows)
        check.fail("heads " + std::to_string(op.xStep) + " and " + std::to_string(op.outStep) +
                   " columns apart with matrices " + shapeText(w.rows, w.cols));
    check.activation("x", op.x.rows, (w.depth - 1) * op.stepOfX() + w.cols, op.x);
    check.activation("out", op.x.rows, (w.depth - 1) * op.stepOfOut() + w.rows, op.out);
}

} // namespace fireside::op
