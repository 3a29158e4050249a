#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/config_source.h"

#include <cmath>

namespace fireside {
namespace {

/// Integer keys of one architecture, with the bounds that make later arithmetic safe.
class Keys
{
public:
    Keys(const Gguf &gguf, std::string architecture)
        : m_gguf(gguf)
        , m_prefix(std::move(architecture) + '.')
    {}

    std::int64_t require(const char *key, std::int64_t low, std::int64_t high) const
    {
        return checked(key, m_gguf.requireUnsigned(m_prefix + key), low, high);
    }
    std::int64_t optional(const char *key, std::int64_t fallback, std::int64_t low,
                          std::int64_t high) const
    {
        const auto value = m_gguf.findUnsigned(m_prefix + key);
        return value ? checked(key, *value, low, high) : fallback;
    }
    double real(const char *key, double fallback, double low, double high) const
    {
        const auto value = m_gguf.findFloat(m_prefix + key);
        if (!value)
            return fallback;
        if (!(*value >= low && *value <= high))
            throwBadInput(where(key) + " is " + std::to_string(*value) + ", which is out of range");
        return *value;
    }
    std::string text(const char *key) const
    {
        return std::string(m_gguf.findString(m_prefix + key).value_or(""));
    }
    bool isArray(const char *key) const
    {
        const GgufValue *value = m_gguf.find(m_prefix + key);
        return value && std::holds_alternative<GgufArray>(*value);
    }
    std::string where(const char *key) const
    {
        return m_gguf.path().string() + ": '" + m_prefix + key + '\'';
    }

private:
    std::int64_t checked(const char *key, std::uint64_t value, std::int64_t low,
                         std::int64_t high) const
    {
        if (value < static_cast<std::uint64_t>(low) || value > static_cast<std::uint64_t>(high))
            throwBadInput(where(key) + " is " + std::to_string(value) + ", expected " +
                          std::to_string(low) + " to " + std::to_string(high));
        return static_cast<std::int64_t>(value);
    }

    const Gguf &m_gguf;
    std::string m_prefix;
};

Rope readRope(const Gguf &gguf, const Keys &keys, const Config &c, const Family &family)
{
    RopeSettings s;
    s.headDim = c.headDim;
    s.rotary = keys.optional("rope.dimension_count", c.headDim, 2, c.headDim);
    if (s.rotary % 2 != 0)
        throwBadInput(keys.where("rope.dimension_count") + " is " + std::to_string(s.rotary) +
                      ", expected an even number");
    s.base = keys.real("rope.freq_base", 10000.0, 1e-3, 1e12);
    s.contextTrained = c.contextTrained;
    const std::string scaling = keys.text("rope.scaling.type");
    // Files older than rope.scaling.* carry the linear factor alone.
    const double oldFactor = keys.real("rope.scale_linear", 1.0, 1e-6, 1e6);
    s.factor = keys.real("rope.scaling.factor", oldFactor, 1e-6, 1e6);
    if (scaling == "yarn")
        s.scaling = RopeSettings::Scaling::Yarn;
    else if (scaling == "linear" || (scaling.empty() && oldFactor != 1.0))
        s.scaling = RopeSettings::Scaling::Linear;
    else if (!scaling.empty() && scaling != "none")
        throwUnsupported(keys.where("rope.scaling.type") +
                         ": not supported: " + fireside::quoted(scaling));
    s.originalContext =
        keys.optional("rope.scaling.original_context_length", c.contextTrained, 1, kMaxContext);
    // The file's factor comes on top of YaRN's own.
    s.attentionFactor = keys.real("rope.scaling.attn_factor", 1.0, 0.0, 1e3);
    if (s.scaling == RopeSettings::Scaling::Yarn)
        s.attentionFactor *= yarnAttention(s.factor);
    // Llama 3.1 and later store one divisor per pair of channels.
    if (const GgufTensor *factors = gguf.findTensor("rope_freqs.weight")) {
        if (factors->dtype != DType::F32 ||
            factors->dims[0] != static_cast<std::uint64_t>(s.rotary / 2))
            throwBadInput(gguf.path().string() + ": tensor 'rope_freqs.weight' is not F32 [" +
                          std::to_string(s.rotary / 2) + ']');
        s.divisors = floatsOf(factors->bytes);
        for (const float divisor : s.divisors)
            if (!(divisor > 0 && std::isfinite(divisor)))
                throwBadInput(gguf.path().string() + ": tensor 'rope_freqs.weight' holds " +
                              std::to_string(divisor) + ", expected positive numbers");
    }
    return makeRope(s, family.ggufPairing);
}

void readExperts(const Keys &keys, const Family &family, Config &c)
{
    ExpertConfig &e = c.experts;
    if (family.mixture == MixtureRule::Always)
        e.count = keys.require("expert_count", 1, kMaxExperts);
    else if (family.mixture == MixtureRule::WhereCounted)
        e.count = keys.optional("expert_count", 0, 0, kMaxExperts);
    if (e.count == 0)
        return;
    e.used = keys.require("expert_used_count", 1, e.count);
    e.ffn = family.wideExperts ? c.ffn : keys.require("expert_feed_forward_length", 1, kMaxFfn);
    e.normalize = true;
    if (keys.optional("expert_shared_count", 0, 0, kMaxExperts) > 0)
        throwUnsupported(keys.where("expert_shared_count") + ": not supported: shared experts");
}

} // namespace

Config readGgufConfig(const ModelFile &file, const Gguf &gguf, const Family &family)
{
    Config c;
    c.architecture = family.name;
    const Keys keys(gguf, c.architecture);

    c.layers = keys.require("block_count", 1, kMaxLayers);
    c.hidden = keys.require("embedding_length", 1, kMaxHidden);
    c.heads = keys.require("attention.head_count", 1, kMaxHeads);
    if (keys.isArray("attention.head_count_kv"))
        throwUnsupported(keys.where("attention.head_count_kv") +
                         ": not supported: a different number of heads in each layer");
    c.kvHeads = keys.optional("attention.head_count_kv", c.heads, 1, c.heads);
    c.headDim = keys.optional("attention.key_length", 0, 0, kMaxHeadDim);
    checkHeads(c, keys.where("attention.head_count"), keys.where("attention.head_count_kv"),
               keys.where("attention.key_length"));
    if (keys.optional("attention.value_length", c.headDim, 1, kMaxHeadDim) != c.headDim)
        throwUnsupported(keys.where("attention.value_length") +
                         ": not supported: keys and values of different size");
    c.contextTrained = keys.require("context_length", 1, kMaxContext);
    c.rmsEps = static_cast<float>(keys.real("attention.layer_norm_rms_epsilon", 1e-5, 1e-12, 1.0));
    c.headNorms = family.headNorms;
    // A pure mixture may leave out the width of the plain feed-forward it does not have.
    c.ffn = family.mixture == MixtureRule::Always && !family.wideExperts
                ? keys.optional("feed_forward_length", 1, 1, kMaxFfn)
                : keys.require("feed_forward_length", 1, kMaxFfn);
    readExperts(keys, family, c);
    c.vocabulary = vocabularyOf(file, "token_embd.weight");
    keys.optional("vocab_size", c.vocabulary, 1, kMaxVocabulary); // the embedding has the word
    c.tiedOutput = gguf.findTensor("output.weight") == nullptr;
    c.rope = readRope(gguf, keys, c, family);
    return c;
}

} // namespace fireside
