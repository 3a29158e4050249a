#include "tests/conformance/products.h"

#include "tests/support/reference_ops.h"

#include <algorithm>
#include <cmath>

namespace fireside::conformance {

Sum product(const std::vector<double> &x, std::size_t xStart, const TestWeight &weight,
            std::int64_t row, std::int64_t expert)
{
    const auto cols = static_cast<std::size_t>(weight.weight->cols);
    const double *const w =
        weight.values.data() + static_cast<std::size_t>(expert * weight.weight->rows + row) * cols;
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < cols; ++i) {
        const double term = x[xStart + i] * w[i];
        sum += term;
        squares += term * term;
    }
    return {sum, std::sqrt(squares)};
}

float inputScale(const TestWeight &weight)
{
    double squares = 0;
    for (const double w : weight.values)
        squares += w * w;
    const double rms = std::sqrt(squares / static_cast<double>(weight.values.size()));
    return static_cast<float>(3 / (rms * std::sqrt(static_cast<double>(weight.weight->cols))));
}

std::vector<double> doubles(const Matrix &matrix)
{
    return {matrix.v.begin(), matrix.v.end()};
}

std::vector<double> normedInput(const Matrix &x, const TestWeight *norm, double eps)
{
    if (norm == nullptr)
        return doubles(x);
    const std::vector<float> weight(norm->values.begin(), norm->values.end());
    return reference::rmsNorm(x.v, weight, eps);
}

double activated(Activation act, double x)
{
    switch (act) {
    case Activation::SiLU:
        return reference::silu(x);
    case Activation::GeluErf:
        return reference::geluErf(x);
    case Activation::GeluTanh:
        return reference::geluTanh(x);
    case Activation::ReluSquared:
        return x > 0 ? x * x : 0;
    case Activation::ClampedSwiGlu:
        break;
    }
    return std::nan("");
}

double gated(Activation act, double gate, double up)
{
    if (act != Activation::ClampedSwiGlu)
        return activated(act, gate) * up;
    gate = std::min(gate, 7.0);
    up = std::clamp(up, -7.0, 7.0);
    return gate / (1 + std::exp(-1.702 * gate)) * (up + 1);
}

Sum gatedSum(Activation act, const Sum &gate, const Sum &up)
{
    const double slope = act == Activation::ReluSquared ? 2 * std::fabs(gate.value) : 1.1;
    return {gated(act, gate.value, up.value),
            std::hypot(slope * gate.magnitude * (std::fabs(up.value) + 1),
                       gated(act, gate.value, 1) * up.magnitude)};
}

} // namespace fireside::conformance
