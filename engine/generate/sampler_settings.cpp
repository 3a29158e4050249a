#include "engine/generate/sampler_settings.h"

#include "engine/core/error.h"

namespace fireside {
namespace {

void requireRange(const char *what, double value, double low, double high)
{
    if (!(value >= low && value <= high))
        throwBadInput(std::string(what) + " is " + std::to_string(value) + ", expected " +
                      std::to_string(low) + " to " + std::to_string(high));
}

} // namespace

void check(const SamplerSettings &settings)
{
    constexpr double kMany = 1 << 30;
    requireRange("temperature", settings.temperature, 0, 100);
    requireRange("top-k", settings.topK, 0, kMany);
    requireRange("top-p", settings.topP, 0, 1);
    requireRange("min-p", settings.minP, 0, 1);
    requireRange("repetition penalty", settings.repeatPenalty, 0.01, 100);
    requireRange("repetition window", settings.repeatWindow, 0, kMany);
    requireRange("frequency penalty", settings.frequencyPenalty, -100, 100);
    requireRange("presence penalty", settings.presencePenalty, -100, 100);
    for (const auto &[id, bias] : settings.logitBias) {
        requireRange("token of a bias", id, 0, kMany);
        requireRange("bias", bias, -1000, 1000);
    }
    requireRange("DRY multiplier", settings.dryMultiplier, 0, 100);
    requireRange("DRY base", settings.dryBase, 1, 100);
    requireRange("DRY allowed length", settings.dryAllowedLength, 1, kMany);
    requireRange("DRY window", settings.dryWindow, 0, kMany);
    requireRange("top-n-sigma", settings.topNSigma, 0, 1000);
    requireRange("typical-p", settings.typicalP, 0, 1);
    requireRange("XTC probability", settings.xtcProbability, 0, 1);
    requireRange("XTC threshold", settings.xtcThreshold, 0, 1);
    requireRange("temperature range", settings.temperatureRange, 0, 100);
    requireRange("temperature exponent", settings.temperatureExponent, 0.01, 100);
    requireRange("mirostat", settings.mirostat, 0, 2);
    requireRange("mirostat target", settings.mirostatTarget, 0, 100);
    requireRange("mirostat rate", settings.mirostatRate, 0, 10);
}

} // namespace fireside
