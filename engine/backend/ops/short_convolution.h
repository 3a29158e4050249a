#pragma once
#include "engine/backend/ops/op_check.h"

namespace fireside::op {

/// Causal depthwise convolution over each item's rows, continued from its state:
/// out[t, c] = Σⱼ weight[c, j] · x[t − (K−1) + j, c] (+ bias).
struct ShortConvolution
{
    static constexpr const char *kName = "shortConvolution";
    Tensor x;                     // [T, C]
    const Weight &weight;         // [C, K]
    const Weight *bias = nullptr; // [1, C] or none
    Tensor state;                 // [items·(K−1), C] F32: the last inputs of each item, kept
    Tensor out;                   // [T, C]
};

inline void check(const ShortConvolution &op, const PassRows &pass)
{
    const OpCheck check(op.kName);
    const Weight &w = op.weight;
    const auto items = static_cast<std::int64_t>(pass.items.size());
    check.activation("x", pass.rows, w.rows, op.x);
    check.activation("out", pass.rows, w.rows, op.out);
    check.matrix(w, w.rows, w.cols);
    check.vector(op.bias, w.rows);
    check.floats("state", items * (w.cols - 1), w.rows, op.state);
}

} // namespace fireside::op
