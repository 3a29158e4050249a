#include "engine/cpu/ops/row_ops.h"
#include "engine/cpu/simd/kernels.h"

#include <cmath>

// Root mean square layer normalisation, Zhang & Sennrich 2019.
namespace fireside::cpu {
namespace {

void normalise(const VectorKernels &vec, const float *x, const float *weight, float eps, float *out,
               std::size_t n)
{
    const float mean = vec.sumSquares(x, n) / static_cast<float>(n);
    vec.scaleMul(out, x, weight, 1.0f / std::sqrt(mean + eps), n);
}

} // namespace

void rmsNorm(ThreadPool &pool, const InRows &x, const float *weight, float eps,
             const FloatRows &out)
{
    const VectorKernels &vec = vectorKernels();
    forRows(pool, x.rows, x.cols,
            [&](std::size_t t) { normalise(vec, x.row(t), weight, eps, out.row(t), x.cols); });
}

void addRmsNorm(ThreadPool &pool, const FloatRows &residual, const InRows &x, const float *weight,
                float eps, const FloatRows &out)
{
    const VectorKernels &vec = vectorKernels();
    forRows(pool, x.rows, 2 * x.cols, [&](std::size_t t) {
        vec.addScaled(residual.row(t), x.row(t), 1.0f, x.cols);
        normalise(vec, residual.row(t), weight, eps, out.row(t), x.cols);
    });
}

} // namespace fireside::cpu
