#pragma once
#include "engine/backend/ops/op_check.h"

#include <optional>

namespace fireside::op {

/// Per row: out[t, j] = softmax over j < visible[t] of x[t, j]·scale, and 0 beyond. A row that sees
/// nothing becomes zero.
struct Softmax
{
    static constexpr const char *kName = "softmax";
    Tensor x; // [T, n]
    float scale = 1;
    std::optional<Tensor> visible; // [T, 1] I32, or none for all columns
    Tensor out;                    // [T, n]
};

inline void check(const Softmax &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    check.activation("x", op.x);
    check.activation("out", op.x.rows, op.x.cols, op.out);
    if (op.visible)
        check.ids("visible", op.x.rows, 1, *op.visible);
}

} // namespace fireside::op
