#include "tests/support/gguf_from_folder.h"

#include "engine/files/model_file.h"
#include "engine/tensor/half.h"
#include "tests/support/gguf_from_gemma.h"
#include "tests/support/gguf_rules.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <numbers>
#include <stdexcept>

namespace fireside::test {
namespace {

/// Names that mean the same in every family that has them. Longer ones come first.
constexpr std::array kEverywhere{
    TensorRule{"model.embed_tokens.", "token_embd."},
    TensorRule{"model.norm.", "output_norm."},
    TensorRule{"lm_head.", "output."},
    TensorRule{"input_layernorm.", "attn_norm."},
    TensorRule{"post_attention_layernorm.", "ffn_norm."},
    TensorRule{"eh_proj.", "nextn.eh_proj."}, // of heads for drafting
    TensorRule{"enorm.", "nextn.enorm."},
    TensorRule{"hnorm.", "nextn.hnorm."},
    TensorRule{"embed_tokens.", "nextn.embed_tokens."},
    TensorRule{"shared_head.head.", "nextn.shared_head_head."},
    TensorRule{"shared_head.norm.", "nextn.shared_head_norm."},
    TensorRule{"self_attn.qkv_proj.", "attn_qkv."},
    TensorRule{"self_attn.q_proj.", "attn_q."},
    TensorRule{"self_attn.k_proj.", "attn_k."},
    TensorRule{"self_attn.v_proj.", "attn_v."},
    TensorRule{"self_attn.o_proj.", "attn_output."},
    TensorRule{"self_attn.q_norm.", "attn_q_norm."},
    TensorRule{"self_attn.k_norm.", "attn_k_norm."},
    TensorRule{"self_attn.query_layernorm.", "attn_q_norm."},
    TensorRule{"self_attn.key_layernorm.", "attn_k_norm."},
    TensorRule{"self_attn.gate_proj.", "attn_gate."},
    TensorRule{"mlp.gate_up_proj.", "ffn_up."},
    TensorRule{"mlp.gate_proj.", "ffn_gate."},
    TensorRule{"mlp.up_proj.", "ffn_up."},
    TensorRule{"mlp.down_proj.", "ffn_down."},
    TensorRule{"mlp.gate.e_score_correction_bias", "exp_probs_b.bias"},
    TensorRule{"mlp.e_score_correction_bias", "exp_probs_b.bias"},
    TensorRule{"mlp.expert_bias", "exp_probs_b.bias"},
    TensorRule{"mlp.gate.", "ffn_gate_inp."},
    TensorRule{"mlp.router.gate.", "ffn_gate_inp."},
    TensorRule{"mlp.router.", "ffn_gate_inp."},
    TensorRule{"mlp.experts.*.gate_proj.", "ffn_gate_exps."},
    TensorRule{"mlp.experts.*.up_proj.", "ffn_up_exps."},
    TensorRule{"mlp.experts.*.down_proj.", "ffn_down_exps."},
    TensorRule{"mlp.shared_expert_gate.", "ffn_gate_inp_shexp."},
    TensorRule{"mlp.shared_expert.gate_proj.", "ffn_gate_shexp."},
    TensorRule{"mlp.shared_expert.up_proj.", "ffn_up_shexp."},
    TensorRule{"mlp.shared_expert.down_proj.", "ffn_down_shexp."},
    TensorRule{"mlp.shared_experts.gate_proj.", "ffn_gate_shexp."},
    TensorRule{"mlp.shared_experts.up_proj.", "ffn_up_shexp."},
    TensorRule{"mlp.shared_experts.down_proj.", "ffn_down_shexp."},
    TensorRule{"mlp.shared_mlp.gate_proj.", "ffn_gate_shexp."},
    TensorRule{"mlp.shared_mlp.up_proj.", "ffn_up_shexp."},
    TensorRule{"mlp.shared_mlp.down_proj.", "ffn_down_shexp."},
    TensorRule{"block_sparse_moe.e_score_correction_bias", "exp_probs_b.bias"},
    TensorRule{"block_sparse_moe.gate.", "ffn_gate_inp."},
    TensorRule{"block_sparse_moe.experts.*.w1.", "ffn_gate_exps."},
    TensorRule{"block_sparse_moe.experts.*.w3.", "ffn_up_exps."},
    TensorRule{"block_sparse_moe.experts.*.w2.", "ffn_down_exps."},
};

const GgufRules &rulesOf(const nlohmann::json &config)
{
    const std::string transformer = config.at("architectures").at(0);
    for (const auto &table : {ggufLlamaRules(), ggufGptRules(), ggufMixtureRules(), ggufNormRules(),
                              ggufMambaRules(), ggufDeltaRules()})
        for (const GgufRules &rules : table)
            if (rules.transformer == transformer && (!rules.holds || rules.holds(config)))
                return rules;
    throw std::runtime_error("no GGUF form of " + transformer);
}

/// Matrices keep their type; converters write norms, biases, routers and positions in F32.
DType typeOf(const Converted &t)
{
    const std::string_view name = t.name;
    for (const char *part : {"ffn_gate_inp.", "ffn_gate_inp_shexp.", "position_embd.", "ssm_conv1d",
                             "ssm_x.", "ssm_dt.", "shortconv.conv."})
        if (name.find(part) != std::string_view::npos)
            return DType::F32;
    const bool small = t.shape.size() <= 1 || name.ends_with("_norm.weight");
    return small || !name.ends_with(".weight") ? DType::F32 : t.type;
}

std::vector<std::byte> bytesOf(const Converted &t, DType type)
{
    std::vector<std::byte> bytes(t.values.size() * info(type).blockBytes);
    for (std::size_t i = 0; i < t.values.size(); ++i) {
        const auto bits = std::bit_cast<std::uint32_t>(t.values[i]);
        const std::uint16_t half =
            type == DType::F16 ? floatToHalf(t.values[i]) : static_cast<std::uint16_t>(bits >> 16);
        if (type == DType::F32)
            std::memcpy(&bytes[4 * i], &bits, 4);
        else
            std::memcpy(&bytes[2 * i], &half, 2);
    }
    return bytes;
}

class FolderConverter
{
public:
    explicit FolderConverter(const ModelFile &file)
        : m_file(file)
        , m_config(file.folder()->config())
        , m_rules(rulesOf(m_config))
        , m_source{m_config}
    {
        GgufBuilder scratch;
        const KeyWriter keys(scratch, file, m_config, "");
        if (!keys.find({"num_attention_heads", "n_head", "n_heads"}).is_null())
            m_source.heads = keys.number({"num_attention_heads", "n_head", "n_heads"});
        const nlohmann::json &kv = keys.find({"num_key_value_heads", "num_kv_heads"});
        m_source.kvHeads = kv.is_null() ? m_source.heads : kv.get<std::uint64_t>();
        if (m_config.value("multi_query", false) &&
            !m_config.value("new_decoder_architecture", false))
            m_source.kvHeads = 1;
    }

