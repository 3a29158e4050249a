#include "engine/cpu/ops/embed.h"
#include "engine/core/error.h"
#include "engine/cpu/ops/op_call.h"

#include "engine/cpu/linear/row_product.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/tensor/blocks.h"

namespace fireside::cpu {

void embed(ThreadPool &pool, const CpuWeight &table, const IdRows &ids, float scale,
           const FloatRows &out, const FloatRows *rows)
{
    const VectorKernels &vec = vectorKernels();
    constexpr std::size_t kRows = 8; // of one work item
    distribute(pool, (ids.rows + kRows - 1) / kRows, [&](int thread, std::size_t item) {
        for (std::size_t t = item * kRows; t < std::min(ids.rows, (item + 1) * kRows); ++t) {
            const std::int32_t id = ids.at(t);
            const std::byte *from = table.row(id < 0 || id >= table.rows ? 0 : id);
            float *row = rows ? rows->row(static_cast<std::size_t>(thread)) : out.row(t);
            dequantizeRow(table.dtype, from, row, out.cols);
            if (rows)
                vec.addScaled(out.row(t), row, scale, out.cols);
            else if (scale != 1.0f)
                vec.scale(row, scale, out.cols);
        }
    });
}

void run(OpCall &call, const op::Embed &op)
{
    const CpuWeight &table = asCpu(op.table);
    const IdRows ids = call.ids(op.ids, "ids");
    // The batch's own ids are known when this is recorded; others read row 0 when they are wrong.
    if (op.ids.buffer == call.pass().ids.buffer)
        for (std::size_t t = 0; t < ids.rows; ++t)
            if (const std::int32_t id = ids.at(t); id < 0 || id >= table.rows)
                throwBadInput("token id " + std::to_string(id) + " is outside the vocabulary of " +
                              std::to_string(table.rows));
    const FloatRows out = call.output(op.out, "out", op.mode);
    const bool add = op.mode == Accumulate::AddToOutput;
    const FloatRows row = call.temporary(add ? size(call.pool().size()) : 0, size(table.cols));
    call.run([&] { embed(call.pool(), table, ids, op.scale, out, add ? &row : nullptr); });
}

} // namespace fireside::cpu
