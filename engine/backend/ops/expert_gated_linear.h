#pragma once
#include "engine/backend/ops/linear.h"

namespace fireside::op {

/// The first products of a mixture of experts. Ids are not trusted: an expert that does not exist
/// gives zeros.
/// out[t·k + j, :] = act(x[t]·gate[e]ᵀ) ⊙ (x[t]·up[e]ᵀ) with e = ids[t, j].
struct ExpertGatedLinear
{
    static constexpr const char *kName = "expertGatedLinear";
    LinearInput input;    // [T, in]
    Tensor ids;           // [T, k]
    GatedWeights weights; // of depth E
    Activation act = Activation::SiLU;
    Tensor out; // [T·k, ffn]
};

inline void check(const ExpertGatedLinear &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    const GatedWeights &w = op.weights;
    const Tensor &x = op.input.x;
    if (w.gate == nullptr || w.up == nullptr)
        check.fail("gate or up is missing");
    check.activation("x", x);
    check.vector(op.input.norm, x.cols);
    check.matrix(*w.gate, w.gate->rows, x.cols, w.gate->depth);
    check.matrix(*w.up, w.gate->rows, x.cols, w.gate->depth);
    check.vector(w.gateBias, w.gate->rows, w.gate->depth);
    check.vector(w.upBias, w.gate->rows, w.gate->depth);
    check.ids("ids", x.rows, op.ids.cols, op.ids);
    check.activation("out", x.rows * op.ids.cols, w.gate->rows, op.out);
}

} // namespace fireside::op
