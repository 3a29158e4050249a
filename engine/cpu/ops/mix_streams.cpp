#include "engine/backend/ops/mix_streams.h"
#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/simd/kernels.h"

namespace fireside::cpu {

void run(OpCall &call, const op::MixStreams &op)
{
    const InRows x = call.input(op.x, "x"), mix = call.input(op.coefficients, "coefficients");
    const FloatRows out = call.output(op.out, "out", op.mode);
    const std::size_t from = size(op.from), to = size(op.to), n = x.cols / from;
    const VectorKernels &vec = vectorKernels();
    call.run([&] {
        forRows(call.pool(), x.rows, from * out.cols, [&](std::size_t t) {
            for (std::size_t j = 0; j < to; ++j) {
                float *sum = out.row(t) + j * n;
                if (op.mode == Accumulate::Overwrite)
                    std::fill_n(sum, n, 0.0f);
                for (std::size_t i = 0; i < from; ++i)
                    vec.addScaled(sum, x.row(t) + i * n, mix.row(t)[j * from + i] + op.plus, n);
            }
        });
    });
}

} // namespace fireside::cpu
