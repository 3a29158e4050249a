#include "engine/convert/folder_rules.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/tensor/blocks.h"

#include <algorithm>

namespace fireside {

using nlohmann::json;

const json &KeyWriter::find(Names names) const
{
    static const json none;
    for (const char *name : names)
        if (const auto it = m_config.find(name); it != m_config.end() && !it->is_null())
            return *it;
    return none;
}

std::uint32_t KeyWriter::number(Names names) const
{
    const json &value = find(names);
    if (!value.is_number())
        throwBadInput(fireside::printable(m_file.path().string()) +
                      ": config.json lacks the number " + fireside::quoted(*names.begin()));
    return value.get<std::uint32_t>();
}

std::uint32_t KeyWriter::headDim() const
{
    const json &own = find({"head_dim"});
    return own.is_null() ? number({"hidden_size", "n_embd"}) /
                               std::max(number({"num_attention_heads", "n_head"}), 1u)
                         : own.get<std::uint32_t>();
}

const json &KeyWriter::rope() const
{
    static const json none = json::object();
    const json &all = find({"rope_parameters"});
    if (all.is_null())
        return none;
    return all.contains("full_attention") ? all.at("full_attention") : all;
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
    if (const json &value = find(names); !value.is_null())
        u32(name, value.get<std::uint64_t>());
}

void KeyWriter::copyReal(const char *name, Names names)
{
    if (const json &value = find(names); !value.is_null())
        f32(name, value.get<double>());
}

void KeyWriter::copyReal(const char *name, Names names, double missing)
{
    const json &value = find(names);
    f32(name, value.is_null() ? missing : value.get<double>());
}

void KeyWriter::copyFlag(const char *name, Names names)
{
    if (const json &value = find(names); !value.is_null())
        flag(name, value.get<bool>());
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
    return m_config.at(list).get<std::vector<std::string>>();
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

void KeyWriter::ropeKeys()
{
    const json &part = rope();
    const std::string type = part.value("rope_type", "");
    const auto real = [&](const char *name, const char *from) {
        if (part.contains(from))
            f32(name, part.at(from).get<double>());
    };
    if (type == "linear" || type == "yarn") {
        m_out.string(key("rope.scaling.type"), type);
        real("rope.scaling.factor", "factor");
    }
    if (type == "yarn") {
        u32("rope.scaling.original_context_length",
            part.at("original_max_position_embeddings").get<std::uint64_t>());
        real("rope.scaling.yarn_attn_factor", "attention_factor");
        real("rope.scaling.yarn_beta_fast", "beta_fast");
        real("rope.scaling.yarn_beta_slow", "beta_slow");
    }
    real("rope.freq_base", "rope_theta");
    if (!part.contains("rope_theta"))
        copyReal("rope.freq_base", {"rope_theta", "rotary_emb_base"});
    const json &all = find({"rope_parameters"});
    if (all.contains("sliding_attention"))
        f32("rope.freq_base_swa", all.at("sliding_attention").at("rope_theta").get<double>());
}

void KeyWriter::expertKeys()
{
    copy("expert_count", {"num_local_experts", "num_experts"});
    copy("expert_used_count", {"num_experts_per_tok", "num_experts_per_token", "top_k_experts"});
    if (find({"n_group"}) == 1) // no groups
        return;
    copy("expert_group_count", {"n_group"});
    copy("expert_group_used_count", {"topk_group"});
}

} // namespace fireside
