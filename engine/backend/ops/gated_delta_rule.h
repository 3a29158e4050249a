#pragma once
#include "engine/backend/ops/op_check.h"

namespace fireside::op {

/// Gated delta rule, arXiv 2412.06464, per head h and row t of an item:
/// S ← exp(g)·S;  S ← S + β·k ⊗ (v − Sᵀk);  out = Sᵀq.
/// With a g for each channel of the keys (KDA, arXiv 2510.26692) row d of S decays by exp(g[d]).
struct GatedDeltaRule
{
    static constexpr const char *kName = "gatedDeltaRule";
    Tensor q, k;               // [T, Hk·Dk]
    Tensor v;                  // [T, H·Dv]
    Tensor g;                  // [T, H], or [T, H·Dk]
    Tensor beta;               // [T, H]
    std::int64_t keyHeads = 0; // Hk, divides H: head h has the key and query h / (H / Hk)
    std::int64_t heads = 0;    // H
    std::int64_t layer = 0;
    std::int64_t stateOffset = 0; // in numbers; the state is [H·Dk, Dv]
    Tensor out;                   // [T, H·Dv]
};

inline StatePart statePart(const GatedDeltaRule &op)
{
    return {op.layer, op.stateOffset, op.q.cols / op.keyHeads * op.v.cols};
}

inline void check(const GatedDeltaRule &op, const PassRows &pass)
{
    const OpCheck check(op.kName);
    const Tensor &q = op.q, &v = op.v;
    if (op.heads <= 0 || op.keyHeads <= 0 || op.heads % op.keyHeads != 0 ||
        q.cols % op.keyHeads != 0 || v.cols % op.heads != 0)
        check.fail(std::to_string(op.keyHeads) + " and " + std::to_string(op.heads) +
                   " heads in q " + shapeText(q.rows, q.cols) + " and v " +
                   shapeText(v.rows, v.cols));
    check.activation("q", pass.rows, q.cols, q);
    check.activation("k", pass.rows, q.cols, op.k);
    check.activation("v", pass.rows, v.cols, v);
    const std::int64_t perChannel = op.heads * (q.cols / op.keyHeads);
    check.activation("g", pass.rows, op.g.cols == perChannel ? perChannel : op.heads, op.g);
    check.activation("beta", pass.rows, op.heads, op.beta);
    check.activation("out", pass.rows, v.cols, op.out);
    check.state(statePart(op));
}

} // namespace fireside::op
