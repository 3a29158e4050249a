#pragma once
#include "engine/backend/ops/activation.h"
#include "engine/backend/ops/op_check.h"

namespace fireside::op {

/// out[t, :] (+)= table[ids[t], :] · scale. An id outside the table is Error(BadInput) where the
/// host knows it, and reads row 0 where only the device does.
struct Embed
{
    static constexpr const char *kName = "embed";
    const Weight &table; // [vocabulary, n]
    Tensor ids;          // [T, 1]
    float scale = 1;
    Tensor out; // [T, n]
    Accumulate mode = Accumulate::Overwrite;
};

inline void check(const Embed &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    check.matrix(op.table, op.table.rows, op.table.cols);
    if (op.table.columns)
        check.fail(op.table.name + " has its columns in another order");
    check.ids("ids", op.ids.rows, 1, op.ids);
    check.activation("out", op.ids.rows, op.table.cols, op.out);
}

} // namespace fireside::op
