#include "engine/convert/folder_rules.h"

#include <array>

namespace fireside {
namespace {

// Output is the embedding.
constexpr TensorRule kNoOutput{"lm_head.", ""};
constexpr std::array kGemma{
    kNoOutput,
    TensorRule{"model.norm.", "output_norm.", &addOne},
    TensorRule{"input_layernorm.", "attn_norm.", &addOne},
    TensorRule{"post_attention_layernorm.", "ffn_norm.", &addOne},
};
constexpr std::array kGemma2{
    kNoOutput,
    TensorRule{"model.norm.", "output_norm.", &addOne},
    TensorRule{"input_layernorm.", "attn_norm.", &addOne},
    TensorRule{"post_attention_layernorm.", "post_attention_norm.", &addOne},
    TensorRule{"pre_feedforward_layernorm.", "ffn_norm.", &addOne},
    TensorRule{"post_feedforward_layernorm.", "post_ffw_norm.", &addOne},
    TensorRule{"self_attn.q_norm.", "attn_q_norm.", &addOne},
    TensorRule{"self_attn.k_norm.", "attn_k_norm.", &addOne},
};
constexpr std::array kAfter{
    TensorRule{"post_attention_layernorm.", "post_attention_norm."},
    TensorRule{"post_feedforward_layernorm.", "post_ffw_norm."},
};
constexpr std::array kCohere{kNoOutput};
constexpr std::array kGlm4{
    TensorRule{"post_self_attn_layernorm.", "post_attention_norm."},
    TensorRule{"post_attention_layernorm.", "ffn_norm."},
    TensorRule{"post_mlp_layernorm.", "post_ffw_norm."},
};

void gemmaKeys(KeyWriter &k)
{
    k.sizes();
    k.copyReal("attention.layer_norm_rms_epsilon", {"rms_norm_eps"});
    k.copy("attention.key_length", {"head_dim"});
    k.copy("attention.value_length", {"head_dim"});
}

void gemma2Keys(KeyWriter &k)
{
    gemmaKeys(k);
    k.copyReal("attn_logit_softcapping", {"attn_logit_softcapping"});
    k.copyReal("final_logit_softcapping", {"final_logit_softcapping"}, 0); // llama.cpp: else 30
    k.copy("attention.sliding_window", {"sliding_window"});
}

void gemma3Keys(KeyWriter &k)
{
    k.usual();
    k.copyReal("final_logit_softcapping", {"final_logit_softcapping"});
    k.copy("attention.sliding_window", {"sliding_window"});
}

void olmoKeys(KeyWriter &k)
{
    k.usual();
    if (!k.find({"sliding_window"}).is_null()) {
        k.copy("attention.sliding_window", {"sliding_window"});
        k.slidingLayers();
    }
}

void exaoneKeys(KeyWriter &k)
{
    olmoKeys(k);
    k.copy("vocab_size", {"vocab_size"});
}

void cohereKeys(KeyWriter &k)
{
    k.usual();
    k.copyReal("logit_scale", {"logit_scale"});
    k.text("rope.scaling.type", "none");
}

/// Which layers slide is not written: each fourth does not.
void cohere2Keys(KeyWriter &k)
{
    cohereKeys(k);
    k.copy("attention.sliding_window", {"sliding_window"});
    k.copy("vocab_size", {"vocab_size"});
    k.u32("rope.dimension_count", k.headDim());
}

void glm4Keys(KeyWriter &k)
{
    k.usual();
    k.u32("rope.dimension_count", k.rotaryChannels());
}

constexpr std::array kNormRules{
    GgufRules{"GemmaForCausalLM", "gemma", &gemmaKeys, kGemma},
    GgufRules{"Gemma2ForCausalLM", "gemma2", &gemma2Keys, kGemma2},
    GgufRules{"Gemma3ForCausalLM", "gemma3", &gemma3Keys, kGemma2},
    GgufRules{"Gemma3TextModel", "gemma-embedding", &gemma3Keys, kGemma2},
    GgufRules{"Olmo2ForCausalLM", "olmo2", &olmoKeys, kAfter},
    GgufRules{"Olmo3ForCausalLM", "olmo2", &olmoKeys, kAfter},
    GgufRules{"Exaone4ForCausalLM", "exaone4", &exaoneKeys, kAfter},
    GgufRules{"CohereForCausalLM", "command-r", &cohereKeys, kCohere},
    GgufRules{"Cohere2ForCausalLM", "cohere2", &cohere2Keys, kCohere},
    GgufRules{"Glm4ForCausalLM", "glm4", &glm4Keys, kGlm4},
};

} // namespace

std::span<const GgufRules> ggufNormRules()
{
    return kNormRules;
}

} // namespace fireside
