#include "engine/convert/folder_rules.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/folder_keys.h"
#include "engine/tensor/blocks.h"

#include <algorithm>
#include <cmath>

namespace fireside {

using nlohmann::json;

namespace {

constexpr std::int64_t kMaxNumber = 0xFFFFFFFF; // GGUF's u32
constexpr double kMaxReal = 1e30;

} // namespace

std::uint64_t SourceNumbers::at(const char *key) const
{
    return static_cast<std::uint64_t>(keys().require(key, 0, kMaxNumber));
}

double SourceNumbers::real(const char *key) const
{
    return keys().requireReal(key, -kMaxReal, kMaxReal);
}

double SourceNumbers::realOf(const char *list, std::size_t index) const
{
    const JsonKeys own = keys();
    const json *values = own.find(list);
    if (values == nullptr || !values->is_array() || values->size() <= index ||
        !(*values)[index].is_number())
        throwBadInput(own.where(list) + " is no list of " + std::to_string(index + 1) +
                      " numbers or more");
    return (*values)[index].get<double>();
}

const json &KeyWriter::find(Names names) const
{
    static const json none;
    for (const char *name : names)
        if (const auto it = m_config.find(name); it != m_config.end() && !it->is_null())
            return *it;
    return none;
}

KeyWriter::KeyWriter(GgufWriter &out, std::vector<MadeTensor> &made, const ModelFile &file,
                     const json &config, std::string_view architecture, const RopeSettings &rope)
    : m_out(out)
    , m_made(made)
    , m_file(file)
    , m_path(file.folder()->configPath())
    , m_config(config)
    , m_architecture(architecture)
    , m_rope(rope)
{}

std::uint32_t KeyWriter::number(Names names) const
{
    const JsonKeys own = keys();
    return static_cast<std::uint32_t>(sameForAll(own, keyOf(own, names), 0, kMaxNumber));
}

double KeyWriter::real(const char *name) const
{
    return keys().requireReal(name, -kMaxReal, kMaxReal);
}

std::uint32_t KeyWriter::headDim() const
{
    return find({"head_dim"}).is_null()
               ? number({"hidden_size", "n_embd"}) /
                     std::max(number({"num_attention_heads", "n_head"}), 1u)
               : number({"head_dim"});
}

JsonKeys KeyWriter::rope() const
{
    static const json none = json::object();
    const JsonKeys all = keys();
    if (!all.has("rope_parameters"))
        return {m_path, none, "rope_parameters."};
    const JsonKeys parts = all.inside("rope_parameters");
    return parts.has("full_attention") ? parts.inside("full_attention") : parts;
}

void KeyWriter::u32(const char *name, std::uint64_t value)
{
    m_out.u32(key(name), static_cast<std::uint32_t>(value));
}

void KeyWriter::f32(const char *name, double value)
{
    m_out.f32(key(name), static_cast<float>(value));
}

void KeyWriter::flag(const char *name, bool value)
{
    m_out.boolean(key(name), value);
}

void KeyWriter::copy(const char *name, Names names)
{
    if (!find(names).is_null())
        u32(name, number(names));
}

void KeyWriter::copyReal(const char *name, Names names)
{
    const JsonKeys own = keys();
    if (const char *const key = keyOf(own, names); own.has(key))
        f32(name, real(key));
}

void KeyWriter::copyReal(const char *name, Names names, double missing)
{
    const JsonKeys own = keys();
    const char *const key = keyOf(own, names);
    f32(name, own.has(key) ? real(key) : missing);
}

void KeyWriter::copyFlag(const char *name, Names names)
{
    const JsonKeys own = keys();
    if (const char *const key = keyOf(own, names); own.has(key))
        flag(name, own.flag(key, false));
}

void KeyWriter::text(const char *name, const char *value)
{
    m_out.string(key(name), value);
}

void KeyWriter::numbersOfLayers(const char *name, const std::string &tensor)
{
    std::vector<float> values;
    for (std::uint32_t i = 0; i < layers(); ++i) {
        const std::string own = "model.layers." + std::to_string(i) + '.' + tensor;
        const ModelTensor *t = m_file.findTensor(own);
        if (!t || !t->dtype || t->packed || t->elements() != 1 || info(*t->dtype).blockElements > 1)
            throwBadInput(fireside::printable(m_file.path().string()) + " lacks the number " +
                          fireside::quoted(own));
        dequantizeRow(*t->dtype, t->bytes.data(), &values.emplace_back(), 1);
    }
    m_out.f32Array(name, values);
}

std::uint32_t KeyWriter::layers() const
{
    constexpr std::uint32_t most = 1024;
    return std::min(number({"num_hidden_layers"}), most);
}

std::vector<std::string> KeyWriter::kindsOf(const char *list) const
{
    const JsonKeys own = keys();
    const json *kinds = own.find(list);
    const bool texts = kinds != nullptr && kinds->is_array() &&
                       std::all_of(kinds->begin(), kinds->end(),
                                   [](const json &kind) { return kind.is_string(); });
    if (!texts)
        throwBadInput(own.where(list) + " is no list of texts");
    return kinds->get<std::vector<std::string>>();
}

void KeyWriter::ofKinds(const char *name, const char *list, std::uint32_t number, Names kinds)
{
    std::vector<std::uint32_t> values;
    for (const std::string &type : kindsOf(list))
        values.push_back(std::find(kinds.begin(), kinds.end(), type) != kinds.end() ? number : 0);
    m_out.u32Array(key(name), values);
}

json KeyWriter::withoutKeyHeads() const
{
    json config = m_config;
    config.erase("num_key_value_heads");
    return config;
}

void KeyWriter::slidingLayers()
{
    std::vector<std::uint8_t> sliding;
    for (const std::string &type : kindsOf("layer_types"))
        sliding.push_back(type == "sliding_attention");
    m_out.boolArray(key("attention.sliding_window_pattern"), sliding);
}

void KeyWriter::usual()
{
    sizes();
    ropeKeys();
    expertKeys();
    copyReal("attention.layer_norm_rms_epsilon", {"rms_norm_eps", "norm_eps"});
    copyReal("attention.layer_norm_epsilon",
             {"layer_norm_eps", "layer_norm_epsilon", "norm_epsilon"});
    copy("attention.key_length", {"head_dim"});
    copy("attention.value_length", {"head_dim"});
}

void usualKeys(KeyWriter &keys)
{
    keys.usual();
}

void KeyWriter::sizes()
{
    copy("block_count", {"n_layers", "num_hidden_layers", "n_layer", "num_layers"});
    copy("context_length", {"max_position_embeddings", "n_ctx", "n_positions", "max_length"});
    copy("embedding_length", {"hidden_size", "n_embd", "dim"});
    copy("feed_forward_length", {"intermediate_size", "n_inner", "hidden_dim"});
    copy("attention.head_count", {"num_attention_heads", "n_head", "n_heads"});
    copy("attention.head_count_kv", {"num_key_value_heads", "n_kv_heads"});
}

void KeyWriter::originalContextKey()
{
    u32("rope.scaling.original_context_length", static_cast<std::uint64_t>(m_rope.originalContext));
}

void KeyWriter::ropeKeys()
{
    using Scaling = RopeSettings::Scaling;
    const JsonKeys part = rope();
    if (m_rope.scaling == Scaling::Linear || m_rope.scaling == Scaling::Yarn) {
        m_out.string(key("rope.scaling.type"),
                     m_rope.scaling == Scaling::Linear ? "linear" : "yarn");
        f32("rope.scaling.factor", m_rope.factor);
    }
    if (m_rope.scaling == Scaling::Yarn) {
        originalContextKey();
        // What readers compute of the factor alone need not be written.
        if (part.has("attention_factor") ||
            std::abs(m_rope.attentionFactor - yarnAttention(m_rope.factor)) > 1e-6)
            f32("rope.scaling.yarn_attn_factor", m_rope.attentionFactor);
        if (part.has("beta_fast"))
            f32("rope.scaling.yarn_beta_fast", m_rope.betaFast);
        if (part.has("beta_slow"))
            f32("rope.scaling.yarn_beta_slow", m_rope.betaSlow);
    }
    if (!m_rope.shortDivisors.empty())
        originalContextKey();
    if (part.has("rope_theta") || !find({"rope_theta", "rotary_emb_base"}).is_null())
        f32("rope.freq_base", m_rope.base);
    const JsonKeys all = keys();
    if (!all.has("rope_parameters"))
        return;
    if (const JsonKeys parts = all.inside("rope_parameters"); parts.has("sliding_attention"))
        f32("rope.freq_base_swa",
            parts.inside("sliding_attention").requireReal("rope_theta", 1e-3, 1e12));
    else if (parts.has("full_attention")) // then it is that of all layers
        f32("rope.freq_base_swa", m_rope.base);
}

void KeyWriter::expertKeys()
{
    copy("expert_count", {"num_local_experts", "num_experts"});
    copy("expert_used_count", {"num_experts_per_tok", "num_experts_per_token", "top_k_experts"});
    if (!find({"n_group"}).is_null() && number({"n_group"}) == 1) // no groups
        return;
    copy("expert_group_count", {"n_group"});
    copy("expert_group_used_count", {"topk_group"});
}

} // namespace fireside
