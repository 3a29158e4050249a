#pragma once
#include "engine/backend/ops/linear.h"

// The products of a mixture of experts. Ids are not trusted: an expert that does not exist gives
// zeros.
namespace fireside::op {

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

/// out[t, :] (+)= Σⱼ w[t, j] · (x[t·k + j]·down[ids[t, j]]ᵀ + bias[ids[t, j]]).
struct ExpertLinear
{
    static constexpr const char *kName = "expertLinear";
    Tensor x;                     // [T·k, ffn]
    Tensor ids, weights;          // [T, k] I32 and F32
    const Weight &down;           // [n, ffn] of depth E
    const Weight *bias = nullptr; // [1, n] of depth E, or none
    Tensor out;                   // [T, n]
    Accumulate mode = Accumulate::Overwrite;
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

inline void check(const ExpertLinear &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    const Weight &down = op.down;
    check.ids("ids", op.out.rows, op.ids.cols, op.ids);
    check.floats("weights", op.ids.rows, op.ids.cols, op.weights);
    check.activation("x", op.ids.rows * op.ids.cols, down.cols, op.x);
    check.activation("out", op.ids.rows, down.rows, op.out);
    check.vector(op.bias, down.rows, down.depth);
}

} // namespace fireside::op
