#include "engine/convert/folder_rules.h"

#include <array>

namespace fireside {
namespace {

constexpr std::array kGpt2{
    TensorRule{"transformer.wte.", "token_embd."},
    TensorRule{"transformer.wpe.", "position_embd."},
    TensorRule{"transformer.ln_f.", "output_norm."},
    TensorRule{"ln_1.", "attn_norm."},
    TensorRule{"ln_2.", "ffn_norm."},
    TensorRule{"attn.c_attn.weight", "attn_qkv.weight", &transpose},
    TensorRule{"attn.c_attn.bias", "attn_qkv.bias"},
    TensorRule{"attn.c_proj.weight", "attn_output.weight", &transpose},
    TensorRule{"attn.c_proj.bias", "attn_output.bias"},
    TensorRule{"mlp.c_fc.weight", "ffn_up.weight", &transpose},
    TensorRule{"mlp.c_fc.bias", "ffn_up.bias"},
    TensorRule{"mlp.c_proj.weight", "ffn_down.weight", &transpose},
    TensorRule{"mlp.c_proj.bias", "ffn_down.bias"},
};
constexpr std::array kStarCoder{
    TensorRule{"transformer.wte.", "token_embd."},
    TensorRule{"transformer.wpe.", "position_embd."},
    TensorRule{"transformer.ln_f.", "output_norm."},
    TensorRule{"ln_1.", "attn_norm."},
    TensorRule{"ln_2.", "ffn_norm."},
    TensorRule{"attn.c_attn.", "attn_qkv."},
    TensorRule{"attn.c_proj.", "attn_output."},
    TensorRule{"mlp.c_fc.", "ffn_up."},
    TensorRule{"mlp.c_proj.", "ffn_down."},
};
constexpr std::array kNeoX{
    TensorRule{"gpt_neox.embed_in.", "token_embd."},
    TensorRule{"gpt_neox.final_layer_norm.", "output_norm."},
    TensorRule{"embed_out.", "output."},
    TensorRule{"attention.query_key_value.", "attn_qkv.", &apartQkv},
    TensorRule{"attention.dense.", "attn_output."},
    TensorRule{"mlp.dense_h_to_4h.", "ffn_up."},
    TensorRule{"mlp.dense_4h_to_h.", "ffn_down."},
};
constexpr std::array kBloom{
    TensorRule{"transformer.word_embeddings.", "token_embd."},
    TensorRule{"transformer.word_embeddings_layernorm.", "token_embd_norm."},
    TensorRule{"transformer.ln_f.", "output_norm."},
    TensorRule{"self_attention.query_key_value.", "attn_qkv.", &apartQkv},
    TensorRule{"self_attention.dense.", "attn_output."},
    TensorRule{"mlp.dense_h_to_4h.", "ffn_up."},
    TensorRule{"mlp.dense_4h_to_h.", "ffn_down."},
};
constexpr std::array kFalcon{
    TensorRule{"transformer.word_embeddings.", "token_embd."},
    TensorRule{"transformer.ln_f.", "output_norm."},
    TensorRule{"ln_attn.", "attn_norm_2."},
    TensorRule{"ln_mlp.", "attn_norm."},
    TensorRule{"self_attention.query_key_value.", "attn_qkv.", &apartQkv},
    TensorRule{"self_attention.dense.", "attn_output."},
    TensorRule{"mlp.dense_h_to_4h.", "ffn_up."},
    TensorRule{"mlp.dense_4h_to_h.", "ffn_down."},
};
constexpr std::array kMpt{
    TensorRule{"transformer.wte.", "token_embd."},
    TensorRule{"transformer.norm_f.", "output_norm."},
    TensorRule{"norm_1.", "attn_norm."},
    TensorRule{"norm_2.", "ffn_norm."},
    TensorRule{"attn.Wqkv.", "attn_qkv."},
    TensorRule{"attn.out_proj.", "attn_output."},
    TensorRule{"ffn.up_proj.", "ffn_up."},
    TensorRule{"ffn.down_proj.", "ffn_down."},
};
constexpr std::array kStarCoder2Tensors{
    TensorRule{"mlp.c_fc.", "ffn_up."},
    TensorRule{"mlp.c_proj.", "ffn_down."},
};
constexpr std::array kPhi2{
    TensorRule{"model.final_layernorm.", "output_norm."},
    TensorRule{"self_attn.dense.", "attn_output."},
    TensorRule{"mlp.fc1.", "ffn_up."},
    TensorRule{"mlp.fc2.", "ffn_down."},
};

/// The sizes of models whose keys no two converters write alike.
void gptKeys(KeyWriter &k, std::uint64_t context, std::uint64_t ffn)
{
    k.u32("context_length", context);
    k.u32("feed_forward_length", ffn);
    k.copy("embedding_length", {"hidden_size", "n_embd", "d_model"});
    k.copy("block_count", {"num_hidden_layers", "n_layer", "n_layers"});
    k.copy("attention.head_count", {"num_attention_heads", "n_head", "n_heads"});
    k.copyReal("attention.layer_norm_epsilon", {"layer_norm_epsilon", "layer_norm_eps"});
}

void gpt2Keys(KeyWriter &k)
{
    gptKeys(k, k.number({"n_ctx", "n_positions"}), 4ull * k.number({"n_embd"}));
}

void starCoderKeys(KeyWriter &k)
{
    gptKeys(k, k.number({"n_positions"}), 4ull * k.number({"n_embd"}));
    k.u32("attention.head_count_kv", 1);
}

void neoXKeys(KeyWriter &k)
{
    gptKeys(k, k.number({"max_position_embeddings"}), k.number({"intermediate_size"}));
    k.u32("rope.dimension_count", k.rotaryChannels());
    k.flag("use_parallel_residual", k.flagOf("use_parallel_residual", true));
}

void bloomKeys(KeyWriter &k)
{
    const std::uint64_t width = k.number({"hidden_size"});
    gptKeys(k, k.find({"seq_length"}).is_null() ? width : k.number({"seq_length"}), 4 * width);
    k.copy("attention.head_count_kv", {"n_head"});
}

void falconKeys(KeyWriter &k)
{
    gptKeys(k, 2048, 4ull * k.number({"hidden_size"}));
    k.text("tensor_data_layout", "jploski");
    const bool modern = k.flagOf("new_decoder_architecture", false);
    k.u32("attention.head_count_kv", modern ? k.number({"num_kv_heads", "n_head_kv"}) : 1);
}

/// No key says ALiBi of this architecture.
bool turnsHeads(const JsonKeys &keys)
{
    return !keys.flag("alibi", false);
}

void mptKeys(KeyWriter &k)
{
    const JsonKeys attention = k.keys().inside("attn_config");
    k.u32("context_length", k.number({"max_seq_len"}));
    k.copy("embedding_length", {"d_model"});
    k.copy("block_count", {"n_layers"});
    k.u32("feed_forward_length", 4ull * k.number({"d_model"}));
    k.copy("attention.head_count", {"n_heads"});
    k.f32("attention.layer_norm_epsilon", 1e-5);
    if (attention.has("clip_qkv"))
        k.f32("attention.clamp_kqv", attention.requireReal("clip_qkv", 0, 1e30));
    k.f32("attention.max_alibi_bias",
          attention.flag("alibi", false) ? attention.real("alibi_bias_max", 8, 0, 1e30) : 0.0);
}

void stableLmKeys(KeyWriter &k)
{
    gptKeys(k, k.number({"max_position_embeddings"}), k.number({"intermediate_size"}));
    k.copy("attention.head_count_kv", {"num_key_value_heads"});
    k.u32("rope.dimension_count", k.rotaryChannels());
    k.flag("use_parallel_residual", k.flagOf("use_parallel_residual", false));
}

/// The converter takes four widths for the feed-forward, which all released models have.
void phi2Keys(KeyWriter &k)
{
    gptKeys(k, k.number({"max_position_embeddings"}), k.number({"intermediate_size"}));
    k.copy("attention.head_count_kv", {"num_attention_heads"});
    k.u32("rope.dimension_count", k.rotaryChannels());
}

void phi3Keys(KeyWriter &k)
{
    k.sizes();
    k.copyReal("attention.layer_norm_rms_epsilon", {"rms_norm_eps"});
    k.originalContextKey();
    k.u32("rope.dimension_count", k.rotaryChannels());
    k.f32("rope.freq_base", k.ropeSettings().base);
    k.u32("attention.sliding_window",
          k.find({"sliding_window"}).is_null() ? 0 : k.number({"sliding_window"}));
}

/// The converter leaves out the mixer's threshold, 0.01 in all released models.
void phiMoeKeys(KeyWriter &k)
{
    k.copyReal("router_jitter_noise", {"router_jitter_noise"});
    phi3Keys(k);
    k.copy("expert_used_count", {"num_experts_per_tok"});
    k.copy("expert_count", {"num_local_experts"});
}

constexpr std::array kGptRules{
    GgufRules{"GPT2LMHeadModel", "gpt2", &gpt2Keys, kGpt2, "transformer.h."},
    GgufRules{"GPTBigCodeForCausalLM", "starcoder", &starCoderKeys, kStarCoder, "transformer.h."},
    GgufRules{"Starcoder2ForCausalLM", "starcoder2", &usualKeys, kStarCoder2Tensors},
    GgufRules{"GPTNeoXForCausalLM", "gptneox", &neoXKeys, kNeoX, "gpt_neox.layers."},
    GgufRules{"BloomForCausalLM", "bloom", &bloomKeys, kBloom, "transformer.h."},
    GgufRules{"FalconForCausalLM", "falcon", &falconKeys, kFalcon, "transformer.h.", &turnsHeads},
    GgufRules{"RWForCausalLM", "falcon", &falconKeys, kFalcon, "transformer.h.", &turnsHeads},
    GgufRules{"MptForCausalLM", "mpt", &mptKeys, kMpt, "transformer.blocks."},
    GgufRules{"StableLmForCausalLM", "stablelm", &stableLmKeys},
    GgufRules{"PhiForCausalLM", "phi2", &phi2Keys, kPhi2},
    GgufRules{"Phi3ForCausalLM", "phi3", &phi3Keys},
    GgufRules{"PhimoeForCausalLM", "phimoe", &phiMoeKeys},
};

} // namespace

std::span<const GgufRules> ggufGptRules()
{
    return kGptRules;
}

} // namespace fireside