    void write(const std::filesystem::path &path)
    {
        m_out.string("general.architecture", m_rules.architecture);
        KeyWriter keys(m_out, m_file, m_config, m_rules.architecture);
        m_rules.keys(keys);
        if (keys.rope().value("rope_type", "") == "llama3")
            writeRopeDivisors(keys);
        for (const ModelTensor &t : m_file.tensors())
            stack({std::string(t.name), *t.dtype, t.shape, plainNumbers(t)});
        for (const auto &[name, experts] : m_experts)
            convert(experts);
        m_out.write(path);
    }

private:
    /// Llama 3's scaling of frequencies is a tensor.
    void writeRopeDivisors(const KeyWriter &keys)
    {
        const nlohmann::json &rope = keys.rope();
        const double factor = rope.at("factor"), low = rope.at("low_freq_factor");
        const double high = rope.at("high_freq_factor"), base = rope.at("rope_theta");
        const double context = rope.at("original_max_position_embeddings");
        const std::uint32_t D = keys.headDim();
        std::vector<float> divisors;
        for (std::uint32_t i = 0; i < D; i += 2) {
            const double wave = 2 * std::numbers::pi * std::pow(base, static_cast<double>(i) / D);
            const double smooth = (context / wave - low) / (high - low);
            const double divisor = wave < context / high  ? 1
                                   : wave > context / low ? factor
                                                          : 1 / ((1 - smooth) / factor + smooth);
            divisors.push_back(static_cast<float>(divisor));
        }
        m_out.tensor("rope_freqs.weight", DType::F32, {divisors.size()},
                     std::as_bytes(std::span(divisors)));
    }

