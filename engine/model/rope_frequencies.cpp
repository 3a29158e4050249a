#include "engine/model/rope_frequencies.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace fireside {
namespace {

/// The channel pair whose wavelength makes `turns` turns over the original context.
double pairOfTurns(const RopeSettings &s, double turns)
{
    const double context = static_cast<double>(s.originalContext);
    return static_cast<double>(s.rotary) * std::log(context / (turns * 2 * std::numbers::pi)) /
           (2 * std::log(s.base));
}

} // namespace

Rope makeRope(const RopeSettings &s, RopePairing pairing)
{
    Rope rope;
    rope.pairing = pairing;
    const std::int64_t pairs = s.rotary / 2;
    rope.inverseFrequencies.resize(static_cast<std::size_t>(pairs));
    double low = 0, high = 0;
    if (s.scaling == RopeSettings::Scaling::Yarn) {
        low = std::max(0.0, std::floor(pairOfTurns(s, s.betaFast)));
        high = std::min(static_cast<double>(s.rotary - 1), std::ceil(pairOfTurns(s, s.betaSlow)));
        rope.attentionFactor = static_cast<float>(
            s.attentionFactor * (s.factor > 1 ? 1 + 0.1 * std::log(s.factor) : 1));
    }
    for (std::int64_t i = 0; i < pairs; ++i) {
        double f = std::pow(s.base, -2.0 * static_cast<double>(i) / static_cast<double>(s.rotary));
        if (!s.divisors.empty())
            f /= static_cast<double>(s.divisors[static_cast<std::size_t>(i)]);
        if (s.scaling == RopeSettings::Scaling::Linear) {
            f /= s.factor;
        } else if (s.scaling == RopeSettings::Scaling::Yarn) {
            // Fast pairs keep their frequency, slow ones are interpolated, a ramp lies between.
            const double ramp =
                std::clamp((static_cast<double>(i) - low) / std::max(high - low, 1e-3), 0.0, 1.0);
            f = f * (1 - ramp) + f / s.factor * ramp;
        }
        rope.inverseFrequencies[static_cast<std::size_t>(i)] = static_cast<float>(f);
    }
    return rope;
}

std::vector<float> floatsOf(std::span<const std::byte> bytes)
{
    std::vector<float> values(bytes.size() / sizeof(float));
    if (!values.empty())
        std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
}

} // namespace fireside
