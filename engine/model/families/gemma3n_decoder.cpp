#include "engine/model/families/gemma3n_decoder.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fireside {
namespace {

constexpr float kSqrtHalf = 0.70710678f;
constexpr float kLeastSquare = 1e-5f; // rows are not made longer than this allows

std::size_t sizeFrom(std::int64_t n)
{
    return static_cast<std::size_t>(n);
}

Norm routerNormOf(const LayerWeights &w)
{
    const std::int64_t hidden = w.config().hidden;
    std::vector<float> values = w.numbers("altup_router_norm.weight", hidden);
    for (float &v : values)
        v /= static_cast<float>(hidden);
    Norm norm = Norm::of(NormKind::Rms, w.config().normEps);
    norm.weight = w.made("altup_router_norm.weight", values);
    return norm;
}

std::unique_ptr<Weight> correctionOf(const LayerWeights &w)
{
    const AltUpConfig &a = w.config().altUp;
    std::vector<float> values = w.numbers("altup_correct_coef.weight", a.streams * a.streams);
    if (a.correctionClip > 0)
        for (float &v : values)
            v = std::clamp(v, -a.correctionClip, a.correctionClip);
    return w.made("altup_correct_coef.weight", values, a.streams);
}

} // namespace

Gemma3nDecoder::Own::Own(const LayerWeights &w)
    : routerNorm(routerNormOf(w))
    , correction(correctionOf(w))
    , laurelNorm(Norm::load(w, "laurel_post_norm", w.config().hidden))
    , input(w, w.config().altUp.scaled ? "altup_correct_scale" : nullptr)
{
    const std::int64_t hidden = w.config().hidden;
    const AltUpConfig &a = w.config().altUp;
    router = w.matrix("altup_router", a.streams, hidden);
    prediction = w.matrix("altup_predict_coef", a.streams * a.streams, a.streams);
    laurelLeft = w.matrix("laurel_l", a.laurelRank, hidden);
    laurelRight = w.matrix("laurel_r", hidden, a.laurelRank);
}

Gemma3nDecoder::Gemma3nDecoder(Config config)
    : Decoder(std::move(config))
    , m_own(sizeFrom(this->config().layers))
{}

Gemma3nDecoder::Projections Gemma3nDecoder::loadProjections(const LayerWeights &w,
                                                            const char *name) const
{
    const std::int64_t hidden = config().hidden, others = config().altUp.streams - 1;
    Projections p;
    p.mean = w.made("mean", std::vector<float>(sizeFrom(hidden), 1 / static_cast<float>(hidden)));
    if (others == 0)
        return p;
    const WeightSource all = w.table().held(w.table().matrix(name, hidden, hidden, others));
    for (std::int64_t i = 0; i < others; ++i)
        p.matrices.push_back(w.device().addWeight({.name = all.name,
                                                   .dtype = all.dtype,
                                                   .rows = hidden,
                                                   .cols = hidden,
                                                   .depth = 1,
                                                   .bytes = all.matrixBytes(i)}));
    return p;
}

void Gemma3nDecoder::loadEmbedding(const WeightTable &table, Device &device)
{
    Decoder::loadEmbedding(table, device);
    const LayerWeights w(table, device, -1);
    m_inputs.emplace(w);
    m_spread = loadProjections(w, "altup_proj.weight");
}

void Gemma3nDecoder::loadLayer(const WeightTable &table, const LayerDevices &devices,
                               std::int64_t index)
{
    Decoder::loadLayer(table, devices, index);
    m_own[sizeFrom(index)].emplace(LayerWeights(table, devices, index));
}

void Gemma3nDecoder::loadOutput(const WeightTable &table, Device &device)
{
    Decoder::loadOutput(table, device);
    m_merge = loadProjections(LayerWeights(table, device, -1), "altup_unembd_proj.weight");
}

Tensor Gemma3nDecoder::streamOf(const Tensor &stream, std::int64_t index) const
{
    return stream.columns(index * config().hidden, config().hidden);
}

Gemma3nDecoder::Unit Gemma3nDecoder::unitOf(Commands &c, const Projections &p,
                                            const Tensor &x) const
{
    constexpr float kLeast = 1e-30f; // for a row of zeros
    const Unit unit{c.scratch(x.rows, x.cols), c.scratch(x.rows, 1)};
    const Tensor product = c.scratch(x.rows, x.cols);
    c.record(op::RmsNorm{.x = x, .eps = kLeast, .out = unit.x});
    c.record(op::Multiply{x, unit.x, product});
    c.record(op::Linear{product, {{p.mean.get(), unit.length}}});
    return unit;
}

/// x·Wᵀ with rows of the length given.
Tensor Gemma3nDecoder::projected(Commands &c, const Projections &p, std::size_t index,
                                 const Tensor &x, const Tensor &length) const
{
    const Tensor product = c.scratch(x.rows, x.cols);
    c.record(op::Linear{x, {{p.matrices[index].get(), product}}});
    const Unit unit = unitOf(c, p, product);
    const Tensor share = unit.length;
    c.record(op::Scale{.x = share, .scale = 1 / std::sqrt(kLeastSquare), .out = share});
    c.record(op::Clamp{share, 0, 1, share});
    c.record(op::Multiply{share, length, share});
    c.record(op::Multiply{unit.x, share, product});
    return product;
}

