#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/ops/row_ops.h"

namespace fireside::cpu {
namespace {

void gather(const float *x, const float *columns, std::size_t n, float *out)
{
    for (std::size_t j = 0; j < n; ++j)
        out[j] = columns ? x[static_cast<std::size_t>(columns[j])] : x[j];
}

} // namespace

void run(OpCall &call, const op::GatherColumns &op)
{
    const CpuWeight *const columns = op.columns ? &asCpu(*op.columns) : nullptr;
    const IdRows ids = op.ids ? call.ids(*op.ids, "ids") : IdRows{};
    const InRows x = call.input(op.x, "x");
    const FloatRows out = call.output(op.out, "out");
    call.run([&] {
        const std::size_t each = out.rows / std::max<std::size_t>(1, x.rows);
        forRows(call.pool(), out.rows, out.cols, [&](std::size_t r) {
            const std::int32_t expert = op.ids ? ids.at(r / ids.cols, r % ids.cols) : 0;
            if (columns && (expert < 0 || expert >= columns->depth))
                std::fill_n(out.row(r), out.cols, 0.0f);
            else
                gather(x.row(r / each), columns ? columns->vector(expert) : nullptr, out.cols,
                       out.row(r));
        });
    });
}

} // namespace fireside::cpu
