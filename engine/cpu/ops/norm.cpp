#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/ops/row_ops.h"
#include "engine/cpu/simd/kernels.h"

#include <cmath>

// Root mean square layer normalisation, Zhang & Sennrich 2019.
// Layer normalisation, Ba, Kiros & Hinton 2016.
namespace fireside::cpu {
namespace {

/// out = x·factor (·weight)
void scaled(const VectorKernels &vec, const float *x, const float *weight, float factor, float *out,
            std::size_t n)
{
    if (weight) {
        vec.scaleMul(out, x, weight, factor, n);
        return;
    }
    if (out != x)
        std::copy_n(x, n, out);
    vec.scale(out, factor, n);
}

void normalise(const VectorKernels &vec, const float *x, const float *weight, float eps, float *out,
               std::size_t n, std::size_t groups)
{
    const std::size_t width = n / groups;
    for (std::size_t i = 0; i < n; i += width) {
        const float mean = vec.sumSquares(x + i, width) / static_cast<float>(width);
        scaled(vec, x + i, weight ? weight + i : nullptr, 1.0f / std::sqrt(mean + eps), out + i,
               width);
    }
}

} // namespace

void rmsNorm(ThreadPool &pool, const InRows &x, const float *weight, float eps,
             const FloatRows &out, std::size_t groups)
{
    const VectorKernels &vec = vectorKernels();
    forRows(pool, x.rows, x.cols, [&](std::size_t t) {
        normalise(vec, x.row(t), weight, eps, out.row(t), x.cols, groups);
    });
}

void addRmsNorm(ThreadPool &pool, const FloatRows &residual, const InRows &x, const float *weight,
                float eps, const FloatRows &out, std::size_t groups)
{
    const VectorKernels &vec = vectorKernels();
    forRows(pool, x.rows, 2 * x.cols, [&](std::size_t t) {
        vec.addScaled(residual.row(t), x.row(t), 1.0f, x.cols);
        normalise(vec, residual.row(t), weight, eps, out.row(t), x.cols, groups);
    });
}

void run(OpCall &call, const op::RmsNorm &op)
{
    const float *weight = call.vector(op.weight);
    const std::size_t groups = size(op.groups);
    const InRows x = call.input(op.x, "x");
    const FloatRows residual = op.residual ? call.update(*op.residual, "residual") : FloatRows{};
    const FloatRows out = call.output(op.out, "out");
    call.run([&] {
        if (op.residual)
            addRmsNorm(call.pool(), residual, x, weight, op.eps, out, groups);
        else
            rmsNorm(call.pool(), x, weight, op.eps, out, groups);
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

/// out = x − mean; returns the variance.
float centre(const VectorKernels &vec, const float *x, float *out, std::size_t n)
{
    const float mean = sumOf(x, n) / static_cast<float>(n);
    for (std::size_t i = 0; i < n; ++i)
        out[i] = x[i] - mean;
    return vec.sumSquares(out, n) / static_cast<float>(n);
}

void normalise(const VectorKernels &vec, const float *x, const float *weight, const float *bias,
               float eps, float *out, std::size_t n, std::size_t groups)
{
    const std::size_t width = n / groups;
    for (std::size_t i = 0; i < n; i += width) {
        const float variance = centre(vec, x + i, out + i, width);
        scaled(vec, out + i, weight ? weight + i : nullptr, 1.0f / std::sqrt(variance + eps),
               out + i, width);
    }
    if (bias)
        vec.addScaled(out, bias, 1.0f, n);
}

} // namespace

void layerNorm(ThreadPool &pool, const InRows &x, const float *weight, const float *bias, float eps,
               const FloatRows &out, std::size_t groups)
{
    const VectorKernels &vec = vectorKernels();
    forRows(pool, x.rows, 2 * x.cols, [&](std::size_t t) {
        normalise(vec, x.row(t), weight, bias, eps, out.row(t), x.cols, groups);
    });
}

void addLayerNorm(ThreadPool &pool, const FloatRows &residual, const InRows &x, const float *weight,
                  const float *bias, float eps, const FloatRows &out, std::size_t groups)
{
    const VectorKernels &vec = vectorKernels();
    forRows(pool, x.rows, 3 * x.cols, [&](std::size_t t) {
        vec.addScaled(residual.row(t), x.row(t), 1.0f, x.cols);
        normalise(vec, residual.row(t), weight, bias, eps, out.row(t), x.cols, groups);
    });
}

void run(OpCall &call, const op::LayerNorm &op)
{
    const float *weight = call.vector(op.weight), *bias = call.vector(op.bias);
    const std::size_t groups = size(op.groups);
    const InRows x = call.input(op.x, "x");
    const FloatRows residual = op.residual ? call.update(*op.residual, "residual") : FloatRows{};
    const FloatRows out = call.output(op.out, "out");
    call.run([&] {
        if (op.residual)
            addLayerNorm(call.pool(), residual, x, weight, bias, op.eps, out, groups);
        else
            layerNorm(call.pool(), x, weight, bias, op.eps, out, groups);
    });
}

namespace {

void normalise(const VectorKernels &vec, const float *x, float eps, float *out, std::size_t n)
{
    if (out != x)
        std::copy_n(x, n, out);
    float sum = vec.sumSquares(out, n) + eps;
    constexpr float kTiny = 1e-30f; // squares below it have lost bits
    if (sum < kTiny || std::isinf(sum)) {
        float largest = 0;
        for (std::size_t i = 0; i < n; ++i)
            largest = std::max(largest, std::fabs(out[i]));
        if (largest == 0)
            return; // a zero row stays zero
        for (std::size_t i = 0; i < n; ++i)
            out[i] /= largest;
        sum = vec.sumSquares(out, n) + eps / largest / largest;
    }
    vec.scale(out, 1.0f / std::sqrt(sum), n);
}

} // namespace

void l2Normalize(ThreadPool &pool, const InRows &x, const FloatRows &out, float eps,
                 std::size_t groups)
{
    const VectorKernels &vec = vectorKernels();
    const std::size_t width = x.cols / groups;
    forRows(pool, x.rows, x.cols, [&](std::size_t t) {
        for (std::size_t i = 0; i < x.cols; i += width)
            normalise(vec, x.row(t) + i, eps, out.row(t) + i, width);
    });
}

void run(OpCall &call, const op::L2Normalize &op)
{
    const InRows x = call.input(op.x, "x");
    const FloatRows out = call.output(op.out, "out");
    call.run([&] { l2Normalize(call.pool(), x, out, op.eps, size(op.groups)); });
}

void gaussianSparsify(ThreadPool &pool, const InRows &x, float k, const FloatRows &out)
{
    const VectorKernels &vec = vectorKernels();
    forRows(pool, x.rows, 2 * x.cols, [&](std::size_t t) {
        float *to = out.row(t);
        const float cutoff = k * std::sqrt(centre(vec, x.row(t), to, x.cols)); // from the mean
        for (std::size_t i = 0; i < x.cols; ++i)
            to[i] = to[i] < cutoff ? 0 : to[i] - cutoff; // NaN stays NaN
    });
}

void run(OpCall &call, const op::GaussianSparsify &op)
{
    const InRows x = call.input(op.x, "x");
    const FloatRows out = call.output(op.out, "out");
    call.run([&] { gaussianSparsify(call.pool(), x, op.k, out); });
}

} // namespace fireside::cpu
