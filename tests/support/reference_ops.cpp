#include "tests/support/reference_ops.h"

#include <algorithm>
#include <cmath>

namespace fireside::reference {

std::vector<double> rmsNorm(std::span<const float> x, std::span<const float> weight, double eps)
{
    const std::size_t n = weight.size();
    std::vector<double> out(x.size());
    for (std::size_t row = 0; row * n < x.size(); ++row) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i)
            sum += static_cast<double>(x[row * n + i]) * x[row * n + i];
        const double norm = std::sqrt(sum / static_cast<double>(n) + eps);
        for (std::size_t i = 0; i < n; ++i)
            out[row * n + i] = x[row * n + i] / norm * weight[i];
    }
    return out;
}

std::vector<double> rope(std::span<const float> x, std::span<const std::int32_t> positions,
                         std::size_t heads, std::size_t headDim, std::span<const float> frequencies,
                         bool interleaved, double attentionFactor)
{
    std::vector<double> out(x.begin(), x.end());
    const std::size_t half = frequencies.size();
    for (std::size_t t = 0; t < positions.size(); ++t)
        for (std::size_t h = 0; h < heads; ++h)
            for (std::size_t i = 0; i < half; ++i) {
                const std::size_t base = (t * heads + h) * headDim;
                const std::size_t first = base + (interleaved ? 2 * i : i);
                const std::size_t second = base + (interleaved ? 2 * i + 1 : i + half);
                const double angle = static_cast<double>(positions[t]) * frequencies[i];
                const double c = std::cos(angle) * attentionFactor;
                const double s = std::sin(angle) * attentionFactor;
                out[first] = x[first] * c - x[second] * s;
                out[second] = x[first] * s + x[second] * c;
            }
    return out;
}

std::vector<double> attention(const AttentionArguments &args, std::span<const float> q,
                              std::span<const double> keys, std::span<const double> values)
{
    const std::size_t D = args.headDim, total = args.past + args.rows;
    std::vector<double> out(args.rows * args.heads * D, 0.0);
    for (std::size_t i = 0; i < args.rows; ++i)
        for (std::size_t h = 0; h < args.heads; ++h) {
            const std::size_t kv = h / (args.heads / args.kvHeads);
            std::vector<double> weights(total, 0.0);
            double sum = 0;
            for (std::size_t k = 0; k < total; ++k) {
                const bool future = k > args.past + i;
                const bool forgotten = args.window > 0 && k + args.window <= args.past + i;
                if (future || forgotten)
                    continue;
                double score = 0;
                for (std::size_t d = 0; d < D; ++d)
                    score += q[(i * args.heads + h) * D + d] * keys[(kv * total + k) * D + d];
                score *= args.scale;
                if (args.softcap > 0)
                    score = args.softcap * std::tanh(score / args.softcap);
                weights[k] = std::exp(score);
                sum += weights[k];
            }
            for (std::size_t k = 0; k < total; ++k)
                for (std::size_t d = 0; d < D; ++d)
                    out[(i * args.heads + h) * D + d] +=
                        weights[k] / sum * values[(kv * total + k) * D + d];
        }
    return out;
}

std::vector<double> linear(std::span<const float> x, std::span<const double> weight,
                           std::span<const float> bias, std::size_t rows, std::size_t cols)
{
    const std::size_t T = x.size() / cols;
    std::vector<double> out(T * rows);
    for (std::size_t t = 0; t < T; ++t)
        for (std::size_t r = 0; r < rows; ++r) {
            double sum = bias.empty() ? 0.0 : bias[r];
            for (std::size_t c = 0; c < cols; ++c)
                sum += x[t * cols + c] * weight[r * cols + c];
            out[t * rows + r] = sum;
        }
    return out;
}

double silu(double x)
{
    return x / (1 + std::exp(-x));
}

double geluErf(double x)
{
    return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
}

double geluTanh(double x)
{
    const double u = std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
    return 0.5 * x * (1 + std::tanh(u));
}

double roundToHalf(double x)
{
    if (x == 0 || !std::isfinite(x))
        return x;
    // 11 significant bits, but never finer than 2⁻²⁴; nearbyint rounds to even.
    const int exponent = std::max(std::ilogb(x), -14);
    const double unit = std::ldexp(1.0, exponent - 10);
    const double rounded = std::nearbyint(x / unit) * unit;
    return std::fabs(rounded) >= 65536 ? std::copysign(HUGE_VAL, x) : rounded;
}

std::vector<double> roundToQ8_0(std::span<const float> x)
{
    std::vector<double> out(x.size());
    for (std::size_t block = 0; block < x.size(); block += 32) {
        float largest = 0;
        for (std::size_t i = 0; i < 32; ++i)
            largest = std::max(largest, std::fabs(x[block + i]));
        const double scale = roundToHalf(largest / 127.0f);
        for (std::size_t i = 0; i < 32; ++i)
            out[block + i] =
                largest == 0 ? 0 : std::nearbyint(x[block + i] * (127.0f / largest)) * scale;
    }
    return out;
}

double relativeError(std::span<const float> actual, std::span<const double> expected)
{
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        difference += (actual[i] - expected[i]) * (actual[i] - expected[i]);
        norm += expected[i] * expected[i];
    }
    return norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
}

} // namespace fireside::reference
