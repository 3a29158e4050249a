#include "tests/support/gguf_from_folder.h"

#include "engine/files/model_file.h"
#include "tests/support/gguf_builder.h"

#include <nlohmann/json.hpp>

#include <cstring>
#include <map>
#include <stdexcept>

namespace fireside::test {
namespace {

using Bytes = std::vector<std::byte>;

const std::map<std::string, std::string> kNames{
    {"model.embed_tokens.weight", "token_embd.weight"},
    {"model.norm.weight", "output_norm.weight"},
    {"lm_head.weight", "output.weight"},
    {"input_layernorm.weight", "attn_norm.weight"},
    {"post_attention_layernorm.weight", "ffn_norm.weight"},
    {"self_attn.q_proj.weight", "attn_q.weight"},
    {"self_attn.k_proj.weight", "attn_k.weight"},
    {"self_attn.v_proj.weight", "attn_v.weight"},
    {"self_attn.o_proj.weight", "attn_output.weight"},
    {"self_attn.q_norm.weight", "attn_q_norm.weight"},
    {"self_attn.k_norm.weight", "attn_k_norm.weight"},
    {"mlp.gate_proj.weight", "ffn_gate.weight"},
    {"mlp.up_proj.weight", "ffn_up.weight"},
    {"mlp.down_proj.weight", "ffn_down.weight"},
    {"mlp.gate.weight", "ffn_gate_inp.weight"},
};

class Writer
{
public:
    explicit Writer(const ModelFile &file)
        : m_file(file)
        , m_config(file.folder()->config())
        , m_architecture(m_config.at("model_type"))
    {
        if (m_architecture == "qwen3_moe")
            m_architecture = "qwen3moe";
    }

    void write(const std::filesystem::path &path)
    {
        writeKeys();
        for (const ModelTensor &t : m_file.tensors())
            writeTensor(t);
        for (const auto &[name, experts] : m_experts)
            m_out.tensor(name, experts.type, {experts.cols, experts.rows, experts.count},
                         experts.bytes);
        m_out.write(path);
    }

private:
    struct Experts
    {
        DType type = DType::F32;
        std::uint64_t rows = 0, cols = 0, count = 0;
        Bytes bytes;
    };

    void number(const char *key, const char *configKey)
    {
        m_out.u32(m_architecture + '.' + key, m_config.at(configKey).get<std::uint32_t>());
    }
    void writeKeys()
    {
        m_out.string("general.architecture", m_architecture);
        number("block_count", "num_hidden_layers");
        number("embedding_length", "hidden_size");
        number("attention.head_count", "num_attention_heads");
        number("attention.head_count_kv", "num_key_value_heads");
        number("attention.key_length", "head_dim");
        number("attention.value_length", "head_dim");
        number("feed_forward_length", "intermediate_size");
        number("context_length", "max_position_embeddings");
        const std::string prefix = m_architecture + '.';
        m_out.f32(prefix + "attention.layer_norm_rms_epsilon", m_config.at("rms_norm_eps"));
        const nlohmann::json &rope = m_config.at("rope_parameters");
        m_out.f32(prefix + "rope.freq_base", rope.at("rope_theta"));
        if (rope.at("rope_type") == "yarn") {
            m_out.string(prefix + "rope.scaling.type", "yarn");
            m_out.f32(prefix + "rope.scaling.factor", rope.at("factor"));
            m_out.u32(prefix + "rope.scaling.original_context_length",
                      rope.at("original_max_position_embeddings").get<std::uint32_t>());
        }
        if (m_architecture == "qwen3moe") {
            number("expert_count", "num_local_experts");
            number("expert_used_count", "num_experts_per_tok");
            number("expert_feed_forward_length", "moe_intermediate_size");
        }
    }

