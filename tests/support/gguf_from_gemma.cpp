#include "tests/support/gguf_from_gemma.h"

#include "engine/files/model_file.h"
#include "engine/tensor/blocks.h"
#include "tests/support/gguf_builder.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>

namespace fireside::test {
namespace {

using Bytes = std::vector<std::byte>;

const std::map<std::string, std::string> kGemmaTensors{
    {"model.embed_tokens.weight", "token_embd.weight"},
    {"model.norm.weight", "output_norm.weight"},
    {"model.embed_tokens_per_layer.weight", "per_layer_token_embd.weight"},
    {"model.per_layer_model_projection.weight", "per_layer_model_proj.weight"},
    {"model.per_layer_projection_norm.weight", "per_layer_proj_norm.weight"},
    {"input_layernorm.weight", "attn_norm.weight"},
    {"post_attention_layernorm.weight", "post_attention_norm.weight"},
    {"pre_feedforward_layernorm.weight", "ffn_norm.weight"},
    {"post_feedforward_layernorm.weight", "post_ffw_norm.weight"},
    {"post_feedforward_layernorm_1.weight", "post_ffw_norm_1.weight"},
    {"pre_feedforward_layernorm_2.weight", "pre_ffw_norm_2.weight"},
    {"post_feedforward_layernorm_2.weight", "post_ffw_norm_2.weight"},
    {"self_attn.q_proj.weight", "attn_q.weight"},
    {"self_attn.k_proj.weight", "attn_k.weight"},
    {"self_attn.v_proj.weight", "attn_v.weight"},
    {"self_attn.o_proj.weight", "attn_output.weight"},
    {"self_attn.q_norm.weight", "attn_q_norm.weight"},
    {"self_attn.k_norm.weight", "attn_k_norm.weight"},
    {"mlp.gate_proj.weight", "ffn_gate.weight"},
    {"mlp.up_proj.weight", "ffn_up.weight"},
    {"mlp.down_proj.weight", "ffn_down.weight"},
    {"router.proj.weight", "ffn_gate_inp.weight"},
    {"router.scale", "ffn_gate_inp.scale"},
    {"router.per_expert_scale", "ffn_down_exps.scale"},
    {"experts.gate_up_proj", "ffn_gate_up_exps.weight"},
    {"experts.down_proj", "ffn_down_exps.weight"},
    {"layer_scalar", "layer_output_scale.weight"},
    {"per_layer_input_gate.weight", "inp_gate.weight"},
    {"per_layer_projection.weight", "proj.weight"},
    {"post_per_layer_input_norm.weight", "post_norm.weight"},
    {"altup.correct_output_scale", "altup_correct_scale.weight"},
    {"altup.correction_coefs.weight", "altup_correct_coef.weight"},
    {"altup.prediction_coefs.weight", "altup_predict_coef.weight"},
    {"altup.modality_router.weight", "altup_router.weight"},
    {"altup.router_norm.weight", "altup_router_norm.weight"},
    {"laurel.linear_left.weight", "laurel_l.weight"},
    {"laurel.linear_right.weight", "laurel_r.weight"},
    {"laurel.post_laurel_norm.weight", "laurel_post_norm.weight"},
};

class GemmaWriter
{
public:
    explicit GemmaWriter(const ModelFile &file)
        : m_file(file)
        , m_config(file.folder()->config())
    {
        const std::string type = m_config.at("model_type");
        m_name = type.substr(0, type.find('_'));
        for (const std::string kind : m_config.at("layer_types"))
            m_slides.push_back(kind == "sliding_attention");
    }

    void write(const std::filesystem::path &path)
    {
        m_out.string("general.architecture", m_name);
        writeSizes();
        writeKinds();
        if (m_name == "gemma3n")
            writeAltUp();
        if (m_name == "gemma4")
            writeGemma4();
        for (const ModelTensor &t : m_file.tensors())
            writeTensor(t);
        m_out.write(path);
    }

private:
    std::string key(const std::string &name) const { return m_name + '.' + name; }
    std::uint32_t number(const char *name) const { return m_config.at(name).get<std::uint32_t>(); }
    /// Of a layer with or without a window, after `per_layer_config`.
    std::uint32_t ofLayer(std::size_t layer, const char *name) const
    {
        const auto own = m_config.find("per_layer_config");
        const std::string index = std::to_string(layer);
        if (own != m_config.end() && own->contains(index) && own->at(index).contains(name))
            return own->at(index).at(name).get<std::uint32_t>();
        return number(name);
    }
    std::uint32_t headDim(bool slides) const
    {
        const auto it = std::find(m_slides.begin(), m_slides.end(), slides);
        return ofLayer(static_cast<std::size_t>(it - m_slides.begin()), "head_dim");
    }

    void writeSizes()
    {
        m_out.u32(key("block_count"), number("num_hidden_layers"));
        m_out.u32(key("context_length"), number("max_position_embeddings"));
        m_out.u32(key("embedding_length"), number("hidden_size"));
        m_out.u32(key("attention.head_count"), number("num_attention_heads"));
        m_out.f32(key("attention.layer_norm_rms_epsilon"), m_config.at("rms_norm_eps"));
        const nlohmann::json &ffn = m_config.at("intermediate_size");
        if (ffn.is_array())
            m_out.u32Array(key("feed_forward_length"), ffn.get<std::vector<std::uint32_t>>());
        else
            m_out.u32(key("feed_forward_length"), ffn.get<std::uint32_t>());
        std::vector<std::uint32_t> kvHeads;
        for (std::size_t i = 0; i < m_slides.size(); ++i)
            kvHeads.push_back(ofLayer(i, "num_key_value_heads"));
        if (m_name == "gemma4")
            m_out.u32Array(key("attention.head_count_kv"), kvHeads);
        else
            m_out.u32(key("attention.head_count_kv"), kvHeads.front());
        m_out.u32(key("attention.key_length"), headDim(false));
        m_out.u32(key("attention.value_length"), headDim(false));
    }

