#include "engine/cpu/linear/linear.h"

#include "engine/core/error.h"
#include "engine/cpu/linear/row_product.h"

#include <algorithm>

namespace fireside::cpu {
namespace {

std::string shape(const WeightMatrix &w)
{
    return std::string(name(w.dtype)) + " [" + std::to_string(w.rows) + ", " +
           std::to_string(w.cols) + "]";
}

void check(const WeightMatrix &weight, std::size_t T, std::size_t cols)
{
    if (!linearSupports(weight.dtype))
        throwUnsupported(std::string("No matrix product for weights of type ") +
                         name(weight.dtype));
    if (weight.cols != cols || cols == 0 || cols % info(weight.dtype).blockElements != 0)
        throwBadInput("A matrix product does not fit: activations [" + std::to_string(T) + ", " +
                      std::to_string(cols) + "] with weights " + shape(weight));
}

// One stretch of rows of one job.
struct Item
{
    const LinearJob *job;
    std::size_t first, rows;
};

void runItem(const RowProduct &product, int thread, const Item &item, std::size_t token,
             std::size_t T)
{
    const LinearJob &job = *item.job;
    float *out = job.out + token * job.outStride + item.first;
    product.compute(thread, job.weight, item.first, item.rows, out, job.outStride, job.accumulate);
    if (job.bias)
        addToRows(out, job.outStride, T, job.bias + item.first, item.rows);
}

std::size_t itemCount(std::size_t rows, std::size_t perItem)
{
    return (rows + perItem - 1) / perItem;
}

} // namespace

void addToRows(float *x, std::size_t stride, std::size_t T, const float *bias, std::size_t n)
{
    if (!bias)
        return;
    for (std::size_t t = 0; t < T; ++t)
        for (std::size_t i = 0; i < n; ++i)
            x[t * stride + i] += bias[i];
}

bool linearSupports(DType type)
{
    return type != DType::I32;
}

void linear(ThreadPool &pool, LinearScratch &scratch, const float *x, std::size_t xStride,
            std::size_t T, std::size_t cols, std::span<const LinearJob> jobs)
{
    ActivationForms forms;
    for (const LinearJob &job : jobs) {
        check(job.weight, T, cols);
        forms.add(job.weight.dtype);
    }
    if (jobs.empty())
        return;
    const std::size_t threads = static_cast<std::size_t>(pool.size());
    for (std::size_t token = 0; token < T; token += RowProduct::kMaxTokens) {
        const std::size_t count = std::min(RowProduct::kMaxTokens, T - token);
        const RowProduct product(pool, scratch.impl(), {x + token * xStride, xStride, count, cols},
                                 forms);
        std::vector<std::size_t> &items = scratch.impl().items;
        items.clear();
        for (const LinearJob &job : jobs)
            items.push_back(itemCount(job.weight.rows, product.rowsPerItem(job.weight, threads)));
        distributeLists(pool, items, [&](int thread, std::size_t which, std::size_t index) {
            const LinearJob &job = jobs[which];
            const std::size_t rows = product.rowsPerItem(job.weight, threads);
            const std::size_t first = index * rows;
            runItem(product, thread, {&job, first, std::min(rows, job.weight.rows - first)}, token,
                    count);
        });
    }
}

void gatedLinear(ThreadPool &pool, LinearScratch &scratch, const float *x, std::size_t xStride,
                 std::size_t T, const WeightMatrix &gate, const WeightMatrix &up, GateFunction act,
                 float *out, std::size_t outStride, const GateBiases &biases)
{
    const std::size_t cols = gate.cols;
    check(gate, T, cols);
    check(up, T, cols);
    if (gate.rows != up.rows)
        throwBadInput("Gate and up projections differ: " + shape(gate) + " and " + shape(up));
    ActivationForms forms;
    forms.add(gate.dtype);
    forms.add(up.dtype);
    const std::size_t threads = static_cast<std::size_t>(pool.size());
    for (std::size_t token = 0; token < T; token += RowProduct::kMaxTokens) {
        const std::size_t count = std::min(RowProduct::kMaxTokens, T - token);
        const RowProduct product(pool, scratch.impl(), {x + token * xStride, xStride, count, cols},
                                 forms);
        const std::size_t perItem =
            std::min(product.rowsPerItem(gate, threads), product.rowsPerItem(up, threads));
        distribute(pool, itemCount(gate.rows, perItem), [&](int thread, std::size_t index) {
            const std::size_t first = index * perItem;
            const std::size_t rows = std::min(perItem, gate.rows - first);
            float *gates = product.products(thread, 0), *ups = product.products(thread, 1);
            product.compute(thread, gate, first, rows, gates, rows, false);
            product.compute(thread, up, first, rows, ups, rows, false);
            addToRows(gates, rows, count, biases.gate ? biases.gate + first : nullptr, rows);
            addToRows(ups, rows, count, biases.up ? biases.up + first : nullptr, rows);
            for (std::size_t t = 0; t < count; ++t)
                act(out + (token + t) * outStride + first, gates + t * rows, ups + t * rows, rows);
        });
    }
}

} // namespace fireside::cpu
