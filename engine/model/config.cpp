#include "engine/model/config.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/architectures.h"
#include "engine/model/config_source.h"
#include "engine/model/tensor_names.h"

#include <algorithm>
#include <cmath>

namespace fireside {
namespace {

bool attends(Mixer mixer)
{
    return mixer == Mixer::Attention || mixer == Mixer::Latent ||
           mixer == Mixer::AttentionAndMamba2;
}

/// What does not fit in the numbers of a recurrent mixer; empty: nothing.
std::string wrongRecurrence(const Config &c, Mixer mixer)
{
    const auto heads = [](std::int64_t count, std::int64_t groups, std::int64_t width) {
        const bool fits = count > 0 && groups > 0 && count % groups == 0 && width % count == 0;
        return fits
                   ? std::string()
                   : "has " + std::to_string(count) + " recurrent heads in " +
                         std::to_string(groups) + " groups and a width of " + std::to_string(width);
    };
    if (mixer == Mixer::None || mixer == Mixer::Attention || mixer == Mixer::Latent ||
        mixer == Mixer::Product)
        return {};
    if (c.taps < 1)
        return "has a convolution over " + std::to_string(c.taps) + " tokens";
    const StateSpaceConfig &s = c.stateSpace;
    if (mixer == Mixer::Mamba2 || mixer == Mixer::AttentionAndMamba2) {
        if (s.normGroups < 1 || s.width % s.normGroups != 0)
            return "has norms of " + std::to_string(s.normGroups) + " groups";
        return heads(s.heads, s.groups, s.width);
    }
    if (mixer == Mixer::DeltaNet || mixer == Mixer::KimiDelta)
        return heads(c.delta.heads, c.delta.keyHeads, c.delta.valueWidth());
    return {};
}

} // namespace

AttentionShape Config::attention(std::int64_t index) const
{
    const LayerConfig &l = layer(index);
    AttentionShape shape{.heads = l.heads,
                         .kvHeads = l.kvHeads,
                         .headDim = l.headDim,
                         .scale = attentionScale != 0
                                      ? attentionScale
                                      : 1.0f / std::sqrt(static_cast<float>(l.headDim)),
                         .window = l.window,
                         .softcap = attentionSoftcap,
                         .alibiMaxBias = alibiMaxBias,
                         .alibiScale = alibiScale};
    shape.chunk = l.chunk;
    shape.causal = !encoder;
    if (l.mixer == Mixer::Latent) {
        // The absorbed form: one head of keys that hold the values.
        shape.kvHeads = 1;
        shape.headDim = latent.rank + latent.rotaryDim;
        shape.valueDim = latent.rank;
    }
    return shape;
}

KvShape Config::kv(std::int64_t index) const
{
    const LayerConfig &l = layer(index);
    if (l.mixer == Mixer::Latent)
        return {1, latent.rank + latent.rotaryDim, latent.rank, true};
    if ((l.mixer != Mixer::Attention && l.mixer != Mixer::AttentionAndMamba2) || l.kvFrom >= 0 ||
        encoder)
        return {};
    return {l.kvHeads, l.headDim, l.headDim, false};
}

StateShape Config::state(std::int64_t index) const
{
    const std::int64_t kept = taps - 1;
    switch (layer(index).mixer) {
    case Mixer::None:
    case Mixer::Attention:
    case Mixer::Latent:
    case Mixer::Product:
        break;
    case Mixer::ShortConvolution:
        return {kept * hidden, 0};
    case Mixer::Mamba:
        return {kept * stateSpace.width, stateSpace.width * stateSpace.states};
    case Mixer::Mamba2:
    case Mixer::AttentionAndMamba2:
        return {kept * stateSpace.convolved(), stateSpace.width * stateSpace.states};
    case Mixer::DeltaNet:
    case Mixer::KimiDelta:
        return {kept * delta.convolved(), delta.heads * delta.keyDim * delta.valueDim};
    }
    return {};
}

std::int64_t Config::stateSize() const
{
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < layers; ++i)
        sum += stateSize(i);
    return sum;
}

std::int64_t Config::stateCheckpoints() const
{
    constexpr std::int64_t kMinLarge = 2, kMaxLarge = 8, kMaxLargeBytes = std::int64_t{512} << 20,
                           kMaxSmall = 32, kMaxSmallBytes = std::int64_t{128} << 20;
    const std::int64_t bytes = stateSize() * static_cast<std::int64_t>(sizeof(float));
    if (bytes == 0)
        return 0;
    return std::max(std::clamp(kMaxLargeBytes / bytes, kMinLarge, kMaxLarge),
                    std::min(kMaxSmallBytes / bytes, kMaxSmall));
}

Config readConfig(const ModelFile &file)
{
    const Family &family = familyOf(file);
    Config config = file.gguf() ? readGgufConfig(file, *file.gguf(), family)
                                : readFolderConfig(file, *file.folder(), family);
    checkLayers(config, file.path().string());
    return config;
}