    void writeTensor(const ModelTensor &t)
    {
        std::string name(t.name), prefix;
        if (name.starts_with("model.layers.")) {
            const std::size_t dot = name.find('.', 13);
            prefix = "blk." + name.substr(13, dot - 13) + '.';
            name = name.substr(dot + 1);
        }
        if (name.starts_with("mlp.experts.")) {
            const std::size_t dot = name.find('.', 12);
            joinExpert(prefix, name.substr(dot + 1), std::stoull(name.substr(12, dot - 12)), t);
            return;
        }
        const bool bias = name.ends_with(".bias"); // beside a weight of the same name
        std::string own = name;
        if (bias)
            own.replace(own.size() - 4, 4, "weight");
        own = prefix + kNames.at(own);
        if (bias)
            own.replace(own.size() - 6, 6, "bias");
        Bytes bytes(t.bytes.begin(), t.bytes.end());
        const bool small = t.shape.size() == 1 || name == "mlp.gate.weight"; // converters keep F32
        if (small)
            bytes = floats(t);
        if (m_architecture == "llama" && name.find("q_proj") != std::string::npos)
            bytes = interleaved(bytes, t.shape[0], m_config.at("num_attention_heads"));
        if (m_architecture == "llama" && name.find("k_proj") != std::string::npos)
            bytes = interleaved(bytes, t.shape[0], m_config.at("num_key_value_heads"));
        const DType type = small ? DType::F32 : *t.dtype;
        m_out.tensor(own, type, {t.shape.rbegin(), t.shape.rend()}, bytes);
    }

    /// The tensors come in the order of the file; each expert's bytes go to its place.
    void joinExpert(const std::string &prefix, const std::string &name, std::size_t index,
                    const ModelTensor &t)
    {
        const std::string matrix = name.substr(0, name.find('_')); // "gate_proj.weight"
        Experts &e = m_experts[prefix + "ffn_" + matrix + "_exps.weight"];
        e.type = *t.dtype;
        e.rows = t.shape[0];
        e.cols = t.shape[1];
        e.count = m_config.at("num_local_experts");
        e.bytes.resize(e.count * t.bytes.size());
        std::copy(t.bytes.begin(), t.bytes.end(),
                  e.bytes.begin() + static_cast<std::ptrdiff_t>(index * t.bytes.size()));
    }

    static Bytes floats(const ModelTensor &t)
    {
        std::vector<float> values(t.bytes.size() / info(*t.dtype).blockBytes);
        if (t.dtype == DType::F32) {
            std::memcpy(values.data(), t.bytes.data(), t.bytes.size());
        } else if (t.dtype == DType::BF16) {
            for (std::size_t i = 0; i < values.size(); ++i) {
                std::uint16_t half = 0;
                std::memcpy(&half, t.bytes.data() + 2 * i, 2);
                const std::uint32_t bits = std::uint32_t{half} << 16;
                std::memcpy(&values[i], &bits, 4);
            }
        } else {
            throw std::runtime_error("a small tensor of another type");
        }
        const auto bytes = std::as_bytes(std::span(values));
        return {bytes.begin(), bytes.end()};
    }

    /// Row r of a head and row r + D/2 become rows 2r and 2r + 1.
    static Bytes interleaved(const Bytes &bytes, std::size_t rows, std::size_t heads)
    {
        const std::size_t row = bytes.size() / rows, size = rows / heads;
        Bytes out(bytes.size());
        for (std::size_t h = 0; h < heads; ++h)
            for (std::size_t r = 0; r < size; ++r) {
                const std::size_t from = h * size + r % 2 * (size / 2) + r / 2;
                std::memcpy(&out[(h * size + r) * row], &bytes[from * row], row);
            }
        return out;
    }

    const ModelFile &m_file;
    const nlohmann::json &m_config;
    std::string m_architecture;
    GgufBuilder m_out;
    std::map<std::string, Experts> m_experts;
};

} // namespace

void writeGgufOf(const std::filesystem::path &folder, const std::filesystem::path &gguf)
{
    const ModelFile file = ModelFile::open(folder);
    Writer(file).write(gguf);
}

} // namespace fireside::test
