#include "tests/support/family_models.h"

#include "tests/support/family_description.h"

#include <array>
#include <cmath>
#include <stdexcept>

namespace fireside::test {
namespace {

using nlohmann::json;

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

FamilyModel falconRw()
{
    ReferenceOptions o;
    o.kvHeads = o.heads;
    o.layerNorm = o.outputBias = o.plain = true;
    o.ffn = 4 * o.hidden;
    o.alibi = 8;
    o.alibiScale = 1 / std::sqrt(static_cast<double>(o.headDim));
    FamilyModel m = described({.transformer = "FalconForCausalLM",
                               .type = "falcon",
                               .options = o,
                               .qkvBias = true,
                               .config = {{"alibi", true},
                                          {"bias", true},
                                          {"multi_query", false},
                                          {"parallel_attn", false},
                                          {"new_decoder_architecture", false}},
                               .names = withLlama({{"token_embd.", "transformer.word_embeddings."},
                                                   {"output_norm.", "transformer.ln_f."},
                                                   {"attn_qkv.", "self_attention.query_key_value."},
                                                   {"attn_output.", "self_attention.dense."},
                                                   {"ffn_up.", "mlp.dense_h_to_4h."},
                                                   {"ffn_down.", "mlp.dense_4h_to_h."}}),
                               .layers = "transformer.h.",
                               .store = &byKeyHead,
                               .wrong = {{"num_ln_in_parallel_attn", 3}},
                               .words = "'num_ln_in_parallel_attn' is 3"});
    renameKey(m.config, "num_hidden_layers", "n_layer");
    renameKey(m.config, "num_attention_heads", "n_head");
    renameKey(m.config, "rms_norm_eps", "layer_norm_epsilon");
    for (const char *key : {"num_key_value_heads", "intermediate_size", "max_position_embeddings"})
        m.config.erase(key);
    m.gguf = false;
    return m;
}

FamilyModel baichuan7()
{
    ReferenceOptions o;
    o.layers = 32; // as the real one: in a GGUF nothing else tells it from 13B
    o.kvHeads = o.heads;
    FamilyModel m = described({.transformer = "BaiChuanForCausalLM",
                               .type = "baichuan",
                               .options = withRope(o),
                               .names = withLlama({{"attn_qkv.", "self_attn.W_pack."}}),
                               .store = &oneQkv,
                               .wrong = {{"num_attention_heads", 3}},
                               .words = "does not divide into 3 heads"});
    m.config.erase("num_key_value_heads");
    return m;
}

/// 13B of the second kind: ALiBi, an output of unit rows; that it has 40 layers says so in a GGUF.
FamilyModel baichuan13()
{
    ReferenceOptions o;
    o.layers = 40;
    o.kvHeads = o.heads;
    o.alibi = 8;
    FamilyModel m = described({.transformer = "BaichuanForCausalLM",
                               .type = "baichuan",
                               .options = o,
                               .config = {{"z_loss_weight", 0}},
                               .names = withLlama({{"attn_qkv.", "self_attn.W_pack."}}),
                               .store = &oneQkv,
                               .wrong = {{"hidden_act", "mish"}},
                               .words = "'hidden_act': not supported: 'mish'"});
    m.config.erase("num_key_value_heads");
    renameKey(m.config, "max_position_embeddings", "model_max_length");
    makeUnits(m.tensors.at("output.weight"), true);
    return m;
}

/// Layers of fewer heads of keys and a narrower feed-forward, with one matrix for attention,
/// without attention, without a feed-forward.
FamilyModel deci()
{
    ReferenceOptions o;
    o.layers = 5;
    o.kvHeads = o.heads;
    o.ffn = 512;
    FamilyModel m = described({.transformer = "DeciLMForCausalLM",
                               .type = "nemotron-nas",
                               .options = withRope(o),
                               .wrong = {{"block_configs", json::array()}},
                               .words = "is no list of 5 layers"});
    json blocks = json::array();
    for (std::uint64_t i = 0; i < o.layers; ++i)
        blocks.push_back(
            {{"attention",
              {{"n_heads_in_group", 1}, {"replace_with_linear", false}, {"no_op", false}}},
             {"ffn", {{"ffn_mult", 24}, {"no_op", false}, {"replace_with_linear", false}}}});
    const auto without = [&](const std::string &start) {
        std::erase_if(m.tensors, [&](const auto &t) { return t.first.starts_with(start); });
    };
    blocks[1]["attention"]["n_heads_in_group"] = 2;
    blocks[1]["ffn"]["ffn_mult"] = 10.5;
    for (const char *name : {"blk.1.attn_k.weight", "blk.1.attn_v.weight"})
        m.tensors[name] = cut(m.tensors[name], 2 * o.headDim, o.hidden);
    for (const char *name : {"blk.1.ffn_gate.weight", "blk.1.ffn_up.weight"})
        m.tensors[name] = cut(m.tensors[name], 256, o.hidden);
    m.tensors["blk.1.ffn_down.weight"] = cut(m.tensors["blk.1.ffn_down.weight"], o.hidden, 256);
    blocks[2]["attention"] = {{"n_heads_in_group", nullptr}, {"replace_with_linear", true}};
    for (const char *name : {"blk.2.attn_q.", "blk.2.attn_k.", "blk.2.attn_v."})
        without(name);
    blocks[3]["attention"] = {{"n_heads_in_group", nullptr}, {"no_op", true}};
    without("blk.3.attn_");
    blocks[4]["ffn"] = {{"ffn_mult", nullptr}, {"no_op", true}};
    without("blk.4.ffn_");
    m.config["block_configs"] = blocks;
    m.config["num_key_value_heads"] = m.config["intermediate_size"] = nullptr;
    FamilyNames names = llamaNames();
    m.stored = renamed(m.tensors, "model.layers.", names);
    m.stored["model.layers.2.self_attn.linear_attn.weight"] =
        m.stored.extract("model.layers.2.self_attn.o_proj.weight").mapped();
    return m;
}

struct NamedFamily
{
    const char *name;
    FamilyModel (*make)();
};
constexpr std::array kRows{
    NamedFamily{"InternLM2", &internLm2},
    NamedFamily{"InternLM3", &internLm3},
    NamedFamily{"ChatGLM", &chatGlm},
    NamedFamily{"GLM", &glm},
    NamedFamily{"EXAONE3", &exaone},
    NamedFamily{"MiniCPM", &miniCpm},
    NamedFamily{"Qwen1", &qwen},
    NamedFamily{"OLMo1", &olmo},
    NamedFamily{"Orion", &orion},
    NamedFamily{"XVERSE", &xverse},
    NamedFamily{"Pangu", &pangu},
    NamedFamily{"DeepSeek1", &deepSeekModel},
    NamedFamily{"BailingMoE2", &bailing2Model},
    NamedFamily{"FalconRW", &falconRw},
    NamedFamily{"Baichuan7B", &baichuan7},
    NamedFamily{"Baichuan13B", &baichuan13},
    NamedFamily{"BailingMoE", &bailingModel},
    NamedFamily{"NemotronNAS", &deci},
    NamedFamily{"DBRX", &dbrxModel},
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
