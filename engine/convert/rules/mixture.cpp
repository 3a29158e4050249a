#include "engine/convert/folder_rules.h"

#include <algorithm>
#include <array>

namespace fireside {
namespace {

enum Gating { Softmax = 1, Sigmoid = 2 }; // expert_gating_func

constexpr std::array kGptOss{
    TensorRule{"post_attention_layernorm.", "post_attention_norm."},
    TensorRule{"self_attn.sinks", "attn_sinks.weight"},
    TensorRule{"mlp.experts.gate_up_proj_bias", "ffn_gate_exps.bias", &evenRowsOf},
    TensorRule{"mlp.experts.gate_up_proj_bias", "ffn_up_exps.bias", &oddRowsOf},
    TensorRule{"mlp.experts.gate_up_proj", "ffn_gate_exps.weight", &transposedEven},
    TensorRule{"mlp.experts.gate_up_proj", "ffn_up_exps.weight", &transposedOdd},
    TensorRule{"mlp.experts.down_proj_bias", "ffn_down_exps.bias"},
    TensorRule{"mlp.experts.down_proj", "ffn_down_exps.weight", &transpose},
};
constexpr std::array kGraniteMoe{
    TensorRule{"self_attn.q_proj.", "attn_q.", &interleaveQueries},
    TensorRule{"self_attn.k_proj.", "attn_k.", &interleaveKeys},
    TensorRule{"block_sparse_moe.router.layer.", "ffn_gate_inp."},
    TensorRule{"block_sparse_moe.input_linear.", "ffn_gate_exps.", &firstHalf},
    TensorRule{"block_sparse_moe.input_linear.", "ffn_up_exps.", &secondHalf},
    TensorRule{"block_sparse_moe.output_linear.", "ffn_down_exps."},
    TensorRule{"shared_mlp.input_linear.", "ffn_gate_shexp.", &firstHalf},
    TensorRule{"shared_mlp.input_linear.", "ffn_up_shexp.", &secondHalf},
    TensorRule{"shared_mlp.output_linear.", "ffn_down_shexp."},
};
constexpr std::array kErnieMoe{
    TensorRule{"mlp.moe_statics.e_score_correction_bias", "exp_probs_b.bias"},
};
constexpr std::array kHyV3{
    TensorRule{"mlp.gate.e_score_correction_bias", "exp_probs_b"},
    TensorRule{"mlp.e_score_correction_bias", "exp_probs_b"},
    TensorRule{"mlp.expert_bias", "exp_probs_b"},
};
constexpr std::array kHunyuanMoe{TensorRule{"mlp.gate.wg.", "ffn_gate_inp."}};
constexpr std::array kAfmoe{
    TensorRule{"post_attention_layernorm.", "post_attention_norm."},
    TensorRule{"pre_mlp_layernorm.", "ffn_norm."},
    TensorRule{"post_mlp_layernorm.", "post_ffw_norm."},
};
constexpr std::array kGlm4Moe{
    TensorRule{"post_attention_layernorm.", "post_attention_norm."},
};
constexpr std::array kDbrx{
    TensorRule{"transformer.wte.", "token_embd."},
    TensorRule{"transformer.norm_f.", "output_norm."},
    TensorRule{"norm_attn_norm.norm_1.", "attn_norm."},
    TensorRule{"norm_attn_norm.attn.Wqkv.", "attn_qkv."},
    TensorRule{"norm_attn_norm.attn.out_proj.", "attn_output."},
    TensorRule{"norm_attn_norm.norm_2.", "attn_output_norm."},
    TensorRule{"ffn.router.layer.", "ffn_gate_inp."},
    TensorRule{"ffn.experts.mlp.w1", "ffn_gate_exps.weight", &expertsApart},
    TensorRule{"ffn.experts.mlp.v1", "ffn_up_exps.weight", &expertsApart},
    TensorRule{"ffn.experts.mlp.w2", "ffn_down_exps.weight", &expertsApartTransposed},
};
constexpr std::array kDeepSeek{
    TensorRule{"self_attn.q_a_proj.", "attn_q_a."},
    TensorRule{"self_attn.q_a_layernorm.", "attn_q_a_norm."},
    TensorRule{"self_attn.q_b_proj.", "attn_q_b."},
    TensorRule{"self_attn.kv_a_proj_with_mqa.", "attn_kv_a_mqa."},
    TensorRule{"self_attn.kv_a_layernorm.", "attn_kv_a_norm."},
    TensorRule{"self_attn.kv_b_proj.", "attn_k_b.", &latentKeys},
    TensorRule{"self_attn.kv_b_proj.", "attn_v_b.", &latentValues},
};
constexpr std::array kMiniCpm3{
    TensorRule{"self_attn.q_a_proj.", "attn_q_a."},
    TensorRule{"self_attn.q_a_layernorm.", "attn_q_a_norm."},
    TensorRule{"self_attn.q_b_proj.", "attn_q_b."},
    TensorRule{"self_attn.kv_a_proj_with_mqa.", "attn_kv_a_mqa."},
    TensorRule{"self_attn.kv_a_layernorm.", "attn_kv_a_norm."},
    TensorRule{"self_attn.kv_b_proj.", "attn_kv_b."},
};

void qwenMoeKeys(KeyWriter &k)
{
    k.usual();
    k.copy("expert_feed_forward_length", {"moe_intermediate_size"});
    k.copy("expert_shared_feed_forward_length", {"shared_expert_intermediate_size"});
}

void olmoeKeys(KeyWriter &k)
{
    k.usual();
    k.copyReal("attention.clamp_kqv", {"clip_qkv"});
    if (k.flagOf("norm_topk_prob", false)) // readers assume that they do not
        k.flag("expert_weights_norm", true);
}

void gptOssKeys(KeyWriter &k)
{
    k.usual();
    k.copy("attention.sliding_window", {"sliding_window"});
    k.copy("expert_feed_forward_length", {"intermediate_size"});
}

void graniteMoeKeys(KeyWriter &k)
{
    k.usual();
    k.copy("vocab_size", {"vocab_size"});
    k.u32("rope.dimension_count", k.headDim());
    k.copyReal("attention.scale", {"attention_multiplier"});
    k.copyReal("embedding_scale", {"embedding_multiplier"});
    k.copyReal("residual_scale", {"residual_multiplier"});
    k.copyReal("logit_scale", {"logits_scaling"});
    k.copy("expert_shared_feed_forward_length", {"shared_intermediate_size"});
}

/// The converter computes the width of the shared expert so that it holds for the released models.
void ernieMoeKeys(KeyWriter &k)
{
    k.usual();
    k.copy("expert_count", {"moe_num_experts"});
    k.copy("expert_used_count", {"moe_k"});
    k.copy("interleave_moe_layer_step", {"moe_layer_interval"});
    k.copy("leading_dense_block_count", {"moe_layer_start_index"});
    k.copy("expert_feed_forward_length", {"moe_intermediate_size"});
    k.copy("expert_shared_count", {"moe_num_shared_experts"});
    k.u32("expert_shared_feed_forward_length",
          k.number({"moe_intermediate_size"}) * k.number({"moe_num_shared_experts"}));
}

void hunyuanMoeKeys(KeyWriter &k)
{
    k.usual();
    k.copy("expert_shared_feed_forward_length", {"intermediate_size"});
    k.copy("expert_feed_forward_length", {"moe_intermediate_size", "intermediate_size"});
    k.copy("expert_used_count", {"moe_topk"});
    k.u32("expert_shared_count", 1);
}

/// Which layers are dense only their tensors tell.
void hyV3Keys(KeyWriter &k)
{
    k.usual();
    k.copy("expert_feed_forward_length", {"moe_intermediate_size"});
    k.u32("expert_shared_feed_forward_length",
          k.number({"moe_intermediate_size"}) * k.number({"num_shared_experts"}));
    k.flag("expert_weights_norm", k.flagOf("route_norm", true));
    k.copyReal("expert_weights_scale", {"router_scaling_factor"});
    k.u32("expert_gating_func", Sigmoid);
}

void miniMaxKeys(KeyWriter &k)
{
    k.usual();
    k.u32("expert_gating_func", Sigmoid);
    k.copy("expert_feed_forward_length", {"intermediate_size"});
    k.copy("rope.dimension_count", {"rotary_dim", "head_dim"});
}

void afmoeKeys(KeyWriter &k)
{
    k.usual();
    k.copy("vocab_size", {"vocab_size"});
    k.u32("rope.dimension_count", k.headDim());
    k.copy("expert_shared_count", {"num_shared_experts"});
    k.copy("expert_feed_forward_length", {"moe_intermediate_size"});
    k.copy("leading_dense_block_count", {"num_dense_layers"});
    k.flag("expert_weights_norm", k.flagOf("route_norm", true));
    k.copyReal("expert_weights_scale", {"route_scale"});
    k.u32("expert_gating_func", Sigmoid);
    k.copy("attention.sliding_window", {"sliding_window"});
}

/// What DeepSeek V3 and its followers say of their mixture.
void sharedExpertKeys(KeyWriter &k)
{
    k.copy("expert_feed_forward_length", {"moe_intermediate_size"});
    k.copy("expert_shared_count", {"n_shared_experts", "num_shared_experts"});
    k.copyReal("expert_weights_scale", {"routed_scaling_factor"});
    k.copy("leading_dense_block_count", {"first_k_dense_replace"});
}

/// With YaRN the scores are scaled too. GGUF files of DeepSeek hold a tenth of the factor.
void latentYarnKeys(KeyWriter &k)
{
    const double all = k.rope().real("mscale_all_dim", 0, 0, 1e3);
    if (k.ropeSettings().scaling == RopeSettings::Scaling::Yarn && all != 0)
        k.f32("rope.scaling.yarn_log_multiplier", 0.1 * all);
}

/// Latent attention is written as one head of keys that holds the values.
void deepSeekKeys(KeyWriter &k)
{
    nlohmann::json config = k.config();
    config["num_key_value_heads"] = 1;
    config.erase("head_dim");
    k.with(config).usual();
    const std::uint64_t rank = k.number({"kv_lora_rank"}), rotary = k.number({"qk_rope_head_dim"});
    k.copy("vocab_size", {"vocab_size"});
    k.copy("attention.q_lora_rank", {"q_lora_rank"});
    k.u32("attention.kv_lora_rank", rank);
    k.u32("attention.key_length", rank + rotary);
    k.u32("attention.value_length", rank);
    k.u32("attention.key_length_mla", k.number({"qk_nope_head_dim"}) + rotary);
    k.copy("attention.value_length_mla", {"v_head_dim"});
    k.u32("rope.dimension_count", rotary);
    latentYarnKeys(k);
    k.copy("expert_count", {"n_routed_experts"});
    sharedExpertKeys(k);
    if (k.flagOf("norm_topk_prob", false))
        k.flag("expert_weights_norm", true);
}

void deepSeek2Keys(KeyWriter &k)
{
    deepSeekKeys(k);
    k.u32("expert_gating_func", Softmax);
}

void deepSeek3Keys(KeyWriter &k)
{
    deepSeekKeys(k);
    k.u32("expert_gating_func", Sigmoid);
}

void glm4LiteKeys(KeyWriter &k)
{
    deepSeekKeys(k);
    const std::vector<std::string> types = k.kindsOf("mlp_layer_types");
    const auto sparse = std::find(types.begin(), types.end(), "sparse");
    k.u32("leading_dense_block_count", static_cast<std::uint64_t>(sparse - types.begin()));
    k.u32("expert_gating_func", Sigmoid);
}

/// The converter leaves out the scales, which are the same in all released models; that of the
/// logits is another one here.
void miniCpm3Keys(KeyWriter &k)
{
    k.sizes();
    k.copyReal("attention.layer_norm_rms_epsilon", {"rms_norm_eps"});
    k.copy("vocab_size", {"vocab_size"});
    k.copy("attention.q_lora_rank", {"q_lora_rank"});
    k.copy("attention.kv_lora_rank", {"kv_lora_rank"});
    k.u32("attention.key_length", k.number({"qk_nope_head_dim"}) + k.number({"qk_rope_head_dim"}));
    k.copy("rope.dimension_count", {"qk_rope_head_dim"});
    if (!k.ropeSettings().shortDivisors.empty())
        k.originalContextKey();
    const double width = k.number({"hidden_size"});
    k.f32("logit_scale", width / k.number({"dim_model_base"}));
}

/// What config.json has in parts is beside the rest here.
void dbrxKeys(KeyWriter &k)
{
    k.copy("block_count", {"n_layers"});
    k.copy("context_length", {"max_seq_len"});
    k.copy("embedding_length", {"d_model"});
    k.copy("feed_forward_length", {"ffn_hidden_size"});
    k.copy("attention.head_count", {"n_heads"});
    k.copy("attention.head_count_kv", {"kv_n_heads"});
    k.f32("rope.freq_base", k.ropeSettings().base);
    k.copyReal("attention.clamp_kqv", {"clip_qkv"});
    k.copy("expert_count", {"moe_num_experts"});
    k.copy("expert_used_count", {"moe_top_k"});
    k.f32("attention.layer_norm_epsilon", 1e-5);
}

void dotsKeys(KeyWriter &k)
{
    k.usual();
    k.copy("expert_count", {"n_routed_experts"});
    sharedExpertKeys(k);
    k.copyFlag("expert_weights_norm", {"norm_topk_prob"});
    k.u32("expert_gating_func", Sigmoid);
}

/// Layers for drafting count, whether they are in the folder or not.
void usualWithDrafts(KeyWriter &k)
{
    nlohmann::json config = k.config();
    const std::uint32_t drafts =
        k.find({"num_nextn_predict_layers"}).is_null() ? 0 : k.number({"num_nextn_predict_layers"});
    config["num_hidden_layers"] = k.number({"num_hidden_layers"}) + drafts;
    k.with(config).usual();
    k.u32("nextn_predict_layers", drafts);
}

void glm4MoeKeys(KeyWriter &k)
{
    usualWithDrafts(k);
    k.u32("rope.dimension_count", k.rotaryChannels());
    k.copy("expert_count", {"n_routed_experts"});
    sharedExpertKeys(k);
    k.u32("expert_gating_func", Sigmoid);
    k.copyFlag("expert_weights_norm", {"norm_topk_prob"});
}

void exaoneMoeKeys(KeyWriter &k)
{
    usualWithDrafts(k);
    k.copy("vocab_size", {"vocab_size"});
    k.copy("attention.sliding_window", {"sliding_window"});
    k.slidingLayers();
    sharedExpertKeys(k);
    k.u32("expert_shared_feed_forward_length",
          k.number({"moe_intermediate_size"}) * k.number({"num_shared_experts"}));
    k.copyFlag("expert_weights_norm", {"norm_topk_prob"});
    k.u32("expert_gating_func", Sigmoid);
    k.text("rope.scaling.type", "none");
}

constexpr std::array kMixtureRules{
    GgufRules{"Qwen2MoeForCausalLM", "qwen2moe", &qwenMoeKeys},
    GgufRules{"Qwen3MoeForCausalLM", "qwen3moe", &qwenMoeKeys},
    GgufRules{"GptOssForCausalLM", "gpt-oss", &gptOssKeys, kGptOss},
    GgufRules{"GraniteMoeForCausalLM", "granitemoe", &graniteMoeKeys, kGraniteMoe},
    GgufRules{"Ernie4_5_MoeForCausalLM", "ernie4_5-moe", &ernieMoeKeys, kErnieMoe},
    GgufRules{"HunYuanMoEV1ForCausalLM", "hunyuan-moe", &hunyuanMoeKeys, kHunyuanMoe},
    GgufRules{"HYV3ForCausalLM", "hy_v3", &hyV3Keys, kHyV3},
    GgufRules{"MiniMaxM2ForCausalLM", "minimax-m2", &miniMaxKeys},
    GgufRules{"OlmoeForCausalLM", "olmoe", &olmoeKeys},
    GgufRules{"AfmoeForCausalLM", "afmoe", &afmoeKeys, kAfmoe},
    GgufRules{"DeepseekV2ForCausalLM", "deepseek2", &deepSeek2Keys, kDeepSeek},
    GgufRules{"DeepseekV3ForCausalLM", "deepseek2", &deepSeek3Keys, kDeepSeek},
    GgufRules{"Glm4MoeLiteForCausalLM", "deepseek2", &glm4LiteKeys, kDeepSeek},
    GgufRules{"MiniCPM3ForCausalLM", "minicpm3", &miniCpm3Keys, kMiniCpm3},
    GgufRules{"DbrxForCausalLM", "dbrx", &dbrxKeys, kDbrx, "transformer.blocks."},
    GgufRules{"Dots1ForCausalLM", "dots1", &dotsKeys},
    GgufRules{"Glm4MoeForCausalLM", "glm4moe", &glm4MoeKeys, kGlm4Moe},
    GgufRules{"ExaoneMoeForCausalLM", "exaone-moe", &exaoneMoeKeys},
};

} // namespace

std::span<const GgufRules> ggufMixtureRules()
{
    return kMixtureRules;
}

} // namespace fireside
