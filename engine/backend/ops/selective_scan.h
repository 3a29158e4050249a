#pragma once
#include "engine/backend/ops/op_check.h"

namespace fireside::op {

/// Selective state space model (Mamba), arXiv 2312.00752, per channel and row of an item:
/// δ = softplus(dt + dtBias);  s ← exp(δ·a)·s + δ·x·b;  out = Σ s·c + d·x.
struct SelectiveScan
{
    static constexpr const char *kName = "selectiveScan";
    Tensor x, dt;         // [T, C]
    const Weight *dtBias; // [1, C] or none
    const Weight &a;      // [C, N] = −exp(A_log)
    Tensor b, c;          // [T, N]
    const Weight &d;      // [1, C]
    std::int64_t layer = 0;
    std::int64_t stateOffset = 0; // in numbers; the state is [C, N]
    Tensor out;                   // [T, C]
};

inline StatePart statePart(const SelectiveScan &op)
{
    return {op.layer, op.stateOffset, op.a.rows * op.a.cols};
}

inline void check(const SelectiveScan &op, const PassRows &pass)
{
    const OpCheck check(op.kName);
    const std::int64_t C = op.a.rows, N = op.a.cols;
    check.matrix(op.a, C, N);
    check.activation("x", pass.rows, C, op.x);
    check.activation("dt", pass.rows, C, op.dt);
    check.activation("b", pass.rows, N, op.b);
    check.activation("c", pass.rows, N, op.c);
    check.activation("out", pass.rows, C, op.out);
    check.vector(op.dtBias, C);
    check.vector(&op.d, C);
    check.state(statePart(op));
}

} // namespace fireside::op
