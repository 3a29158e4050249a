#include "engine/core/error.h"
#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/ops/row_ops.h"
#include "engine/cpu/simd/kernels.h"

#include <array>
#include <cmath>

namespace fireside::cpu {
namespace {

/// out = f(a, b) where b may be one row, one number, or one number for each row.
template <typename F>
void combine(ThreadPool &pool, const InRows &a, const InRows &b, const FloatRows &out, F f)
{
    const bool oneRow = b.rows == 1, oneNumber = b.cols == 1;
    // Read before anything is written: the number may lie in out itself.
    const float first = oneRow && oneNumber ? b.data[0] : 0;
    forRows(pool, a.rows, a.cols, [&](std::size_t t) {
        const float *x = a.row(t), *y = b.row(oneRow ? 0 : t);
        const float number = oneNumber && !oneRow ? y[0] : first;
        float *to = out.row(t);
        if (oneNumber)
            for (std::size_t i = 0; i < a.cols; ++i)
                to[i] = f(x[i], number);
        else
            for (std::size_t i = 0; i < a.cols; ++i)
                to[i] = f(x[i], y[i]);
    });
}

/// out[t, i] = f(x[t, i], i), which costs as much as `cost` floats.
template <typename F>
void forElements(ThreadPool &pool, const InRows &x, const FloatRows &out, std::size_t cost,
                 const F &f)
{
    forRows(pool, x.rows, cost * x.cols, [&](std::size_t t) {
        const float *from = x.row(t);
        float *to = out.row(t);
        for (std::size_t i = 0; i < x.cols; ++i)
            to[i] = f(from[i], i);
    });
}

} // namespace

void add(ThreadPool &pool, const InRows &a, const InRows &b, const FloatRows &out)
{
    combine(pool, a, b, out, [](float x, float y) { return x + y; });
}

void multiply(ThreadPool &pool, const InRows &a, const InRows &b, const FloatRows &out)
{
    combine(pool, a, b, out, [](float x, float y) { return x * y; });
}

void addScaled(ThreadPool &pool, const InRows &x, float scale, const FloatRows &out)
{
    const VectorKernels &vec = vectorKernels();
    forRows(pool, x.rows, x.cols,
            [&](std::size_t t) { vec.addScaled(out.row(t), x.row(t), scale, x.cols); });
}

void addBias(ThreadPool &pool, const InRows &x, const float *bias, const InRows &residual,
             const FloatRows &out)
{
    forRows(pool, x.rows, x.cols, [&](std::size_t t) {
        const float *from = x.row(t);
        float *to = out.row(t);
        if (!residual.data) {
            for (std::size_t i = 0; i < x.cols; ++i)
                to[i] = from[i] + bias[i];
            return;
        }
        const float *rest = residual.row(t);
        for (std::size_t i = 0; i < x.cols; ++i)
            to[i] = from[i] + bias[i] + rest[i];
    });
}

void run(OpCall &call, const op::Add &op)
{
    const InRows a = call.input(op.a, "a"), b = call.input(op.b, "b");
    const FloatRows out = call.output(op.out, "out");
    call.run([&] { add(call.pool(), a, b, out); });
}

void run(OpCall &call, const op::Multiply &op)
{
    const InRows a = call.input(op.a, "a"), b = call.input(op.b, "b");
    const FloatRows out = call.output(op.out, "out");
    call.run([&] { multiply(call.pool(), a, b, out); });
}

void run(OpCall &call, const op::AddScaled &op)
{
    const InRows x = call.input(op.x, "x");
    const FloatRows out = call.update(op.out, "out");
    call.run([&] { addScaled(call.pool(), x, op.scale, out); });
}

void run(OpCall &call, const op::Scale &op)
{
    const InRows x = call.input(op.x, "x");
    const FloatRows out = call.output(op.out, "out");
    call.run([&] {
        forElements(call.pool(), x, out, 1,
                    [&](float v, std::size_t) { return op.scale * v + op.add; });
    });
}

void run(OpCall &call, const op::Clamp &op)
{
    const InRows x = call.input(op.x, "x");
    const FloatRows out = call.output(op.out, "out");
    call.run([&] {
        forElements(call.pool(), x, out, 1, [&](float v, std::size_t) { // NaN stays NaN
            return v < op.low ? op.low : v > op.high ? op.high : v;
        });
    });
}

void run(OpCall &call, const op::Decay &op)
{
    const float *a = call.vector(&op.a), *bias = call.vector(op.bias);
    const InRows x = call.input(op.x, "x");
    const FloatRows out = call.output(op.out, "out");
    call.run([&] {
        forElements(call.pool(), x, out, 8, [&](float v, std::size_t i) {
            const float z = v + (bias ? bias[i] : 0);
            return a[i] * (z > 20 ? z : std::log1p(std::exp(z)));
        });
    });
}

void run(OpCall &call, const op::AttentionTemperature &op)
{
    const InRows x = call.input(op.x, "x");
    const FloatRows out = call.output(op.out, "out");
    const std::vector<std::int32_t> &positions = call.pass().positions;
    call.run([&] {
        forRows(call.pool(), x.rows, x.cols, [&](std::size_t t) {
            const float periods =
                std::floor((static_cast<float>(positions[t]) + op.offset) / op.period);
            const float factor = 1 + op.scale * std::log1p(periods);
            for (std::size_t i = 0; i < x.cols; ++i)
                out.row(t)[i] = x.row(t)[i] * factor;
        });
    });
}

void run(OpCall &call, const op::AddBias &op)
{
    const float *bias = call.vector(&op.bias);
    const InRows x = call.input(op.x, "x");
    const InRows residual = op.residual ? call.input(*op.residual, "residual") : InRows{};
    const FloatRows out = call.output(op.out, "out");
    call.run([&] { addBias(call.pool(), x, bias, residual, out); });
}

namespace {

/// max(x, 0)² · up, So et al. 2021; NaN stays NaN.
void reluSquaredMul(float *out, const float *gate, const float *up, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i) {
        const float positive = gate[i] < 0 ? 0 : gate[i];
        out[i] = positive * positive * up[i];
    }
}

/// g·σ(1.702 g)·(u + 1) with g ≤ 7 and |u| ≤ 7, as gpt-oss has it.
void clampedSwiGluMul(float *out, const float *gate, const float *up, std::size_t n)
{
    constexpr float kLimit = 7, kSharpness = 1.702f;
    for (std::size_t i = 0; i < n; ++i) {
        const float g = gate[i] > kLimit ? kLimit : gate[i];
        const float u = up[i] > kLimit ? kLimit : up[i] < -kLimit ? -kLimit : up[i];
        out[i] = g / (1.0f + std::exp(-kSharpness * g)) * (u + 1);
    }
}

/// max(x, 0) · up; NaN stays NaN.
void reluMul(float *out, const float *gate, const float *up, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        out[i] = (gate[i] < 0 ? 0 : gate[i]) * up[i];
}

void tanhMul(float *out, const float *gate, const float *up, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        out[i] = std::tanh(gate[i]) * up[i];
}

/// x·σ(1.702x) · up
void quickGeluMul(float *out, const float *gate, const float *up, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        out[i] = gate[i] / (1.0f + std::exp(-1.702f * gate[i])) * up[i];
}

constexpr std::size_t kGateBlock = 256;
constexpr std::array<float, kGateBlock> kOnes = [] {
    std::array<float, kGateBlock> ones{};
    ones.fill(1.0f);
    return ones;
}();

} // namespace