void applyFamily(const Family &family, Config &c)
{
    c.architecture = family.name;
    c.norm = family.norm;
    c.normPlaces = family.normPlaces;
    c.headNorm = family.headNorm;
    c.headNormAfterRope = family.headNormAfterRope;
    c.activation = family.activation;
    c.experts.score = family.score;
    c.experts.groupByBestTwo = family.groupByBestTwo;
    c.experts.choiceBias = family.choiceBias;
}

void fillLayers(Config &c)
{
    LayerConfig layer{.heads = c.heads, .kvHeads = c.kvHeads, .headDim = c.headDim, .ffn = c.ffn};
    if (c.experts.count > 0)
        layer.feedForward = FeedForward::Mixture;
    c.each.assign(static_cast<std::size_t>(c.layers), layer);
}

void checkHeads(Config &c, const std::string &heads, const std::string &kvHeads,
                const std::string &headDim)
{
    if (c.heads % c.kvHeads != 0)
        throwBadInput(kvHeads + ": " + std::to_string(c.heads) + " heads do not divide into " +
                      std::to_string(c.kvHeads) + " groups");
    if (c.headDim == 0) {
        if (c.hidden % c.heads != 0)
            throwBadInput(heads + ": a width of " + std::to_string(c.hidden) +
                          " does not divide into " + std::to_string(c.heads) + " heads");
        c.headDim = c.hidden / c.heads;
    }
    if (c.headDim < 2 || c.headDim > kMaxHeadDim || c.headDim % 2 != 0)
        throwBadInput(headDim + ": a head size of " + std::to_string(c.headDim) +
                      " is not an even number from 2 to " + std::to_string(kMaxHeadDim));
}

void checkLayers(const Config &c, const std::string &file)
{
    const auto fail = [&](std::int64_t index, const std::string &what) {
        throwBadInput(file + ": layer " + std::to_string(index) + ' ' + what);
    };
    for (std::int64_t i = 0; i < c.layers; ++i) {
        const LayerConfig &l = c.layer(i);
        if (const std::string wrong = wrongRecurrence(c, l.mixer); !wrong.empty())
            fail(i, wrong);
        if (!attends(l.mixer))
            continue;
        if (l.heads < 1 || l.kvHeads < 1 || l.heads % l.kvHeads != 0)
            fail(i, "has " + std::to_string(l.heads) + " heads in " + std::to_string(l.kvHeads) +
                        " groups");
        if (l.headDim < 2 || l.headDim > kMaxHeadDim || l.headDim % 2 != 0)
            fail(i, "has a head size of " + std::to_string(l.headDim));
        const auto pairs = [](const Rope &rope) {
            return static_cast<std::int64_t>(rope.inverseFrequencies.size());
        };
        if (l.mixer == Mixer::Attention && l.rope != RopeUse::None &&
            2 * pairs(l.rope == RopeUse::Local ? c.localRope : c.rope) > l.headDim)
            fail(i, "has heads of " + std::to_string(l.headDim) +
                        " channels, fewer than its rotary embedding turns");
        if (l.kvFrom >= 0) {
            const bool earlier = l.kvFrom < i;
            const LayerConfig &source = c.layer(earlier ? l.kvFrom : i);
            if (!earlier || source.kvFrom >= 0 || source.mixer != Mixer::Attention ||
                source.kvHeads != l.kvHeads || source.headDim != l.headDim)
                fail(i, "reads the keys and values of layer " + std::to_string(l.kvFrom) +
                            ", which do not fit");
        }
    }
}

void setRope(const RopeSettings &settings, RopePairing pairing, Config &c)
{
    c.rope = makeRope(settings, pairing);
    if (settings.shortDivisors.empty())
        return;
    RopeSettings forShort = settings;
    forShort.divisors = settings.shortDivisors;
    forShort.attentionFactor = settings.shortAttentionFactor.value_or(settings.attentionFactor);
    c.shortRope = makeRope(forShort, pairing);
    c.shortContext = settings.originalContext;
}

std::int64_t vocabularyOf(const ModelFile &file)
{
    const std::string name = tensorNameIn(file, "token_embd.weight");
    const ModelTensor *embedding = file.findTensor(name);
    if (!embedding)
        throwBadInput(file.path().string() + " lacks the tensor " + fireside::quoted(name));
    const std::uint64_t rows = embedding->shape.size() == 2 ? embedding->shape[0] : 0;
    if (rows < 1 || rows > static_cast<std::uint64_t>(kMaxVocabulary))
        throwBadInput(file.path().string() + ": a vocabulary of " + std::to_string(rows) +
                      " tokens");
    return static_cast<std::int64_t>(rows);
}

} // namespace fireside
