#include "engine/cpu/linear/row_product.h"
#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/ops/state_ops.h"
#include "engine/cpu/simd/kernels.h"

#include <algorithm>
#include <cmath>

namespace fireside::cpu {
namespace {

constexpr std::size_t kDeltaColumns = 64; // of one work item, whose part of a state stays cached

/// What a row brings to the columns of head h; memory [3, keys].
DeltaRow deltaRowOf(const float *query, const float *key, const float *g, bool perChannel,
                    std::size_t keys, float *memory)
{
    float *const decay = memory, *const decayedKey = decay + keys;
    float *const decayedQuery = decayedKey + keys;
    DeltaRow row{decay, key, decayedKey, decayedQuery, 0, 0};
    if (perChannel) {
        std::copy_n(g, keys, decay);
        vectorKernels().expSum(decay, 0, keys);
    } else {
        std::fill_n(decay, keys, std::exp(*g));
    }
    for (std::size_t i = 0; i < keys; ++i) {
        decayedKey[i] = decay[i] * key[i];
        decayedQuery[i] = decay[i] * query[i];
    }
    row.overlap = vectorKernels().dotF32(key, query, keys);
    return row;
}

} // namespace

void gatedDeltaRule(ThreadPool &pool, const InRows &q, const InRows &k, const InRows &v,
                    const InRows &g, const InRows &beta, std::size_t keyHeads,
                    std::span<const StateItem> items, const FloatRows &memory, const FloatRows &out)
{
    const VectorKernels &vec = vectorKernels();
    const std::size_t heads = beta.cols, keys = q.cols / keyHeads, values = v.cols / heads;
    const bool perChannel = g.cols != heads;
    const std::size_t parts = (values + kDeltaColumns - 1) / kDeltaColumns;
    distribute(pool, items.size() * heads * parts, [&](int thread, std::size_t index) {
        const auto &[rows, state] = items[index / parts / heads];
        const std::size_t h = index / parts % heads, keyHead = h / (heads / keyHeads);
        const std::size_t first = index % parts * kDeltaColumns;
        const std::size_t count = std::min(kDeltaColumns, values - first);
        for (std::size_t t = rows.first; t < rows.first + rows.rows; ++t) {
            const float *const decays = g.row(t) + (perChannel ? h * keys : h);
            DeltaRow row =
                deltaRowOf(q.row(t) + keyHead * keys, k.row(t) + keyHead * keys, decays, perChannel,
                           keys, memory.row(static_cast<std::size_t>(thread)));
            row.rate = beta.row(t)[h];
            vec.deltaRow(state + h * keys * values + first, values, keys, row,
                         v.row(t) + h * values + first, out.row(t) + h * values + first, count);
        }
    });
}

void run(OpCall &call, const op::GatedDeltaRule &op)
{
    const InRows q = call.input(op.q, "q"), k = call.input(op.k, "k"), v = call.input(op.v, "v");
    const InRows g = call.input(op.g, "g"), beta = call.input(op.beta, "beta");
    const FloatRows out = call.output(op.out, "out");
    const std::span<const StateItem> items = call.states(statePart(op));
    const std::size_t keys = size(op.q.cols / op.keyHeads);
    const FloatRows memory = call.temporary(size(call.pool().size()), 3 * keys);
    call.run([&] {
        gatedDeltaRule(call.pool(), q, k, v, g, beta, size(op.keyHeads), items, memory, out);
    });
}

} // namespace fireside::cpu
