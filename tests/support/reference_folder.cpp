#include "tests/support/gguf_builder.h"
#include "tests/support/reference_decoder.h"
#include "tests/support/safetensors_builder.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fireside::test {

ReferenceMatrix stacked(const std::vector<ReferenceMatrix> &parts)
{
    ReferenceMatrix all{.rows = 0, .cols = parts.front().cols, .values = {}};
    const bool vector = parts.front().rows == 1;
    if (vector)
        all.cols = 0;
    for (const ReferenceMatrix &part : parts) {
        (vector ? all.cols : all.rows) += vector ? part.cols : part.rows;
        all.values.insert(all.values.end(), part.values.begin(), part.values.end());
    }
    all.rows = std::max<std::uint64_t>(all.rows, 1);
    return all;
}

void writeReferenceFolder(const std::filesystem::path &folder, const nlohmann::json &config,
                          const ReferenceTensors &tensors)
{
    std::filesystem::create_directories(folder);
    writeText(folder / "config.json", config.dump());
    SafetensorsBuilder out;
    for (const auto &[name, m] : tensors) {
        std::vector<std::uint64_t> shape{m.rows, m.cols};
        const auto values = std::span(m.values);
        if (const std::size_t star = name.find('*'); star != std::string::npos) {
            const std::size_t each = values.size() / m.depth;
            for (std::uint64_t e = 0; e < m.depth; ++e)
                out.tensor(std::string(name).replace(star, 1, std::to_string(e)), "F32", shape,
                           std::as_bytes(values.subspan(e * each, each)));
            continue;
        }
        if (m.depth > 1)
            shape.insert(shape.begin(), m.depth);
        else if (m.rows == 1)
            shape = {m.cols};
        out.tensor(name, "F32", shape, std::as_bytes(std::span(m.values)));
    }
    out.write(folder / "model.safetensors");
}

void writeReferenceGguf(const std::filesystem::path &path, const std::string &architecture,
                        const nlohmann::json &keys, const ReferenceTensors &tensors)
{
    GgufBuilder out;
    out.string("general.architecture", architecture);
    for (const auto &[name, value] : keys.items()) {
        const std::string key = architecture + '.' + name;
        if (value.is_string())
            out.string(key, value.get<std::string>());
        else if (value.is_boolean())
            out.boolean(key, value.get<bool>());
        else if (value.is_array())
            out.i32Array(key, value.get<std::vector<std::int32_t>>());
        else if (value.is_number_float())
            out.f32(key, value.get<float>());
        else
            out.u32(key, value.get<std::uint32_t>());
    }
    for (const auto &[name, m] : tensors) {
        std::vector<std::uint64_t> dims{m.cols};
        if (m.rows > 1 || m.depth > 1)
            dims.push_back(m.rows);
        if (m.depth > 1)
            dims.push_back(m.depth);
        out.tensor(name, DType::F32, dims, std::as_bytes(std::span(m.values)));
    }
    out.write(path);
}

nlohmann::json referenceConfig(const ReferenceOptions &o, const std::string &transformer)
{
    return {{"architectures", {transformer}},
            {"num_hidden_layers", o.layers},
            {"hidden_size", o.hidden},
            {"num_attention_heads", o.heads},
            {"num_key_value_heads", o.kvHeads},
            {"intermediate_size", o.ffn},
            {"vocab_size", o.vocabulary},
            {"max_position_embeddings", 64},
            {"rms_norm_eps", o.eps},
            {"tie_word_embeddings", false}};
}

nlohmann::json referenceKeys(const ReferenceOptions &o)
{
    nlohmann::json keys{{"block_count", o.layers},         {"embedding_length", o.hidden},
                        {"attention.head_count", o.heads}, {"attention.head_count_kv", o.kvHeads},
                        {"feed_forward_length", o.ffn},    {"context_length", 64}};
    keys[o.layerNorm ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon"] = o.eps;
    if (!o.frequencies.empty())
        keys["rope.dimension_count"] = 2 * o.frequencies.size();
    if (o.experts > 0) {
        keys["expert_count"] = o.experts;
        keys["expert_used_count"] = o.usedExperts;
    }
    return keys;
}

ReferenceTensors fused(ReferenceTensors tensors, std::uint64_t layers, const std::string &name,
                       std::initializer_list<const char *> parts)
{
    for (std::uint64_t i = 0; i < layers; ++i)
        for (const char *suffix : {".weight", ".bias"}) {
            const std::string layer = "blk." + std::to_string(i) + '.';
            if (!tensors.contains(layer + *parts.begin() + suffix))
                continue;
            std::vector<ReferenceMatrix> all;
            for (const char *part : parts)
                all.push_back(tensors.extract(layer + part + suffix).mapped());
            tensors[layer + name + suffix] = stacked(all);
        }
    return tensors;
}

ReferenceTensors renamed(const ReferenceTensors &tensors, const std::string &layer,
                         const std::vector<std::pair<std::string, std::string>> &names)
{
    ReferenceTensors out;
    for (const auto &[name, matrix] : tensors) {
        std::string prefix, rest = name;
        if (name.starts_with("blk.")) {
            const std::size_t dot = name.find('.', 4);
            prefix = layer + name.substr(4, dot - 3);
            rest = name.substr(dot + 1);
        }
        for (const auto &[from, to] : names)
            if (rest.starts_with(from)) {
                rest = to + rest.substr(from.size());
                break;
            }
        out[prefix + rest] = matrix;
    }
    return out;
}

const std::vector<std::pair<std::string, std::string>> &llamaNames()
{
    static const std::vector<std::pair<std::string, std::string>> kNames{
        {"token_embd.", "model.embed_tokens."},
        {"output_norm.", "model.norm."},
        {"output.", "lm_head."},
        {"attn_norm.", "input_layernorm."},
        {"ffn_norm.", "post_attention_layernorm."},
        {"attn_q.", "self_attn.q_proj."},
        {"attn_k.", "self_attn.k_proj."},
        {"attn_v.", "self_attn.v_proj."},
        {"attn_qkv.", "self_attn.qkv_proj."},
        {"attn_output.", "self_attn.o_proj."},
        {"ffn_gate.", "mlp.gate_proj."},
        {"ffn_up.", "mlp.up_proj."},
        {"ffn_down.", "mlp.down_proj."}};
    return kNames;
}

} // namespace fireside::test
