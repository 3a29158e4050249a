#pragma once
#include <optional>

namespace fireside {

class ModelFile;

/// How the makers of a model recommend that its replies are drawn, as far as its files say so and
/// the numbers are in the sampler's range: generation_config.json of a folder (temperature, top_k,
/// …; nothing where do_sample is false), the keys general.sampling.* of a GGUF file, which
/// llama.cpp's converter makes of it. SamplerSettings says what they mean.
struct RecommendedSampling
{
    std::optional<double> temperature{}, topP{}, minP{}, typicalP{};
    std::optional<int> topK{};
    std::optional<double> repeatPenalty{};
    std::optional<int> repeatWindow{};
    std::optional<double> xtcProbability{}, xtcThreshold{};
    std::optional<int> mirostat{};
    std::optional<double> mirostatTarget{}, mirostatRate{};
    bool operator==(const RecommendedSampling &) const = default;
};

/// What cannot be read recommends nothing.
RecommendedSampling recommendedSampling(const ModelFile &file);

} // namespace fireside
