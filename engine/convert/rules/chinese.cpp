#include "engine/convert/folder_rules.h"

#include <array>
#include <cmath>

namespace fireside {
namespace {

constexpr std::array kInPairs{
    TensorRule{"self_attn.q_proj.", "attn_q.", &interleaveQueries},
    TensorRule{"self_attn.k_proj.", "attn_k.", &interleaveKeys},
};
constexpr std::array kInternLm2{
    TensorRule{"model.tok_embeddings.", "token_embd."},
    TensorRule{"output.", "output."},
    TensorRule{"attention_norm.", "attn_norm."},
    TensorRule{"ffn_norm.", "ffn_norm."},
    TensorRule{"attention.wqkv.", "attn_q.", &apartQueriesInPairs},
    TensorRule{"attention.wqkv.", "attn_k.", &apartKeysInPairs},
    TensorRule{"attention.wqkv.", "attn_v.", &apartValues},
    TensorRule{"attention.wo.", "attn_output."},
    TensorRule{"feed_forward.w1.", "ffn_gate."},
    TensorRule{"feed_forward.w2.", "ffn_down."},
    TensorRule{"feed_forward.w3.", "ffn_up."},
};
constexpr std::array kChatGlm{
    TensorRule{"transformer.embedding.word_embeddings.", "token_embd."},
    TensorRule{"transformer.encoder.final_layernorm.", "output_norm."},
    TensorRule{"transformer.output_layer.", "output."},
    TensorRule{"self_attention.query_key_value.", "attn_qkv."},
    TensorRule{"self_attention.dense.", "attn_output."},
    TensorRule{"mlp.dense_h_to_4h.", "ffn_up."},
    TensorRule{"mlp.dense_4h_to_h.", "ffn_down."},
};
constexpr std::array kExaone{
    TensorRule{"transformer.wte.", "token_embd."},
    TensorRule{"transformer.ln_f.", "output_norm."},
    TensorRule{"ln_1.", "attn_norm."},
    TensorRule{"ln_2.", "ffn_norm."},
    TensorRule{"attn.attention.q_proj.", "attn_q."},
    TensorRule{"attn.attention.k_proj.", "attn_k."},
    TensorRule{"attn.attention.v_proj.", "attn_v."},
    TensorRule{"attn.attention.out_proj.", "attn_output."},
    TensorRule{"mlp.c_fc_0.", "ffn_gate."},
    TensorRule{"mlp.c_fc_1.", "ffn_up."},
    TensorRule{"mlp.c_proj.", "ffn_down."},
};
constexpr std::array kQwen{
    TensorRule{"transformer.wte.", "token_embd."},
    TensorRule{"transformer.ln_f.", "output_norm."},
    TensorRule{"ln_1.", "attn_norm."},
    TensorRule{"ln_2.", "ffn_norm."},
    TensorRule{"attn.c_attn.", "attn_qkv."},
    TensorRule{"attn.c_proj.", "attn_output."},
    TensorRule{"mlp.w1.", "ffn_up."},
    TensorRule{"mlp.w2.", "ffn_gate."},
    TensorRule{"mlp.c_proj.", "ffn_down."},
};
constexpr std::array kBaichuan{
    TensorRule{"self_attn.W_pack.", "attn_q.", &queriesInPairs},
    TensorRule{"self_attn.W_pack.", "attn_k.", &keysInPairs},
    TensorRule{"self_attn.W_pack.", "attn_v.", &valuesOnly},
};
/// What its code does to the output, files hold.
constexpr std::array kBaichuan2{
    TensorRule{"lm_head.", "output.", &unitRows},
    TensorRule{"self_attn.W_pack.", "attn_q.", &queriesInPairs},
    TensorRule{"self_attn.W_pack.", "attn_k.", &keysInPairs},
    TensorRule{"self_attn.W_pack.", "attn_v.", &valuesOnly},
};
constexpr std::array kBailing{
    TensorRule{"model.word_embeddings.", "token_embd."},
    TensorRule{"attention.query_key_value.", "attn_q.", &queriesInPairs},
    TensorRule{"attention.query_key_value.", "attn_k.", &keysInPairs},
    TensorRule{"attention.query_key_value.", "attn_v.", &valuesOnly},
    TensorRule{"attention.dense.", "attn_output."},
};
constexpr std::array kBailingNormed{
    TensorRule{"lm_head.", "output.", &unitColumns},
    TensorRule{"model.word_embeddings.", "token_embd."},
    TensorRule{"attention.query_key_value.", "attn_q.", &queriesInPairs},
    TensorRule{"attention.query_key_value.", "attn_k.", &keysInPairs},
    TensorRule{"attention.query_key_value.", "attn_v.", &valuesOnly},
    TensorRule{"attention.dense.", "attn_output."},
};
constexpr std::array kBailing2{
    TensorRule{"model.word_embeddings.", "token_embd."},
    TensorRule{"attention.query_key_value.", "attn_qkv."},
    TensorRule{"attention.query_layernorm.", "attn_q_norm."},
    TensorRule{"attention.key_layernorm.", "attn_k_norm."},
    TensorRule{"attention.dense.", "attn_output."},
    TensorRule{"mlp.gate.expert_bias", "exp_probs_b.bias"},
};

void withHeadSize(KeyWriter &k)
{
    k.usual();
    k.copy("vocab_size", {"vocab_size"});
    k.u32("rope.dimension_count", k.headDim());
}

void chatGlmKeys(KeyWriter &k)
{
    const JsonKeys keys = k.keys();
    const std::uint32_t width = k.number({"hidden_size"});
    k.u32("context_length", k.find({"seq_length"}).is_null() ? width : k.number({"seq_length"}));
    k.u32("embedding_length", width);
    k.copy("feed_forward_length", {"ffn_hidden_size", "intermediate_size"});
    k.copy("block_count", {"num_layers", "num_hidden_layers"});
    k.copy("attention.head_count", {"num_attention_heads"});
    k.copy("attention.head_count_kv", {"multi_query_group_num", "num_key_value_heads"});
    k.f32("attention.layer_norm_rms_epsilon",
          keys.real("layernorm_epsilon", keys.real("rms_norm_eps", 1e-5, 0, 1), 0, 1));
    k.u32("rope.dimension_count",
          static_cast<std::uint64_t>(k.headDim() * keys.real("partial_rotary_factor", 0.5, 0, 1)));
    k.f32("rope.freq_base", 10000 * keys.real("rope_ratio", 1, 1e-3, 1e6));
}

/// Their norms are RMS norms, whatever config.json calls the eps; released files say so.
void qwen1Keys(KeyWriter &k)
{
    k.usual();
    k.copyReal("attention.layer_norm_rms_epsilon", {"layer_norm_epsilon"});
}

void exaone3Keys(KeyWriter &k)
{
    qwen1Keys(k);
    k.u32("rope.dimension_count", k.headDim());
}

void miniCpmKeys(KeyWriter &k)
{
    k.usual();
    const double layers = k.number({"num_hidden_layers"}), width = k.number({"hidden_size"});
    k.copyReal("embedding_scale", {"scale_emb"});
    k.f32("residual_scale", k.real("scale_depth") / std::sqrt(layers));
    k.f32("logit_scale", width / k.number({"dim_model_base"}));
}

void olmo1Keys(KeyWriter &k)
{
    k.usual();
    k.f32("attention.layer_norm_epsilon", 1e-5);
    k.copyReal("attention.clamp_kqv", {"clip_qkv"});
}

void plainKeys(KeyWriter &k)
{
    k.text("tensor_data_layout", "Meta AI original pth");
    k.sizes();
}

void orionKeys(KeyWriter &k)
{
    plainKeys(k);
    k.copyReal("attention.layer_norm_epsilon", {"rms_norm_eps"});
}

void xverseKeys(KeyWriter &k)
{
    plainKeys(k);
    k.u32("rope.dimension_count", k.headDim());
    k.copyReal("attention.layer_norm_rms_epsilon", {"rms_norm_eps"});
}

void panguKeys(KeyWriter &k)
{
    withHeadSize(k);
    k.u32("attention.key_length", k.headDim());
    k.u32("attention.value_length", k.headDim());
}

void deepSeek1Keys(KeyWriter &k)
{
    withHeadSize(k);
    k.text("rope.scaling.type", "none");
    k.copy("leading_dense_block_count", {"first_k_dense_replace"});
    k.copy("expert_feed_forward_length", {"moe_intermediate_size"});
    k.f32("expert_weights_scale", 1);
    k.copy("expert_count", {"n_routed_experts"});
    k.copy("expert_shared_count", {"n_shared_experts"});
}

void baichuanKeys(KeyWriter &k)
{
    k.text("tensor_data_layout", "Meta AI original pth");
    k.sizes();
    if (k.find({"max_position_embeddings"}).is_null())
        k.copy("context_length", {"max_sequence_length", "model_max_length"});
    k.u32("rope.dimension_count", k.headDim());
    if (k.find({"num_key_value_heads"}).is_null())
        k.copy("attention.head_count_kv", {"num_attention_heads"});
    k.copyReal("attention.layer_norm_rms_epsilon", {"rms_norm_eps"});
}

bool isBaichuan2(const JsonKeys &keys)
{
    const nlohmann::json *vocabulary = keys.find("vocab_size");
    return keys.object().contains("z_loss_weight") ||
           (vocabulary != nullptr && *vocabulary == 125696);
}

bool hasNormedHead(const JsonKeys &keys)
{
    return keys.flag("norm_head", false);
}

void bailingKeys(KeyWriter &k)
{
    k.usual();
    k.copy("vocab_size", {"vocab_size"});
    k.u32("rope.dimension_count", k.headDim());
    k.copy("leading_dense_block_count", {"first_k_dense_replace"});
    k.copy("expert_feed_forward_length", {"moe_intermediate_size"});
    k.f32("expert_weights_scale", 1);
    k.copy("expert_shared_count", {"num_shared_experts"});
    k.copyFlag("expert_weights_norm", {"norm_topk_prob"});
}

void bailing2Keys(KeyWriter &k)
{
    k.usual();
    k.u32("expert_gating_func", 2); // score_function
    k.u32("rope.dimension_count",
          static_cast<std::uint64_t>(k.headDim() *
                                     k.keys().real("partial_rotary_factor", 0.5, 0, 1)));
    k.copy("leading_dense_block_count", {"first_k_dense_replace"});
    k.copy("vocab_size", {"vocab_size"});
    k.copy("expert_feed_forward_length", {"moe_intermediate_size"});
    k.u32("expert_shared_feed_forward_length",
          k.number({"moe_intermediate_size"}) * k.number({"num_shared_experts"}));
    k.copyReal("expert_weights_scale", {"routed_scaling_factor"});
    k.copy("expert_shared_count", {"num_shared_experts"});
    k.copyFlag("expert_weights_norm", {"norm_topk_prob"});
}

constexpr std::array kChineseRules{
    GgufRules{"InternLM2ForCausalLM", "internlm2", &usualKeys, kInternLm2},
    GgufRules{"InternLM3ForCausalLM", "llama", &withHeadSize, kInPairs},
    GgufRules{"ChatGLMModel", "chatglm", &chatGlmKeys, kChatGlm, "transformer.encoder.layers."},
    GgufRules{"GlmForCausalLM", "chatglm", &chatGlmKeys},
    GgufRules{"ExaoneForCausalLM", "exaone", &exaone3Keys, kExaone, "transformer.h."},
    GgufRules{"MiniCPMForCausalLM", "minicpm", &miniCpmKeys, kInPairs},
    GgufRules{"QWenLMHeadModel", "qwen", &qwen1Keys, kQwen, "transformer.h."},
    GgufRules{"OlmoForCausalLM", "olmo", &olmo1Keys, kInPairs},
    GgufRules{"OrionForCausalLM", "orion", &orionKeys},
    GgufRules{"XverseForCausalLM", "xverse", &xverseKeys, kInPairs},
    GgufRules{"PanguEmbeddedForCausalLM", "pangu-embedded", &panguKeys},
    GgufRules{"DeepseekForCausalLM", "deepseek", &deepSeek1Keys, kInPairs},
    GgufRules{"BaichuanForCausalLM", "baichuan", &baichuanKeys, kBaichuan2, "model.layers.",
              &isBaichuan2},
    GgufRules{"BaichuanForCausalLM", "baichuan", &baichuanKeys, kBaichuan},
    GgufRules{"BaiChuanForCausalLM", "baichuan", &baichuanKeys, kBaichuan},
    GgufRules{"BailingMoeForCausalLM", "bailingmoe", &bailingKeys, kBailingNormed, "model.layers.",
              &hasNormedHead},
    GgufRules{"BailingMoeForCausalLM", "bailingmoe", &bailingKeys, kBailing},
    GgufRules{"BailingMoeV2ForCausalLM", "bailingmoe2", &bailing2Keys, kBailing2},
};

} // namespace

std::span<const GgufRules> ggufChineseRules()
{
    return kChineseRules;
}

} // namespace fireside
