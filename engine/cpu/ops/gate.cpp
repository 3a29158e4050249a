#include "engine/core/error.h"
#include "engine/cpu/ops/row_ops.h"
#include "engine/cpu/simd/kernels.h"

#include <array>
#include <cmath>

namespace fireside::cpu {
namespace {

/// ½x(1 + erf(x/√2)) · up, Hendrycks & Gimpel 2016. erfc keeps the small values of the left tail.
void geluErfMul(float *out, const float *gate, const float *up, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        out[i] = 0.5f * gate[i] * std::erfc(-0.70710678f * gate[i]) * up[i];
}

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
        return geluErfMul;
    case Activation::GeluTanh:
        return vectorKernels().geluTanhMul;
    case Activation::ReluSquared:
        return reluSquaredMul;
    case Activation::ClampedSwiGlu:
        return clampedSwiGluMul;
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

void activate(ThreadPool &pool, const InRows &x, Activation act, const float *bias,
              const FloatRows &out)
{
    if (act == Activation::ClampedSwiGlu)
        throw Error(ErrorKind::Internal, "activate: ClampedSwiGlu needs a gate and an up input");
    const GateFunction function = gateFunction(act);
    forRows(pool, x.rows, 4 * x.cols, [&](std::size_t t) {
        const float *from = x.row(t);
        float *to = out.row(t);
        for (std::size_t i = 0; i < x.cols; i += kGateBlock) {
            const std::size_t count = std::min(kGateBlock, x.cols - i);
            if (bias)
                for (std::size_t j = i; j < i + count; ++j)
                    to[j] = from[j] + bias[j];
            function(to + i, bias ? to + i : from + i, kOnes.data(), count);
        }
    });
}

} // namespace fireside::cpu
