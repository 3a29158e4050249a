#include "engine/cpu/ops/row_ops.h"
#include "engine/cpu/simd/kernels.h"

#include <cmath>

// Layer normalisation, Ba, Kiros & Hinton 2016.
namespace fireside::cpu {
namespace {

float sumOf(const float *x, std::size_t n)
{
    constexpr std::size_t kLanes = 16; // independent sums, so that the loop vectorises
    float sums[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            sums[lane] += x[i + lane];
    double sum = 0;
    for (const float s : sums)
        sum += s;
    for (; i < n; ++i)
        sum += x[i];
    return static_cast<float>(sum);
}

void normalise(const VectorKernels &vec, const float *x, const float *weight, const float *bias,
               float eps, float *out, std::size_t n)
{
    const float mean = sumOf(x, n) / static_cast<float>(n);
    for (std::size_t i = 0; i < n; ++i)
        out[i] = x[i] - mean;
    const float variance = vec.sumSquares(out, n) / static_cast<float>(n);
    vec.scaleMul(out, out, weight, 1.0f / std::sqrt(variance + eps), n);
    if (bias)
        vec.addScaled(out, bias, 1.0f, n);
}

} // namespace

void layerNorm(ThreadPool &pool, const InRows &x, const float *weight, const float *bias, float eps,
               const FloatRows &out)
{
    const VectorKernels &vec = vectorKernels();
    forRows(pool, x.rows, 2 * x.cols, [&](std::size_t t) {
        normalise(vec, x.row(t), weight, bias, eps, out.row(t), x.cols);
    });
}

void addLayerNorm(ThreadPool &pool, const FloatRows &residual, const InRows &x, const float *weight,
                  const float *bias, float eps, const FloatRows &out)
{
    const VectorKernels &vec = vectorKernels();
    forRows(pool, x.rows, 3 * x.cols, [&](std::size_t t) {
        vec.addScaled(residual.row(t), x.row(t), 1.0f, x.cols);
        normalise(vec, residual.row(t), weight, bias, eps, out.row(t), x.cols);
    });
}

} // namespace fireside::cpu
