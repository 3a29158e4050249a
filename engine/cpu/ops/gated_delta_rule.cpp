#include "engine/cpu/linear/row_product.h"
#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/ops/state_ops.h"
#include "engine/cpu/simd/kernels.h"

#include <cmath>

namespace fireside::cpu {

void gatedDeltaRule(ThreadPool &pool, const InRows &q, const InRows &k, const InRows &v,
                    const InRows &g, const InRows &beta, std::span<const RowSpan> items,
                    const FloatRows &state, const FloatRows &change, const FloatRows &out)
{
    const VectorKernels &vec = vectorKernels();
    const std::size_t heads = g.cols, keyDim = q.cols / heads, valueDim = v.cols / heads;
    distribute(pool, items.size() * heads, [&](int thread, std::size_t index) {
        const RowSpan &item = items[index / heads];
        const std::size_t h = index % heads;
        const auto S = [&](std::size_t i) { return state.row(index * keyDim + i); };
        float *delta = change.row(static_cast<std::size_t>(thread));
        for (std::size_t t = item.first; t < item.first + item.rows; ++t) {
            const float *query = q.row(t) + h * keyDim, *key = k.row(t) + h * keyDim;
            const float *value = v.row(t) + h * valueDim;
            const float decay = std::exp(g.row(t)[h]), rate = beta.row(t)[h];
            std::fill_n(delta, valueDim, 0.0f); // Sᵀk first
            for (std::size_t i = 0; i < keyDim; ++i) {
                vec.scale(S(i), decay, valueDim);
                vec.addScaled(delta, S(i), key[i], valueDim);
            }
            for (std::size_t j = 0; j < valueDim; ++j)
                delta[j] = rate * (value[j] - delta[j]);
            float *to = out.row(t) + h * valueDim;
            std::fill_n(to, valueDim, 0.0f);
            for (std::size_t i = 0; i < keyDim; ++i) {
                vec.addScaled(S(i), delta, key[i], valueDim);
                vec.addScaled(to, S(i), query[i], valueDim);
            }
        }
    });
}

void run(OpCall &call, const op::GatedDeltaRule &op)
{
    const InRows q = call.input(op.q, "q"), k = call.input(op.k, "k"), v = call.input(op.v, "v");
    const InRows g = call.input(op.g, "g"), beta = call.input(op.beta, "beta");
    const FloatRows state = call.update(op.state, "state"), out = call.output(op.out, "out");
    const FloatRows change = call.temporary(size(call.pool().size()), state.cols);
    call.run([&] {
        gatedDeltaRule(call.pool(), q, k, v, g, beta, call.pass().itemRows(), state, change, out);
    });
}

} // namespace fireside::cpu
