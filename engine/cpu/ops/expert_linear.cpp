#include "engine/core/error.h"
#include "engine/cpu/linear/row_dots.h"
#include "engine/cpu/linear/row_product.h"
#include "engine/cpu/ops/expert_ops.h"
#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/ops/row_ops.h"
#include "engine/cpu/simd/kernels.h"

#include <new>

namespace fireside::cpu {
namespace {

bool known(std::int32_t id, const CpuWeight &weight)
{
    return id >= 0 && id < weight.depth;
}

/// Whether single rows are multiplied: reading an expert for each of its tokens costs no more than
/// reading it once while few experts are chosen twice.
bool fewPairs(const IdRows &ids, const CpuWeight &weight)
{
    return ids.rows <= 1 || ids.rows * ids.cols <= static_cast<std::size_t>(weight.depth);
}

/// Lists the pairs of each expert; returns the largest number of one expert.
std::size_t groupByExpert(const IdRows &ids, const CpuWeight &weight, ExpertScratch &work)
{
    const std::size_t experts = static_cast<std::size_t>(weight.depth);
    const std::size_t pairs = ids.rows * ids.cols;
    try {
        work.begin.assign(experts + 2, 0);
        work.pairs.resize(pairs);
    } catch (const std::bad_alloc &) {
        throw Error(ErrorKind::Memory,
                    "not enough memory to sort " + std::to_string(pairs) + " choices of experts");
    }
    // A counting sort. Counts go to e + 2, so that filling leaves each expert's begin at e.
    const auto each = [&](auto &&body) {
        for (std::size_t t = 0; t < ids.rows; ++t)
            for (std::size_t j = 0; j < ids.cols; ++j)
                if (const std::int32_t id = ids.at(t, j); known(id, weight))
                    body(static_cast<std::size_t>(id), t * ids.cols + j);
    };
    std::size_t largest = 0;
    each([&](std::size_t e, std::size_t) { largest = std::max(largest, ++work.begin[e + 2]); });
    for (std::size_t e = 2; e < work.begin.size(); ++e)
        work.begin[e] += work.begin[e - 1];
    each([&](std::size_t e, std::size_t pair) {
        work.pairs[work.begin[e + 1]++] = static_cast<std::uint32_t>(pair);
    });
    return largest;
}

const float *vectorOf(const CpuWeight *bias, std::int64_t expert)
{
    return bias ? bias->vector(expert) : nullptr;
}

void gateFewTokens(ThreadPool &pool, LinearScratch &scratch, const InRows &x, const IdRows &ids,
                   const ExpertGate &weights, const FloatRows &out)
{
    const CpuWeight *const gate = weights.gate;
    const DType gateType = gate ? gate->dtype : weights.up.dtype;
    const RowDots dots(pool, scratch, x, {weights.up.dtype, gateType});
    const std::size_t pairs = out.rows, threads = static_cast<std::size_t>(pool.size());
    const auto rowsOf = [&](const CpuWeight &weight) {
        return dots.rowsPerItem(weight.matrix(), pairs, threads);
    };
    const std::size_t perItem =
        gate ? std::min(rowsOf(*gate), rowsOf(weights.up)) : rowsOf(weights.up);
    const std::size_t items = (out.cols + perItem - 1) / perItem;
    distribute(pool, pairs * items, [&](int thread, std::size_t index) {
        const std::size_t pair = index / items, first = index % items * perItem;
        const std::size_t rows = std::min(perItem, out.cols - first);
        const std::size_t t = pair / ids.cols;
        const std::int32_t id = ids.at(t, pair % ids.cols);
        float *to = out.row(pair) + first;
        if (!known(id, weights.up)) {
            std::fill_n(to, rows, 0.0f);
            return;
        }
        float *gates = dots.products(thread, 0), *ups = dots.products(thread, 1);
        dots.compute(t, weights.up.matrix(id), first, rows, ups);
        if (const float *bias = vectorOf(weights.upBias, id))
            addToRows(ups, rows, 1, bias + first, rows);
        if (!gate) {
            applyFunction(weights.act, ups, to, rows);
            return;
        }
        dots.compute(t, gate->matrix(id), first, rows, gates);
        if (const float *bias = vectorOf(weights.gateBias, id))
            addToRows(gates, rows, 1, bias + first, rows);
        weights.act(to, gates, ups, rows);
    });
}

void multiplyFewTokens(ThreadPool &pool, LinearScratch &scratch, const InRows &x, const IdRows &ids,
                       const InRows &weights, const CpuWeight &down, const CpuWeight *bias,
                       const FloatRows &out, bool add)
{
    const VectorKernels &vec = vectorKernels();
    const RowDots dots(pool, scratch, x, {down.dtype});
    const std::size_t perItem =
        dots.rowsPerItem(down.matrix(), out.rows, static_cast<std::size_t>(pool.size()));
    const std::size_t items = (out.cols + perItem - 1) / perItem;
    distribute(pool, out.rows * items, [&](int thread, std::size_t index) {
        const std::size_t t = index / items, first = index % items * perItem;
        const std::size_t rows = std::min(perItem, out.cols - first);
        float *to = out.row(t) + first, *product = dots.products(thread, 0);
        if (!add)
            std::fill_n(to, rows, 0.0f);
        for (std::size_t j = 0; j < ids.cols; ++j) {
            const std::int32_t id = ids.at(t, j);
            if (!known(id, down))
                continue;
            dots.compute(t * ids.cols + j, down.matrix(id), first, rows, product);
            if (const float *offset = vectorOf(bias, id))
                addToRows(product, rows, 1, offset + first, rows);
            vec.addScaled(to, product, weights.row(t)[j], rows);
        }
    });
}

} // namespace

void expertGatedLinear(ThreadPool &pool, LinearScratch &scratch, ExpertScratch &work,
                       const InRows &x, const IdRows &ids, const ExpertGate &weights,
                       const FloatRows &out)
{
    if (fewPairs(ids, weights.up)) {
        gateFewTokens(pool, scratch, x, ids, weights, out);
        return;
    }
    const std::size_t largest = groupByExpert(ids, weights.up, work);
    float *gathered = work.gathered.reserve<float>(std::max<std::size_t>(1, largest * x.cols));
    float *results = work.results.reserve<float>(std::max<std::size_t>(1, largest * out.cols));
    for (std::int64_t e = 0; e < weights.up.depth; ++e) {
        const std::size_t begin = work.begin[static_cast<std::size_t>(e)];
        const std::size_t count = work.begin[static_cast<std::size_t>(e) + 1] - begin;
        if (count == 0)
            continue;
        const std::uint32_t *pairs = work.pairs.data() + begin;
        forRows(pool, count, x.cols, [&](std::size_t i) {
            std::copy_n(x.row(pairs[i] / ids.cols), x.cols, gathered + i * x.cols);
        });
        const float *const upBias = vectorOf(weights.upBias, e);
        const LinearJob up{weights.up.matrix(e), results, out.cols, upBias, false};
        if (weights.gate)
            gatedLinear(pool, scratch, gathered, x.cols, count, weights.gate->matrix(e), up.weight,
                        weights.act, results, out.cols, {vectorOf(weights.gateBias, e), upBias});
        else
            linear(pool, scratch, gathered, x.cols, count, x.cols, {&up, 1});
        forRows(pool, count, out.cols, [&](std::size_t i) {
            const float *const from = results + i * out.cols;
            if (weights.gate)
                std::copy_n(from, out.cols, out.row(pairs[i]));
            else
                applyFunction(weights.act, from, out.row(pairs[i]), out.cols);
        });
    }
    forRows(pool, out.rows, 64, [&](std::size_t pair) {
        if (!known(ids.at(pair / ids.cols, pair % ids.cols), weights.up))
            std::fill_n(out.row(pair), out.cols, 0.0f);
    });
}

void expertLinear(ThreadPool &pool, LinearScratch &scratch, ExpertScratch &work, const InRows &x,
                  const IdRows &ids, const InRows &weights, const CpuWeight &down,
                  const CpuWeight *bias, const FloatRows &out, bool add)
{
    if (fewPairs(ids, down)) {
        multiplyFewTokens(pool, scratch, x, ids, weights, down, bias, out, add);
        return;
    }
    const VectorKernels &vec = vectorKernels();
    const std::size_t largest = groupByExpert(ids, down, work);
    float *gathered = work.gathered.reserve<float>(std::max<std::size_t>(1, largest * x.cols));
    float *results = work.results.reserve<float>(std::max<std::size_t>(1, largest * out.cols));
    if (!add)
        forRows(pool, out.rows, out.cols,
                [&](std::size_t t) { std::fill_n(out.row(t), out.cols, 0.0f); });
    for (std::int64_t e = 0; e < down.depth; ++e) {
        const std::size_t begin = work.begin[static_cast<std::size_t>(e)];
        const std::size_t count = work.begin[static_cast<std::size_t>(e) + 1] - begin;
        if (count == 0)
            continue;
        const std::uint32_t *pairs = work.pairs.data() + begin;
        forRows(pool, count, x.cols, [&](std::size_t i) {
            std::copy_n(x.row(pairs[i]), x.cols, gathered + i * x.cols);
        });
        const LinearJob job{down.matrix(e), results, out.cols, vectorOf(bias, e), false};
        linear(pool, scratch, gathered, x.cols, count, x.cols, {&job, 1});
        const auto addRow = [&](std::size_t i) {
            const std::size_t t = pairs[i] / ids.cols;
            vec.addScaled(out.row(t), results + i * out.cols, weights.row(t)[pairs[i] % ids.cols],
                          out.cols);
        };
        // A token that chose an expert twice would be added to by two threads at once.
        bool twice = false;
        for (std::size_t i = 1; i < count; ++i)
            twice |= pairs[i] / ids.cols == pairs[i - 1] / ids.cols;
        if (!twice)
            forRows(pool, count, out.cols, addRow);
        for (std::size_t i = 0; twice && i < count; ++i)
            addRow(i);
    }
}

void run(OpCall &call, const op::ExpertLinear &op)
{
    const CpuWeight &down = asCpu(op.down), *bias = op.bias ? &asCpu(*op.bias) : nullptr;
    const IdRows ids = call.ids(op.ids, "ids");
    const InRows x = call.input(op.x, "x"), weights = call.input(op.weights, "weights");
    const FloatRows out = call.output(op.out, "out", op.mode);
    CpuPass &pass = call.pass();
    call.run([&] {
        expertLinear(pass.pool, pass.linearScratch, pass.expertScratch, x, ids, weights, down, bias,
                     out, op.mode == Accumulate::AddToOutput);
    });
}

} // namespace fireside::cpu
