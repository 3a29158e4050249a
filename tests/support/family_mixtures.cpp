#include "tests/support/family_description.h"

namespace fireside::test {

using nlohmann::json;

namespace {

/// Experts lie one below the other, the last matrix of each transposed.
ReferenceTensors expertsBelow(const ReferenceTensors &tensors, const ReferenceOptions &o)
{
    ReferenceTensors out = oneQkv(tensors, o);
    for (auto &[name, m] : out) {
        if (m.depth == 1)
            continue;
        const ReferenceMatrix from = m;
        if (name.ends_with("ffn_down_exps.weight")) {
            for (std::uint64_t e = 0; e < m.depth; ++e)
                for (std::uint64_t r = 0; r < from.rows; ++r)
                    for (std::uint64_t c = 0; c < from.cols; ++c)
                        m.values[(e * from.cols + c) * from.rows + r] =
                            from.row(e * from.rows + r)[c];
            std::swap(m.rows, m.cols);
        }
        m.rows *= m.depth;
        m.depth = 1;
    }
    return out;
}

} // namespace

FamilyModel deepSeekModel()
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

FamilyModel bailing2Model()
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

FamilyModel bailingModel()
{
    ReferenceOptions o;
    o.experts = 6;
    o.sharedExperts = 2;
    FamilyModel m =
        described({.transformer = "BailingMoeForCausalLM",
                   .type = "bailing_moe",
                   .options = withRope(o, false, 1, 6e5),
                   .config = {{"head_dim", o.headDim},
                              {"rope_theta", 6e5},
                              {"moe_intermediate_size", o.ffn},
                              {"num_experts", o.experts},
                              {"num_shared_experts", o.sharedExperts},
                              {"num_experts_per_tok", o.usedExperts},
                              {"first_k_dense_replace", 0},
                              {"norm_topk_prob", true},
                              {"norm_head", true}},
                   .names = withLlama({{"token_embd.", "model.word_embeddings."},
                                       {"attn_qkv.", "attention.query_key_value."},
                                       {"attn_output.", "attention.dense."},
                                       {"ffn_gate_inp.", "mlp.gate."},
                                       {"ffn_gate_exps.", "mlp.experts.*.gate_proj."},
                                       {"ffn_up_exps.", "mlp.experts.*.up_proj."},
                                       {"ffn_down_exps.", "mlp.experts.*.down_proj."},
                                       {"ffn_gate_shexp.", "mlp.shared_experts.gate_proj."},
                                       {"ffn_up_shexp.", "mlp.shared_experts.up_proj."},
                                       {"ffn_down_shexp.", "mlp.shared_experts.down_proj."}}),
                   .store = &oneQkv,
                   .wrong = {{"norm_head", 3}},
                   .words = "'norm_head'"});
    makeUnits(m.tensors.at("output.weight"), false);
    return m;
}

FamilyModel dbrxModel()
{
    ReferenceOptions o;
    o.layerNorm = true;
    o.clampQkv = 1.5;
    o.experts = 4;
    const json attention{{"kv_n_heads", o.kvHeads}, {"clip_qkv", o.clampQkv}, {"rope_theta", 5e5}};
    json wrong = attention;
    wrong["kv_n_heads"] = 3;
    FamilyModel m =
        described({.transformer = "DbrxForCausalLM",
                   .type = "dbrx",
                   .options = withRope(o, false, 1, 5e5),
                   .config = {{"attn_config", attention},
                              {"ffn_config",
                               {{"ffn_hidden_size", o.ffn},
                                {"moe_num_experts", o.experts},
                                {"moe_top_k", o.usedExperts},
                                {"moe_normalize_expert_weights", 1},
                                {"ffn_act_fn", {{"name", "silu"}}}}}},
                   .names = withLlama({{"token_embd.", "transformer.wte."},
                                       {"output_norm.", "transformer.norm_f."},
                                       {"attn_norm.", "norm_attn_norm.norm_1."},
                                       {"attn_qkv.", "norm_attn_norm.attn.Wqkv."},
                                       {"attn_output.", "norm_attn_norm.attn.out_proj."},
                                       {"ffn_norm.", "norm_attn_norm.norm_2."},
                                       {"ffn_gate_inp.", "ffn.router.layer."},
                                       {"ffn_gate_exps.weight", "ffn.experts.mlp.w1"},
                                       {"ffn_up_exps.weight", "ffn.experts.mlp.v1"},
                                       {"ffn_down_exps.weight", "ffn.experts.mlp.w2"}}),
                   .layers = "transformer.blocks.",
                   .store = &expertsBelow,
                   .wrong = {{"attn_config", wrong}},
                   .words = "4 heads do not divide into 3 groups"});
    renameKey(m.config, "num_hidden_layers", "n_layers");
    renameKey(m.config, "num_attention_heads", "n_heads");
    renameKey(m.config, "hidden_size", "d_model");
    renameKey(m.config, "max_position_embeddings", "max_seq_len");
    for (const char *key : {"num_key_value_heads", "intermediate_size", "rms_norm_eps"})
        m.config.erase(key);
    // Its norms have no bias.
    for (ReferenceTensors *tensors : {&m.tensors, &m.stored})
        std::erase_if(*tensors, [](const auto &t) { return t.first.ends_with(".bias"); });
    return m;
}

} // namespace fireside::test
