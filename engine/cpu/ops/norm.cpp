#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/ops/row_ops.h"
#include "engine/cpu/simd/kernels.h"

#include <cmath>

// Root mean square layer normalisation, Zhang & Sennrich 2019.
// Layer normalisation, Ba, Kiros & Hinton 2016.
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

void run(OpCall &call, const op::RmsNorm &op)
{
    const float *weight = call.vector(&op.weight);
    const InRows x = call.input(op.x, "x");
    const FloatRows residual = op.residual ? call.update(*op.residual, "residual") : FloatRows{};
    const FloatRows out = call.output(op.out, "out");
    call.run([&] {
        if (op.residual)
            addRmsNorm(call.pool(), residual, x, weight, op.eps, out);
        else
            rmsNorm(call.pool(), x, weight, op.eps, out);
    });
}

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

void run(OpCall &call, const op::LayerNorm &op)
{
    const float *weight = call.vector(&op.weight), *bias = call.vector(op.bias);
    const InRows x = call.input(op.x, "x");
    const FloatRows residual = op.residual ? call.update(*op.residual, "residual") : FloatRows{};
    const FloatRows out = call.output(op.out, "out");
    call.run([&] {
        if (op.residual)
            addLayerNorm(call.pool(), residual, x, weight, bias, op.eps, out);
        else
            layerNorm(call.pool(), x, weight, bias, op.eps, out);
    });
}

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

void run(OpCall &call, const op::L2Normalize &op)
{
    const InRows x = call.input(op.x, "x");
    const FloatRows out = call.output(op.out, "out");
    call.run([&] { l2Normalize(call.pool(), x, out); });
}

} // namespace fireside::cpu
