#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/config_source.h"
#include "engine/model/gguf_keys.h"
#include "engine/model/pooling_config.h"
#include "engine/model/unread_settings.h"

#include <algorithm>
#include <array>

namespace fireside {
namespace {

float positive(const GgufKeys &keys, const char *key, double fallback)
{
    const double value = keys.real(key, fallback, 0, kMaxScale);
    return static_cast<float>(value == 0 ? fallback : value);
}

/// Families whose files name no gating function have the one that their makers' code has.
void readGating(const GgufKeys &keys, ExpertConfig &e)
{
    using Score = Routing::Score;
    constexpr std::array kScores{Score::SoftmaxAll, Score::Sigmoid, Score::SoftmaxChosen};
    const std::int64_t number = keys.optional("expert_gating_func", 0, 0, 1 << 16);
    if (number > std::ssize(kScores))
        throwUnsupported(keys.where("expert_gating_func") +
                         ": not supported: " + std::to_string(number));
    if (number > 0)
        e.score = kScores[static_cast<std::size_t>(number - 1)];
}

void readExperts(const GgufKeys &keys, const Family &family, Config &c)
{
    ExpertConfig &e = c.experts;
    if (family.mixture == MixtureRule::Always)
        e.count = keys.require("expert_count", 1, kMaxExperts);
    else if (family.mixture == MixtureRule::WhereCounted)
        e.count = keys.optional("expert_count", 0, 0, kMaxExperts);
    if (e.count == 0)
        return;
    e.used = keys.require("expert_used_count", 1, e.count);
    const char *const width = "expert_feed_forward_length";
    const auto widths = keys.perLayer(width, c.layers, 0, kMaxFfn);
    e.ffn = widths.empty() ? 0 : *std::max_element(widths.begin(), widths.end());
    if (e.ffn == 0)
        e.ffn = family.wideExperts ? c.ffn : keys.require(width, 1, kMaxFfn);
    if (std::any_of(widths.begin(), widths.end(),
                    [&](std::int64_t n) { return n != 0 && n != e.ffn; }))
        throwUnsupported(keys.where(width) + ": not supported: layers of different width");
    e.normalize = keys.flag("expert_weights_norm", family.ggufNormalize);
    e.scale = positive(keys, "expert_weights_scale", 1);
    readGating(keys, e);
    const auto groups = [&](const char *key, std::int64_t high) {
        return std::max<std::int64_t>(keys.optional(key, 1, 0, high), 1);
    };
    e.groups = groups("expert_group_count", e.count);
    e.usedGroups = groups("expert_group_used_count", e.groups);
    e.sharedFfn = e.ffn * keys.optional("expert_shared_count", 0, 0, kMaxExperts);
    e.sharedFfn = keys.optional("expert_shared_feed_forward_length", e.sharedFfn, 0, kMaxFfn);
}

/// Sliding windows: of `windowPeriod` layers the last looks back over everything, unless the file
/// says it for each.
void readWindows(const GgufKeys &keys, const Family &family, Config &c)
{
    if (family.windowPeriod == 0 && family.window == WindowRule::None)
        return;
    const bool listed = keys.isArray("attention.sliding_window_pattern");
    if (!listed && family.window == WindowRule::Switched)
        return; // the file does not say that it is on
    const std::int64_t window = keys.optional("attention.sliding_window", 0, 0, kMaxContext);
    if (window == 0)
        return;
    std::int64_t period = family.windowPeriod;
    if (!listed)
        period = keys.optional("attention.sliding_window_pattern", period, 0, kMaxLayers);
    const auto list = listed ? keys.perLayer("attention.sliding_window_pattern", c.layers, 0, 1)
                             : std::vector<std::int64_t>{};
    for (std::int64_t i = 0; i < c.layers; ++i) {
        const bool slides = listed        ? list[static_cast<std::size_t>(i)] != 0
                            : period == 0 ? true
                                          : (i + 1) % period != 0;
        if (slides)
            c.layer(i).window = window;
    }
}

void readHeads(const GgufKeys &keys, Config &c)
{
    const auto heads = keys.perLayer("attention.head_count", c.layers, 0, kMaxHeads);
    const auto kvHeads = keys.perLayer("attention.head_count_kv", c.layers, 0, kMaxHeads);
    const auto largest = [](const std::vector<std::int64_t> &list) {
        return list.empty() ? 0 : *std::max_element(list.begin(), list.end());
    };
    c.heads = heads.empty() ? keys.require("attention.head_count", 1, kMaxHeads) : largest(heads);
    if (c.heads < 1)
        throwBadInput(keys.where("attention.head_count") + " is 0");
    // A list without any is that of a model whose layers are all recurrent.
    const bool none = keys.isArray("attention.head_count_kv") && largest(kvHeads) == 0;
    c.kvHeads = kvHeads.empty() || none ? c.heads : largest(kvHeads);
    if (c.kvHeads < 1 || c.kvHeads > c.heads)
        throwBadInput(keys.where("attention.head_count_kv") + " is " + std::to_string(c.kvHeads) +
                      ", expected 1 to " + std::to_string(c.heads));
    c.headDim = keys.optional("attention.key_length", 0, 0, kMaxHeadDim);
    checkHeads(c, keys.where("attention.head_count"), keys.where("attention.head_count_kv"),
               keys.where("attention.key_length"));
}

/// What differs from layer to layer in the same keys.
void readLayers(const GgufKeys &keys, Config &c)
{
    fillLayers(c);
    const auto heads = keys.perLayer("attention.head_count", c.layers, 0, kMaxHeads);
    const auto kvHeads = keys.perLayer("attention.head_count_kv", c.layers, 0, kMaxHeads);
    const auto ffn = keys.perLayer("feed_forward_length", c.layers, 0, kMaxFfn);
    const std::int64_t dense = keys.optional("leading_dense_block_count", 0, 0, c.layers);
    for (std::int64_t i = 0; i < c.layers; ++i) {
        const auto at = static_cast<std::size_t>(i);
        LayerConfig &l = c.layer(i);
        if (!heads.empty() && heads[at] > 0)
            l.heads = heads[at];
        if (!kvHeads.empty() && kvHeads[at] > 0)
            l.kvHeads = kvHeads[at];
        if (!ffn.empty() && ffn[at] > 0)
            l.ffn = ffn[at];
        if (i < dense)
            l.feedForward = FeedForward::Gated;
    }
}

/// Some files have the other norm's key.
float normEpsOf(const GgufKeys &keys, NormKind kind)
{
    const char *own = "attention.layer_norm_epsilon";
    const char *other = "attention.layer_norm_rms_epsilon";
    if (kind == NormKind::Rms)
        std::swap(own, other);
    return static_cast<float>(keys.real(keys.has(own) ? own : other, 1e-5, 1e-15, 1.0));
}

/// Matrices with a factor beside them, as in some files of BitNet. Those of NVFP4 have become parts
/// of their matrices.
void refuseScales(const ModelFile &file)
{
    constexpr std::array kScaled{"attn_q",   "attn_k",        "attn_v",      "attn_qkv",
                                 "ffn_gate", "ffn_up",        "attn_output", "ffn_down",
                                 "output",   "ffn_gate_exps", "ffn_up_exps"};
    for (const ModelTensor &t : file.tensors())
        for (const char *matrix : kScaled)
            if (t.name.ends_with(std::string(matrix) + ".scale"))
                throwUnsupported(file.path().string() + ": tensor " +
                                 fireside::quoted(std::string(t.name)) +
                                 ": not supported: a factor of a matrix");
}

} // namespace

Config readGgufConfig(const ModelFile &file, const Gguf &gguf, const Family &family)
{
    Config c;
    applyFamily(family, c);
    const GgufKeys keys(gguf, c.architecture);

    c.layers = keys.require("block_count", 1, kMaxLayers);
    // Heads for drafting are stored as further layers.
    c.layers -= keys.optional("nextn_predict_layers", 0, 0, c.layers - 1);
    c.hidden = keys.require("embedding_length", 1, kMaxHidden);
    if (!family.withoutAttention)
        readHeads(keys, c);
    c.contextTrained = keys.require("context_length", 1, kMaxContext);
    c.normEps = normEpsOf(keys, family.norm);
    // A pure mixture may leave out the width of the plain feed-forward it does not have.
    const auto ffn = keys.perLayer("feed_forward_length", c.layers, 0, kMaxFfn);
    c.ffn = ffn.empty() ? 0 : *std::max_element(ffn.begin(), ffn.end());
    if (c.ffn < 1 && !family.withoutAttention &&
        (family.mixture != MixtureRule::Always || family.wideExperts))
        c.ffn = keys.require("feed_forward_length", 1, kMaxFfn);
    readExperts(keys, family, c);
    c.embeddingScale = positive(keys, "embedding_scale", 1);
    c.residualScale = positive(keys, "residual_scale", 1);
    c.attentionScale = positive(keys, "attention.scale", 0);
    c.attentionSoftcap = positive(keys, "attn_logit_softcapping", 0);
    c.logitSoftcap = positive(keys, "final_logit_softcapping", 0);
    c.alibiMaxBias = positive(keys, "attention.max_alibi_bias", 0);
    c.clampQkv = positive(keys, "attention.clamp_kqv", 0);
    c.vocabulary = vocabularyOf(file);
    keys.optional("vocab_size", c.vocabulary, 1, kMaxVocabulary); // the embedding has the word
    c.tiedOutput = gguf.findTensor("output.weight") == nullptr;
    readLayers(keys, c);
    readWindows(keys, family, c);
    if (!family.withoutAttention)
        setRope(readGgufRope(keys, c), family.ggufPairing, c);
    for (LayerConfig &l : c.each) {
        l.rope = family.rope;
        l.mixer = family.mixer;
        if (l.feedForward == FeedForward::Gated)
            l.feedForward = family.feedForward;
    }
    if (family.gguf)
        family.gguf(keys, c);
    readPooling(keys, c);
    refuseScales(file);
    if (keys.optional("attention.value_length", c.headDim, 1, kMaxHeadDim) != c.headDim &&
        c.latent.rank == 0)
        throwUnsupported(keys.where("attention.value_length") +
                         ": not supported: keys and values of different size");
    refuseUnreadSettings(keys, c);
    return c;
}

} // namespace fireside