GateFunction gateFunction(Activation act)
{
    switch (act) {
    case Activation::SiLU:
        return vectorKernels().siluMul;
    case Activation::GeluErf:
        return vectorKernels().geluErfMul;
    case Activation::GeluTanh:
        return vectorKernels().geluTanhMul;
    case Activation::ReluSquared:
        return reluSquaredMul;
    case Activation::ClampedSwiGlu:
        return clampedSwiGluMul;
    case Activation::Relu:
        return reluMul;
    case Activation::Sigmoid:
        return vectorKernels().sigmoidMul;
    case Activation::Tanh:
        return tanhMul;
    case Activation::QuickGelu:
        return quickGeluMul;
    case Activation::XIelu:
        break; // has numbers, and no gate
    }
    throw Error(ErrorKind::Internal, "activation " + std::to_string(static_cast<int>(act)));
}

void gate(ThreadPool &pool, const InRows &gateInput, const InRows &up, Activation act,
          const FloatRows &out)
{
    const GateFunction function = gateFunction(act);
    forRows(pool, up.rows, 4 * up.cols,
            [&](std::size_t t) { function(out.row(t), gateInput.row(t), up.row(t), up.cols); });
}

void applyFunction(GateFunction act, const float *x, float *out, std::size_t n)
{
    for (std::size_t i = 0; i < n; i += kGateBlock)
        act(out + i, x + i, kOnes.data(), std::min(kGateBlock, n - i));
}

void activate(ThreadPool &pool, const InRows &x, Activation act, const float *bias,
              const FloatRows &out)
{
    if (act == Activation::ClampedSwiGlu)
        throw Error(ErrorKind::Internal, "activate: ClampedSwiGlu needs a gate and an up input");
    const GateFunction function = gateFunction(act);
    forRows(pool, x.rows, 4 * x.cols, [&](std::size_t t) {
        const float *from = x.row(t);
        float *to = out.row(t);
        for (std::size_t i = 0; bias && i < x.cols; ++i)
            to[i] = from[i] + bias[i];
        applyFunction(function, bias ? to : from, to, x.cols);
    });
}

void activate(ThreadPool &pool, const InRows &x, const XIelu &numbers, const float *bias,
              const FloatRows &out)
{
    forElements(pool, x, out, 8, [&](float from, std::size_t i) {
        const float v = from + (bias ? bias[i] : 0);
        if (v > 0)
            return numbers.alphaP * v * v + numbers.beta * v;
        return (std::expm1(std::min(v, numbers.eps)) - v) * numbers.alphaN + numbers.beta * v;
    });
}

void run(OpCall &call, const op::Activate &op)
{
    const float *bias = call.vector(op.bias);
    const InRows x = call.input(op.x, "x");
    const FloatRows out = call.output(op.out, "out");
    call.run([&] {
        if (op.act == Activation::XIelu)
            activate(call.pool(), x, op.xielu, bias, out);
        else
            activate(call.pool(), x, op.act, bias, out);
    });
}

void run(OpCall &call, const op::Gate &op)
{
    const InRows gates = call.input(op.gate, "gate"), ups = call.input(op.up, "up");
    const FloatRows out = call.output(op.out, "out");
    call.run([&] { gate(call.pool(), gates, ups, op.act, out); });
}

void softcap(ThreadPool &pool, const InRows &x, float cap, const FloatRows &out)
{
    const VectorKernels &vec = vectorKernels();
    forRows(pool, x.rows, 4 * x.cols, [&](std::size_t t) {
        if (out.row(t) != x.row(t))
            std::copy_n(x.row(t), x.cols, out.row(t));
        vec.softcap(out.row(t), cap, x.cols);
    });
}

void run(OpCall &call, const op::Softcap &op)
{
    const InRows x = call.input(op.x, "x");
    const FloatRows out = call.output(op.out, "out");
    call.run([&] { softcap(call.pool(), x, op.cap, out); });
}

} // namespace fireside::cpu