void Gemma3nDecoder::embed(Commands &c, const Tensor &stream) const
{
    const std::int64_t streams = config().altUp.streams, all = streams * config().hidden;
    const Tensor x = streamOf(stream, 0);
    const std::size_t mark = c.mark();
    Decoder::embed(c, x);
    m_inputs->record(c, x, stream.columns(all, stream.cols - all));
    const Tensor length = unitOf(c, m_spread, x).length;
    for (std::int64_t i = 1; i < streams; ++i)
        c.record(op::Copy{projected(c, m_spread, sizeFrom(i - 1), x, length), streamOf(stream, i)});
    c.release(mark);
}

/// tanh(norm(x)·routerᵀ / hidden)
Tensor Gemma3nDecoder::modalities(Commands &c, const Own &own, const Tensor &x) const
{
    const Tensor out = c.scratch(x.rows, config().altUp.streams);
    c.record(op::Linear{own.routerNorm.input(c, x), {{own.router.get(), out}}});
    c.record(op::Activate{.x = out, .act = Activation::Tanh, .out = out});
    return out;
}

Tensor Gemma3nDecoder::predicted(Commands &c, const Own &own, const Tensor &streams) const
{
    const AltUpConfig &a = config().altUp;
    const Tensor coefficients = c.scratch(streams.rows, a.streams * a.streams);
    const Tensor out = c.scratch(streams.rows, streams.cols);
    c.record(op::Linear{modalities(c, own, streamOf(streams, a.active)),
                        {{own.prediction.get(), coefficients}}});
    c.record(op::Copy{streams, out});
    c.record(op::MixStreams{.x = streams,
                            .coefficients = coefficients,
                            .out = out,
                            .from = a.streams,
                            .to = a.streams,
                            .mode = Accumulate::AddToOutput});
    return out;
}

/// Attention and the low-rank product side by side, then the feed-forward.
void Gemma3nDecoder::blocks(Commands &c, const Layer &l, const Own &own, const Tensor &x,
                            const Tensor &out) const
{
    const Tensor normed = l.mixerNorm.applied(c, x);
    const Tensor attended = c.scratch(x.rows, x.cols);
    l.mixer->record(c, normed, {attended});
    l.mixerAfter.record(c, attended, attended);
    const Tensor low = c.productInput(x.rows, config().altUp.laurelRank);
    const Tensor laurel = c.scratch(x.rows, x.cols);
    c.record(op::Linear{normed, {{own.laurelLeft.get(), low}}});
    c.record(op::Linear{low, {{own.laurelRight.get(), laurel}}});
    own.laurelNorm.record(c, laurel, laurel);
    c.record(op::Scale{.x = x, .scale = kSqrtHalf, .out = out});
    for (const Tensor &part : {attended, normed, laurel})
        c.record(op::AddScaled{part, kSqrtHalf, out});
    add(c, *l.feedForward, l.feedForwardNorm, l.feedForwardAfter, out);
}

/// streams = prediction + (activated − the prediction's active stream) ⊗ (1 + coefficients)
void Gemma3nDecoder::correct(Commands &c, const Own &own, const Tensor &prediction,
                             const Tensor &activated, const Tensor &streams) const
{
    const AltUpConfig &a = config().altUp;
    const Tensor coefficients = c.scratch(streams.rows, a.streams);
    c.record(op::Linear{modalities(c, own, activated), {{own.correction.get(), coefficients}}});
    c.record(op::AddScaled{streamOf(prediction, a.active), -1, activated});
    c.record(op::Copy{prediction, streams});
    c.record(op::MixStreams{.x = activated,
                            .coefficients = coefficients,
                            .out = streams,
                            .from = 1,
                            .to = a.streams,
                            .plus = 1,
                            .mode = Accumulate::AddToOutput});
}

void Gemma3nDecoder::layer(Commands &c, std::int64_t index, const Tensor &stream) const
{
    const AltUpConfig &a = config().altUp;
    const std::int64_t all = a.streams * config().hidden, width = config().layerInput.width;
    const Own &own = *m_own[sizeFrom(index)];
    const Tensor streams = stream.columns(0, all);
    const std::size_t mark = c.mark();
    const Tensor prediction = predicted(c, own, streams);
    const Tensor activated = c.scratch(stream.rows, config().hidden);
    blocks(c, layerAt(index), own, streamOf(prediction, a.active), activated);
    correct(c, own, prediction, activated, streams);
    const Tensor first = own.input.record(c, streamOf(streams, a.active),
                                          stream.columns(all + index * width, width));
    for (std::int64_t i = 1; i < a.streams; ++i)
        c.record(op::AddScaled{first, 1, streamOf(streams, i)});
    c.release(mark);
}

/// The mean of all streams, those but the first projected to the first one's length.
Tensor Gemma3nDecoder::merged(Commands &c, const Tensor &stream) const
{
    const std::int64_t streams = config().altUp.streams;
    const float share = 1 / static_cast<float>(streams);
    const Tensor x = streamOf(stream, 0);
    const Tensor mean = c.scratch(x.rows, x.cols);
    const Tensor length = unitOf(c, m_merge, x).length;
    c.record(op::Scale{.x = x, .scale = share, .out = mean});
    for (std::int64_t i = 1; i < streams; ++i)
        c.record(op::AddScaled{projected(c, m_merge, sizeFrom(i - 1), streamOf(stream, i), length),
                               share, mean});
    return mean;
}

void Gemma3nDecoder::output(Commands &c, const Tensor &stream, const Tensor &logits) const
{
    Decoder::output(c, merged(c, stream), logits);
}

Tensor Gemma3nDecoder::finalRows(Commands &c, const Tensor &stream) const
{
    return Decoder::finalRows(c, merged(c, stream));
}

} // namespace fireside
