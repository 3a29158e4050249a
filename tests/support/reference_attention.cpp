#include "tests/support/reference_attention.h"

#include <algorithm>
#include <cmath>

namespace fireside::reference {

std::vector<double> transformHeads(std::span<const float> x,
                                   std::span<const std::int32_t> positions, std::int64_t headDim,
                                   std::span<const float> norm, double eps, const Rope *rope)
{
    const auto D = static_cast<std::size_t>(headDim);
    std::vector<double> out(x.begin(), x.end());
    if (positions.empty())
        return out;
    const std::size_t heads = x.size() / positions.size() / D;
    for (std::size_t t = 0; t < positions.size(); ++t)
        for (std::size_t h = 0; h < heads; ++h) {
            double *const head = out.data() + (t * heads + h) * D;
            if (!norm.empty()) {
                double squares = 0;
                for (std::size_t d = 0; d < D; ++d)
                    squares += head[d] * head[d];
                const double divisor = std::sqrt(squares / static_cast<double>(D) + eps);
                for (std::size_t d = 0; d < D; ++d)
                    head[d] *= static_cast<double>(norm[d]) / divisor;
            }
            if (rope == nullptr)
                continue;
            const std::size_t pairs = rope->inverseFrequencies.size();
            double *const turned = head + rope->firstChannel;
            const bool halves = rope->pairing == RopePairing::HalfSplit;
            for (std::size_t i = 0; i < pairs; ++i) {
                double &first = turned[halves ? i : 2 * i];
                double &second = turned[halves ? i + pairs : 2 * i + 1];
                const double angle = static_cast<double>(positions[t]) *
                                     static_cast<double>(rope->inverseFrequencies[i]);
                const double c = std::cos(angle) * static_cast<double>(rope->attentionFactor);
                const double s = std::sin(angle) * static_cast<double>(rope->attentionFactor);
                const double a = first, b = second;
                first = a * c - b * s;
                second = a * s + b * c;
            }
        }
    return out;
}

double alibiSlope(std::int64_t head, std::int64_t heads, double maxBias)
{
    std::int64_t power = 1;
    while (2 * power <= heads)
        power *= 2;
    if (head < power)
        return std::exp2(-maxBias * static_cast<double>(head + 1) / static_cast<double>(power));
    // The rest take every second slope of twice as many heads.
    const std::int64_t i = 2 * (head - power) + 1;
    return std::exp2(-maxBias * static_cast<double>(i) / static_cast<double>(2 * power));
}

std::vector<double> attend(const AttentionShape &shape, std::int64_t rows, std::span<const float> q,
                           std::span<const double> keys, std::span<const double> values,
                           std::span<const double> sinks, std::span<const double> distances)
{
    const std::int64_t H = shape.heads, G = shape.kvHeads, D = shape.headDim, Dv = shape.values();
    const std::int64_t total = static_cast<std::int64_t>(keys.size()) / (G * D);
    const std::int64_t past = total - rows;
    std::vector<double> out(static_cast<std::size_t>(rows * H * Dv), 0.0);
    std::vector<double> scores(static_cast<std::size_t>(total));
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t h = 0; h < H; ++h) {
            const std::int64_t g = h / (H / G), at = past + i;
            const double slope = shape.alibiMaxBias > 0
                                     ? static_cast<double>(shape.alibiScale) *
                                           alibiSlope(h, H, static_cast<double>(shape.alibiMaxBias))
                                     : 0;
            double most = sinks.empty() ? -HUGE_VAL : sinks[static_cast<std::size_t>(h)];
            for (std::int64_t k = 0; k < total; ++k) {
                double &score = scores[static_cast<std::size_t>(k)];
                score = -HUGE_VAL;
                const bool seen =
                    shape.causal ? k <= at && (shape.window == 0 || k > at - shape.window) &&
                                       (shape.chunk == 0 || k / shape.chunk == at / shape.chunk)
                                 : shape.window == 0 || std::abs(at - k) <= shape.window / 2;
                if (!seen)
                    continue;
                double sum = 0;
                for (std::int64_t d = 0; d < D; ++d)
                    sum += static_cast<double>(q[static_cast<std::size_t>((i * H + h) * D + d)]) *
                           keys[static_cast<std::size_t>((k * G + g) * D + d)];
                score = sum * static_cast<double>(shape.scale);
                if (shape.softcap > 0)
                    score = static_cast<double>(shape.softcap) *
                            std::tanh(score / static_cast<double>(shape.softcap));
                score += slope * static_cast<double>(k - at);
                if (!distances.empty()) {
                    const auto each = static_cast<std::int64_t>(distances.size()) / H;
                    const std::int64_t reach = each / 2;
                    const std::int64_t place =
                        std::min(std::max(k - at + reach, std::int64_t{0}), each - 1);
                    score += distances[static_cast<std::size_t>(h * each + place)];
                }
                most = std::max(most, score);
            }
            if (most == -HUGE_VAL)
                continue;
            double sum = sinks.empty() ? 0 : std::exp(sinks[static_cast<std::size_t>(h)] - most);
            for (std::int64_t k = 0; k < total; ++k)
                sum += std::exp(scores[static_cast<std::size_t>(k)] - most);
            for (std::int64_t k = 0; k < total; ++k) {
                const double weight = std::exp(scores[static_cast<std::size_t>(k)] - most) / sum;
                if (weight == 0)
                    continue;
                for (std::int64_t d = 0; d < Dv; ++d)
                    out[static_cast<std::size_t>((i * H + h) * Dv + d)] +=
                        weight * values[static_cast<std::size_t>((k * G + g) * Dv + d)];
            }
        }
    return out;
}

} // namespace fireside::reference
