#include "engine/cpu/linear/row_dots.h"
#include "engine/cpu/linear/row_product.h"
#include "engine/cpu/ops/expert_ops.h"
#include "engine/cpu/ops/op_call.h"

namespace fireside::cpu {

void headLinear(ThreadPool &pool, LinearScratch &scratch, const InRows &x, const CpuWeight &weight,
                const FloatRows &out, const HeadSteps &step)
{
    const std::size_t heads = size(weight.depth), in = size(weight.cols), outs = size(weight.rows);
    constexpr std::size_t kFewTokens = 4; // beyond, each head's matrix is used for all of them
    if (x.rows > kFewTokens) {
        for (std::size_t h = 0; h < heads; ++h) {
            const LinearJob job{weight.matrix(static_cast<std::int64_t>(h)),
                                out.data + h * step.out, out.stride, nullptr, false};
            linear(pool, scratch, x.data + h * step.x, x.stride, x.rows, in, {&job, 1});
        }
        return;
    }
    const RowDots dots(pool, scratch, x, {heads, in, step.x}, {weight.dtype});
    const std::size_t perItem =
        dots.rowsPerItem(weight.matrix(), dots.rows(), static_cast<std::size_t>(pool.size()));
    const std::size_t items = (outs + perItem - 1) / perItem;
    distribute(pool, dots.rows() * items, [&](int, std::size_t index) {
        const std::size_t row = index / items, first = index % items * perItem;
        const std::size_t t = row / heads, h = row % heads;
        dots.compute(row, weight.matrix(static_cast<std::int64_t>(h)), first,
                     std::min(perItem, outs - first), out.row(t) + h * step.out + first);
    });
}

void run(OpCall &call, const op::HeadLinear &op)
{
    const CpuWeight &weight = asCpu(op.weight);
    const InRows x = call.input(op.x, "x");
    // What lies between heads stays.
    const FloatRows out =
        op.stepOfOut() == weight.rows ? call.output(op.out, "out") : call.update(op.out, "out");
    const HeadSteps step{size(op.stepOfX()), size(op.stepOfOut())};
    call.run([&] { headLinear(call.pool(), call.pass().linearScratch, x, weight, out, step); });
}

} // namespace fireside::cpu