    void writeKinds()
    {
        const nlohmann::json &rope = m_config.at("rope_parameters");
        m_out.f32(key("rope.freq_base"), rope.at("full_attention").at("rope_theta"));
        m_out.f32(key("rope.freq_base_swa"), rope.at("sliding_attention").at("rope_theta"));
        m_out.u32(key("attention.sliding_window"), number("sliding_window"));
        if (const auto &cap = m_config.at("final_logit_softcapping"); !cap.is_null())
            m_out.f32(key("final_logit_softcapping"), cap);
        m_out.boolArray(key("attention.sliding_window_pattern"), m_slides);
        m_out.u32(key("attention.shared_kv_layers"), number("num_kv_shared_layers"));
        m_out.u32(key("embedding_length_per_layer_input"), number("hidden_size_per_layer_input"));
    }

    void writeAltUp()
    {
        m_out.u32(key("altup.active_idx"), number("altup_active_idx"));
        m_out.u32(key("altup.num_inputs"), number("altup_num_inputs"));
        // The only share in the golden models, and the deviation beyond which it lies.
        std::vector<float> scales;
        for (const double share : m_config.at("activation_sparsity_pattern"))
            if (share == 0.95)
                scales.push_back(1.6448536f);
            else if (share == 0)
                scales.push_back(-std::numeric_limits<float>::infinity());
            else
                throw std::runtime_error("another share of activations");
        m_out.f32Array(key("activation_sparsity_scale"), scales);
    }

    void writeGemma4()
    {
        m_out.u32(key("attention.key_length_swa"), headDim(true));
        m_out.u32(key("attention.value_length_swa"), headDim(true));
        m_out.u32(key("rope.dimension_count"), headDim(false));
        m_out.u32(key("rope.dimension_count_swa"), headDim(true));
        if (m_config.at("enable_moe_block")) {
            m_out.u32(key("expert_count"), number("num_experts"));
            m_out.u32(key("expert_used_count"), number("top_k_experts"));
            m_out.u32(key("expert_feed_forward_length"), number("moe_intermediate_size"));
        }
        const double share =
            m_config.at("rope_parameters").at("full_attention").at("partial_rotary_factor");
        std::vector<float> divisors(headDim(false) / 2, 1e30f);
        std::fill_n(divisors.begin(), static_cast<int>(headDim(false) * share / 2), 1.0f);
        m_out.tensor("rope_freqs.weight", DType::F32, {divisors.size()},
                     std::as_bytes(std::span(divisors)));
    }

    void writeTensor(const ModelTensor &t)
    {
        std::string name(t.name), prefix;
        if (name == "lm_head.weight") // the embedding
            return;
        if (name.starts_with("model.altup_"))
            return join(name, t);
        if (name.starts_with("model.layers.")) {
            const std::size_t dot = name.find('.', 13);
            prefix = "blk." + name.substr(13, dot - 13) + '.';
            name = name.substr(dot + 1);
        }
        const std::string own = prefix + kGemmaTensors.at(name);
        if (t.shape.size() > 1) {
            m_out.tensor(own, *t.dtype, {t.shape.rbegin(), t.shape.rend()}, t.bytes);
            return;
        }
        std::vector<float> values(t.shape.at(0));
        dequantizeRow(*t.dtype, t.bytes.data(), values.data(), values.size());
        m_out.tensor(own, DType::F32, {values.size()}, std::as_bytes(std::span(values)));
    }

    /// "model.altup_projections.1.weight": one tensor of all, in the order of their numbers.
    void join(const std::string &name, const ModelTensor &t)
    {
        const std::size_t dot = name.find('.', 6);
        const std::string base = name.substr(0, dot);
        Bytes &bytes = m_joined[base];
        const std::size_t index = std::stoull(name.substr(dot + 1));
        const std::size_t count = number("altup_num_inputs") - 1;
        bytes.resize(count * t.bytes.size());
        std::copy(t.bytes.begin(), t.bytes.end(),
                  bytes.begin() + static_cast<std::ptrdiff_t>(index * t.bytes.size()));
        if (++m_count[base] < count)
            return;
        m_out.tensor(base == "model.altup_projections" ? "altup_proj.weight"
                                                       : "altup_unembd_proj.weight",
                     *t.dtype, {t.shape[1], t.shape[0], count}, bytes);
    }

    const ModelFile &m_file;
    const nlohmann::json &m_config;
    std::string m_name;
    std::vector<std::uint8_t> m_slides; // of each layer
    GgufBuilder m_out;
    std::map<std::string, Bytes> m_joined;
    std::map<std::string, std::size_t> m_count;
};

} // namespace

void writeGgufOfGemma(const std::filesystem::path &folder, const std::filesystem::path &gguf)
{
    const ModelFile file = ModelFile::open(folder);
    GemmaWriter(file).write(gguf);
}

} // namespace fireside::test
