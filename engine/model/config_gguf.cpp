#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/config_source.h"
#include "engine/model/gguf_keys.h"

#include <algorithm>
#include <cmath>

namespace fireside {
namespace {

/// One divisor per pair of channels, in a tensor; empty where there is none.
std::vector<float> divisorsOf(const Gguf &gguf, const char *name, std::int64_t pairs)
{
    const GgufTensor *factors = gguf.findTensor(name);
    if (factors == nullptr)
        return {};
    const std::string where = gguf.path().string() + ": tensor " + fireside::quoted(name);
    if (factors->dtype != DType::F32 || factors->dims[0] != static_cast<std::uint64_t>(pairs))
        throwBadInput(where + " is not F32 [" + std::to_string(pairs) + ']');
    std::vector<float> divisors = floatsOf(factors->bytes);
    for (const float divisor : divisors)
        if (!(divisor > 0 && std::isfinite(divisor)))
            throwBadInput(where + " holds " + std::to_string(divisor) +
                          ", expected positive numbers");
    return divisors;
}

/// Llama 3.1 and later store one set of divisors; LongRoPE (Phi 3) two.
void readDivisors(const Gguf &gguf, RopeSettings &s)
{
    const std::int64_t pairs = s.rotary / 2;
    s.divisors = divisorsOf(gguf, "rope_freqs.weight", pairs);
    if (!s.divisors.empty())
        return;
    s.shortDivisors = divisorsOf(gguf, "rope_factors_short.weight", pairs);
    s.divisors = divisorsOf(gguf, "rope_factors_long.weight", pairs);
    if (s.divisors.empty() || s.contextTrained <= s.originalContext)
        s.divisors = s.shortDivisors;
}

RopeSettings readRope(const GgufKeys &keys, const Config &c)
{
    RopeSettings s;
    s.headDim = c.headDim;
    s.rotary = keys.optional("rope.dimension_count", c.headDim, 2, c.headDim);
    if (s.rotary % 2 != 0)
        throwBadInput(keys.where("rope.dimension_count") + " is " + std::to_string(s.rotary) +
                      ", expected an even number");
    s.base = keys.real("rope.freq_base", 10000.0, 1e-3, 1e12);
    s.contextTrained = c.contextTrained;
    const std::string scaling = keys.text("rope.scaling.type");
    // Files older than rope.scaling.* carry the linear factor alone.
    const double oldFactor = keys.real("rope.scale_linear", 1.0, 1e-6, 1e6);
    s.factor = keys.real("rope.scaling.factor", oldFactor, 1e-6, 1e6);
    if (scaling == "yarn")
        s.scaling = RopeSettings::Scaling::Yarn;
    else if (scaling == "linear" || (scaling.empty() && oldFactor != 1.0))
        s.scaling = RopeSettings::Scaling::Linear;
    else if (!scaling.empty() && scaling != "none" && scaling != "longrope")
        throwUnsupported(keys.where("rope.scaling.type") +
                         ": not supported: " + fireside::quoted(scaling));
    s.originalContext =
        keys.optional("rope.scaling.original_context_length", c.contextTrained, 1, kMaxContext);
    // The file's factor comes on top of YaRN's own.
    s.attentionFactor = keys.real("rope.scaling.attn_factor", 1.0, 0.0, 1e3);
    if (s.scaling == RopeSettings::Scaling::Yarn) {
        s.attentionFactor *= yarnAttention(s.factor);
        s.betaFast = keys.real("rope.scaling.yarn_beta_fast", 32, 1e-3, 1e6);
        s.betaSlow = keys.real("rope.scaling.yarn_beta_slow", 1, 1e-3, 1e6);
    }
    readDivisors(keys.gguf(), s);
    return s;
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
    e.ffn = family.wideExperts ? c.ffn : keys.require("expert_feed_forward_length", 1, kMaxFfn);
    e.normalize = keys.flag("expert_weights_norm", family.ggufNormalize);
    e.scale = static_cast<float>(keys.real("expert_weights_scale", 1, 0, kMaxScale));
    if (e.scale == 0)
        e.scale = 1;
    switch (keys.optional("expert_gating_func", 0, 0, 3)) {
    case 1:
        e.score = Routing::Score::SoftmaxAll;
        break;
    case 2:
        e.score = Routing::Score::Sigmoid;
        break;
    case 3:
        e.score = Routing::Score::SoftmaxChosen;
        break;
    default:
        break;
    }
    e.groups = keys.optional("expert_group_count", 1, 1, e.count);
    e.usedGroups = keys.optional("expert_group_used_count", 1, 1, e.groups);
    if (const auto shared = keys.optional("expert_shared_count", 0, 0, kMaxExperts); shared > 0)
        e.sharedFfn = shared * e.ffn;
    e.sharedFfn = keys.optional("expert_shared_feed_forward_length", e.sharedFfn, 0, kMaxFfn);
}

/// Sliding windows: of `windowPeriod` layers the last looks back over everything, unless the file
/// says it for each.
void readWindows(const GgufKeys &keys, const Family &family, Config &c)
{
    const std::int64_t window = keys.optional("attention.sliding_window", 0, 0, kMaxContext);
    if (window == 0 || (family.windowPeriod == 0 && family.window == WindowRule::None))
        return;
    std::int64_t period = family.windowPeriod;
    const bool listed = keys.isArray("attention.sliding_window_pattern");
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
    c.kvHeads = kvHeads.empty() ? c.heads : largest(kvHeads);
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

float positive(const GgufKeys &keys, const char *key, double fallback)
{
    const double value = keys.real(key, fallback, 0, kMaxScale);
    return static_cast<float>(value == 0 ? fallback : value);
}

} // namespace

Config readGgufConfig(const ModelFile &file, const Gguf &gguf, const Family &family)
{
    Config c;
    applyFamily(family, c);
    const GgufKeys keys(gguf, c.architecture);

    c.layers = keys.require("block_count", 1, kMaxLayers);
    // Heads for drafting are stored as further layers.
    if (const auto drafts = keys.optional("nextn_predict_layers", 0, 0, c.layers - 1); drafts > 0)
        c.layers -= drafts;
    c.hidden = keys.require("embedding_length", 1, kMaxHidden);
    readHeads(keys, c);
    c.contextTrained = keys.require("context_length", 1, kMaxContext);
    const char *const eps = family.norm == NormKind::Layer ? "attention.layer_norm_epsilon"
                                                           : "attention.layer_norm_rms_epsilon";
    c.normEps = static_cast<float>(keys.real(eps, 1e-5, 1e-12, 1.0));
    // A pure mixture may leave out the width of the plain feed-forward it does not have.
    const auto ffn = keys.perLayer("feed_forward_length", c.layers, 0, kMaxFfn);
    c.ffn = ffn.empty() ? 0 : *std::max_element(ffn.begin(), ffn.end());
    if (c.ffn < 1 && (family.mixture != MixtureRule::Always || family.wideExperts))
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
    setRope(readRope(keys, c), family.ggufPairing, c);
    for (LayerConfig &l : c.each) {
        l.rope = family.rope;
        if (l.feedForward == FeedForward::Gated)
            l.feedForward = family.feedForward;
    }
    if (family.gguf)
        family.gguf(keys, c);
    if (keys.optional("attention.value_length", c.headDim, 1, kMaxHeadDim) != c.headDim &&
        c.latent.rank == 0)
        throwUnsupported(keys.where("attention.value_length") +
                         ": not supported: keys and values of different size");
    return c;
}

} // namespace fireside
