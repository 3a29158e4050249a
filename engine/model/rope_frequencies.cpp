#include "engine/model/rope_frequencies.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace fireside {
namespace {

/// The channel pair that rotates `turns` times within the original context.
double pairOfTurns(const RopeSettings &s, double turns)
{
    const double context = static_cast<double>(s.originalContext);
    return static_cast<double>(s.rotary) * std::log(context / (turns * 2 * std::numbers::pi)) /
           (2 * std::log(s.base));
}

/// The pairs between which YaRN blends from kept to interpolated frequencies.
struct Ramp
{
    double low = 0, high = 0;
    double at(std::int64_t pair) const
    {
        return std::clamp((static_cast<double>(pair) - low) / (high - low), 0.0, 1.0);
    }
};

Ramp yarnRamp(const RopeSettings &s)
{
    Ramp ramp{pairOfTurns(s, s.betaFast), pairOfTurns(s, s.betaSlow)};
    if (s.truncate)
        ramp = {std::floor(ramp.low), std::ceil(ramp.high)};
    ramp = {std::max(ramp.low, 0.0), std::min(ramp.high, static_cast<double>(s.rotary - 1))};
    if (ramp.high <= ramp.low)
        ramp.high = ramp.low + 1e-3;
    return ramp;
}

/// Fast pairs keep their frequency, slow ones are interpolated, a smooth step lies between.
double llama3Frequency(const RopeSettings &s, double f)
{
    const double turns = static_cast<double>(s.originalContext) * f / (2 * std::numbers::pi);
    const double kept =
        std::clamp((turns - s.lowFrequency) / (s.highFrequency - s.lowFrequency), 0.0, 1.0);
    return f * kept + f / s.factor * (1 - kept);
}

} // namespace

double yarnAttention(double factor, double scale)
{
    return factor > 1 ? 0.1 * scale * std::log(factor) + 1 : 1;
}

double longRopeAttention(double factor, std::int64_t originalContext)
{
    if (factor <= 1 || originalContext <= 1)
        return 1;
    return std::sqrt(1 + std::log(factor) / std::log(static_cast<double>(originalContext)));
}

Rope makeRope(const RopeSettings &s, RopePairing pairing)
{
    using Scaling = RopeSettings::Scaling;
    Rope rope;
    rope.pairing = pairing;
    rope.attentionFactor = static_cast<float>(s.attentionFactor);
    const std::int64_t pairs = s.rotary / 2;
    rope.inverseFrequencies.resize(static_cast<std::size_t>(pairs));
    const Ramp ramp = s.scaling == Scaling::Yarn ? yarnRamp(s) : Ramp{};
    for (std::int64_t i = 0; i < pairs - s.still; ++i) {
        double f = std::pow(s.base, -2.0 * static_cast<double>(i) / static_cast<double>(s.rotary));
        if (!s.divisors.empty())
            f /= static_cast<double>(s.divisors[static_cast<std::size_t>(i)]);
        if (s.scaling == Scaling::Linear)
            f /= s.factor;
        else if (s.scaling == Scaling::Yarn)
            f = f * (1 - ramp.at(i)) + f / s.factor * ramp.at(i);
        else if (s.scaling == Scaling::Llama3)
            f = llama3Frequency(s, f);
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
