#pragma once
#include "engine/backend/ops/linear.h"

namespace fireside::op {

/// The first products of a mixture of experts. Ids are not trusted: an expert that does not exist
/// gives zeros.
/// out[t·k + j, :] = act(x[t]·gate[e]ᵀ) ⊙ (x[t]·up[e]ᵀ) with e = ids[t, j]; without a gate
/// act(x[t]·up[e]ᵀ + upBias[e]).
struct ExpertGatedLinear
{
    static constexpr const char *kName = "expertGatedLinear";
    LinearInput input;    // [T, in]
    Tensor ids;           // [T, k]
    GatedWeights weights; // of depth E; gate may be null
    Activation act = Activation::SiLU;
    Tensor out; // [T·k, ffn]
};

inline void check(const ExpertGatedLinear &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    const GatedWeights &w = op.weights;
    const Tensor &x = op.input.x;
    if (w.up == nullptr)
        check.fail("up is missing");
    if (w.gate == nullptr && (w.gateBias != nullptr || op.act == Activation::ClampedSwiGlu))
        check.fail("the gate is missing");
    check.gate(op.act);
    check.activation("x", x);
    check.vector(op.input.norm, x.cols);
    if (w.gate != nullptr)
        check.matrix(*w.gate, w.up->rows, x.cols, w.up->depth);
    check.matrix(*w.up, w.up->rows, x.cols, w.up->depth);
    check.vector(w.gateBias, w.up->rows, w.up->depth);
    check.vector(w.upBias, w.up->rows, w.up->depth);
    check.ids("ids", x.rows, op.ids.cols, op.ids);
    check.activation("out", x.rows * op.ids.cols, w.up->rows, op.out);
}

} // namespace fireside::op
