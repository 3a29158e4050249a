#include "engine/cpu/ops/head_ops.h"
#include "engine/cpu/ops/op_call.h"

namespace fireside::cpu {

void splitQkv(ThreadPool &pool, const InRows &qkv, QkvLayout layout, const AttentionShape &shape,
              const FloatRows &q, const FloatRows &k, const FloatRows &v)
{
    const auto heads = static_cast<std::size_t>(shape.heads);
    const auto kvHeads = static_cast<std::size_t>(shape.kvHeads);
    const auto dim = static_cast<std::size_t>(shape.headDim);
    const auto valueDim = static_cast<std::size_t>(shape.values());
    forRows(pool, qkv.rows, qkv.cols, [&](std::size_t t) {
        const float *from = qkv.row(t);
        if (layout == QkvLayout::TokenMajor) {
            std::copy_n(from, heads * dim, q.row(t));
            std::copy_n(from + heads * dim, kvHeads * dim, k.row(t));
            std::copy_n(from + (heads + kvHeads) * dim, kvHeads * valueDim, v.row(t));
            return;
        }
        const std::size_t group = heads / kvHeads * dim;
        for (std::size_t h = 0; h < kvHeads; ++h, from += group + dim + valueDim) {
            std::copy_n(from, group, q.row(t) + h * group);
            std::copy_n(from + group, dim, k.row(t) + h * dim);
            std::copy_n(from + group + dim, valueDim, v.row(t) + h * valueDim);
        }
    });
}

void run(OpCall &call, const op::SplitQkv &op)
{
    const InRows qkv = call.input(op.qkv, "qkv");
    const FloatRows q = call.output(op.q, "q"), k = call.output(op.k, "k");
    const FloatRows v = call.output(op.v, "v");
    call.run([&] { splitQkv(call.pool(), qkv, op.layout, op.shape, q, k, v); });
}

} // namespace fireside::cpu
