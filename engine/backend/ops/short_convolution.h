#pragma once
#include "engine/backend/ops/op_check.h"

namespace fireside::op {

/// Causal depthwise convolution over each item's rows, continued from its state, the last K−1
/// inputs: out[t, c] = Σⱼ weight[c, j] · x[t − (K−1) + j, c] (+ bias).
struct ShortConvolution
{
    static constexpr const char *kName = "shortConvolution";
    Tensor x;                     // [T, C]
    const Weight &weight;         // [C, K]
    const Weight *bias = nullptr; // [1, C] or none
    std::int64_t layer = 0;
    std::int64_t stateOffset = 0; // in numbers; the state is [K−1, C], the oldest input first
    Tensor out;                   // [T, C]
};

inline StatePart statePart(const ShortConvolution &op)
{
    return {op.layer, op.stateOffset, (op.weight.cols - 1) * op.weight.rows};
}

inline void check(const ShortConvolution &op, const PassRows &pass)
{
    const OpCheck check(op.kName);
    const Weight &w = op.weight;
    check.activation("x", pass.rows, w.rows, op.x);
    check.activation("out", pass.rows, w.rows, op.out);
    check.matrix(w, w.rows, w.cols);
    check.vector(op.bias, w.rows);
    check.state(statePart(op));
}

} // namespace fireside::op
