#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/model/config_source.h"
#include "engine/model/families/families.h"
#include "engine/model/families/recurrent_keys.h"
#include "engine/model/tensor_names.h"

#include <algorithm>
#include <array>

// Attention in some layers, a gated delta rule in the others.
namespace fireside {
namespace {

/// Stored for each head of keys together (its q, k, values and gates), wanted as all q, all k, all
/// values, all gates.
std::int64_t qkvzByKeyHead(std::int64_t row, std::int64_t /*rows*/, const Config &c)
{
    const DeltaConfig &d = c.delta;
    const std::int64_t values = d.heads / d.keyHeads * d.valueDim; // of one head of keys
    const std::int64_t each = 2 * d.keyDim + 2 * values;
    if (row < 2 * d.keyWidth()) {
        const std::int64_t part = row / d.keyWidth(), at = row % d.keyWidth();
        return at / d.keyDim * each + part * d.keyDim + at % d.keyDim;
    }
    row -= 2 * d.keyWidth();
    const std::int64_t part = row / d.valueWidth(), at = row % d.valueWidth();
    return at / values * each + 2 * d.keyDim + part * values + at % values;
}

/// Stored for each head of keys together (its rates and decays), wanted as all rates, all decays.
std::int64_t ratesByKeyHead(std::int64_t row, std::int64_t /*rows*/, const Config &c)
{
    const DeltaConfig &d = c.delta;
    const std::int64_t group = d.heads / d.keyHeads, part = row / d.heads, at = row % d.heads;
    return at / group * 2 * group + part * group + at % group;
}

constexpr TensorForm kPlusOne{.values = TensorForm::Values::PlusOne};

constexpr std::array kQwenNextNames{
    TensorName{"output_norm.", "model.norm.", kPlusOne},
    TensorName{"attn_norm.", "input_layernorm.", kPlusOne},
    TensorName{"ffn_norm.", "post_attention_layernorm.", kPlusOne},
    TensorName{"attn_q_norm.", "self_attn.q_norm.", kPlusOne},
    TensorName{"attn_k_norm.", "self_attn.k_norm.", kPlusOne},
    TensorName{"attn_qkv_gate.", "linear_attn.in_proj_qkvz.", {.order = &qkvzByKeyHead}},
    TensorName{"ssm_ba.", "linear_attn.in_proj_ba.", {.order = &ratesByKeyHead}},
};
constexpr std::array kQwenNextDraftNames{
    TensorName{"nextn.eh_proj.", "mtp.fc."},
    TensorName{"nextn.enorm.", "mtp.pre_fc_norm_embedding.", kPlusOne},
    TensorName{"nextn.hnorm.", "mtp.pre_fc_norm_hidden.", kPlusOne},
    TensorName{"nextn.shared_head_norm.", "mtp.norm.", kPlusOne},
};
constexpr std::array kQwenNextGgufNames{
    TensorName{"ffn_norm.", "post_attention_norm."},
    TensorName{"ssm_ba.", "ssm_ba.", {.order = &ratesByKeyHead}},
    TensorName{"attn_qkv_gate.", "ssm_in.", {.order = &qkvzByKeyHead}},
};
constexpr std::array kOlmoHybridNames{
    TensorName{"attn_norm.", "attention_layer_norm."},
    TensorName{"post_attention_norm.", "feedforward_layer_norm."},
    TensorName{"post_attention_norm.", "post_attention_layernorm."},
    TensorName{"ffn_norm.", "feedforward_layer_norm."},
    TensorName{"post_ffw_norm.", "post_feedforward_layernorm."},
};
constexpr std::array kKimiNames{
    TensorName{"ffn_gate.", "block_sparse_moe.gate_proj."},
    TensorName{"ffn_up.", "block_sparse_moe.up_proj."},
    TensorName{"ffn_down.", "block_sparse_moe.down_proj."},
    TensorName{"ffn_gate_shexp.", "block_sparse_moe.shared_experts.gate_proj."},
    TensorName{"ffn_up_shexp.", "block_sparse_moe.shared_experts.up_proj."},
    TensorName{"ffn_down_shexp.", "block_sparse_moe.shared_experts.down_proj."},
};

void readQwenNext(const JsonKeys &keys, Config &c)
{
    requireSilu(keys, "hidden_act");
    readDelta(keys, c);
    readMixers(keys, Mixer::DeltaNet, c);
    c.attentionGate = AttentionGate::InQuery;
    if (c.experts.count == 0)
        return;
    c.experts.normalize = keys.flag("norm_topk_prob", true);
    c.experts.sharedFfn = keys.optional("shared_expert_intermediate_size", 512, 1, kMaxFfn);
    c.experts.sharedGate = true;
}

void readDeltaGguf(const GgufKeys &keys, Config &c)
{
    DeltaConfig &d = c.delta;
    c.taps = keys.require("ssm.conv_kernel", 1, kMaxTaps);
    d.keyDim = keys.require("ssm.state_size", 1, kMaxHeadDim);
    d.keyHeads = keys.require("ssm.group_count", 1, kMaxHeads);
    d.heads = keys.require("ssm.time_step_rank", 1, kMaxHeads);
    d.valueDim = keys.require("ssm.inner_size", 1, kMaxFfn) / d.heads;
    d.normEps = c.normEps;
    c.attentionGate = AttentionGate::InQuery;
    c.experts.sharedGate = c.experts.sharedFfn > 0;
    const std::int64_t interval = keys.optional("full_attention_interval", 4, 1, kMaxLayers);
    const auto listed = keys.perLayer("attention.recurrent_layers", c.layers, 0, 1);
    for (std::int64_t i = 0; i < c.layers; ++i) {
        const bool recurrent =
            listed.empty() ? (i + 1) % interval != 0 : listed[static_cast<std::size_t>(i)] != 0;
        if (recurrent)
            c.layer(i).mixer = Mixer::DeltaNet;
    }
}

/// Its heads of values lie so that those of one head of keys are far apart.
void readQwen35Gguf(const GgufKeys &keys, Config &c)
{
    readDeltaGguf(keys, c);
    c.delta.keysInTurn = true;
}

void readOlmoHybrid(const JsonKeys &keys, Config &c)
{
    requireSilu(keys, "hidden_act");
    DeltaConfig &d = c.delta;
    c.taps = keys.optional("linear_conv_kernel_dim", 4, 1, kMaxTaps);
    d.keyHeads = keys.optional("linear_num_key_heads", c.heads, 1, kMaxHeads);
    d.heads = keys.optional("linear_num_value_heads", c.heads, 1, kMaxHeads);
    d.keyDim = keys.optional("linear_key_head_dim", 3 * c.hidden / 4 / d.keyHeads, 1, kMaxHeadDim);
    d.valueDim = keys.optional("linear_value_head_dim", 2 * d.keyDim, 1, kMaxHeadDim);
    d.normEps = 1e-5f;
    d.rateScale = keys.flag("linear_allow_neg_eigval", true) ? 2.0f : 1.0f;
    readMixers(keys, Mixer::DeltaNet, c);
    if (!keys.has("layer_types") && c.layers < 4)
        c.each.back().mixer = Mixer::Attention;
    const bool turns = keys.has("rope_theta") || (keys.has("rope_parameters") &&
                                                  keys.inside("rope_parameters").has("rope_theta"));
    for (LayerConfig &l : c.each) {
        if (!turns)
            l.rope = RopeUse::None;
        if (l.mixer == Mixer::Attention)
            l.normPlaces = NormPlaces::After;
    }
}

/// The numbers of linear layers, and which they are, also in an object of their own, where layers
/// are counted from 1.
void readKimiLinear(const JsonKeys &keys, Config &c)
{
    requireSilu(keys, "hidden_act");
    for (const char *flag : {"mla_use_output_gate", "use_full_rank_output_gate"})
        if (keys.flag(flag, false))
            throwUnsupported(keys.where(flag) + ": not supported");
    for (const char *number : {"attn_res_block_size", "forget_gate_lower_bound"})
        if (keys.real(number, 0, -kMaxScale, kMaxScale) != 0)
            throwUnsupported(keys.where(number) + ": not supported");
    const bool apart = keys.has("linear_attn_config");
    const JsonKeys linear = apart ? keys.inside("linear_attn_config") : keys;
    DeltaConfig &d = c.delta;
    c.taps = linear.optional(apart ? "short_conv_kernel_size" : "linear_conv_kernel_dim", 4, 1,
                             kMaxTaps);
    d.heads = d.keyHeads =
        linear.optional(apart ? "num_heads" : "linear_num_heads", 32, 1, kMaxHeads);
    d.keyDim = d.valueDim =
        linear.optional(apart ? "head_dim" : "linear_head_dim", 128, 1, kMaxHeadDim);
    d.normEps = c.normEps;
    const nlohmann::json *attending = apart ? linear.find("full_attn_layers") : nullptr;
    if (attending != nullptr && !keys.has("layer_types")) {
        for (std::int64_t i = 0; i < c.layers; ++i)
            if (std::find(attending->begin(), attending->end(), i + 1) == attending->end())
                c.layer(i).mixer = Mixer::KimiDelta;
    } else {
        readMixers(keys, Mixer::KimiDelta, c);
    }
    for (LayerConfig &l : c.each)
        if (l.mixer == Mixer::Attention) {
            l.mixer = Mixer::Latent;
            l.kvHeads = l.heads;
        }
    readSharedExperts(keys, c);
    c.experts.normalize = keys.flag(keyOf(keys, {"moe_renormalize", "norm_topk_prob"}), true);
    c.experts.scale = static_cast<float>(keys.real("routed_scaling_factor", 2.446, 0, kMaxScale));
    if (!keys.has("num_shared_experts") && !keys.has("n_shared_experts"))
        c.experts.sharedFfn = c.experts.ffn;
    if (!keys.has("mlp_layer_types") && !keys.has("first_k_dense_replace"))
        c.layer(0).feedForward = FeedForward::Gated;
}

void readKimiLinearGguf(const GgufKeys &keys, Config &c)
{
    DeltaConfig &d = c.delta;
    c.taps = keys.require("ssm.conv_kernel", 1, kMaxTaps);
    d.keyDim = d.valueDim = keys.require("kda.head_dim", 1, kMaxHeadDim);
    d.heads = d.keyHeads = c.heads;
    d.normEps = c.normEps;
    LatentConfig &l = c.latent;
    l.queryRank = keys.optional("attention.q_lora_rank", 0, 0, kMaxHidden);
    l.rank = keys.require("attention.kv_lora_rank", 1, kMaxHidden);
    l.rotaryDim = keys.require("rope.dimension_count", 2, kMaxHeadDim);
    l.plainDim =
        keys.require("attention.key_length_mla", l.rotaryDim + 1, kMaxHeadDim) - l.rotaryDim;
    l.valueDim = keys.require("attention.value_length_mla", 1, kMaxHeadDim);
    c.experts.groupByBestTwo = true;
    readRecurrentLayersGguf(keys, Mixer::KimiDelta, c);
    for (LayerConfig &layer : c.each)
        if (layer.mixer == Mixer::Attention) {
            layer.mixer = Mixer::Latent;
            layer.kvHeads = layer.heads;
        }
}

constexpr std::array kDeltaFamilies{
    Family{.name = "qwen3next",
           .transformer = "Qwen3NextForCausalLM",
           .headDim = 256,
           .headNorm = HeadNorm::Each,
           .mixture = MixtureRule::Always,
           .ggufNormalize = true,
           .names = kQwenNextNames,
           .ggufNames = kQwenNextGgufNames,
           .draftPrefix = "mtp.layers.",
           .draftNames = kQwenNextDraftNames,
           .folder = &readQwenNext,
           .gguf = &readDeltaGguf},
    Family{.name = "qwen35",
           .transformer = "Qwen3_5ForCausalLM",
           .headDim = 256,
           .headNorm = HeadNorm::Each,
           .mixture = MixtureRule::Never,
           .names = kQwenNextNames,
           .ggufNames = kQwenNextGgufNames,
           .draftPrefix = "mtp.layers.",
           .draftNames = kQwenNextDraftNames,
           .folder = &readQwenNext,
           .gguf = &readQwen35Gguf},
    Family{.name = "qwen35moe",
           .transformer = "Qwen3_5MoeForCausalLM",
           .headDim = 256,
           .headNorm = HeadNorm::Each,
           .mixture = MixtureRule::Always,
           .ggufNormalize = true,
           .names = kQwenNextNames,
           .ggufNames = kQwenNextGgufNames,
           .draftPrefix = "mtp.layers.",
           .draftNames = kQwenNextDraftNames,
           .folder = &readQwenNext,
           .gguf = &readQwen35Gguf},
    Family{.name = "olmo-hybrid",
           .transformer = "OlmoHybridForCausalLM",
           .headNorm = HeadNorm::Row,
           .mixture = MixtureRule::Never,
           .names = kOlmoHybridNames,
           .folder = &readOlmoHybrid},
    Family{.name = "kimi-linear",
           .transformer = "KimiLinearForCausalLM",
           .rope = RopeUse::None,
           .normEps = 1e-5,
           .latent = true,
           .mixture = MixtureRule::Always,
           .ggufNormalize = true,
           .score = Routing::Score::Sigmoid,
           .groupByBestTwo = true,
           .choiceBias = true,
           .names = kKimiNames,
           .folder = &readKimiLinear,
           .gguf = &readKimiLinearGguf},
};

} // namespace

std::span<const Family> deltaFamilies()
{
    return kDeltaFamilies;
}

} // namespace fireside
