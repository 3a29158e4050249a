#include "engine/cpu/ops/embed.h"

#include "engine/cpu/linear/row_product.h"
#include "engine/cpu/simd/kernels.h"

namespace fireside::cpu {

void embed(ThreadPool &pool, const CpuWeight &table, const IdRows &ids, float scale,
           const FloatRows &out, const FloatRows *rows)
{
    const VectorKernels &vec = vectorKernels();
    constexpr std::size_t kRows = 8; // of one piece of work
    distribute(pool, (ids.rows + kRows - 1) / kRows, [&](int thread, std::size_t piece) {
        for (std::size_t t = piece * kRows; t < std::min(ids.rows, (piece + 1) * kRows); ++t) {
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

} // namespace fireside::cpu
