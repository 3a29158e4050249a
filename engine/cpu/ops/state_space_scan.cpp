#include "engine/cpu/linear/row_product.h"
#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/ops/state_ops.h"
#include "engine/cpu/simd/kernels.h"

#include <algorithm>
#include <cmath>

namespace fireside::cpu {

void stateSpaceScan(ThreadPool &pool, const InRows &x, const InRows &dt, const InRows &b,
                    const InRows &c, const ScanHeads &heads, std::span<const StateItem> items,
                    const FloatRows &out)
{
    const VectorKernels &vec = vectorKernels();
    const std::size_t H = heads.count, P = x.cols / H, N = b.cols / heads.groups;
    distribute(pool, items.size() * H, [&](int, std::size_t index) {
        const StateItem &item = items[index / H];
        const std::size_t h = index % H, group = h / (H / heads.groups);
        const float bias = heads.dtBias ? heads.dtBias[h] : 0, through = heads.d ? heads.d[h] : 0;
        for (std::size_t t = item.rows.first; t < item.rows.first + item.rows.rows; ++t) {
            const float step = std::clamp(softplus(dt.row(t)[h] + bias), heads.dtMin, heads.dtMax);
            const float decay = std::exp(step * heads.a[h]);
            const float *const in = b.row(t) + group * N, *const asked = c.row(t) + group * N;
            for (std::size_t p = h * P; p < (h + 1) * P; ++p) {
                const float input = x.row(t)[p];
                out.row(t)[p] = through * input +
                                vec.scan(item.state + p * N, decay, step * input, in, asked, N);
            }
        }
    });
}

void run(OpCall &call, const op::StateSpaceScan &op)
{
    const InRows x = call.input(op.x, "x"), dt = call.input(op.dt, "dt");
    const InRows b = call.input(op.b, "b"), c = call.input(op.c, "c");
    const FloatRows out = call.output(op.out, "out");
    const std::span<const StateItem> items = call.states(statePart(op));
    const ScanHeads heads{.count = size(op.heads),
                          .groups = size(op.groups),
                          .dtBias = call.vector(op.dtBias),
                          .a = call.vector(&op.a),
                          .d = call.vector(op.d),
                          .dtMin = op.dtMin,
                          .dtMax = op.dtMax};
    call.run([&] { stateSpaceScan(call.pool(), x, dt, b, c, heads, items, out); });
}

} // namespace fireside::cpu
