#include "engine/model/config.h"

#include "engine/core/error.h"
#include "engine/files/gguf.h"
#include "engine/model/rope_frequencies.h"

#include <algorithm>
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

Rope readRope(const Gguf &gguf, const Keys &keys, const Config &c)
{
    RopeSettings s;
    s.headDim = c.headDim;
    s.rotary = keys.optional("rope.dimension_count", c.headDim, 2, c.headDim);
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
        throwUnsupported(keys.where("rope.scaling.type") + ": not supported: '" + scaling + '\'');
    s.originalContext = keys.optional("rope.scaling.original_context_length", c.contextTrained, 1,
                                      std::int64_t{1} << 40);
    s.attentionFactor = keys.real("rope.scaling.attn_factor", 1.0, 0.0, 1e3);
    // Llama 3.1 and later store one divisor per pair of channels.
    if (const GgufTensor *factors = gguf.findTensor("rope_freqs.weight")) {
        if (factors->dtype != DType::F32 ||
            factors->dims[0] != static_cast<std::uint64_t>(s.rotary / 2))
            throwBadInput(gguf.path().string() + ": tensor 'rope_freqs.weight' is not F32 [" +
                          std::to_string(s.rotary / 2) + ']');
        s.divisors = floatsOf(factors->bytes);
    }
    return makeRope(s, RopePairing::Interleaved);
}

} // namespace

AttentionShape Config::attention() const
{
    return {.heads = heads,
            .kvHeads = kvHeads,
            .headDim = headDim,
            .scale = 1.0f / std::sqrt(static_cast<float>(headDim))};
}

Config readConfig(const Gguf &gguf)
{
    Config c;
    c.architecture = std::string(gguf.requireString("general.architecture"));
    const Keys keys(gguf, c.architecture);

    c.layers = keys.require("block_count", 1, 1024);
    c.hidden = keys.require("embedding_length", 1, 1 << 18);
    c.heads = keys.require("attention.head_count", 1, 1024);
    if (keys.isArray("attention.head_count_kv"))
        throwUnsupported(keys.where("attention.head_count_kv") +
                         ": not supported: a different number of heads in each layer");
    c.kvHeads = keys.optional("attention.head_count_kv", c.heads, 1, c.heads);
    if (c.heads % c.kvHeads != 0)
        throwBadInput(keys.where("attention.head_count_kv") + ": " + std::to_string(c.heads) +
                      " heads do not divide into " + std::to_string(c.kvHeads) + " groups");
    if (const auto length = keys.optional("attention.key_length", 0, 0, 1024); length > 0)
        c.headDim = length;
    else if (c.hidden % c.heads == 0)
        c.headDim = c.hidden / c.heads;
    else
        throwBadInput(keys.where("attention.head_count") + ": a width of " +
                      std::to_string(c.hidden) + " does not divide into " +
                      std::to_string(c.heads) + " heads");
    if (c.headDim < 2 || c.headDim > 1024 || c.headDim % 2 != 0)
        throwBadInput(keys.where("attention.key_length") + ": a head size of " +
                      std::to_string(c.headDim) + " is not an even number from 2 to 1024");
    if (keys.optional("attention.value_length", c.headDim, 1, 1024) != c.headDim)
        throwUnsupported(keys.where("attention.value_length") +
                         ": not supported: keys and values of different size");
    c.ffn = keys.require("feed_forward_length", 1, 1 << 20);
    c.contextTrained = keys.require("context_length", 1, std::int64_t{1} << 40);
    c.rmsEps = static_cast<float>(keys.real("attention.layer_norm_rms_epsilon", 1e-5, 1e-12, 1.0));
    if (keys.optional("expert_count", 0, 0, 1 << 16) > 0)
        throwUnsupported(keys.where("expert_count") + ": not supported: mixture of experts");

    const GgufTensor *embedding = gguf.findTensor("token_embd.weight");
    if (!embedding)
        throwBadInput(gguf.path().string() + " lacks the tensor 'token_embd.weight'");
    if (embedding->dims[1] < 1 || embedding->dims[1] > (1u << 24))
        throwBadInput(gguf.path().string() + ": a vocabulary of " +
                      std::to_string(embedding->dims[1]) + " tokens");
    c.vocabulary = static_cast<std::int64_t>(embedding->dims[1]);
    c.tiedOutput = gguf.findTensor("output.weight") == nullptr;
    c.rope = readRope(gguf, keys, c);
    return c;
}

std::uint64_t scratchBytes(const Config &c, std::int64_t rows)
{
    // What LlamaNetwork takes: x and h, q and attention output, k and v, the gated product; then
    // gathered rows, their norm and logits. 64 bytes of alignment for each.
    const std::int64_t layer = 2 * c.hidden + 2 * c.qWidth() + 2 * c.kvWidth() + c.ffn;
    const std::int64_t output = 2 * c.hidden + c.vocabulary + 1;
    return static_cast<std::uint64_t>(rows * layer + std::min(rows, kMaxOutputRows) * output) * 4 +
           16 * 64;
}

} // namespace fireside
