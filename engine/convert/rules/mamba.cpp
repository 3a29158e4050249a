#include "engine/convert/folder_rules.h"

#include <algorithm>
#include <array>
#include <cmath>

// State spaces, alone and with attention.
namespace fireside {
namespace {

void columnOf(Converted &t, const SourceNumbers & /*source*/)
{
    t.shape = {t.elements(), 1};
}

void decayColumn(Converted &t, const SourceNumbers &source)
{
    decay(t, source);
    columnOf(t, source);
}

/// A norm of groups of channels: a row for each.
void groupRows(Converted &t, const SourceNumbers &source)
{
    const char *const key =
        source.config.contains("mamba_n_groups") ? "mamba_n_groups" : "n_groups";
    const std::uint64_t groups = source.at(key), all = t.elements();
    if (groups > 0 && all % groups == 0)
        t.shape = {groups, all / groups};
}

void timesAll(Converted &t, double factor)
{
    // In F32, so that the products are not rounded.
    changeNumbers(t, [=](float v, std::size_t) { return static_cast<float>(v * factor); });
}

template <const char *Key>
void times(Converted &t, const SourceNumbers &source)
{
    timesAll(t, source.real(Key));
}

constexpr char kOfEmbedding[] = "embedding_multiplier", kOfOutput[] = "lm_head_multiplier";
constexpr char kOfAttentionIn[] = "attention_in_multiplier";
constexpr char kOfAttentionOut[] = "attention_out_multiplier", kOfScanOut[] = "ssm_out_multiplier";

void timesKey(Converted &t, const SourceNumbers &source)
{
    timesAll(t, source.real("key_multiplier") * source.real("attention_in_multiplier"));
}

void timesGate(Converted &t, const SourceNumbers &source)
{
    timesAll(t, source.realOf("mlp_multipliers", 0));
}

void timesDown(Converted &t, const SourceNumbers &source)
{
    timesAll(t, source.realOf("mlp_multipliers", 1));
}

void timesParts(Converted &t, const SourceNumbers &source)
{
    timesAll(t, source.real("ssm_in_multiplier"));
    const std::uint64_t width = source.at("mamba_d_ssm"), heads = source.at("mamba_n_heads");
    const std::uint64_t shared = source.at("mamba_n_groups") * source.at("mamba_d_state");
    const std::uint64_t cols = t.shape.size() > 1 ? t.shape[1] : 1;
    const std::array<std::uint64_t, 5> rows{width, width, shared, shared, heads};
    const std::span<float> values = asFloats(t);
    std::uint64_t number = 0;
    for (std::size_t part = 0; part < rows.size(); ++part) {
        const double factor = source.realOf("ssm_multipliers", part);
        for (std::uint64_t i = 0; i < rows[part] * cols && number < values.size(); ++i, ++number)
            values[number] = static_cast<float>(values[number] * factor);
    }
}

constexpr std::array kMamba{
    TensorRule{"lm_head.", ""}, // the embedding
    TensorRule{"backbone.embeddings.", "token_embd."},
    TensorRule{"backbone.norm_f.", "output_norm."},
    TensorRule{"norm.", "attn_norm."},
    TensorRule{"mixer.in_proj.", "ssm_in."},
    TensorRule{"mixer.conv1d.weight", "ssm_conv1d.weight", &squeeze},
    TensorRule{"mixer.conv1d.bias", "ssm_conv1d.bias"},
    TensorRule{"mixer.x_proj.", "ssm_x."},
    TensorRule{"mixer.dt_proj.", "ssm_dt."},
    TensorRule{"mixer.A_log", "ssm_a", &decay},
    TensorRule{"mixer.D", "ssm_d"},
    TensorRule{"mixer.out_proj.", "ssm_out."},
};
constexpr std::array kJamba{
    TensorRule{"model.final_layernorm.", "output_norm."},
    TensorRule{"pre_ff_layernorm.", "ffn_norm."},
    TensorRule{"mamba.in_proj.", "ssm_in."},
    TensorRule{"mamba.conv1d.weight", "ssm_conv1d.weight", &squeeze},
    TensorRule{"mamba.conv1d.bias", "ssm_conv1d.bias"},
    TensorRule{"mamba.x_proj.", "ssm_x."},
    TensorRule{"mamba.dt_layernorm.", "ssm_dt_norm."},
    TensorRule{"mamba.b_layernorm.", "ssm_b_norm."},
    TensorRule{"mamba.c_layernorm.", "ssm_c_norm."},
    TensorRule{"mamba.dt_proj.", "ssm_dt."},
    TensorRule{"mamba.A_log", "ssm_a", &decay},
    TensorRule{"mamba.D", "ssm_d"},
    TensorRule{"mamba.out_proj.", "ssm_out."},
    TensorRule{"feed_forward.router.", "ffn_gate_inp."},
    TensorRule{"feed_forward.experts.*.gate_proj.", "ffn_gate_exps."},
    TensorRule{"feed_forward.experts.*.up_proj.", "ffn_up_exps."},
    TensorRule{"feed_forward.experts.*.down_proj.", "ffn_down_exps."},
    TensorRule{"feed_forward.gate_proj.", "ffn_gate."},
    TensorRule{"feed_forward.up_proj.", "ffn_up."},
    TensorRule{"feed_forward.down_proj.", "ffn_down."},
};
constexpr std::array kFalconH1{
    TensorRule{"model.embed_tokens.", "token_embd.", &times<kOfEmbedding>},
    TensorRule{"lm_head.", "output.", &times<kOfOutput>},
    TensorRule{"model.final_layernorm.", "output_norm."},
    TensorRule{"pre_ff_layernorm.weight", "ffn_norm"}, // without a suffix
    TensorRule{"self_attn.q_proj.", "attn_q.", &times<kOfAttentionIn>},
    TensorRule{"self_attn.k_proj.", "attn_k.", &timesKey},
    TensorRule{"self_attn.v_proj.", "attn_v.", &times<kOfAttentionIn>},
    TensorRule{"self_attn.o_proj.", "attn_output.", &times<kOfAttentionOut>},
    TensorRule{"mamba.in_proj.", "ssm_in.", &timesParts},
    TensorRule{"mamba.conv1d.weight", "ssm_conv1d.weight", &squeeze},
    TensorRule{"mamba.conv1d.bias", "ssm_conv1d.bias"},
    TensorRule{"mamba.dt_bias", "ssm_dt.bias"},
    TensorRule{"mamba.A_log", "ssm_a", &decayColumn},
    TensorRule{"mamba.D", "ssm_d", &columnOf},
    TensorRule{"mamba.out_proj.", "ssm_out.", &times<kOfScanOut>},
    TensorRule{"feed_forward.gate_proj.", "ffn_gate.", &timesGate},
    TensorRule{"feed_forward.up_proj.", "ffn_up."},
    TensorRule{"feed_forward.down_proj.", "ffn_down.", &timesDown},
};
constexpr std::array kGraniteHybrid{
    TensorRule{"self_attn.q_proj.", "attn_q.", &interleaveQueries},
    TensorRule{"self_attn.k_proj.", "attn_k.", &interleaveKeys},
    TensorRule{"mamba.in_proj.", "ssm_in."},
    TensorRule{"mamba.conv1d.weight", "ssm_conv1d.weight", &squeeze},
    TensorRule{"mamba.conv1d.bias", "ssm_conv1d.bias"},
    TensorRule{"mamba.dt_bias", "ssm_dt.bias"},
    TensorRule{"mamba.A_log", "ssm_a", &decayColumn},
    TensorRule{"mamba.D", "ssm_d", &columnOf},
    TensorRule{"mamba.norm.", "ssm_norm.", &groupRows},
    TensorRule{"mamba.out_proj.", "ssm_out."},
    TensorRule{"block_sparse_moe.router.layer.", "ffn_gate_inp."},
    TensorRule{"block_sparse_moe.input_linear.", "ffn_gate_exps.", &firstHalf},
    TensorRule{"block_sparse_moe.input_linear.", "ffn_up_exps.", &secondHalf},
    TensorRule{"block_sparse_moe.output_linear.", "ffn_down_exps."},
    TensorRule{"shared_mlp.input_linear.", "ffn_gate_shexp.", &firstHalf},
    TensorRule{"shared_mlp.input_linear.", "ffn_up_shexp.", &secondHalf},
    TensorRule{"shared_mlp.output_linear.", "ffn_down_shexp."},
};
constexpr std::array kGraniteHybridDense{
    TensorRule{"self_attn.q_proj.", "attn_q.", &interleaveQueries},
    TensorRule{"self_attn.k_proj.", "attn_k.", &interleaveKeys},
    TensorRule{"mamba.in_proj.", "ssm_in."},
    TensorRule{"mamba.conv1d.weight", "ssm_conv1d.weight", &squeeze},
    TensorRule{"mamba.conv1d.bias", "ssm_conv1d.bias"},
    TensorRule{"mamba.dt_bias", "ssm_dt.bias"},
    TensorRule{"mamba.A_log", "ssm_a", &decayColumn},
    TensorRule{"mamba.D", "ssm_d", &columnOf},
    TensorRule{"mamba.norm.", "ssm_norm.", &groupRows},
    TensorRule{"mamba.out_proj.", "ssm_out."},
    TensorRule{"shared_mlp.input_linear.", "ffn_gate.", &firstHalf},
    TensorRule{"shared_mlp.input_linear.", "ffn_up.", &secondHalf},
    TensorRule{"shared_mlp.output_linear.", "ffn_down."},
};
constexpr std::array kNemotronH{
    TensorRule{"backbone.embeddings.", "token_embd."},
    TensorRule{"backbone.norm_f.", "output_norm."},
    TensorRule{"norm.", "attn_norm."},
    TensorRule{"mixer.q_proj.", "attn_q."},
    TensorRule{"mixer.k_proj.", "attn_k."},
    TensorRule{"mixer.v_proj.", "attn_v."},
    TensorRule{"mixer.o_proj.", "attn_output."},
    TensorRule{"mixer.in_proj.", "ssm_in."},
    TensorRule{"mixer.conv1d.weight", "ssm_conv1d.weight", &squeeze},
    TensorRule{"mixer.conv1d.bias", "ssm_conv1d.bias"},
    TensorRule{"mixer.dt_bias", "ssm_dt.bias"},
    TensorRule{"mixer.A_log", "ssm_a", &decayColumn},
    TensorRule{"mixer.D", "ssm_d", &columnOf},
    TensorRule{"mixer.norm.", "ssm_norm.", &groupRows},
    TensorRule{"mixer.out_proj.", "ssm_out."},
    TensorRule{"mixer.gate.e_score_correction_bias", "exp_probs_b.bias"},
    TensorRule{"mixer.gate.", "ffn_gate_inp."},
    TensorRule{"mixer.experts.*.up_proj.", "ffn_up_exps."},
    TensorRule{"mixer.experts.*.down_proj.", "ffn_down_exps."},
    TensorRule{"mixer.shared_experts.up_proj.", "ffn_up_shexp."},
    TensorRule{"mixer.shared_experts.down_proj.", "ffn_down_shexp."},
    TensorRule{"mixer.up_proj.", "ffn_up."},
    TensorRule{"mixer.down_proj.", "ffn_down."},
};
void scanKeys(KeyWriter &k, std::uint64_t width)
{
    k.copy("ssm.conv_kernel", {"conv_kernel", "mamba_d_conv"});
    k.copy("ssm.state_size", {"state_size", "mamba_d_state", "ssm_state_size"});
    k.copy("ssm.time_step_rank",
           {"time_step_rank", "mamba_dt_rank", "mamba_n_heads", "mamba_num_heads"});
    k.copy("ssm.group_count", {"mamba_n_groups", "n_groups"});
    k.u32("ssm.inner_size", width);
}

void mambaKeys(KeyWriter &k)
{
    k.u32("context_length", 1u << 20);
    k.copy("embedding_length", {"hidden_size"});
    k.u32("feed_forward_length", 0);
    k.u32("attention.head_count", 0);
    k.copy("block_count", {"num_hidden_layers"});
    scanKeys(k, k.number({"intermediate_size"}));
    k.copyReal("attention.layer_norm_rms_epsilon", {"layer_norm_epsilon"});
}

void jambaKeys(KeyWriter &k)
{
    const nlohmann::json config = k.withoutKeyHeads();
    KeyWriter keys = k.with(config);
    keys.sizes();
    keys.expertKeys();
    keys.copyReal("attention.layer_norm_rms_epsilon", {"rms_norm_eps"});
    std::vector<std::uint32_t> heads;
    const std::uint32_t offset = k.number({"attn_layer_offset"});
    for (std::uint32_t i = 0; i < k.number({"num_hidden_layers"}); ++i)
        heads.push_back(i >= offset && (i - offset) % k.number({"attn_layer_period"}) == 0
                            ? k.number({"num_key_value_heads"})
                            : 0);
    k.out().u32Array(k.key("attention.head_count_kv"), heads);
    scanKeys(k, k.number({"mamba_expand"}) * k.number({"hidden_size"}));
}

void falconH1Keys(KeyWriter &k)
{
    k.usual();
    scanKeys(k, k.number({"mamba_d_ssm"}));
    k.u32("attention.key_length", k.headDim());
    k.u32("attention.value_length", k.headDim());
}

/// The released dense ones have a shared expert as wide as the feed-forward that config.json
/// names, and no positions; of the latter files tell.
void graniteHybridKeys(KeyWriter &k)
{
    nlohmann::json config = k.withoutKeyHeads();
    if (k.number({"num_local_experts"}) == 0)
        config["intermediate_size"] = k.number({"shared_intermediate_size"});
    k.with(config).usual();
    k.ofKinds("attention.head_count_kv", "layer_types", k.number({"num_key_value_heads"}),
              {"full_attention", "attention"});
    scanKeys(k, k.number({"mamba_expand"}) * k.number({"hidden_size"}));
    k.copyReal("attention.scale", {"attention_multiplier"});
    k.copyReal("embedding_scale", {"embedding_multiplier"});
    k.copyReal("residual_scale", {"residual_multiplier"});
    k.copyReal("logit_scale", {"logits_scaling"});
    k.copy("expert_shared_feed_forward_length", {"shared_intermediate_size"});
    k.flag("rope.scaling.finetuned", k.find({"position_embedding_type"}) == "rope");
}

bool withoutExperts(const JsonKeys &keys)
{
    return keys.optional("num_local_experts", 0, 0, 1 << 24) == 0;
}

void nemotronHKeys(KeyWriter &k)
{
    nlohmann::json config = k.withoutKeyHeads();
    config["num_hidden_layers"] = k.kindsOf("layers_block_type").size();
    config.erase("intermediate_size");
    KeyWriter keys = k.with(config);
    keys.sizes();
    k.copyReal("attention.layer_norm_epsilon", {"layer_norm_epsilon"}); // what llama.cpp reads
    k.copyReal("attention.layer_norm_rms_epsilon", {"layer_norm_epsilon"});
    k.ofKinds("attention.head_count_kv", "layers_block_type", k.number({"num_key_value_heads"}),
              {"full_attention", "attention"});
    std::vector<std::uint32_t> ffn;
    for (const std::string &type : k.kindsOf("layers_block_type"))
        ffn.push_back(type == "moe"   ? k.number({"moe_intermediate_size"})
                      : type == "mlp" ? k.number({"intermediate_size"})
                                      : 0);
    k.out().u32Array(k.key("feed_forward_length"), ffn);
    k.u32("ssm.conv_kernel", k.number({"conv_kernel"}));
    k.u32("ssm.state_size", k.number({"ssm_state_size"}));
    k.u32("ssm.time_step_rank", k.number({"mamba_num_heads"}));
    k.u32("ssm.group_count", k.number({"n_groups"}));
    k.u32("ssm.inner_size", k.number({"mamba_num_heads"}) * k.number({"mamba_head_dim"}));
    k.u32("attention.key_length", k.headDim());
    k.u32("attention.value_length", k.headDim());
    k.copy("expert_count", {"n_routed_experts"});
    k.copy("expert_used_count", {"num_experts_per_tok"});
    k.copy("expert_feed_forward_length", {"moe_intermediate_size"});
    k.copy("expert_shared_feed_forward_length", {"moe_shared_expert_intermediate_size"});
    k.copy("expert_shared_count", {"n_shared_experts"});
    k.copyFlag("expert_weights_norm", {"norm_topk_prob"});
    k.copyReal("expert_weights_scale", {"routed_scaling_factor"});
    k.copy("expert_group_count", {"n_group"});
}

constexpr std::string_view kBackbone = "backbone.layers.";
constexpr std::array kMambaRules{
    GgufRules{"MambaForCausalLM", "mamba", &mambaKeys, kMamba, kBackbone},
    GgufRules{"JambaForCausalLM", "jamba", &jambaKeys, kJamba},
    GgufRules{"FalconH1ForCausalLM", "falcon-h1", &falconH1Keys, kFalconH1},
    GgufRules{"GraniteMoeHybridForCausalLM", "granitehybrid", &graniteHybridKeys,
              kGraniteHybridDense, "model.layers.", &withoutExperts},
    GgufRules{"GraniteMoeHybridForCausalLM", "granitehybrid", &graniteHybridKeys, kGraniteHybrid},
    GgufRules{"NemotronHForCausalLM", "nemotron_h_moe", &nemotronHKeys, kNemotronH, kBackbone},
};

} // namespace

std::span<const GgufRules> ggufMambaRules()
{
    return kMambaRules;
}

} // namespace fireside
