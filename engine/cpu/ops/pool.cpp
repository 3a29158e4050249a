#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/ops/row_ops.h"
#include "engine/cpu/simd/kernels.h"

namespace fireside::cpu {

void pool(ThreadPool &threads, const InRows &x, std::span<const RowSpan> items, Pooling pooling,
          const FloatRows &out)
{
    const VectorKernels &vec = vectorKernels();
    const std::size_t perItem = x.cols * (x.rows / std::max<std::size_t>(1, items.size()) + 1);
    forRows(threads, items.size(), pooling == Pooling::Mean ? perItem : x.cols, [&](std::size_t i) {
        const RowSpan &item = items[i];
        float *to = out.row(i);
        if (item.rows == 0 || pooling == Pooling::Mean)
            std::fill_n(to, out.cols, 0.0f);
        if (item.rows == 0)
            return;
        if (pooling != Pooling::Mean) {
            const std::size_t at = pooling == Pooling::First ? 0 : item.rows - 1;
            std::copy_n(x.row(item.first + at), x.cols, to);
            return;
        }
        for (std::size_t t = 0; t < item.rows; ++t)
            vec.addScaled(to, x.row(item.first + t), 1.0f, x.cols);
        vec.scale(to, 1.0f / static_cast<float>(item.rows), x.cols);
    });
}

void run(OpCall &call, const op::Pool &op)
{
    const InRows x = call.input(op.x, "x");
    const FloatRows out = call.output(op.out, "out");
    call.run([&] { pool(call.pool(), x, call.pass().itemRows(), op.pooling, out); });
}

} // namespace fireside::cpu
