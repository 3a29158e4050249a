#include "tests/conformance/products.h"

#include "engine/tensor/half.h"
#include "tests/support/reference_ops.h"
#include "tests/support/reference_rows.h"

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
    return reference::activation(act, x);
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
    const auto slope = [](const Sum &of, const auto &function) {
        const double step = std::max(1e-3, 0.02 * of.magnitude);
        return std::fabs(function(of.value + step) - function(of.value - step)) / (2 * step);
    };
    const double ofGate = slope(gate, [&](double g) { return gated(act, g, up.value); });
    const double ofUp = slope(up, [&](double u) { return gated(act, gate.value, u); });
    return {gated(act, gate.value, up.value),
            std::hypot(ofGate * gate.magnitude, ofUp * up.magnitude)};
}

Matrix ProductOptions::input(Bench &bench, std::int64_t rows, std::int64_t cols, float scale) const
{
    Matrix m = bench.numbers(rows, cols, DType::F32, normed ? 1 : scale);
    for (std::int64_t i = 0; i < rows * cols; ++i) {
        float &value = m.v[static_cast<std::size_t>(i)];
        if (normed && i / cols % 2 == 1)
            value *= 1e-3f;
        if (x == DType::F16)
            value = halfToFloat(floatToHalf(value));
    }
    return m;
}

TypeShare::TypeShare(Bench &bench, DType type)
    : m_large(bench.target().thorough() || type == DType::F32 || type == DType::Q4_K)
    , m_number(static_cast<std::size_t>(type))
{}

LinearInput inputOf(const Tensor &x, const TestWeight *norm, float eps)
{
    return norm != nullptr ? LinearInput(x, *norm->weight, eps) : LinearInput(x);
}

const Weight *weightOf(const TestWeight *vector)
{
    return vector != nullptr ? vector->weight.get() : nullptr;
}

double valueOf(const TestWeight *vector, std::int64_t at)
{
    return vector != nullptr ? vector->values[static_cast<std::size_t>(at)] : 0;
}

std::int64_t productWidth(DType type, std::size_t number)
{
    constexpr std::int64_t kPlain[] = {31, 96, 257, 512, 2048}, kBlocks[] = {1, 3, 5, 16, 64};
    constexpr std::int64_t kLarge[] = {1, 2, 3, 5, 8};
    const std::int64_t block = info(type).blockElements;
    return block == 1    ? kPlain[number]
           : block < 256 ? block * kBlocks[number]
                         : 256 * kLarge[number];
}
std::vector<std::size_t> productWidths()
{
    return {0, 1, 2, 3, 4};
}

} // namespace fireside::conformance
