#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/ops/state_ops.h"
#include "engine/tensor/blocks.h"

namespace fireside::cpu {
namespace {

constexpr std::size_t kChannels = 256; // of one work item

} // namespace

void shortConvolution(ThreadPool &pool, const InRows &x, const InRows &weights, const float *bias,
                      std::span<const StateItem> items, const FloatRows &next, const FloatRows &out)
{
    const std::size_t kept = weights.rows - 1; // inputs before the current one
    for (const auto &[item, itemState] : items) {
        const FloatRows state{itemState, x.cols, kept, x.cols};
        const std::size_t pieces = (x.cols + kChannels - 1) / kChannels;
        forRows(pool, pieces, item.rows * weights.rows * kChannels,
                [&, item = item](std::size_t piece) {
                    const std::size_t first = piece * kChannels;
                    const std::size_t count = std::min(kChannels, x.cols - first);
                    // Input t of the item; the first `kept` ones are those of its state.
                    const auto input = [&](std::size_t t) {
                        return (t < kept ? state.row(t) : x.row(item.first + t - kept)) + first;
                    };
                    for (std::size_t j = 0; j < kept; ++j)
                        std::copy_n(input(item.rows + j), count, next.row(j) + first);
                    for (std::size_t t = item.rows; t-- > 0;) { // backwards: out may be x
                        float *to = out.row(item.first + t) + first;
                        float sums[kChannels] = {};
                        if (bias)
                            std::copy_n(bias + first, count, sums);
                        for (std::size_t j = 0; j <= kept; ++j) {
                            const float *from = input(t + j), *w = weights.row(j) + first;
                            for (std::size_t c = 0; c < count; ++c)
                                sums[c] += w[c] * from[c];
                        }
                        std::copy_n(sums, count, to);
                    }
                    for (std::size_t j = 0; j < kept; ++j)
                        std::copy_n(next.row(j) + first, count, state.row(j) + first);
                });
    }
}

void run(OpCall &call, const op::ShortConvolution &op)
{
    const CpuWeight &weight = asCpu(op.weight);
    const float *bias = call.vector(op.bias);
    const InRows x = call.input(op.x, "x");
    const FloatRows out = call.output(op.out, "out");
    const std::span<const StateItem> items = call.states(statePart(op));
    const std::size_t taps = size(weight.cols), channels = size(weight.rows);
    const FloatRows row = call.temporary(1, taps), byTap = call.temporary(taps, channels);
    const FloatRows next = call.temporary(taps, channels);
    call.run([&] {
        for (std::size_t c = 0; c < channels; ++c) {
            dequantizeRow(weight.dtype, weight.row(static_cast<std::int64_t>(c)), row.data, taps);
            for (std::size_t j = 0; j < taps; ++j)
                byTap.row(j)[c] = row.data[j];
        }
        shortConvolution(call.pool(), x, asInput(byTap), bias, items, next, out);
    });
}

} // namespace fireside::cpu
