#pragma once
#include "engine/backend/ops/activation.h"
#include "engine/backend/ops/op_check.h"

namespace fireside::op {

/// The second product of a mixture of experts. Ids are not trusted: an expert that does not exist
/// gives zeros.
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
