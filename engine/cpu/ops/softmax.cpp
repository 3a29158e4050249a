#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/ops/row_ops.h"
#include "engine/cpu/simd/kernels.h"

#include <cmath>
#include <limits>

namespace fireside::cpu {
namespace {

void softmaxRow(const VectorKernels &vec, const float *x, float scale, float *out, std::size_t n)
{
    if (out != x)
        std::copy_n(x, n, out);
    if (scale != 1.0f)
        vec.scale(out, scale, n);
    const float largest = vec.maximum(out, n);
    if (largest == -std::numeric_limits<float>::infinity()) {
        // Nothing to see, unless it is broken numbers.
        for (std::size_t i = 0; i < n; ++i)
            out[i] = std::isnan(out[i]) ? out[i] : 0;
        return;
    }
    vec.scale(out, 1.0f / vec.expSum(out, largest, n), n);
}

} // namespace

void softmax(ThreadPool &pool, const InRows &x, float scale, const IdRows *visible,
             const FloatRows &out)
{
    const VectorKernels &vec = vectorKernels();
    forRows(pool, x.rows, 4 * x.cols, [&](std::size_t t) {
        std::size_t n = x.cols;
        if (visible)
            n = std::min(n, static_cast<std::size_t>(std::max(0, visible->at(t))));
        softmaxRow(vec, x.row(t), scale, out.row(t), n);
        std::fill(out.row(t) + n, out.row(t) + x.cols, 0.0f);
    });
}

void run(OpCall &call, const op::Softmax &op)
{
    const IdRows visible = op.visible ? call.ids(*op.visible, "visible") : IdRows{};
    const InRows x = call.input(op.x, "x");
    const FloatRows out = call.output(op.out, "out");
    call.run([&] { softmax(call.pool(), x, op.scale, op.visible ? &visible : nullptr, out); });
}

} // namespace fireside::cpu
