#include "engine/core/error.h"
#include "engine/model/config_source.h"
#include "engine/model/families/families.h"
#include "engine/model/folder_keys.h"
#include "engine/model/gguf_keys.h"
#include "engine/model/tensor_names.h"

#include <array>
#include <cmath>

namespace fireside {
namespace {

constexpr TensorForm kEvenColumns{.transposed = true, .order = &evenRows, .timesRows = 2};
constexpr TensorForm kOddColumns{.transposed = true, .order = &oddRows, .timesRows = 2};
constexpr TensorForm kEven{.order = &evenRows, .timesRows = 2};
constexpr TensorForm kOdd{.order = &oddRows, .timesRows = 2};
constexpr TensorForm kFirstHalf{.order = &firstRows, .timesRows = 2};
constexpr TensorForm kSecondHalf{.order = &secondRows, .timesRows = 2};

constexpr std::array kGptOssNames{
    TensorName{"ffn_gate_exps.weight", "mlp.experts.gate_up_proj", kEvenColumns},
    TensorName{"ffn_up_exps.weight", "mlp.experts.gate_up_proj", kOddColumns},
    TensorName{"ffn_gate_exps.bias", "mlp.experts.gate_up_proj_bias", kEven},
    TensorName{"ffn_up_exps.bias", "mlp.experts.gate_up_proj_bias", kOdd},
    TensorName{"ffn_down_exps.weight", "mlp.experts.down_proj", {.transposed = true}},
    TensorName{"ffn_down_exps.bias", "mlp.experts.down_proj_bias"},
};
constexpr std::array kGptOssGgufNames{TensorName{"ffn_norm.", "post_attention_norm."}};
constexpr std::array kGraniteMoeNames{
    TensorName{"ffn_gate_inp.", "block_sparse_moe.router.layer."},
    TensorName{"ffn_gate_exps.", "block_sparse_moe.input_linear.", kFirstHalf},
    TensorName{"ffn_up_exps.", "block_sparse_moe.input_linear.", kSecondHalf},
    TensorName{"ffn_down_exps.", "block_sparse_moe.output_linear."},
    TensorName{"ffn_gate_shexp.", "shared_mlp.input_linear.", kFirstHalf},
    TensorName{"ffn_up_shexp.", "shared_mlp.input_linear.", kSecondHalf},
    TensorName{"ffn_down_shexp.", "shared_mlp.output_linear."},
};
constexpr std::array kErnieNames{
    TensorName{"exp_probs_b.bias", "mlp.moe_statics.e_score_correction_bias"},
};
constexpr std::array kErnieDraftNames{
    TensorName{"nextn.eh_proj.", "model.mtp_linear_proj.0."},
    TensorName{"nextn.enorm.", "model.mtp_emb_norm.0."},
    TensorName{"nextn.hnorm.", "model.mtp_hidden_norm.0."},
};
constexpr std::array kHunyuanNames{
    TensorName{"attn_q_norm.", "self_attn.query_layernorm."},
    TensorName{"attn_k_norm.", "self_attn.key_layernorm."},
    TensorName{"ffn_gate_inp.", "mlp.gate.wg."},
};
/// llama.cpp's converter writes the bias for choosing experts without the usual ending.
constexpr std::array kHyV3GgufNames{
    TensorName{"exp_probs_b.bias", "exp_probs_b.bias"},
    TensorName{"exp_probs_b.bias", "exp_probs_b"},
};
constexpr std::array kDbrxNames{
    TensorName{"token_embd.", "transformer.wte."},
    TensorName{"output_norm.", "transformer.norm_f."},
    TensorName{"attn_norm.", "norm_attn_norm.norm_1."},
    TensorName{"attn_qkv.", "norm_attn_norm.attn.Wqkv."},
    TensorName{"attn_output.", "norm_attn_norm.attn.out_proj."},
    TensorName{"ffn_norm.", "norm_attn_norm.norm_2."},
    TensorName{"ffn_gate_inp.", "ffn.router.layer."},
    TensorName{"ffn_gate_exps.weight", "ffn.experts.mlp.w1"},
    TensorName{"ffn_up_exps.weight", "ffn.experts.mlp.v1"},
    TensorName{"ffn_down_exps.weight", "ffn.experts.mlp.w2", {.transposed = true}},
};
constexpr std::array kDbrxGgufNames{TensorName{"ffn_norm.", "attn_output_norm."}};
constexpr std::array kBailingNames{
    TensorName{"token_embd.", "model.word_embeddings."},
    TensorName{"attn_qkv.", "attention.query_key_value."},
    TensorName{"attn_q_norm.", "attention.query_layernorm."},
    TensorName{"attn_k_norm.", "attention.key_layernorm."},
    TensorName{"attn_output.", "attention.dense."},
    TensorName{"exp_probs_b.bias", "mlp.gate.expert_bias"},
};
constexpr std::array kAfmoeNames{
    TensorName{"post_attention_norm.", "post_attention_layernorm."},
    TensorName{"ffn_norm.", "pre_mlp_layernorm."},
    TensorName{"post_ffw_norm.", "post_mlp_layernorm."},
};

void readGptOss(const JsonKeys &keys, Config &c)
{
    c.attentionBias = keys.flag("attention_bias", true);
    c.activation = Activation::ClampedSwiGlu;
    constexpr double kLimit = 7; // of the activation
    if (const double limit = keys.real("swiglu_limit", kLimit, 0, kMaxScale); limit != kLimit)
        throwUnsupported(keys.where("swiglu_limit") + ": not supported: " + std::to_string(limit));
    c.sinks = true;
}

/// Files do not say that YaRN's ramp ends between pairs.
void readGptOssGguf(const GgufKeys &keys, Config &c)
{
    c.activation = Activation::ClampedSwiGlu;
    c.sinks = true;
    requireGating(keys, c, Routing::Score::SoftmaxChosen);
    c.experts.normalize = false;
    RopeSettings rope = readGgufRope(keys, c);
    rope.truncate = false;
    c.rope = makeRope(rope, RopePairing::HalfSplit);
}

void readGraniteMoe(const JsonKeys &keys, Config &c)
{
    readMultipliers(keys, c);
    c.experts.sharedFfn = keys.optional("shared_intermediate_size", 0, 0, kMaxFfn);
}

void readGraniteMoeGguf(const GgufKeys &keys, Config &c)
{
    c.logitScale = 1 / static_cast<float>(keys.real("logit_scale", 1, 1e-6, kMaxScale));
    readRopeSwitch(keys, c);
    if (c.experts.score == Routing::Score::SoftmaxAll) // and normalised: the same
        c.experts.score = Routing::Score::SoftmaxChosen;
    requireGating(keys, c, Routing::Score::SoftmaxChosen);
}

/// Layers from `moe_layer_start_index` to `moe_layer_end_index`, every `moe_layer_interval`-th.
void readErnieMoe(const JsonKeys &keys, Config &c)
{
    readSharedExperts(keys, c);
    const std::int64_t first = keys.optional("moe_layer_start_index", 1, 0, kMaxLayers);
    const std::int64_t last = keys.optional("moe_layer_end_index", -1, -1, kMaxLayers);
    const std::int64_t step = keys.optional("moe_layer_interval", 1, 1, kMaxLayers);
    for (std::int64_t i = 0; i < c.layers; ++i)
        if (i < first || (last >= 0 && i > last) || (i + 1) % step != 0)
            c.layer(i).feedForward = FeedForward::Gated;
}

void readErnieMoeGguf(const GgufKeys &keys, Config &c)
{
    const std::int64_t step = keys.optional("interleave_moe_layer_step", 1, 1, kMaxLayers);
    for (std::int64_t i = 0; i < c.layers; ++i)
        if ((i + 1) % step != 0)
            c.layer(i).feedForward = FeedForward::Gated;
}

void readHunyuanMoe(const JsonKeys &keys, Config &c)
{
    const auto number = [&](const char *key, std::int64_t missing, std::int64_t high) {
        return keys.has(key) ? sameForAll(keys, key, 1, high) : missing;
    };
    c.experts.ffn = number("moe_intermediate_size", c.ffn, kMaxFfn);
    c.experts.sharedFfn = c.ffn * number("num_shared_expert", 1, kMaxExperts);
}

/// Dense layers are those without a router.
void readHyV3Gguf(const GgufKeys &keys, Config &c)
{
    for (std::int64_t i = 0; i < c.layers; ++i) {
        const std::string router = "blk." + std::to_string(i) + ".ffn_gate_inp.weight";
        if (keys.gguf().findTensor(router) == nullptr)
            c.layer(i).feedForward = FeedForward::Gated;
    }
    if (c.experts.sharedFfn == 0)
        c.experts.sharedFfn = c.experts.ffn;
}

void readDbrx(const JsonKeys &keys, Config &c)
{
    c.clampQkv = static_cast<float>(keys.real("clip_qkv", 0, 0, kMaxScale));
    c.experts.normalize = keys.real("moe_normalize_expert_weights", 0, 0, 1) == 1;
    if (!keys.has("ffn_act_fn"))
        return;
    const JsonKeys act = keys.inside("ffn_act_fn");
    c.activation = activationOf(act, "name", Activation::SiLU);
}

/// Ling 1
void readBailing(const JsonKeys &keys, Config &c)
{
    readSharedExperts(keys, c);
    if (keys.flag("norm_head", false))
        c.outputForm = OutputForm::UnitColumns;
}

void readAfmoe(const JsonKeys &keys, Config &c)
{
    readSharedExperts(keys, c);
    c.attentionGate = AttentionGate::Own;
    if (keys.flag("mup_enabled", false))
        c.embeddingScale = std::sqrt(static_cast<float>(c.hidden));
    for (LayerConfig &l : c.each)
        if (l.window == 0)
            l.rope = RopeUse::None;
}

void readAfmoeGguf(const GgufKeys & /*keys*/, Config &c)
{
    c.attentionGate = AttentionGate::Own;
    c.embeddingScale = std::sqrt(static_cast<float>(c.hidden));
    for (LayerConfig &l : c.each)
        if (l.window == 0)
            l.rope = RopeUse::None;
}

constexpr std::array kMixtureFamilies{
    Family{.name = "gpt-oss",
           .transformer = "GptOssForCausalLM",
           .headDim = 64,
           .normEps = 1e-5,
           .window = WindowRule::ByLayer,
           .windowMissing = 128,
           .windowPeriod = 2,
           .mixture = MixtureRule::Always,
           .wideExperts = true,
           .score = Routing::Score::SoftmaxChosen,
           .names = kGptOssNames,
           .ggufNames = kGptOssGgufNames,
           .folder = &readGptOss,
           .gguf = &readGptOssGguf},
    Family{.name = "granitemoe",
           .transformer = "GraniteMoeForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .mixture = MixtureRule::Always,
           .wideExperts = true,
           .score = Routing::Score::SoftmaxChosen,
           .names = kGraniteMoeNames,
           .folder = &readGraniteMoe,
           .gguf = &readGraniteMoeGguf},
    Family{.name = "ernie4_5-moe",
           .transformer = "Ernie4_5_MoeForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .folderPairing = RopePairing::Interleaved,
           .mixture = MixtureRule::Always,
           .expertsNormalize = true,
           .ggufNormalize = true,
           .names = kErnieNames,
           .draftPrefix = "model.mtp_block.",
           .draftNames = kErnieDraftNames,
           .folder = &readErnieMoe,
           .gguf = &readErnieMoeGguf},
    Family{.name = "hunyuan-moe",
           .transformer = "HunYuanMoEV1ForCausalLM",
           .headNorm = HeadNorm::Each,
           .headNormAfterRope = true,
           .mixture = MixtureRule::Always,
           .wideExperts = true,
           .expertsNormalize = true,
           .ggufNormalize = true,
           .names = kHunyuanNames,
           .folder = &readHunyuanMoe},
    Family{.name = "hy_v3",
           .transformer = "HYV3ForCausalLM",
           .headNorm = HeadNorm::Each,
           .mixture = MixtureRule::Always,
           .expertsNormalize = true,
           .score = Routing::Score::Sigmoid,
           .choiceBias = true,
           .ggufNames = kHyV3GgufNames,
           .folder = &readSharedExperts,
           .gguf = &readHyV3Gguf},
    Family{.name = "minimax-m2",
           .transformer = "MiniMaxM2ForCausalLM",
           .headNorm = HeadNorm::Row,
           .mixture = MixtureRule::Always,
           .wideExperts = true,
           .expertsNormalize = true,
           .ggufNormalize = true,
           .score = Routing::Score::Sigmoid,
           .choiceBias = true},
    Family{.name = "dbrx",
           .transformer = "DbrxForCausalLM",
           .norm = NormKind::Layer,
           .normEps = 1e-5,
           .mixture = MixtureRule::Always,
           .wideExperts = true,
           .ggufNormalize = true,
           .names = kDbrxNames,
           .ggufNames = kDbrxGgufNames,
           .layerPrefix = "transformer.blocks.",
           .folder = &readDbrx},
    Family{.name = "bailingmoe", // Ling 1
           .transformer = "BailingMoeForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .mixture = MixtureRule::Always,
           .names = kBailingNames,
           .folder = &readBailing},
    Family{.name = "bailingmoe2", // Ling and Ring 2
           .transformer = "BailingMoeV2ForCausalLM",
           .headNorm = HeadNorm::Each,
           .mixture = MixtureRule::Always,
           .expertsNormalize = true,
           .ggufNormalize = true,
           .score = Routing::Score::Sigmoid,
           .groupByBestTwo = true,
           .choiceBias = true,
           .names = kBailingNames,
           .folder = &readSharedExperts},
    Family{.name = "olmoe",
           .transformer = "OlmoeForCausalLM",
           .normEps = 1e-5,
           .headNorm = HeadNorm::Row,
           .mixture = MixtureRule::Always,
           .wideExperts = true,
           .folder =
               [](const JsonKeys &keys, Config &c) {
                   c.clampQkv = static_cast<float>(keys.real("clip_qkv", 0, 0, kMaxScale));
                   c.clampAfterNorm = true;
               },
           .gguf = [](const GgufKeys & /*keys*/, Config &c) { c.clampAfterNorm = true; }},
    Family{.name = "afmoe",
           .transformer = "AfmoeForCausalLM",
           .normPlaces = NormPlaces::Around,
           .normEps = 1e-5,
           .headNorm = HeadNorm::Each,
           .window = WindowRule::ByLayer,
           .windowPeriod = 4,
           .mixture = MixtureRule::Always,
           .expertsNormalize = true,
           .ggufNormalize = true,
           .score = Routing::Score::Sigmoid,
           .choiceBias = true,
           .names = kAfmoeNames,
           .folder = &readAfmoe,
           .gguf = &readAfmoeGguf},
};

} // namespace

std::span<const Family> mixtureFamilies()
{
    return kMixtureFamilies;
}

} // namespace fireside
