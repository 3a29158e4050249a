#include "engine/convert/folder_rules.h"
#include "engine/model/folder_keys.h"

#include <array>

namespace fireside {
namespace {

constexpr std::array kPairs{
    TensorRule{"self_attn.q_proj.", "attn_q.", &interleaveQueries},
    TensorRule{"self_attn.k_proj.", "attn_k.", &interleaveKeys},
};
constexpr std::array kLlama4{
    TensorRule{"feed_forward.experts.gate_up_proj", "ffn_gate_exps.weight", &transposedFirstHalf},
    TensorRule{"feed_forward.experts.gate_up_proj", "ffn_up_exps.weight", &transposedSecondHalf},
    TensorRule{"feed_forward.experts.down_proj", "ffn_down_exps.weight", &transpose},
    TensorRule{"feed_forward.router.", "ffn_gate_inp."},
    TensorRule{"feed_forward.shared_expert.gate_proj.", "ffn_gate_shexp."},
    TensorRule{"feed_forward.shared_expert.up_proj.", "ffn_up_shexp."},
    TensorRule{"feed_forward.shared_expert.down_proj.", "ffn_down_shexp."},
    TensorRule{"feed_forward.gate_proj.", "ffn_gate."},
    TensorRule{"feed_forward.up_proj.", "ffn_up."},
    TensorRule{"feed_forward.down_proj.", "ffn_down."},
};
constexpr std::array kPostAttention{
    TensorRule{"post_attention_layernorm.", "post_attention_norm."},
};
constexpr std::array kApertus{
    TensorRule{"attention_layernorm.", "attn_norm."},
    TensorRule{"feedforward_layernorm.", "ffn_norm."}, TensorRule{"mlp.act_fn.", ""}, // keys
};
constexpr std::array kNemotron{
    TensorRule{"input_layernorm.weight", "attn_norm.weight", &addOne},
    TensorRule{"post_attention_layernorm.weight", "ffn_norm.weight", &addOne},
    TensorRule{"model.norm.weight", "output_norm.weight", &addOne},
};
constexpr std::array kDeci{
    TensorRule{"self_attn.q_proj.", "attn_q.", &interleaveQueries},
    TensorRule{"self_attn.k_proj.", "attn_k.", &interleaveBySize},
    TensorRule{"self_attn.linear_attn.", "attn_output."},
};
constexpr std::array kBitnet{
    TensorRule{"self_attn.attn_sub_norm.", "attn_sub_norm."},
    TensorRule{"mlp.ffn_sub_norm.", "ffn_sub_norm."},
};

void llamaKeys(KeyWriter &k)
{
    k.usual();
    k.copy("vocab_size", {"vocab_size"});
    k.u32("rope.dimension_count", k.headDim());
}

/// The converter says nothing of the window that the first Mistral models have; then llama.cpp
/// does not know it either. Without it this would be another model.
void mistralKeys(KeyWriter &k)
{
    llamaKeys(k);
    k.copy("attention.sliding_window", {"sliding_window"});
}

void ministralKeys(KeyWriter &k)
{
    llamaKeys(k);
    k.f32("rope.scaling.yarn_log_multiplier", k.rope().requireReal("mscale_all_dim", 0, 1e3));
    k.f32("attention.temperature_scale", k.rope().requireReal("llama_4_scaling_beta", 0, 1e3));
}

/// The converter leaves out the chunk and the temperature's period, 8192 in all released models.
void llama4Keys(KeyWriter &k)
{
    nlohmann::json config = k.config();
    config["intermediate_size"] = k.number({"intermediate_size_mlp", "intermediate_size"});
    k.with(config).usual();
    k.u32("rope.dimension_count", k.headDim());
    k.copy("interleave_moe_layer_step", {"interleave_moe_layer_step"});
    k.copy("expert_feed_forward_length", {"intermediate_size"});
    k.copy("attention.chunk_size", {"attention_chunk_size"});
    k.copyReal("attention.temperature_scale", {"attn_scale"});
    k.copy("attention.temperature_length", {"floor_scale"});
}

void apertusKeys(KeyWriter &k)
{
    llamaKeys(k);
    for (const char *name : {"alpha_n", "alpha_p", "beta", "eps"})
        k.numbersOfLayers((std::string("xielu.") + name).c_str(),
                          std::string("mlp.act_fn.") + name);
}

void graniteKeys(KeyWriter &k)
{
    llamaKeys(k);
    k.copyReal("attention.scale", {"attention_multiplier"});
    k.copyReal("embedding_scale", {"embedding_multiplier"});
    k.copyReal("residual_scale", {"residual_multiplier"});
    k.copyReal("logit_scale", {"logits_scaling"});
}

void nemotronKeys(KeyWriter &k)
{
    k.usual();
    k.copyReal("attention.layer_norm_epsilon", {"norm_eps"});
    k.u32("rope.dimension_count", k.rotaryChannels());
    k.text("rope.scaling.type", "none");
}

void bitnetKeys(KeyWriter &k)
{
    k.usual();
    k.text("rope.scaling.type", "linear");
    k.f32("rope.scaling.factor", 1);
    k.text("hidden_activation", "relu2");
}

/// Layers without attention have no heads, those with a matrix in its place none of keys.
void deciKeys(KeyWriter &k)
{
    nlohmann::json config = k.config();
    std::vector<std::uint32_t> heads, kvHeads, ffn;
    const std::uint32_t all = k.number({"num_attention_heads"}), width = k.number({"hidden_size"});
    const nlohmann::json &blocks = k.find({"block_configs"});
    for (std::size_t i = 0; i < (blocks.is_array() ? blocks.size() : 0); ++i) {
        const std::filesystem::path path = k.keys().file();
        const JsonKeys block(path, blocks[i], "block_configs[" + std::to_string(i) + "].");
        const JsonKeys attention = block.inside("attention"), feed = block.inside("ffn");
        const bool linear = attention.flag("replace_with_linear", false);
        const std::int64_t group = attention.optional("n_heads_in_group", 0, 1, 1 << 16);
        heads.push_back(group == 0 && !linear ? 0 : all);
        kvHeads.push_back(group == 0 ? 0 : all / static_cast<std::uint32_t>(group));
        const double wide = 2 * feed.real("ffn_mult", 0, 0, 1e6) * width / 3;
        ffn.push_back((static_cast<std::uint32_t>(wide) + 255) / 256 * 256);
    }
    if (heads.empty()) // DeciLM 7B
        for (const std::int64_t n :
             perLayer(k.keys(), "num_key_value_heads_per_layer", k.layers(), 1, 1 << 16))
            kvHeads.push_back(static_cast<std::uint32_t>(n));
    config["head_dim"] = k.headDim();
    config.erase("num_key_value_heads");
    if (!heads.empty()) {
        config.erase("num_attention_heads");
        config.erase("intermediate_size");
    }
    KeyWriter rest = k.with(config);
    llamaKeys(rest);
    k.out().u32Array(k.key("attention.head_count_kv"), kvHeads);
    if (heads.empty())
        return;
    k.out().u32Array(k.key("attention.head_count"), heads);
    k.out().u32Array(k.key("feed_forward_length"), ffn);
}

constexpr std::array kRules{
    GgufRules{"LlamaForCausalLM", "llama", &llamaKeys, kPairs},
    GgufRules{"MistralForCausalLM", "llama", &mistralKeys, kPairs},
    GgufRules{"MixtralForCausalLM", "llama", &mistralKeys, kPairs},
    GgufRules{"Ministral3ForCausalLM", "mistral3", &ministralKeys, kPairs},
    GgufRules{"Llama4ForCausalLM", "llama4", &llama4Keys, kLlama4},
    GgufRules{"SmolLM3ForCausalLM", "smollm3", &llamaKeys, kPairs},
    GgufRules{"ArceeForCausalLM", "arcee", &llamaKeys, kPairs},
    GgufRules{"SeedOssForCausalLM", "seed_oss", &usualKeys, kPostAttention},
    GgufRules{"ApertusForCausalLM", "apertus", &apertusKeys, kApertus},
    GgufRules{"GraniteForCausalLM", "granite", &graniteKeys, kPairs},
    GgufRules{"DeciLMForCausalLM", "deci", &deciKeys, kDeci},
    GgufRules{"NemotronForCausalLM", "nemotron", &nemotronKeys, kNemotron},
    GgufRules{"BitNetForCausalLM", "bitnet", &bitnetKeys, kBitnet},
    GgufRules{"Ernie4_5ForCausalLM", "ernie4_5", &usualKeys},
    GgufRules{"HunYuanDenseV1ForCausalLM", "hunyuan-dense", &usualKeys},
    GgufRules{"Qwen2ForCausalLM", "qwen2", &usualKeys},
    GgufRules{"Qwen3ForCausalLM", "qwen3", &usualKeys},
};

} // namespace

std::span<const GgufRules> ggufLlamaRules()
{
    return kRules;
}

} // namespace fireside
