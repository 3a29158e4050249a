#include "engine/backend/not_finite.h"
#include "engine/core/finite.h"
#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/ops/row_ops.h"
#include "engine/cpu/simd/kernels.h"

#include <algorithm>
#include <limits>

namespace fireside::cpu {
namespace {

/// Vector maximum per block; only a block that beats the best so far is searched for the place.
/// kNotFinite when any value is not.
std::int32_t largest(const VectorKernels &vec, const float *x, std::size_t n)
{
    constexpr std::size_t kBlock = 1024;
    float best = -std::numeric_limits<float>::infinity();
    std::size_t bestBlock = 0;
    for (std::size_t i = 0; i < n; i += kBlock) {
        const std::size_t count = std::min(kBlock, n - i);
        if (!allFinite({x + i, count}))
            return kNotFinite;
        const float m = vec.maximum(x + i, count);
        if (m > best) {
            best = m;
            bestBlock = i;
        }
    }
    return static_cast<std::int32_t>(std::find(x + bestBlock, x + n, best) - x);
}

} // namespace

void argmax(ThreadPool &pool, const InRows &x, const IdRows &ids)
{
    const VectorKernels &vec = vectorKernels();
    forRows(pool, x.rows, x.cols,
            [&](std::size_t i) { ids.at(i) = largest(vec, x.row(i), x.cols); });
}

void run(OpCall &call, const op::Argmax &op)
{
    const InRows x = call.input(op.x, "x");
    const IdRows ids = call.ids(op.ids, "ids");
    call.run([&] { argmax(call.pool(), x, ids); });
}

} // namespace fireside::cpu
