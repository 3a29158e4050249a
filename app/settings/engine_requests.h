#pragma once
#include "app/settings/load_settings.h"
#include "app/settings/sampling_settings.h"
#include "engine/engine.h"

#include <string_view>

// Settings as the engine takes them: for the window's worker and for the command line.
namespace fireside {

/// "f16", "Q8_0". Error(BadInput) for a type that caches cannot have.
DType parseCacheType(std::string_view word);
/// "q4_k_m", "Q8_0"; "keep" and "": nullptr. Error(BadInput) for an unknown mixture of types.
const Recipe *parseQuantize(std::string_view word);
/// Error(BadInput) for an unknown backend, cache type or mixture, or a malformed device.
LoadOptions toLoadOptions(const LoadSettings &settings);
/// The settings' seed, or for −1 a new one of 53 bits: it survives JSON, where numbers are doubles.
std::uint64_t seedOf(const SamplingSettings &settings);
/// How the model is asked to think.
ThinkingChoice toThinking(const SamplingSettings &settings);
/// Of each token that the settings make likelier or less likely by how much. Error(BadInput) for
/// what is no bias, or of a token that is not there.
std::vector<std::pair<TokenId, float>> biasOf(const SamplingSettings &settings,
                                              const Tokenizer &tokenizer);
/// Without the prompt and biasOf(). `seed` stands for the settings' own, which may be "a new one".
GenerateRequest toRequest(const SamplingSettings &settings, std::uint64_t seed);

} // namespace fireside
