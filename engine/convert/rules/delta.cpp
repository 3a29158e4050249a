#include "engine/convert/folder_rules.h"
#include "engine/model/folder_keys.h"

#include <algorithm>
#include <array>
#include <cmath>

// Gated delta rules and short convolutions, with attention in some layers.
namespace fireside {
namespace {

/// A number that others are divided by.
std::uint64_t countAt(const SourceNumbers &source, const char *key)
{
    const std::uint64_t count = source.at(key);
    return count > 0 ? count : 1;
}

/// Of each head of keys its q, k, values and gates → the q, k and values of all, or the gates.
void qkvzPart(Converted &t, const SourceNumbers &source, bool gates)
{
    const std::uint64_t keyHeads = countAt(source, "linear_num_key_heads");
    const std::uint64_t keyDim = source.at("linear_key_head_dim");
    const std::uint64_t values =
        source.at("linear_num_value_heads") / keyHeads * source.at("linear_value_head_dim");
    const std::uint64_t each = 2 * keyDim + 2 * values;
    std::vector<std::uint64_t> rows;
    const auto append = [&](std::uint64_t first, std::uint64_t count) {
        for (std::uint64_t head = 0; head < keyHeads; ++head)
            for (std::uint64_t i = 0; i < count; ++i)
                rows.push_back(head * each + first + i);
    };
    if (gates) {
        append(2 * keyDim + values, values);
    } else {
        append(0, keyDim);
        append(keyDim, keyDim);
        append(2 * keyDim, values);
    }
    takeRowsBy(t, 0, rows);
}

void qkvOf(Converted &t, const SourceNumbers &source)
{
    qkvzPart(t, source, false);
}

void gatesOf(Converted &t, const SourceNumbers &source)
{
    qkvzPart(t, source, true);
}

/// Heads of values one by one of each head of keys in turn, from row `first` on.
void turnHeads(Converted &t, const SourceNumbers &source, std::uint64_t first, std::uint64_t dim)
{
    const std::uint64_t keyHeads = countAt(source, "linear_num_key_heads");
    const std::uint64_t group = source.at("linear_num_value_heads") / keyHeads;
    std::vector<std::uint64_t> rows;
    for (std::uint64_t i = 0; i < first; ++i)
        rows.push_back(i);
    for (std::uint64_t place = 0; place < group; ++place)
        for (std::uint64_t head = 0; head < keyHeads; ++head)
            for (std::uint64_t i = 0; i < dim; ++i)
                rows.push_back(first + (head * group + place) * dim + i);
    takeRowsBy(t, 0, rows);
}

std::uint64_t keyRows(const SourceNumbers &source)
{
    return 2 * source.at("linear_num_key_heads") * source.at("linear_key_head_dim");
}

void turnQkv(Converted &t, const SourceNumbers &source)
{
    turnHeads(t, source, keyRows(source), source.at("linear_value_head_dim"));
}

void turnConvolution(Converted &t, const SourceNumbers &source)
{
    squeeze(t, source);
    turnQkv(t, source);
}

void turnGate(Converted &t, const SourceNumbers &source)
{
    turnHeads(t, source, 0, source.at("linear_value_head_dim"));
}

void turnNumbers(Converted &t, const SourceNumbers &source)
{
    turnHeads(t, source, 0, 1);
}

void turnDecay(Converted &t, const SourceNumbers &source)
{
    decay(t, source);
    turnNumbers(t, source);
}

void turnColumns(Converted &t, const SourceNumbers &source)
{
    transpose(t, source);
    turnGate(t, source);
    transpose(t, source);
}

constexpr std::array kQwen3Next{
    TensorRule{"model.norm.", "output_norm.", &addOne},
    TensorRule{"input_layernorm.", "attn_norm.", &addOne},
    TensorRule{"post_attention_layernorm.", "post_attention_norm.", &addOne},
    TensorRule{"self_attn.q_norm.", "attn_q_norm.", &addOne},
    TensorRule{"self_attn.k_norm.", "attn_k_norm.", &addOne},
    TensorRule{"linear_attn.in_proj_qkvz.", "attn_qkv.", &qkvOf},
    TensorRule{"linear_attn.in_proj_qkvz.", "attn_gate.", &gatesOf},
    TensorRule{"linear_attn.in_proj_ba.", "ssm_ba."},
    TensorRule{"linear_attn.conv1d.", "ssm_conv1d.", &squeeze},
    TensorRule{"linear_attn.dt_bias", "ssm_dt.bias"},
    TensorRule{"linear_attn.A_log", "ssm_a", &decay},
    TensorRule{"linear_attn.norm.", "ssm_norm."},
    TensorRule{"linear_attn.out_proj.", "ssm_out."},
};
constexpr std::array kQwen35{
    TensorRule{"model.norm.", "output_norm.", &addOne},
    TensorRule{"input_layernorm.", "attn_norm.", &addOne},
    TensorRule{"post_attention_layernorm.", "post_attention_norm.", &addOne},
    TensorRule{"self_attn.q_norm.", "attn_q_norm.", &addOne},
    TensorRule{"self_attn.k_norm.", "attn_k_norm.", &addOne},
    TensorRule{"linear_attn.in_proj_qkv.", "attn_qkv.", &turnQkv},
    TensorRule{"linear_attn.in_proj_z.", "attn_gate.", &turnGate},
    TensorRule{"linear_attn.in_proj_a.", "ssm_alpha.", &turnNumbers},
    TensorRule{"linear_attn.in_proj_b.", "ssm_beta.", &turnNumbers},
    TensorRule{"linear_attn.conv1d.", "ssm_conv1d.", &turnConvolution},
    TensorRule{"linear_attn.dt_bias", "ssm_dt.bias", &turnNumbers},
    TensorRule{"linear_attn.A_log", "ssm_a", &turnDecay},
    TensorRule{"linear_attn.norm.", "ssm_norm."},
    TensorRule{"linear_attn.out_proj.", "ssm_out.", &turnColumns},
};
constexpr std::array kKimiLinear{
    TensorRule{"self_attn.kv_a_proj_with_mqa.", "attn_kv_a_mqa."},
    TensorRule{"self_attn.kv_a_layernorm.", "attn_kv_a_norm."},
    TensorRule{"self_attn.kv_b_proj.", "attn_k_b.", &latentKeys},
    TensorRule{"self_attn.kv_b_proj.", "attn_v_b.", &latentValues},
    TensorRule{"self_attn.q_conv1d.", "ssm_conv1d_q."},
    TensorRule{"self_attn.k_conv1d.", "ssm_conv1d_k."},
    TensorRule{"self_attn.v_conv1d.", "ssm_conv1d_v."},
    TensorRule{"self_attn.A_log", "ssm_a", &decay},
    TensorRule{"self_attn.dt_bias", "ssm_dt.bias"},
    TensorRule{"self_attn.f_a_proj.", "ssm_f_a."},
    TensorRule{"self_attn.f_b_proj.", "ssm_f_b."},
    TensorRule{"self_attn.g_a_proj.", "ssm_g_a."},
    TensorRule{"self_attn.g_b_proj.", "ssm_g_b."},
    TensorRule{"self_attn.b_proj.", "ssm_beta."},
    TensorRule{"self_attn.o_norm.", "ssm_norm."},
    TensorRule{"block_sparse_moe.gate.e_score_correction_bias", "exp_probs_b.bias"},
    TensorRule{"block_sparse_moe.shared_experts.gate_proj.", "ffn_gate_shexp."},
    TensorRule{"block_sparse_moe.shared_experts.up_proj.", "ffn_up_shexp."},
    TensorRule{"block_sparse_moe.shared_experts.down_proj.", "ffn_down_shexp."},
    TensorRule{"block_sparse_moe.gate_proj.", "ffn_gate."},
    TensorRule{"block_sparse_moe.up_proj.", "ffn_up."},
    TensorRule{"block_sparse_moe.down_proj.", "ffn_down."},
};
constexpr std::array kLfm2{
    TensorRule{"model.embedding_norm.", "token_embd_norm."},
    TensorRule{"operator_norm.", "attn_norm."},
    TensorRule{"ffn_norm.", "ffn_norm."},
    TensorRule{"self_attn.q_layernorm.", "attn_q_norm."},
    TensorRule{"self_attn.k_layernorm.", "attn_k_norm."},
    TensorRule{"self_attn.out_proj.", "attn_output."},
    TensorRule{"conv.conv.", "shortconv.conv.", &squeeze},
    TensorRule{"conv.in_proj.", "shortconv.in_proj."},
    TensorRule{"conv.out_proj.", "shortconv.out_proj."},
    TensorRule{"feed_forward.gate.", "ffn_gate_inp."},
    TensorRule{"feed_forward.expert_bias", "exp_probs_b.bias"},
    TensorRule{"feed_forward.experts.*.w1.", "ffn_gate_exps."},
    TensorRule{"feed_forward.experts.*.w2.", "ffn_down_exps."},
    TensorRule{"feed_forward.experts.*.w3.", "ffn_up_exps."},
    TensorRule{"feed_forward.w1.", "ffn_gate."},
    TensorRule{"feed_forward.w2.", "ffn_down."},
    TensorRule{"feed_forward.w3.", "ffn_up."},
};

void qwen3NextKeys(KeyWriter &k)
{
    k.usual();
    k.copy("expert_feed_forward_length", {"moe_intermediate_size"});
    k.copy("expert_shared_feed_forward_length", {"shared_expert_intermediate_size"});
    k.copy("ssm.conv_kernel", {"linear_conv_kernel_dim"});
    k.copy("ssm.state_size", {"linear_key_head_dim"});
    k.copy("ssm.group_count", {"linear_num_key_heads"});
    k.copy("ssm.time_step_rank", {"linear_num_value_heads"});
    k.u32("ssm.inner_size",
          k.number({"linear_value_head_dim"}) * k.number({"linear_num_value_heads"}));
    k.u32("full_attention_interval", k.find({"full_attention_interval"}).is_null()
                                         ? 4
                                         : k.number({"full_attention_interval"}));
    k.u32("rope.dimension_count",
          static_cast<std::uint64_t>(k.keys().real("partial_rotary_factor", 0.25, 0, 1) *
                                     k.headDim()));
}

/// The layers with a state, where they are not all but each n-th.
void recurrentLayersKey(KeyWriter &k)
{
    const std::vector<std::string> kinds =
        layerTypes(k.keys(), static_cast<std::int64_t>(k.layers()));
    const std::uint64_t interval =
        k.find({"full_attention_interval"}).is_null() ? 4 : k.number({"full_attention_interval"});
    std::vector<std::uint8_t> recurrent;
    bool regular = true;
    for (const std::string &kind : kinds) {
        recurrent.push_back(kind == "linear_attention");
        const bool attends = recurrent.size() % std::max<std::uint64_t>(interval, 1) == 0;
        regular = regular && attends == (recurrent.back() == 0);
    }
    if (!regular)
        k.out().boolArray(k.key("attention.recurrent_layers"), recurrent);
}

void qwen35Keys(KeyWriter &k)
{
    qwen3NextKeys(k);
    recurrentLayersKey(k);
    k.out().i32Array(k.key("rope.dimension_sections"), std::array{11, 11, 10, 0});
}

void kimiLinearKeys(KeyWriter &k)
{
    nlohmann::json config = k.withoutKeyHeads();
    config["max_position_embeddings"] = k.number({"model_max_length"});
    config.erase("head_dim");
    k.with(config).usual();
    k.ofKinds("attention.head_count_kv", "layer_types", 1, {"full_attention"});
    k.copy("ssm.conv_kernel", {"linear_conv_kernel_dim"});
    k.copy("kda.head_dim", {"linear_head_dim"});
    k.copy("attention.q_lora_rank", {"q_lora_rank"});
    k.copy("attention.kv_lora_rank", {"kv_lora_rank"});
    k.copy("rope.dimension_count", {"qk_rope_head_dim"});
    k.u32("attention.key_length", k.number({"kv_lora_rank"}) + k.number({"qk_rope_head_dim"}));
    k.u32("attention.key_length_mla",
          k.number({"qk_nope_head_dim"}) + k.number({"qk_rope_head_dim"}));
    k.copy("attention.value_length_mla", {"v_head_dim"});
    k.copy("expert_feed_forward_length", {"moe_intermediate_size"});
    k.copy("expert_shared_count", {"num_shared_experts"});
    k.copyReal("expert_weights_scale", {"routed_scaling_factor"});
    k.u32("expert_gating_func", 2); // sigmoid
    const std::vector<std::string> types = k.kindsOf("mlp_layer_types");
    k.u32("leading_dense_block_count",
          static_cast<std::uint64_t>(std::count(types.begin(), types.end(), "dense")));
}

/// The width of feed-forward layers, which some folders tell as what it is calculated from.
std::int64_t lfm2Width(const KeyWriter &k)
{
    const JsonKeys keys = k.keys();
    constexpr std::int64_t kMaxWidth = 1 << 30;
    const std::int64_t whole =
        keys.optional("block_ff_dim", k.number({"intermediate_size"}), 1, kMaxWidth);
    if (!keys.flag("block_auto_adjust_ff_dim", true))
        return k.number({"intermediate_size"});
    const double factor = keys.real("block_ffn_dim_multiplier", 1, 1e-3, 1e3);
    const std::int64_t multiple = keys.optional("block_multiple_of", 256, 1, kMaxWidth);
    const auto wanted = static_cast<std::int64_t>(factor * static_cast<double>(2 * whole / 3));
    return (wanted + multiple - 1) / multiple * multiple;
}

void lfm2Keys(KeyWriter &k)
{
    nlohmann::json config = k.withoutKeyHeads();
    if (k.find({"num_experts"}).is_null())
        config["intermediate_size"] = lfm2Width(k);
    k.with(config).usual();
    k.ofKinds("attention.head_count_kv", "layer_types", k.number({"num_key_value_heads"}),
              {"full_attention"});
    k.copy("vocab_size", {"vocab_size"});
    k.copy("shortconv.l_cache", {"conv_L_cache"});
    if (k.find({"num_experts"}).is_null())
        return;
    k.copy("expert_feed_forward_length", {"moe_intermediate_size"});
    k.copy("leading_dense_block_count", {"num_dense_layers"});
    k.u32("expert_gating_func", 2); // sigmoid
}

constexpr std::array kDeltaRules{
    GgufRules{"Qwen3NextForCausalLM", "qwen3next", &qwen3NextKeys, kQwen3Next},
    GgufRules{"Qwen3_5ForCausalLM", "qwen35", &qwen35Keys, kQwen35},
    GgufRules{"Qwen3_5MoeForCausalLM", "qwen35moe", &qwen35Keys, kQwen35},
    GgufRules{"KimiLinearForCausalLM", "kimi-linear", &kimiLinearKeys, kKimiLinear},
    GgufRules{"Lfm2ForCausalLM", "lfm2", &lfm2Keys, kLfm2},
    GgufRules{"Lfm2MoeForCausalLM", "lfm2moe", &lfm2Keys, kLfm2},
};

} // namespace

std::span<const GgufRules> ggufDeltaRules()
{
    return kDeltaRules;
}

} // namespace fireside
