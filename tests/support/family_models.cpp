#include "tests/support/family_models.h"

#include <array>
#include <cmath>
#include <stdexcept>

namespace fireside::test {
namespace {

using nlohmann::json;
using FamilyNames = std::vector<std::pair<std::string, std::string>>;

/// The names that are the family's own, then Llama's.
FamilyNames withLlama(FamilyNames own)
{
    own.insert(own.end(), llamaNames().begin(), llamaNames().end());
    return own;
}

void renameKey(json &config, const char *from, const char *to)
{
    config[to] = config.at(from);
    config.erase(from);
}

struct Description
{
    const char *transformer, *type;
    ReferenceOptions options{};
    bool qkvBias = false;
    json config = json::object(); // beside the usual keys
    FamilyNames names = llamaNames();
    const char *layers = "model.layers.";
    ReferenceTensors (*store)(const ReferenceTensors &tensors, const ReferenceOptions &o) = nullptr;
    json wrong{};
    const char *words = "";
};

FamilyModel described(const Description &d)
{
    FamilyModel m;
    m.options = d.options;
    m.tensors = randomDecoder(d.options, d.qkvBias);
    m.config = referenceConfig(d.options, d.transformer);
    m.config["model_type"] = d.type;
    m.config.update(d.config);
    m.stored = renamed(d.store ? d.store(m.tensors, d.options) : m.tensors, d.layers, d.names);
    m.wrong = d.wrong;
    m.words = d.words;
    return m;
}

ReferenceOptions withRope(ReferenceOptions o, bool interleaved = false, double part = 1,
                          double base = 10000)
{
    o.frequencies = referenceFrequencies(
        static_cast<std::uint64_t>(static_cast<double>(o.headDim) * part), base);
    o.interleaved = interleaved;
    return o;
}

ReferenceTensors oneQkv(const ReferenceTensors &tensors, const ReferenceOptions &o)
{
    return fused(tensors, o.layers, "attn_qkv", {"attn_q", "attn_k", "attn_v"});
}

ReferenceTensors oneGateAndUp(const ReferenceTensors &tensors, const ReferenceOptions &o)
{
    return fused(tensors, o.layers, "ffn_up", {"ffn_gate", "ffn_up"});
}

ReferenceTensors oneOfEach(const ReferenceTensors &tensors, const ReferenceOptions &o)
{
    return oneGateAndUp(oneQkv(tensors, o), o);
}

/// For each head of keys its queries, its key, its value.
ReferenceTensors byKeyHead(const ReferenceTensors &tensors, const ReferenceOptions &o)
{
    ReferenceTensors out = tensors;
    for (std::uint64_t i = 0; i < o.layers; ++i) {
        const std::string layer = "blk." + std::to_string(i) + '.';
        const auto q = out.extract(layer + "attn_q.weight").mapped();
        const auto k = out.extract(layer + "attn_k.weight").mapped();
        const auto v = out.extract(layer + "attn_v.weight").mapped();
        std::vector<ReferenceMatrix> parts;
        const auto add = [&](const ReferenceMatrix &from, std::uint64_t head, std::uint64_t heads) {
            ReferenceMatrix rows{.rows = heads * o.headDim, .cols = from.cols, .values = {}};
            for (std::uint64_t r = 0; r < rows.rows; ++r) {
                const auto row = from.row(head * o.headDim + r);
                rows.values.insert(rows.values.end(), row.begin(), row.end());
            }
            parts.push_back(std::move(rows));
        };
        const std::uint64_t group = o.heads / o.kvHeads;
        for (std::uint64_t h = 0; h < o.kvHeads; ++h) {
            add(q, h * group, group);
            add(k, h, 1);
            add(v, h, 1);
        }
        out[layer + "attn_qkv.weight"] = stacked(parts);
    }
    return out;
}

FamilyModel internLm2()
{
    return described(
        {.transformer = "InternLM2ForCausalLM",
         .type = "internlm2",
         .options = withRope({}, false, 1, 1e6),
         .config = {{"rope_theta", 1e6}, {"rope_scaling", {{"type", "dynamic"}, {"factor", 2.0}}}},
         .names = {{"token_embd.", "model.tok_embeddings."},
                   {"output_norm.", "model.norm."},
                   {"attn_norm.", "attention_norm."},
                   {"attn_qkv.", "attention.wqkv."},
                   {"attn_output.", "attention.wo."},
                   {"ffn_gate.", "feed_forward.w1."},
                   {"ffn_up.", "feed_forward.w3."},
                   {"ffn_down.", "feed_forward.w2."}},
         .store = &byKeyHead,
         .wrong = {{"num_key_value_heads", 4}},
         .words = "attention.wqkv.weight' is [64, 32], expected [96, 32]"});
}

FamilyModel internLm3()
{
    ReferenceOptions o;
    o.headDim = 10;
    return described({.transformer = "InternLM3ForCausalLM",
                      .type = "internlm3",
                      .options = withRope(o),
                      .qkvBias = true,
                      .config = {{"head_dim", 10},
                                 {"qkv_bias", true},
                                 {"bias", false},
                                 {"rope_scaling", {{"rope_type", "dynamic"}, {"factor", 6.0}}}},
                      .wrong = {{"hidden_act", "mish"}},
                      .words = "'hidden_act': not supported: 'mish'"});
}

FamilyModel chatGlm()
{
    FamilyModel m = described({.transformer = "ChatGLMModel",
                               .type = "chatglm",
                               .options = withRope({}, true, 0.5, 5e6),
                               .qkvBias = true,
                               .config = {{"rope_ratio", 500},
                                          {"kv_channels", 8},
                                          {"rmsnorm", true},
                                          {"post_layer_norm", true},
                                          {"add_qkv_bias", true},
                                          {"multi_query_attention", true}},
                               .names = {{"token_embd.", "transformer.embedding.word_embeddings."},
                                         {"output_norm.", "transformer.encoder.final_layernorm."},
                                         {"output.", "transformer.output_layer."},
                                         {"attn_norm.", "input_layernorm."},
                                         {"attn_qkv.", "self_attention.query_key_value."},
                                         {"attn_output.", "self_attention.dense."},
                                         {"ffn_norm.", "post_attention_layernorm."},
                                         {"ffn_up.", "mlp.dense_h_to_4h."},
                                         {"ffn_down.", "mlp.dense_4h_to_h."}},
                               .layers = "transformer.encoder.layers.",
                               .store = &oneOfEach,
                               .wrong = {{"rmsnorm", false}},
                               .words = "'rmsnorm': not supported: false"});
    renameKey(m.config, "num_hidden_layers", "num_layers");
    renameKey(m.config, "num_key_value_heads", "multi_query_group_num");
    renameKey(m.config, "intermediate_size", "ffn_hidden_size");
    renameKey(m.config, "vocab_size", "padded_vocab_size");
    renameKey(m.config, "max_position_embeddings", "seq_length");
    renameKey(m.config, "rms_norm_eps", "layernorm_epsilon");
    return m;
}

FamilyModel glm()
{
    return described({.transformer = "GlmForCausalLM",
                      .type = "glm",
                      .options = withRope({}, true, 0.5),
                      .qkvBias = true,
                      .config = {{"head_dim", 8}},
                      .names = withLlama({{"ffn_up.", "mlp.gate_up_proj."}}),
                      .store = &oneGateAndUp,
                      .wrong = {{"partial_rotary_factor", 0.1}},
                      .words = "partial_rotary_factor"});
}

FamilyModel exaone()
{
    FamilyModel m = described({.transformer = "ExaoneForCausalLM",
                               .type = "exaone",
                               .options = withRope({}),
                               .config = {{"activation_function", "silu"}},
                               .names = {{"token_embd.", "transformer.wte."},
                                         {"output_norm.", "transformer.ln_f."},
                                         {"output.", "lm_head."},
                                         {"attn_norm.", "ln_1."},
                                         {"ffn_norm.", "ln_2."},
                                         {"attn_q.", "attn.attention.q_proj."},
                                         {"attn_k.", "attn.attention.k_proj."},
                                         {"attn_v.", "attn.attention.v_proj."},
                                         {"attn_output.", "attn.attention.out_proj."},
                                         {"ffn_gate.", "mlp.c_fc_0."},
                                         {"ffn_up.", "mlp.c_fc_1."},
                                         {"ffn_down.", "mlp.c_proj."}},
                               .layers = "transformer.h.",
                               .wrong = {{"num_layers", 3}},
                               .words = "lacks the tensor 'transformer.h.2."});
    renameKey(m.config, "num_hidden_layers", "num_layers");
    renameKey(m.config, "rms_norm_eps", "layer_norm_epsilon");
    return m;
}

FamilyModel miniCpm()
{
    ReferenceOptions o;
    o.embeddingScale = 12;
    o.residualScale = 1.4 / std::sqrt(static_cast<double>(o.layers));
    o.logitScale = 8.0 / static_cast<double>(o.hidden);
    return described({.transformer = "MiniCPMForCausalLM",
                      .type = "minicpm",
                      .options = withRope(o),
                      .config = {{"scale_emb", 12}, {"scale_depth", 1.4}, {"dim_model_base", 8}},
                      .wrong = {{"dim_model_base", 0}},
                      .words = "'dim_model_base' is 0"});
}

FamilyModel qwen()
{
    ReferenceOptions o;
    o.kvHeads = o.heads;
    FamilyModel m = described({.transformer = "QWenLMHeadModel",
                               .type = "qwen",
                               .options = withRope(o),
                               .qkvBias = true,
                               .config = {{"intermediate_size", 2 * o.ffn},
                                          {"kv_channels", 8},
                                          {"seq_length", 48},
                                          {"rotary_emb_base", 10000},
                                          {"rotary_pct", 1.0},
                                          {"use_dynamic_ntk", true},
                                          {"use_logn_attn", true}},
                               .names = {{"token_embd.", "transformer.wte."},
                                         {"output_norm.", "transformer.ln_f."},
                                         {"output.", "lm_head."},
                                         {"attn_norm.", "ln_1."},
                                         {"ffn_norm.", "ln_2."},
                                         {"attn_qkv.", "attn.c_attn."},
                                         {"attn_output.", "attn.c_proj."},
                                         {"ffn_gate.", "mlp.w2."},
                                         {"ffn_up.", "mlp.w1."},
                                         {"ffn_down.", "mlp.c_proj."}},
                               .layers = "transformer.h.",
                               .store = &oneQkv,
                               .wrong = {{"intermediate_size", o.ffn}},
                               .words = "is [48, 32], expected [24, 32]"});
    m.config.erase("num_key_value_heads");
    renameKey(m.config, "rms_norm_eps", "layer_norm_epsilon");
    return m;
}

FamilyModel olmo()
{
    ReferenceOptions o;
    o.layerNorm = o.bareNorms = true;
    o.clampQkv = 1.5;
    FamilyModel m = described({.transformer = "OlmoForCausalLM",
                               .type = "olmo",
                               .options = withRope(o),
                               .config = {{"clip_qkv", 1.5}},
                               .wrong = {{"clip_qkv", -1}},
                               .words = "'clip_qkv' is -1"});
    m.config.erase("rms_norm_eps");
    return m;
}

FamilyModel orion()
{
    ReferenceOptions o;
    o.layerNorm = true;
    return described({.transformer = "OrionForCausalLM",
                      .type = "orion",
                      .options = withRope(o),
                      .wrong = {{"vocab_size", 41}},
                      .words = "'vocab_size' is 41, the embedding has 40 rows"});
}

FamilyModel xverse()
{
    ReferenceOptions o;
    o.kvHeads = o.heads;
    return described({.transformer = "XverseForCausalLM",
                      .type = "xverse",
                      .options = withRope(o),
                      .wrong = {{"num_attention_heads", 5}},
                      .words = "5 heads do not divide into 4 groups"});
}

FamilyModel pangu()
{
    ReferenceOptions o;
    o.outputBias = true;
    return described({.transformer = "PanguEmbeddedForCausalLM",
                      .type = "PanguEmbedded",
                      .options = withRope(o),
                      .qkvBias = true,
                      .config = {{"bias", true}},
                      .wrong = {{"num_key_value_heads", 4}},
                      .words = "is [16, 32], expected [32, 32]"});
}

FamilyModel deepSeek()
{
    ReferenceOptions o;
    o.experts = 6;
    o.sharesOfChosen = false;
    o.sharedExperts = 2;
    o.denseLayers = 1;
    o.ffn = 24;
    return described({.transformer = "DeepseekForCausalLM",
                      .type = "deepseek",
                      .options = withRope(o),
                      .config = {{"moe_intermediate_size", o.ffn},
                                 {"n_routed_experts", o.experts},
                                 {"n_shared_experts", o.sharedExperts},
                                 {"num_experts_per_tok", o.usedExperts},
                                 {"first_k_dense_replace", o.denseLayers},
                                 {"moe_layer_freq", 1},
                                 {"norm_topk_prob", false},
                                 {"scoring_func", "softmax"}},
                      .names = withLlama({{"ffn_gate_inp.", "mlp.gate."},
                                          {"ffn_gate_exps.", "mlp.experts.*.gate_proj."},
                                          {"ffn_up_exps.", "mlp.experts.*.up_proj."},
                                          {"ffn_down_exps.", "mlp.experts.*.down_proj."},
                                          {"ffn_gate_shexp.", "mlp.shared_experts.gate_proj."},
                                          {"ffn_up_shexp.", "mlp.shared_experts.up_proj."},
                                          {"ffn_down_shexp.", "mlp.shared_experts.down_proj."}}),
                      .wrong = {{"moe_layer_freq", 2}},
                      .words = "'moe_layer_freq': not supported"});
}

FamilyModel bailing2()
{
    ReferenceOptions o;
    o.headNorms = true;
    o.experts = 8;
    o.sigmoid = true;
    o.groups = 4;
    o.usedGroups = 2;
    o.expertScale = 2.5;
    o.sharedExperts = 1;
    o.denseLayers = 1;
    return described({.transformer = "BailingMoeV2ForCausalLM",
                      .type = "bailing_moe_v2",
                      .options = withRope(o, false, 0.5),
                      .config = {{"head_dim", o.headDim},
                                 {"partial_rotary_factor", 0.5},
                                 {"moe_intermediate_size", o.ffn},
                                 {"num_experts", o.experts},
                                 {"num_shared_experts", o.sharedExperts},
                                 {"num_experts_per_tok", o.usedExperts},
                                 {"n_group", o.groups},
                                 {"topk_group", o.usedGroups},
                                 {"routed_scaling_factor", o.expertScale},
                                 {"first_k_dense_replace", o.denseLayers},
                                 {"norm_topk_prob", true},
                                 {"score_function", "sigmoid"}},
                      .names = withLlama({{"token_embd.", "model.word_embeddings."},
                                          {"attn_qkv.", "attention.query_key_value."},
                                          {"attn_q_norm.", "attention.query_layernorm."},
                                          {"attn_k_norm.", "attention.key_layernorm."},
                                          {"attn_output.", "attention.dense."},
                                          {"ffn_gate_inp.", "mlp.gate."},
                                          {"exp_probs_b.bias", "mlp.gate.expert_bias"},
                                          {"ffn_gate_exps.", "mlp.experts.*.gate_proj."},
                                          {"ffn_up_exps.", "mlp.experts.*.up_proj."},
                                          {"ffn_down_exps.", "mlp.experts.*.down_proj."},
                                          {"ffn_gate_shexp.", "mlp.shared_experts.gate_proj."},
                                          {"ffn_up_shexp.", "mlp.shared_experts.up_proj."},
                                          {"ffn_down_shexp.", "mlp.shared_experts.down_proj."}}),
                      .store = &oneQkv,
                      .wrong = {{"num_experts_per_tok", 9}},
                      .words = "'num_experts_per_tok' is 9, expected an integer from 1 to 8"});
}

struct NamedFamily
{
    const char *name;
    FamilyModel (*make)();
};
constexpr std::array kRows{
    NamedFamily{"InternLM2", &internLm2},  NamedFamily{"InternLM3", &internLm3},
    NamedFamily{"ChatGLM", &chatGlm},      NamedFamily{"GLM", &glm},
    NamedFamily{"EXAONE3", &exaone},       NamedFamily{"MiniCPM", &miniCpm},
    NamedFamily{"Qwen1", &qwen},           NamedFamily{"OLMo1", &olmo},
    NamedFamily{"Orion", &orion},          NamedFamily{"XVERSE", &xverse},
    NamedFamily{"Pangu", &pangu},          NamedFamily{"DeepSeek1", &deepSeek},
    NamedFamily{"BailingMoE2", &bailing2},
};

} // namespace

void FamilyModel::writeFolder(const std::filesystem::path &folder, bool makeWrong) const
{
    json all = config;
    if (makeWrong)
        all.update(wrong);
    writeReferenceFolder(folder, all, stored);
}

std::vector<double> FamilyModel::logits(std::span<const std::int32_t> ids) const
{
    return referenceLogits(tensors, options, ids);
}

std::vector<std::string> familyModelNames()
{
    std::vector<std::string> names;
    for (const NamedFamily &row : kRows)
        names.emplace_back(row.name);
    return names;
}

FamilyModel familyModel(const std::string &name)
{
    for (const NamedFamily &row : kRows)
        if (row.name == name)
            return row.make();
    throw std::runtime_error("no model " + name);
}

} // namespace fireside::test
