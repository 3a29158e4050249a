#pragma once
#include "engine/backend/ops/op_check.h"

namespace fireside::op {

/// The k largest of each row in falling order (the first on a tie); missing ones are −∞ and −1, and
/// all −∞ and kNotFinite where Argmax gives it.
struct TopK
{
    static constexpr const char *kName = "topK";
    Tensor x;      // [rows, n]
    Tensor values; // [rows, k] F32
    Tensor ids;    // [rows, k] I32
};

inline void check(const TopK &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    check.activation("x", op.x);
    check.floats("values", op.x.rows, op.values.cols, op.values);
    check.ids("ids", op.x.rows, op.values.cols, op.ids);
}

} // namespace fireside::op
