#include "engine/cpu/linear/row_product.h"
#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/ops/state_ops.h"
#include "engine/cpu/simd/kernels.h"

#include <cmath>

namespace fireside::cpu {

void gatedDeltaRule(ThreadPool &pool, const InRows &q, const InRows &k, const InRows &v,
                    const InRows &g, const InRows &beta, std::size_t keyHeads,
                    std::span<const StateItem> items, const FloatRows &memory, const FloatRows &out)
{
    const VectorKernels &vec = vectorKernels();
    const std::size_t heads = beta.cols, keyDim = q.cols / keyHeads, valueDim = v.cols / heads;
    const bool perChannel = g.cols != heads;
    distribute(pool, items.size() * heads, [&](int thread, std::size_t index) {
        const RowSpan &rows = items[index / heads].rows;
        const std::size_t h = index % heads, keyHead = h / (heads / keyHeads);
        float *const state = items[index / heads].state + h * keyDim * valueDim;
        const auto S = [&](std::size_t i) { return state + i * valueDim; };
        float *delta = memory.row(static_cast<std::size_t>(thread)), *decay = delta + valueDim;
        for (std::size_t t = rows.first; t < rows.first + rows.rows; ++t) {
            const float *query = q.row(t) + keyHead * keyDim, *key = k.row(t) + keyHead * keyDim;
            const float *value = v.row(t) + h * valueDim, rate = beta.row(t)[h];
            if (perChannel)
                std::transform(g.row(t) + h * keyDim, g.row(t) + (h + 1) * keyDim, decay,
                               [](float x) { return std::exp(x); });
            else
                std::fill_n(decay, keyDim, std::exp(g.row(t)[h]));
            std::fill_n(delta, valueDim, 0.0f); // Sᵀk first
            for (std::size_t i = 0; i < keyDim; ++i) {
                vec.scale(S(i), decay[i], valueDim);
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
    const FloatRows out = call.output(op.out, "out");
    const std::span<const StateItem> items = call.states(statePart(op));
    const std::size_t keyDim = size(op.q.cols / op.keyHeads);
    const std::size_t valueDim = size(op.v.cols / op.heads);
    const FloatRows memory = call.temporary(size(call.pool().size()), keyDim + valueDim);
    call.run([&] {
        gatedDeltaRule(call.pool(), q, k, v, g, beta, size(op.keyHeads), items, memory, out);
    });
}

} // namespace fireside::cpu