    /// The tensors come in the order of their names, in which 10 stands before 2: each expert's
    /// numbers go to their place.
    void stack(Converted t)
    {
        const std::size_t at = t.name.find(".experts.");
        const std::size_t number = at + 9;
        if (at == std::string::npos || t.name[number] < '0' || t.name[number] > '9')
            return convert(t);
        const std::size_t dot = t.name.find('.', number);
        const std::uint64_t index = std::stoull(t.name.substr(number, dot - number));
        t.name.replace(number, dot - number, "*");
        Converted &all = m_experts[t.name];
        if (all.shape.empty()) {
            all = {t.name, t.type, t.shape, {}};
            all.shape.insert(all.shape.begin(), 0);
        }
        all.shape[0] = std::max(all.shape[0], index + 1);
        all.values.resize(std::max(all.values.size(), (index + 1) * t.values.size()));
        std::copy(t.values.begin(), t.values.end(),
                  all.values.begin() + static_cast<std::ptrdiff_t>(index * t.values.size()));
    }

    void convert(const Converted &t)
    {
        std::string prefix, rest = t.name;
        if (rest.starts_with(m_rules.layers)) {
            rest = rest.substr(m_rules.layers.size());
            const std::size_t dot = rest.find('.');
            prefix = "blk." + rest.substr(0, dot) + '.';
            rest = rest.substr(dot + 1);
        }
        if (!apply(m_rules.tensors, t, prefix, rest) && !apply(kEverywhere, t, prefix, rest))
            throw std::runtime_error("no rule for " + t.name);
    }

    bool apply(std::span<const TensorRule> rules, const Converted &t, const std::string &prefix,
               const std::string &rest)
    {
        std::string_view found;
        for (const TensorRule &rule : rules) {
            if (!rest.starts_with(rule.folder) || (!found.empty() && rule.folder != found))
                continue;
            found = rule.folder;
            if (rule.gguf.empty())
                continue;
            Converted made = t;
            if (rule.change)
                rule.change(made, m_source);
            made.name = prefix + std::string(rule.gguf) + rest.substr(rule.folder.size());
            const DType type = typeOf(made);
            m_out.tensor(made.name, type, {made.shape.rbegin(), made.shape.rend()},
                         bytesOf(made, type));
        }
        return !found.empty();
    }

    const ModelFile &m_file;
    const nlohmann::json &m_config;
    const GgufRules &m_rules;
    SourceNumbers m_source;
    GgufBuilder m_out;
    std::map<std::string, Converted> m_experts;
};

} // namespace

std::vector<float> plainNumbers(const ModelTensor &t)
{
    std::vector<float> values(t.elements());
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint16_t half = 0;
        if (t.dtype == DType::F32)
            std::memcpy(&values[i], &t.bytes[4 * i], 4);
        else
            std::memcpy(&half, &t.bytes[2 * i], 2);
        if (t.dtype == DType::BF16)
            values[i] = bf16ToFloat(half);
        else if (t.dtype == DType::F16)
            values[i] = halfToFloat(half);
    }
    return values;
}

void writeGgufOf(const std::filesystem::path &folder, const std::filesystem::path &gguf)
{
    const ModelFile file = ModelFile::open(folder);
    const std::string type = file.folder()->config().at("model_type");
    if (type == "gemma3n_text" || type == "gemma4_text")
        return writeGgufOfGemma(folder, gguf);
    FolderConverter(file).write(gguf);
}

} // namespace fireside::test
