#include "engine/convert/folder_rules.h"
#include "engine/model/folder_keys.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

// Gemma 3n and 4.
namespace fireside {
namespace {

constexpr std::array kGemma4Tensors{
    TensorRule{"lm_head.", ""}, // the embedding
    TensorRule{"model.embed_tokens_per_layer.", "per_layer_token_embd."},
    TensorRule{"model.per_layer_model_projection.", "per_layer_model_proj."},
    TensorRule{"model.per_layer_projection_norm.", "per_layer_proj_norm."},
    TensorRule{"model.altup_projections.*.", "altup_proj."},
    TensorRule{"model.altup_unembed_projections.*.", "altup_unembd_proj."},
    TensorRule{"post_attention_layernorm.", "post_attention_norm."},
    TensorRule{"pre_feedforward_layernorm.", "ffn_norm."},
    TensorRule{"post_feedforward_layernorm.", "post_ffw_norm."},
    TensorRule{"post_feedforward_layernorm_1.", "post_ffw_norm_1."},
    TensorRule{"pre_feedforward_layernorm_2.", "pre_ffw_norm_2."},
    TensorRule{"post_feedforward_layernorm_2.", "post_ffw_norm_2."},
    TensorRule{"router.proj.", "ffn_gate_inp."},
    TensorRule{"router.scale", "ffn_gate_inp.scale"},
    TensorRule{"router.per_expert_scale", "ffn_down_exps.scale"},
    TensorRule{"experts.gate_up_proj", "ffn_gate_up_exps.weight"},
    TensorRule{"experts.down_proj", "ffn_down_exps.weight"},
    TensorRule{"layer_scalar", "layer_output_scale.weight"},
    TensorRule{"per_layer_input_gate.", "inp_gate."},
    TensorRule{"per_layer_projection.", "proj."},
    TensorRule{"post_per_layer_input_norm.", "post_norm."},
    TensorRule{"altup.correct_output_scale", "altup_correct_scale.weight"},
    TensorRule{"altup.correction_coefs.", "altup_correct_coef."},
    TensorRule{"altup.prediction_coefs.", "altup_predict_coef."},
    TensorRule{"altup.modality_router.", "altup_router."},
    TensorRule{"altup.router_norm.", "altup_router_norm."},
    TensorRule{"laurel.linear_left.", "laurel_l."},
    TensorRule{"laurel.linear_right.", "laurel_r."},
    TensorRule{"laurel.post_laurel_norm.", "laurel_post_norm."},
};

/// Of a layer, after `per_layer_config`.
std::uint32_t ofLayer(const KeyWriter &k, std::size_t layer, const char *name)
{
    const JsonKeys keys = k.keys();
    const std::string index = std::to_string(layer);
    if (!keys.has("per_layer_config"))
        return k.number({name});
    const JsonKeys layers = keys.inside("per_layer_config");
    if (!layers.has(index.c_str()) || !layers.inside(index.c_str()).has(name))
        return k.number({name});
    return static_cast<std::uint32_t>(layers.inside(index.c_str()).require(name, 0, 1 << 30));
}

/// Of the layers with a window or without; those have other widths.
std::uint32_t headDimOf(const KeyWriter &k, bool slides)
{
    const std::vector<std::string> kinds = k.kindsOf("layer_types");
    const auto it = std::find_if(kinds.begin(), kinds.end(), [&](const std::string &kind) {
        return (kind == "sliding_attention") == slides;
    });
    return ofLayer(k, static_cast<std::size_t>(it - kinds.begin()), "head_dim");
}

void layeredKeys(KeyWriter &k)
{
    k.copy("block_count", {"num_hidden_layers"});
    k.copy("context_length", {"max_position_embeddings"});
    k.copy("embedding_length", {"hidden_size"});
    k.copy("attention.head_count", {"num_attention_heads"});
    k.copyReal("attention.layer_norm_rms_epsilon", {"rms_norm_eps"});
    if (k.find({"intermediate_size"}).is_array()) {
        const auto widths = perLayer(k.keys(), "intermediate_size", k.layers(), 0, 1 << 30);
        k.out().u32Array(k.key("feed_forward_length"),
                         std::vector<std::uint32_t>(widths.begin(), widths.end()));
    } else if (k.flagOf("use_double_wide_mlp", false)) { // in layers that share keys and values
        const std::uint32_t layers = k.layers(), width = k.number({"intermediate_size"});
        const auto shared = static_cast<std::uint32_t>(
            k.keys().optional("num_kv_shared_layers", 0, 0, static_cast<std::int64_t>(layers)));
        std::vector<std::uint32_t> widths(layers - shared, width);
        widths.resize(layers, 2 * width);
        k.out().u32Array(k.key("feed_forward_length"), widths);
    } else {
        k.copy("feed_forward_length", {"intermediate_size"});
    }
    k.u32("attention.key_length", headDimOf(k, false));
    k.u32("attention.value_length", headDimOf(k, false));
    k.f32("rope.freq_base", k.ropeSettings().base);
    const JsonKeys ropes = k.keys().inside("rope_parameters");
    const bool local = ropes.has("sliding_attention");
    k.f32("rope.freq_base_swa",
          local ? ropes.inside("sliding_attention").requireReal("rope_theta", 1e-3, 1e12)
                : k.ropeSettings().base);
    k.copy("attention.sliding_window", {"sliding_window"});
    k.copyReal("final_logit_softcapping", {"final_logit_softcapping"}, 0); // llama.cpp: else 30
    k.slidingLayers();
    k.copy("attention.shared_kv_layers", {"num_kv_shared_layers"});
    k.copy("embedding_length_per_layer_input", {"hidden_size_per_layer_input"});
}

/// The deviation beyond which a share of normally distributed numbers lies: Newton's method on the
/// error function.
float deviationOf(double share)
{
    if (share <= 0)
        return -std::numeric_limits<float>::infinity();
    double x = 0;
    for (int i = 0; i < 60; ++i) {
        const double below = 0.5 * std::erfc(-x / std::sqrt(2.0));
        const double density = std::exp(-x * x / 2) / std::sqrt(2 * 3.14159265358979323846);
        x += std::clamp((std::min(share, 1 - 1e-9) - below) / density, -1.0, 1.0);
    }
    return static_cast<float>(x);
}

void gemma3nKeys(KeyWriter &k)
{
    layeredKeys(k);
    k.copy("attention.head_count_kv", {"num_key_value_heads"});
    k.copy("altup.active_idx", {"altup_active_idx"});
    k.copy("altup.num_inputs", {"altup_num_inputs"});
    const char *const key = "activation_sparsity_pattern";
    const JsonKeys keys = k.keys();
    const bool list = k.find({key}).is_array();
    std::vector<float> scales(k.layers(), deviationOf(list ? 0 : keys.real(key, 0, 0, 1)));
    if (list) {
        const std::vector<double> shares = keys.reals(key, scales.size(), 0, 1);
        std::transform(shares.begin(), shares.end(), scales.begin(), &deviationOf);
    }
    k.out().f32Array(k.key("activation_sparsity_scale"), scales);
}

void gemma4Keys(KeyWriter &k)
{
    layeredKeys(k);
    std::vector<std::uint32_t> kvHeads;
    for (std::size_t i = 0; i < k.kindsOf("layer_types").size(); ++i)
        kvHeads.push_back(ofLayer(k, i, "num_key_value_heads"));
    k.out().u32Array(k.key("attention.head_count_kv"), kvHeads);
    const std::uint32_t full = headDimOf(k, false), local = headDimOf(k, true);
    k.u32("attention.key_length_swa", local);
    k.u32("attention.value_length_swa", local);
    k.u32("rope.dimension_count", full);
    k.u32("rope.dimension_count_swa", local);
    if (k.flagOf("enable_moe_block", false)) {
        k.copy("expert_count", {"num_experts"});
        k.copy("expert_used_count", {"top_k_experts"});
        k.copy("expert_feed_forward_length", {"moe_intermediate_size"});
    }
    // Which of the pairs turn: the others' frequencies are divided by a huge number.
    const double share = k.rope().real("partial_rotary_factor", 1, 0, 1);
    std::vector<float> divisors(full / 2, 1e30f);
    const auto turning = static_cast<std::size_t>(std::clamp(full * share / 2, 0.0, full / 2.0));
    std::fill_n(divisors.begin(), turning, 1.0f);
    k.tensor({"rope_freqs.weight", {divisors.size()}, std::move(divisors)});
}

constexpr std::array kGemmaRules{
    GgufRules{"Gemma3nForCausalLM", "gemma3n", &gemma3nKeys, kGemma4Tensors},
    GgufRules{"Gemma4ForCausalLM", "gemma4", &gemma4Keys, kGemma4Tensors},
};

} // namespace

std::span<const GgufRules> ggufGemmaRules()
{
    return kGemmaRules;
}

} // namespace fireside
