#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/model/config_source.h"
#include "engine/model/gguf_keys.h"

#include <cmath>

namespace fireside {
namespace {

/// One divisor per pair of channels, in a tensor; empty where there is none.
std::vector<float> divisorsOf(const Gguf &gguf, const char *name, std::int64_t pairs)
{
    const GgufTensor *factors = gguf.findTensor(name);
    if (factors == nullptr)
        return {};
    const std::string where = gguf.path().string() + ": tensor " + fireside::quoted(name);
    if (factors->dtype != DType::F32 || factors->dims[0] != static_cast<std::uint64_t>(pairs))
        throwBadInput(where + " is not F32 [" + std::to_string(pairs) + ']');
    std::vector<float> divisors = floatsOf(factors->bytes);
    for (const float divisor : divisors)
        if (!(divisor > 0 && std::isfinite(divisor)))
            throwBadInput(where + " holds " + std::to_string(divisor) +
                          ", expected positive numbers");
    return divisors;
}

/// Llama 3.1 and later store one set of divisors; LongRoPE (Phi 3) two.
void readDivisors(const Gguf &gguf, RopeSettings &s)
{
    const std::int64_t pairs = s.rotary / 2;
    s.divisors = divisorsOf(gguf, "rope_freqs.weight", pairs);
    if (!s.divisors.empty())
        return;
    s.shortDivisors = divisorsOf(gguf, "rope_factors_short.weight", pairs);
    s.divisors = divisorsOf(gguf, "rope_factors_long.weight", pairs);
    if (s.divisors.empty() || s.contextTrained <= s.originalContext)
        s.divisors = s.shortDivisors;
}

void readScaling(const GgufKeys &keys, RopeSettings &s)
{
    const std::string type = keys.text("rope.scaling.type");
    // Files older than rope.scaling.* carry the linear factor alone.
    const double oldFactor = keys.real("rope.scale_linear", 1.0, 1e-6, 1e6);
    s.factor = keys.real("rope.scaling.factor", oldFactor, 1e-6, 1e6);
    if (type == "yarn")
        s.scaling = RopeSettings::Scaling::Yarn;
    else if (type == "linear" || (type.empty() && s.factor != 1.0))
        s.scaling = RopeSettings::Scaling::Linear;
    else if (!type.empty() && type != "none" && type != "longrope")
        throwUnsupported(keys.where("rope.scaling.type") +
                         ": not supported: " + fireside::quoted(type));
}

void readYarnKeys(const GgufKeys &keys, RopeSettings &s)
{
    s.betaFast = keys.real("rope.scaling.yarn_beta_fast", 32, 1e-3, 1e6);
    s.betaSlow = keys.real("rope.scaling.yarn_beta_slow", 1, 1e-3, 1e6);
    // Like mscale_all_dim of config.json, where mscale is 1.
    const double all = keys.real("rope.scaling.yarn_log_multiplier", 0, 0, 1e3);
    const double own = yarnAttention(s.factor) / (all > 0 ? yarnAttention(s.factor, all) : 1);
    s.attentionFactor *= keys.real("rope.scaling.yarn_attn_factor", own, 1e-3, 1e3);
    if (const double blend = keys.real("rope.scaling.yarn_ext_factor", 1, -1, 1e3);
        blend >= 0 && blend != 1)
        throwUnsupported(keys.where("rope.scaling.yarn_ext_factor") +
                         ": not supported: " + std::to_string(blend));
}

} // namespace

RopeSettings readGgufRope(const GgufKeys &keys, const Config &c)
{
    RopeSettings s;
    s.headDim = c.headDim;
    s.rotary = keys.optional("rope.dimension_count", c.headDim, 2, c.headDim);
    if (s.rotary % 2 != 0)
        throwBadInput(keys.where("rope.dimension_count") + " is " + std::to_string(s.rotary) +
                      ", expected an even number");
    // Ollama's files of Gemma 3 name the bases of both kinds of layers.
    const double global = keys.real("rope.global.freq_base", 10000.0, 1e-3, 1e12);
    s.base = keys.real("rope.freq_base", global, 1e-3, 1e12);
    s.contextTrained = c.contextTrained;
    readScaling(keys, s);
    s.originalContext =
        keys.optional("rope.scaling.original_context_length", c.contextTrained, 1, kMaxContext);
    // On top of the scaling's own.
    s.attentionFactor = keys.real("rope.scaling.attn_factor", 1.0, 0.0, 1e3);
    if (s.scaling == RopeSettings::Scaling::Yarn)
        readYarnKeys(keys, s);
    readDivisors(keys.gguf(), s);
    return s;
}

} // namespace fireside
