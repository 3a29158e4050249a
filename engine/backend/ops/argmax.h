#pragma once
#include "engine/backend/ops/op_check.h"

namespace fireside::op {

/// ids[i] = index of the largest value of row i; the first one on a tie; kNotFinite when any is NaN
/// or infinite (not_finite.h).
struct Argmax
{
    static constexpr const char *kName = "argmax";
    Tensor x;   // [rows, n]
    Tensor ids; // [rows, 1] I32
};

inline void check(const Argmax &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    check.activation("x", op.x);
    check.ids("ids", op.x.rows, 1, op.ids);
}

} // namespace fireside::op
