#pragma once
#include "engine/backend/ops/op_check.h"

namespace fireside::op {

/// Gated delta rule, arXiv 2412.06464, per head h and row t of an item:
/// S ← exp(g)·S;  S ← S + β·k ⊗ (v − Sᵀk);  out = Sᵀq.
struct GatedDeltaRule
{
    static constexpr const char *kName = "gatedDeltaRule";
    Tensor q, k;    // [T, H·Dk]
    Tensor v;       // [T, H·Dv]
    Tensor g, beta; // [T, H]
    std::int64_t heads = 0;
    Tensor state; // [items·H·Dk, Dv] F32, kept between passes
    Tensor out;   // [T, H·Dv]
};

inline void check(const GatedDeltaRule &op, const PassRows &pass)
{
    const OpCheck check(op.kName);
    const Tensor &q = op.q, &v = op.v;
    if (op.heads <= 0 || q.cols % op.heads != 0 || v.cols % op.heads != 0)
        check.fail(std::to_string(op.heads) + " heads in q " + shapeText(q.rows, q.cols) +
                   " and v " + shapeText(v.rows, v.cols));
    const auto items = static_cast<std::int64_t>(pass.items.size());
    check.activation("q", pass.rows, q.cols, q);
    check.activation("k", pass.rows, q.cols, op.k);
    check.activation("v", pass.rows, v.cols, v);
    check.activation("g", pass.rows, op.heads, op.g);
    check.activation("beta", pass.rows, op.heads, op.beta);
    check.floats("state", items * q.cols, v.cols / op.heads, op.state);
    check.activation("out", pass.rows, v.cols, op.out);
}

} // namespace fireside::op
