#include "engine/cpu/ops/head_ops.h"
#include "engine/cpu/ops/op_call.h"

namespace fireside::cpu {

void reorderHeads(ThreadPool &pool, const InRows &x, std::size_t heads, HeadOrder to,
                  const FloatRows &out)
{
    const bool toHeads = to == HeadOrder::HeadMajor;
    const std::size_t T = toHeads ? x.rows : out.rows, dim = toHeads ? out.cols : x.cols;
    forRows(pool, T, heads * dim, [&](std::size_t t) {
        for (std::size_t h = 0; h < heads; ++h)
            if (toHeads)
                std::copy_n(x.row(t) + h * dim, dim, out.row(h * T + t));
            else
                std::copy_n(x.row(h * T + t), dim, out.row(t) + h * dim);
    });
}

void run(OpCall &call, const op::ReorderHeads &op)
{
    const InRows x = call.input(op.x, "x");
    const FloatRows out = call.output(op.out, "out");
    call.run([&] { reorderHeads(call.pool(), x, size(op.heads), op.to, out); });
}

} // namespace fireside::cpu
