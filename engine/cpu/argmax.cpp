#include "engine/cpu/kernels.h"
#include "engine/cpu/row_ops.h"

#include <limits>

namespace fireside::cpu {
namespace {

/// Vector maximum per block; only a block that beats the best so far is searched for the place.
std::int32_t largest(const VectorKernels &vec, const float *x, std::size_t n)
{
    constexpr std::size_t kBlock = 1024;
    float best = -std::numeric_limits<float>::infinity();
    std::size_t bestBlock = 0;
    for (std::size_t i = 0; i < n; i += kBlock) {
        const float m = vec.maximum(x + i, std::min(kBlock, n - i));
        if (m > best) {
            best = m;
            bestBlock = i;
        }
    }
    // With nothing above −∞ this finds the first −∞; where all are NaN, nothing.
    for (std::size_t i = bestBlock; i < n; ++i)
        if (x[i] == best)
            return static_cast<std::int32_t>(i);
    return -1;
}

} // namespace

void argmax(ThreadPool &pool, const InRows &x, const IdRows &ids)
{
    const VectorKernels &vec = vectorKernels();
    forRows(pool, x.rows, x.cols,
            [&](std::size_t i) { ids.at(i) = largest(vec, x.row(i), x.cols); });
}

} // namespace fireside::cpu
