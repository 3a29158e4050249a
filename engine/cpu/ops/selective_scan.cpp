#include "engine/cpu/linear/row_product.h"
#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/ops/state_ops.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/tensor/blocks.h"

#include <algorithm>
#include <cmath>

namespace fireside::cpu {
namespace {

constexpr std::size_t kScanChannels = 64; // of one work item

} // namespace

float softplus(float x)
{
    return x > 20 ? x : std::log1p(std::exp(x));
}

void selectiveScan(ThreadPool &pool, const InRows &x, const InRows &dt, const float *dtBias,
                   const InRows &a, const InRows &b, const InRows &c, const float *d,
                   std::span<const StateItem> items, const FloatRows &out)
{
    const VectorKernels &vec = vectorKernels();
    const std::size_t channels = x.cols, N = b.cols;
    const std::size_t pieces = (channels + kScanChannels - 1) / kScanChannels;
    distribute(pool, items.size() * pieces, [&](int, std::size_t index) {
        const StateItem &item = items[index / pieces];
        const std::size_t first = index % pieces * kScanChannels;
        const std::size_t end = std::min(first + kScanChannels, channels);
        for (std::size_t t = item.rows.first; t < item.rows.first + item.rows.rows; ++t)
            for (std::size_t channel = first; channel < end; ++channel) {
                const float input = x.row(t)[channel];
                const float step = softplus(dt.row(t)[channel] + (dtBias ? dtBias[channel] : 0));
                out.row(t)[channel] = d[channel] * input +
                                      vec.selectiveScan(item.state + channel * N, a.row(channel),
                                                        step, step * input, b.row(t), c.row(t), N);
            }
    });
}

void run(OpCall &call, const op::SelectiveScan &op)
{
    const CpuWeight &weight = asCpu(op.a);
    const float *dtBias = call.vector(op.dtBias), *d = call.vector(&op.d);
    const InRows x = call.input(op.x, "x"), dt = call.input(op.dt, "dt");
    const InRows b = call.input(op.b, "b"), c = call.input(op.c, "c");
    const FloatRows out = call.output(op.out, "out");
    const std::span<const StateItem> items = call.states(statePart(op));
    const FloatRows a = call.temporary(size(weight.rows), size(weight.cols));
    call.run([&] {
        for (std::size_t channel = 0; channel < a.rows; ++channel)
            dequantizeRow(weight.dtype, weight.row(static_cast<std::int64_t>(channel)),
                          a.row(channel), a.cols);
        selectiveScan(call.pool(), x, dt, dtBias, asInput(a), b, c, d, items, out);
    });
}

} // namespace fireside::cpu
