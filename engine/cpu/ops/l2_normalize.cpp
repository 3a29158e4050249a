#include "engine/cpu/ops/row_ops.h"
#include "engine/cpu/simd/kernels.h"

#include <cmath>

namespace fireside::cpu {
namespace {

void normalise(const VectorKernels &vec, const float *x, float *out, std::size_t n)
{
    if (out != x)
        std::copy_n(x, n, out);
    float sum = vec.sumSquares(out, n);
    constexpr float kTiny = 1e-30f; // squares below it have lost bits
    if (sum < kTiny || std::isinf(sum)) {
        float largest = 0;
        for (std::size_t i = 0; i < n; ++i)
            largest = std::max(largest, std::fabs(out[i]));
        if (largest == 0)
            return; // a zero row stays zero
        for (std::size_t i = 0; i < n; ++i)
            out[i] /= largest;
        sum = vec.sumSquares(out, n);
    }
    vec.scale(out, 1.0f / std::sqrt(sum), n);
}

} // namespace

void l2Normalize(ThreadPool &pool, const InRows &x, const FloatRows &out)
{
    const VectorKernels &vec = vectorKernels();
    forRows(pool, x.rows, x.cols,
            [&](std::size_t t) { normalise(vec, x.row(t), out.row(t), x.cols); });
}

} // namespace fireside::cpu
