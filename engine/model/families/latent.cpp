#include "engine/core/error.h"
#include "engine/model/config_source.h"
#include "engine/model/families/families.h"
#include "engine/model/folder_keys.h"
#include "engine/model/gguf_keys.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fireside {
namespace {

void allLatent(Config &c)
{
    for (LayerConfig &l : c.each) {
        l.mixer = Mixer::Latent;
        l.kvHeads = l.heads;
    }
}

/// With YaRN the scores are scaled by the square of its factor for `mscale_all_dim`.
void scaleByYarn(const JsonKeys &keys, Config &c)
{
    const LatentConfig &l = c.latent;
    double scale = 1 / std::sqrt(static_cast<double>(l.plainDim + l.rotaryDim));
    const char *const form = keyOf(keys, {"rope_parameters", "rope_scaling"});
    if (keys.has(form)) {
        const JsonKeys rope = keys.inside(form);
        const std::string type = rope.text(keyOf(rope, {"rope_type", "type"}), "default");
        const double all = rope.real("mscale_all_dim", 0, 0, 1e3);
        if (type != "default" && all != 0) {
            const double factor = yarnAttention(rope.real("factor", 1, 1e-6, 1e6), all);
            scale *= factor * factor;
        }
    }
    c.attentionScale = static_cast<float>(scale);
}

void readDeepSeek2(const JsonKeys &keys, Config &c)
{
    allLatent(c);
    readSharedExperts(keys, c);
    const std::string method = keys.text("topk_method", "greedy");
    if (method == "greedy")
        c.experts.groups = c.experts.usedGroups = 1;
    else if (method != "group_limited_greedy")
        throwUnsupported(keys.where("topk_method") + ": not supported: '" + method + "'");
    scaleByYarn(keys, c);
}

/// Routing of DeepSeek V3, its attention where the file has it.
void readDeepSeek3(const JsonKeys &keys, Config &c)
{
    readSharedExperts(keys, c);
    if (c.latent.rank == 0)
        return;
    allLatent(c);
    scaleByYarn(keys, c);
    if (!keys.flag("rope_interleave", true))
        c.rope.pairing = RopePairing::HalfSplit;
}

void readMiniCpm(const JsonKeys &keys, Config &c)
{
    c.embeddingScale = static_cast<float>(keys.real("scale_emb", 1, 1e-6, kMaxScale));
    c.residualScale = static_cast<float>(keys.real("scale_depth", 1, 1e-6, kMaxScale)) /
                      std::sqrt(static_cast<float>(c.layers));
    c.logitScale = static_cast<float>(
        keys.real("dim_model_base", static_cast<double>(c.hidden), 1, kMaxScale) /
        static_cast<double>(c.hidden));
}

void readMiniCpm3(const JsonKeys &keys, Config &c)
{
    allLatent(c);
    readMiniCpm(keys, c);
}

/// DeepSeek's first mixture has usual attention.
void readDeepSeek1(const JsonKeys &keys, Config &c)
{
    if (c.experts.count == 0)
        return;
    readSharedExperts(keys, c);
    if (keys.optional("moe_layer_freq", 1, 1, kMaxLayers) != 1)
        throwUnsupported(keys.where("moe_layer_freq") +
                         ": not supported: dense layers among the mixtures");
}

/// In a GGUF keys and values have the sizes of the cache; those of heads have keys of their own.
/// Older files have the sizes of heads only.
void readLatentGguf(const GgufKeys &keys, Config &c)
{
    LatentConfig &l = c.latent;
    l.queryRank = keys.optional("attention.q_lora_rank", 0, 0, kMaxHidden);
    l.rank = keys.require("attention.kv_lora_rank", 1, kMaxHidden);
    l.rotaryDim = keys.require("rope.dimension_count", 2, kMaxHeadDim);
    const std::int64_t keyDim =
        keys.optional("attention.key_length_mla", c.headDim, l.rotaryDim + 1, kMaxHeadDim);
    if (keyDim <= l.rotaryDim)
        throwBadInput(keys.where("attention.key_length") + " is " + std::to_string(keyDim) +
                      ", which leaves nothing beside " + std::to_string(l.rotaryDim) +
                      " rotated channels");
    l.plainDim = keyDim - l.rotaryDim;
    const std::int64_t valueDim =
        keys.optional("attention.value_length", c.hidden / c.heads, 1, kMaxHeadDim);
    l.valueDim = keys.optional("attention.value_length_mla", valueDim, 1, kMaxHeadDim);
    allLatent(c);
    c.attentionScale = 1 / std::sqrt(static_cast<float>(keyDim));
}

/// All released models but the newest have the same scales, which older files do not say.
void readMiniCpmGguf(const GgufKeys &keys, Config &c)
{
    const auto scale = [&](const char *key, double missing) {
        return static_cast<float>(keys.real(key, missing, 1e-6, kMaxScale));
    };
    c.embeddingScale = scale("embedding_scale", 12);
    c.residualScale = scale("residual_scale", 1.4 / std::sqrt(static_cast<double>(c.layers)));
    c.logitScale = 1 / scale("logit_scale", static_cast<double>(c.hidden) / 256);
}

void readMiniCpm3Gguf(const GgufKeys &keys, Config &c)
{
    readLatentGguf(keys, c);
    readMiniCpmGguf(keys, c);
}

/// The file's logarithmic multiplier stands for 0.1 · mscale_all_dim, with a like mscale, so that
/// cos and sin keep their size.
void scaleByYarn(const GgufKeys &keys, Config &c)
{
    const double log = keys.real("rope.scaling.yarn_log_multiplier", 0, 0, 1e3);
    if (keys.text("rope.scaling.type") != "yarn" || log == 0)
        return;
    const double factor = 1 + log * std::log(keys.real("rope.scaling.factor", 1, 1, 1e6));
    c.attentionScale *= static_cast<float>(factor * factor);
    c.rope.attentionFactor = 1;
}

/// Early files name no gating function. A bias for choosing came with the sigmoid of DeepSeek V3.
void readDeepSeekGguf(const GgufKeys &keys, Config &c)
{
    readLatentGguf(keys, c);
    scaleByYarn(keys, c);
    const auto &tensors = keys.gguf().tensors();
    const bool biased = std::any_of(tensors.begin(), tensors.end(), [](const GgufTensor &t) {
        return t.name.ends_with(".exp_probs_b.bias");
    });
    ExpertConfig &e = c.experts;
    if (keys.optional("expert_gating_func", 0, 0, 3) == 0)
        e.score = biased ? Routing::Score::Sigmoid : Routing::Score::SoftmaxAll;
    e.choiceBias = biased;
    e.groupByBestTwo = e.score == Routing::Score::Sigmoid;
}

void readDots(const JsonKeys &keys, Config &c)
{
    readSharedExperts(keys, c);
}

void readExaoneMoe(const JsonKeys &keys, Config &c)
{
    readSharedExperts(keys, c);
    for (LayerConfig &l : c.each)
        if (l.window == 0)
            l.rope = RopeUse::None;
}

void readExaoneMoeGguf(const GgufKeys & /*keys*/, Config &c)
{
    for (LayerConfig &l : c.each)
        if (l.window == 0)
            l.rope = RopeUse::None;
}

constexpr std::array kGlm4MoeGgufNames{TensorName{"ffn_norm.", "post_attention_norm."}};
constexpr std::array kExaoneMoeNames{
    TensorName{"exp_probs_b.bias", "mlp.e_score_correction_bias"},
};

constexpr std::array kExaoneMoeDraftNames{
    TensorName{"nextn.eh_proj.", "mtp.fc."},
    TensorName{"nextn.enorm.", "mtp.pre_fc_norm_embedding."},
    TensorName{"nextn.hnorm.", "mtp.pre_fc_norm_hidden."},
    TensorName{"nextn.shared_head_norm.", "mtp.norm."},
};

constexpr std::array kLatentFamilies{
    Family{.name = "deepseek2",
           .transformer = "DeepseekV3ForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .folderPairing = RopePairing::Interleaved,
           .latent = true,
           .score = Routing::Score::Sigmoid,
           .groupByBestTwo = true,
           .choiceBias = true,
           .folder = &readDeepSeek3,
           .gguf = &readDeepSeekGguf},
    Family{.name = "deepseek2",
           .transformer = "DeepseekV2ForCausalLM",
           .folderPairing = RopePairing::Interleaved,
           .latent = true,
           .folder = &readDeepSeek2},
    Family{.name = "deepseek2",
           .transformer = "Glm4MoeLiteForCausalLM",
           .folderPairing = RopePairing::Interleaved,
           .latent = true,
           .mixture = MixtureRule::Always,
           .score = Routing::Score::Sigmoid,
           .groupByBestTwo = true,
           .choiceBias = true,
           .folder = &readDeepSeek3},
    Family{.name = "deepseek",
           .transformer = "DeepseekForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .folder = &readDeepSeek1},
    Family{.name = "minicpm",
           .transformer = "MiniCPMForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .mixture = MixtureRule::Never,
           .folder = &readMiniCpm,
           .gguf = &readMiniCpmGguf},
    Family{.name = "minicpm3",
           .transformer = "MiniCPM3ForCausalLM",
           .latent = true,
           .mixture = MixtureRule::Never,
           .folder = &readMiniCpm3,
           .gguf = &readMiniCpm3Gguf},
    Family{.name = "dots1",
           .transformer = "Dots1ForCausalLM",
           .headNorm = HeadNorm::Each,
           .mixture = MixtureRule::Always,
           .score = Routing::Score::Sigmoid,
           .groupByBestTwo = true,
           .choiceBias = true,
           .folder = &readDots},
    Family{.name = "glm4moe",
           .transformer = "Glm4MoeForCausalLM",
           .mixture = MixtureRule::Always,
           .score = Routing::Score::Sigmoid,
           .groupByBestTwo = true,
           .choiceBias = true,
           .ggufNames = kGlm4MoeGgufNames,
           .folder =
               [](const JsonKeys &keys, Config &c) {
                   readSharedExperts(keys, c);
                   if (keys.flag("use_qk_norm", false))
                       c.headNorm = HeadNorm::Each;
               },
           .gguf =
               [](const GgufKeys &keys, Config &c) {
                   if (keys.gguf().findTensor("blk.0.attn_q_norm.weight") != nullptr)
                       c.headNorm = HeadNorm::Each;
               }},
    Family{.name = "exaone-moe",
           .transformer = "ExaoneMoeForCausalLM",
           .headNorm = HeadNorm::Each,
           .window = WindowRule::ByLayer,
           .windowPeriod = 4,
           .mixture = MixtureRule::Always,
           .score = Routing::Score::Sigmoid,
           .groupByBestTwo = true,
           .choiceBias = true,
           .names = kExaoneMoeNames,
           .draftPrefix = "mtp.layers.",
           .draftNames = kExaoneMoeDraftNames,
           .folder = &readExaoneMoe,
           .gguf = &readExaoneMoeGguf},
};

} // namespace

std::span<const Family> latentFamilies()
{
    return kLatentFamilies;
}

} // namespace fireside
