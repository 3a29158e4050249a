#include "engine/backend/not_finite.h"
#include "engine/core/error.h"
#include "engine/core/finite.h"
#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/ops/row_ops.h"
#include "engine/cpu/simd/kernels.h"

#include <limits>
#include <new>
#include <vector>

namespace fireside::cpu {
namespace {

struct Candidate
{
    float value;
    std::int32_t id;
};

/// Whether a comes before b in the result.
bool before(const Candidate &a, const Candidate &b)
{
    return a.value != b.value ? a.value > b.value : a.id < b.id;
}

/// The best k of a row of finite numbers, in order; fewer when there are not as many. `heap`
/// has k elements; its front is the worst of those kept.
std::size_t best(const VectorKernels &vec, const float *x, std::size_t n, std::size_t k,
                 Candidate *heap)
{
    constexpr std::size_t kBlock = 256;
    std::size_t used = 0;
    for (std::size_t block = 0; block < n; block += kBlock) {
        const std::size_t end = std::min(n, block + kBlock);
        // A later equal never displaces an earlier one.
        if (used == k && !(vec.maximum(x + block, end - block) > heap[0].value))
            continue;
        for (std::size_t i = block; i < end; ++i) {
            const Candidate one{x[i], static_cast<std::int32_t>(i)};
            if (used == k && !before(one, heap[0]))
                continue;
            if (used == k)
                std::pop_heap(heap, heap + used--, before);
            heap[used++] = one;
            std::push_heap(heap, heap + used, before);
        }
    }
    std::sort_heap(heap, heap + used, before);
    return used;
}

} // namespace

void topK(ThreadPool &pool, const InRows &x, const FloatRows &values, const IdRows &ids)
{
    const VectorKernels &vec = vectorKernels();
    const std::size_t k = values.cols;
    if (k == 0)
        return;
    thread_local std::vector<Candidate> work; // allocated here, outside the region
    try {
        if (work.size() < x.rows * k)
            work.resize(x.rows * k);
    } catch (const std::bad_alloc &) {
        throw Error(ErrorKind::Memory, "not enough memory for the " + std::to_string(k) +
                                           " largest of " + std::to_string(x.rows) + " rows");
    }
    Candidate *const heaps = work.data();
    forRows(pool, x.rows, x.cols, [&](std::size_t t) {
        Candidate *heap = heaps + t * k;
        const bool finite = allFinite({x.row(t), x.cols});
        const std::size_t found = finite ? best(vec, x.row(t), x.cols, k, heap) : 0;
        for (std::size_t j = 0; j < k; ++j) {
            const bool there = j < found;
            values.row(t)[j] = there ? heap[j].value : -std::numeric_limits<float>::infinity();
            ids.at(t, j) = there ? heap[j].id : finite ? -1 : kNotFinite;
        }
    });
}

void run(OpCall &call, const op::TopK &op)
{
    const InRows x = call.input(op.x, "x");
    const FloatRows values = call.output(op.values, "values");
    const IdRows ids = call.ids(op.ids, "ids");
    call.run([&] { topK(call.pool(), x, values, ids); });
}

} // namespace fireside::cpu
