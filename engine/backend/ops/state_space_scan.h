#pragma once
#include "engine/backend/ops/op_check.h"

#include <limits>

namespace fireside::op {

/// State space model with one decay for each head (Mamba 2, SSD), arXiv 2405.21060, per head and
/// row of an item: δ = softplus(dt + dtBias), limited;  S ← exp(δ·a)·S + δ·x ⊗ b;  out = S·c + d·x.
struct StateSpaceScan
{
    static constexpr const char *kName = "stateSpaceScan";
    Tensor x;             // [T, H·P]
    Tensor dt;            // [T, H]
    const Weight *dtBias; // [1, H] or none
    const Weight &a;      // [1, H] = −exp(A_log)
    Tensor b, c;          // [T, G·N]
    const Weight *d;      // [1, H] or none
    std::int64_t groups;  // G, divides H: head h has b and c of group h / (H / G)
    std::int64_t heads;   // H
    float dtMin = 0, dtMax = std::numeric_limits<float>::infinity(); // limits of δ
    std::int64_t layer = 0;
    std::int64_t stateOffset = 0; // in numbers; the state is [H·P, N]
    Tensor out;                   // [T, H·P]
};

inline StatePart statePart(const StateSpaceScan &op)
{
    return {op.layer, op.stateOffset, op.x.cols * (op.b.cols / op.groups)};
}

inline void check(const StateSpaceScan &op, const PassRows &pass)
{
    const OpCheck check(op.kName);
    const Tensor &x = op.x, &b = op.b;
    if (op.heads <= 0 || op.groups <= 0 || op.heads % op.groups != 0 || x.cols % op.heads != 0 ||
        b.cols % op.groups != 0)
        check.fail(std::to_string(op.groups) + " groups and " + std::to_string(op.heads) +
                   " heads in x " + shapeText(x.rows, x.cols) + " and b " +
                   shapeText(b.rows, b.cols));
    if (!(op.dtMin <= op.dtMax))
        check.fail("limits " + std::to_string(op.dtMin) + " and " + std::to_string(op.dtMax) +
                   " of dt");
    check.activation("x", pass.rows, x.cols, x);
    check.activation("dt", pass.rows, op.heads, op.dt);
    check.activation("b", pass.rows, b.cols, b);
    check.activation("c", pass.rows, b.cols, op.c);
    check.activation("out", pass.rows, x.cols, op.out);
    check.vector(op.dtBias, op.heads);
    check.vector(&op.a, op.heads);
    check.vector(op.d, op.heads);
    check.state(statePart(op));
}

} // namespace fireside::op
