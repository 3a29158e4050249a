#include "tests/vulkan/matrix_product.h"

#include "tests/support/reference_rows.h"

#include <algorithm>
#include <numeric>

namespace fireside::test {
namespace {

constexpr float kEps = 1e-5f;
/// Where the two GELUs differ most, by more than a hundredth of themselves.
constexpr float kGelusDiffer = -2.3f;

bool isGelu(const std::optional<Activation> &act)
{
    return act == Activation::GeluErf || act == Activation::GeluTanh;
}

std::vector<float> biasValues(const MatrixProduct &p, unsigned seed, bool ofGate)
{
    std::vector<float> values = randomValues(p.outs, seed);
    for (float &value : values)
        if (ofGate && isGelu(p.act))
            value = kGelusDiffer + 0.2f * value;
    return values;
}

std::unique_ptr<Weight> vectorWeight(RecorderDevice &device, const std::vector<float> &values)
{
    WeightSource source;
    source.name = "vector";
    source.dtype = DType::F32;
    source.rows = 1;
    source.cols = static_cast<std::int64_t>(values.size());
    source.bytes = std::as_bytes(std::span(values));
    auto weight = device.device().addWeight(source);
    device.device().finishWeights();
    return weight;
}

std::vector<float> inputOf(const MatrixProduct &p, float scale)
{
    std::vector<float> x = randomValues(p.rows * p.cols, 3);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const bool small = p.norm && i / static_cast<std::size_t>(p.cols) % 2 == 1;
        x[i] *= p.norm ? (small ? 1e-3f : 1.0f) : scale; // eps counts in small rows
        if (p.x == DType::F16)
            x[i] = halfToFloat(floatToHalf(x[i]));
    }
    return x;
}

} // namespace

std::string MatrixProduct::text() const
{
    std::string text = std::string(name(weight)) + ", " + std::to_string(rows) + " rows, " +
                       std::to_string(cols) + " to " + std::to_string(outs) + ", " + name(x) +
                       " to " + name(out);
    if (act)
        text += ", gated " + std::to_string(static_cast<int>(*act));
    for (const auto &[on, what] :
         {std::pair(bias, "bias"), std::pair(upBias, "up's bias"), std::pair(add, "added"),
          std::pair(norm, "norm"), std::pair(gap > 0, "gaps")})
        if (on)
            text += std::string(", ") + what;
    return text;
}

double activated(Activation act, double gate, double up)
{
    if (act == Activation::ClampedSwiGlu) {
        gate = std::min(gate, 7.0);
        return gate / (1 + std::exp(-1.702 * gate)) * (std::clamp(up, -7.0, 7.0) + 1);
    }
    return reference::activation(act, gate) * up;
}

float scaleFor(double size, std::span<const double> weights, std::int64_t cols)
{
    const double squares = std::inner_product(weights.begin(), weights.end(), weights.begin(), 0.0);
    return static_cast<float>(size / std::sqrt(squares / static_cast<double>(weights.size()) *
                                               static_cast<double>(cols)));
}

double errorOf(RecorderDevice &device, const MatrixProduct &p, const RunLinear &linear,
               const RunGated &gated)
{
    const SomeWeight weight(device.device(), p.weight, p.outs, p.cols, 1);
    const SomeWeight up(device.device(), p.weight, p.act ? p.outs : 1, p.cols, 2);
    // All terms of a result count: products and biases are of one size.
    const double size = isGelu(p.act) ? 0.3 : p.act == Activation::ClampedSwiGlu ? 5 : 1;
    const float scale = scaleFor(size, weight.values, p.cols);
    const std::vector<float> x = inputOf(p, scale), before = randomValues(p.rows * p.outs, 4);
    std::vector<float> bias = biasValues(p, 5, true), upBias = biasValues(p, 6, false);
    std::vector<float> norms = randomValues(p.cols, 7);
    for (float &value : norms)
        value *= scale;
    const auto biasWeight = vectorWeight(device, bias), upBiasWeight = vectorWeight(device, upBias);
    const auto norm = vectorWeight(device, norms);

    device.begin(p.rows);
    LinearInput input(device.put(x, p.rows, p.cols, p.x, p.cols + p.gap));
    if (p.norm)
        input = {input.x, *norm, kEps};
    const std::vector<float> nothing(before.size(), NAN);
    const Tensor out = device.put(p.add ? before : nothing, p.rows, p.outs, p.out, p.outs + p.gap);
    if (p.act)
        gated(input,
              {weight.weight.get(), up.weight.get(), p.bias ? biasWeight.get() : nullptr,
               p.upBias ? upBiasWeight.get() : nullptr},
              *p.act, out);
    else
        linear(input, {weight.weight.get(), out, p.bias ? biasWeight.get() : nullptr},
               p.add ? Accumulate::AddToOutput : Accumulate::Overwrite);
    device.recorder().sync();

    std::vector<float> rows = x;
    if (p.norm) {
        const auto normed = reference::rmsNorm(x, norms, kEps);
        rows.assign(normed.begin(), normed.end());
    }
    const auto outs = static_cast<std::size_t>(p.outs), cols = static_cast<std::size_t>(p.cols);
    auto expected =
        reference::linear(rows, weight.values, p.bias ? bias : std::vector<float>(), outs, cols);
    if (p.act) {
        const auto ups = reference::linear(rows, up.values,
                                           p.upBias ? upBias : std::vector<float>(), outs, cols);
        for (std::size_t i = 0; i < expected.size(); ++i)
            expected[i] = activated(*p.act, expected[i], ups[i]);
    }
    for (std::size_t i = 0; p.add && i < expected.size(); ++i)
        expected[i] += p.out == DType::F16 ? reference::roundToHalf(static_cast<double>(before[i]))
                                           : static_cast<double>(before[i]);
    EXPECT_TRUE(device.isPoisonBetween(out)) << "written between rows: " << p.text();
    return reference::relativeError(device.get(out), expected);
}

} // namespace fireside::test
