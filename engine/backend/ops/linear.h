#pragma once
#include "engine/backend/ops/activation.h"
#include "engine/backend/ops/op_check.h"

#include <vector>

namespace fireside {

/// A product's input: x [T, in], or its RMS norm x / √(mean(x²) + eps) · norm, taken on the way
/// (x itself stays as it is).
struct LinearInput
{
    LinearInput(const Tensor &tensor) // NOLINT: a plain tensor is an input
        : x(tensor)
    {}
    LinearInput(const Tensor &tensor, const Weight &rmsNorm, float rmsEps)
        : x(tensor)
        , norm(&rmsNorm)
        , eps(rmsEps)
    {}
    Tensor x;
    const Weight *norm = nullptr; // [1, in] or none
    float eps = 0;
};

/// One product of a group that reads the same input: out = x · weightᵀ (+ bias).
struct LinearTarget
{
    const Weight *weight = nullptr; // [out, in]
    Tensor out;                     // [T, out]
    const Weight *bias = nullptr;   // [1, out] or none
};

/// The two matrices of a gated feed-forward: act(x·gateᵀ + gateBias) ⊙ (x·upᵀ + upBias).
struct GatedWeights
{
    const Weight *gate = nullptr, *up = nullptr;         // [ffn, in], depth = experts in a mixture
    const Weight *gateBias = nullptr, *upBias = nullptr; // [1, ffn] or none, the same depth
};

} // namespace fireside

namespace fireside::op {

/// Each target: out (+)= x · weightᵀ + bias. Weights in any supported type.
struct Linear
{
    static constexpr const char *kName = "linear";
    LinearInput input; // [T, in], shared by the targets
    std::vector<LinearTarget> targets;
    Accumulate mode = Accumulate::Overwrite;
};

/// out = act(x · gateᵀ) ⊙ (x · upᵀ)
struct GatedLinear
{
    static constexpr const char *kName = "gatedLinear";
    LinearInput input; // [T, in]
    GatedWeights weights;
    Activation act = Activation::SiLU;
    Tensor out; // [T, ffn]
};

inline void check(const Linear &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    const Tensor &x = op.input.x;
    check.activation("x", x);
    check.vector(op.input.norm, x.cols);
    for (const LinearTarget &target : op.targets) {
        if (target.weight == nullptr)
            check.fail("a target without weight");
        check.matrix(*target.weight, target.weight->rows, x.cols);
        check.activation("out", x.rows, target.weight->rows, target.out);
        check.vector(target.bias, target.weight->rows);
    }
}

inline void check(const GatedLinear &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    const GatedWeights &w = op.weights;
    const Tensor &x = op.input.x;
    if (w.gate == nullptr || w.up == nullptr)
        check.fail("gate or up is missing");
    check.gate(op.act);
    check.activation("x", x);
    check.vector(op.input.norm, x.cols);
    check.matrix(*w.gate, w.gate->rows, x.cols);
    check.matrix(*w.up, w.gate->rows, x.cols);
    check.vector(w.gateBias, w.gate->rows);
    check.vector(w.upBias, w.gate->rows);
    check.activation("out", x.rows, w.gate->rows, op.out);
}

} // namespace fireside::op
