#include "engine/model/rope_config.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/model/config_source.h"

#include <algorithm>
#include <cmath>

namespace fireside {
namespace {

constexpr double kMaxFactor = 1e6;

void readYarn(const JsonKeys &keys, RopeSettings &s)
{
    s.scaling = RopeSettings::Scaling::Yarn;
    s.betaFast = keys.real("beta_fast", 32, 1e-3, 1e6);
    s.betaSlow = keys.real("beta_slow", 1, 1e-3, 1e6);
    s.truncate = keys.flag("truncate", true);
    // As transformers has it: two scales give a quotient, one alone is not used.
    const double mscale = keys.real("mscale", 0, 0, 1e3);
    const double mscaleAll = keys.real("mscale_all_dim", 0, 0, 1e3);
    const double fallback = mscale != 0 && mscaleAll != 0 ? yarnAttention(s.factor, mscale) /
                                                                yarnAttention(s.factor, mscaleAll)
                                                          : yarnAttention(s.factor);
    s.attentionFactor = keys.real("attention_factor", fallback, 1e-3, 1e3);
}

void readLlama3(const JsonKeys &keys, RopeSettings &s)
{
    s.scaling = RopeSettings::Scaling::Llama3;
    s.lowFrequency = keys.requireReal("low_freq_factor", 1e-3, 1e6);
    s.highFrequency = keys.requireReal("high_freq_factor", 1e-3, 1e6);
    if (s.highFrequency <= s.lowFrequency)
        throwBadInput(keys.where("high_freq_factor") + " is " + std::to_string(s.highFrequency) +
                      ", not above 'low_freq_factor' " + std::to_string(s.lowFrequency));
}

/// LongRoPE has divisors for chats up to the original context and for longer ones. PhiMoE has
/// factors of attention for both as well.
void readLongRope(const JsonKeys &keys, RopeSettings &s)
{
    const auto pairs = static_cast<std::size_t>(s.rotary / 2);
    const auto floats = [&](const char *key) {
        const std::vector<double> numbers = keys.reals(key, pairs, 1e-6, 1e6);
        std::vector<float> values(numbers.size());
        std::transform(numbers.begin(), numbers.end(), values.begin(),
                       [](double n) { return static_cast<float>(n); });
        return values;
    };
    s.shortDivisors = floats("short_factor");
    s.divisors = floats("long_factor");
    if (s.contextTrained <= s.originalContext)
        s.divisors = s.shortDivisors;
    s.attentionFactor =
        keys.real("attention_factor", longRopeAttention(s.factor, s.originalContext), 1e-3, 1e3);
    s.shortAttentionFactor = keys.real("short_mscale", s.attentionFactor, 1e-3, 1e3);
    s.attentionFactor = keys.real("long_mscale", s.attentionFactor, 1e-3, 1e3);
}

/// Gemma 4: frequencies as for the whole head, of which only the first are used.
void readProportional(const JsonKeys &keys, double partial, RopeSettings &s)
{
    const std::int64_t pairs = s.headDim / 2;
    s.scaling = RopeSettings::Scaling::Linear;
    s.factor = keys.real("factor", 1, 1e-6, kMaxFactor);
    s.rotary = s.headDim;
    s.still = pairs - static_cast<std::int64_t>(static_cast<double>(s.headDim) * partial / 2);
}

/// A dynamic scaling changes nothing up to the context the model was trained for, and more is never
/// used. With `alpha` (Hunyuan) the base is larger at every length: base · α^(d / (d − 2)).
void readDynamic(const JsonKeys &keys, RopeSettings &s)
{
    const double alpha = keys.real("alpha", 0, 0, kMaxFactor);
    if (alpha == 0)
        return;
    const auto channels = static_cast<double>(s.headDim);
    if (s.headDim <= 2)
        throwBadInput(keys.where("alpha") + " needs heads of more than 2 channels");
    s.base *= std::pow(alpha, channels / (channels - 2));
}

void readScaling(const JsonKeys &keys, const std::string &type, const JsonKeys &all,
                 RopeSettings &s)
{
    if (type.empty() || type == "default" || type == "none")
        return;
    if (type == "dynamic") {
        readDynamic(keys, s);
        return;
    }
    // Some files have the original context outside.
    const char *const original = "original_max_position_embeddings";
    const bool knowsOriginal = keys.has(original) || all.has(original);
    s.originalContext = keys.optional(
        original, all.optional(original, s.contextTrained, 1, kMaxContext), 1, kMaxContext);
    const double stretched =
        static_cast<double>(s.contextTrained) / static_cast<double>(s.originalContext);
    const bool renamed = s.yarnIsLongRope && type == "yarn" && keys.has("short_factor");
    if (type == "longrope" || type == "su" || renamed) {
        s.factor = all.has(original) ? stretched : keys.real("factor", stretched, 1e-6, kMaxFactor);
        readLongRope(keys, s);
        return;
    }
    s.factor = type == "yarn" && knowsOriginal ? keys.real("factor", stretched, 1e-6, kMaxFactor)
                                               : keys.requireReal("factor", 1e-6, kMaxFactor);
    if (type == "linear")
        s.scaling = RopeSettings::Scaling::Linear;
    else if (type == "yarn")
        readYarn(keys, s);
    else if (type == "llama3")
        readLlama3(keys, s);
    else
        throwUnsupported(keys.where(keys.has("rope_type") ? "rope_type" : "type") +
                         ": not supported: " + fireside::quoted(type));
}

} // namespace

void readRopePart(const JsonKeys &part, const JsonKeys &keys, bool scaled, RopeSettings &s)
{
    const auto both = [&](const char *key, double fallback, double low, double high) {
        return part.real(key, keys.real(key, fallback, low, high), low, high);
    };
    s.base = both("rope_theta", both("rotary_emb_base", s.base, 1e-3, 1e12), 1e-3, 1e12);
    const double share = static_cast<double>(keys.optional("rotary_dim", s.headDim, 2, s.headDim)) /
                         static_cast<double>(s.headDim);
    const double partial =
        both("partial_rotary_factor", both("rotary_pct", share, 1e-3, 1), 1e-3, 1);
    const std::string type = part.has("rope_type") ? part.text("rope_type") : part.text("type");
    if (scaled && type == "proportional")
        return readProportional(part, partial, s);
    s.rotary = static_cast<std::int64_t>(static_cast<double>(s.headDim) * partial);
    if (s.rotary < 2 || s.rotary % 2 != 0)
        throwBadInput(keys.where("partial_rotary_factor") + " is " + std::to_string(partial) +
                      ", which leaves " + std::to_string(s.rotary) + " of " +
                      std::to_string(s.headDim) + " channels to rotate");
    s.originalContext = s.contextTrained;
    if (scaled)
        readScaling(part, type, keys, s);
}

void readRopeSettings(const JsonKeys &keys, RopeSettings &s)
{
    const char *const form = keys.has("rope_parameters") ? "rope_parameters" : "rope_scaling";
    if (!keys.has(form))
        return readRopePart(keys, keys, false, s);
    const JsonKeys part = keys.inside(form);
    for (const auto &[key, value] : part.object().items())
        if (value.is_object())
            throwUnsupported(part.where(key.c_str()) +
                             ": not supported: rotary settings of their own for some layers");
    readRopePart(part, keys, true, s);
}

} // namespace fireside
