#pragma once
#include "engine/backend/ops/op_check.h"

namespace fireside {

enum class Pooling { First, Mean, Last };

} // namespace fireside

namespace fireside::op {

/// out[i, :] = the first or last row, or the mean of the rows, of item i; zero for an empty one.
struct Pool
{
    static constexpr const char *kName = "pool";
    Tensor x; // [T, n]
    Pooling pooling = Pooling::First;
    Tensor out; // [items, n]
};

inline void check(const Pool &op, const PassRows &pass)
{
    const OpCheck check(op.kName);
    check.activation("x", pass.rows, op.x.cols, op.x);
    check.activation("out", static_cast<std::int64_t>(pass.items.size()), op.x.cols, op.out);
}

} // namespace fireside::op
