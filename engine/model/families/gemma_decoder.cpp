#include "engine/model/families/gemma_decoder.h"

#include <cmath>

namespace fireside {
namespace {

/// norm(x) ⊙ scale / √hidden
Norm routerNorm(const LayerWeights &w)
{
    const Config &c = w.config();
    std::vector<float> scale = w.numbers("ffn_gate_inp.scale", c.hidden);
    for (float &s : scale)
        s /= std::sqrt(static_cast<float>(c.hidden));
    Norm norm = Norm::of(NormKind::Rms, c.normEps);
    norm.weight = w.made("ffn_gate_inp.scale", scale);
    return norm;
}

} // namespace

Gemma4Decoder::Mixture::Mixture(const LayerWeights &w)
    : block(w)
    , denseAfter(Norm::load(w, "post_ffw_norm_1", w.config().hidden))
    , before(Norm::load(w, "pre_ffw_norm_2", w.config().hidden))
    , after(Norm::load(w, "post_ffw_norm_2", w.config().hidden))
    , router(routerNorm(w))
{}

Gemma4Decoder::Gemma4Decoder(Config config)
    : Decoder(std::move(config))
    , m_own(static_cast<std::size_t>(this->config().layers))
{}

void Gemma4Decoder::loadEmbedding(const WeightTable &table, Device &device)
{
    Decoder::loadEmbedding(table, device);
    m_inputs.emplace(LayerWeights(table, device, -1));
}

void Gemma4Decoder::loadLayer(const WeightTable &table, const LayerDevices &devices,
                              std::int64_t index)
{
    Decoder::loadLayer(table, devices, index);
    const LayerWeights w(table, devices, index);
    Own &own = m_own[static_cast<std::size_t>(index)];
    if (config().experts.count > 0)
        own.mixture.emplace(w);
    if (config().layerInput.width > 0)
        own.input.emplace(w);
    if (w.has("layer_output_scale.weight"))
        own.scale = w.numbers("layer_output_scale.weight", 1).front();
}

void Gemma4Decoder::embed(Commands &c, const Tensor &stream) const
{
    const std::int64_t hidden = config().hidden;
    const Tensor x = stream.columns(0, hidden);
    Decoder::embed(c, x);
    m_inputs->record(c, x, stream.columns(hidden, stream.cols - hidden));
}

void Gemma4Decoder::layer(Commands &c, std::int64_t index, const Tensor &stream) const
{
    const std::int64_t hidden = config().hidden, width = config().layerInput.width;
    const Layer &l = layerAt(index);
    const Own &own = m_own[static_cast<std::size_t>(index)];
    const Tensor x = stream.columns(0, hidden);
    const std::size_t mark = c.mark();
    add(c, *l.mixer, l.mixerNorm, l.mixerAfter, x);
    if (own.mixture)
        addBoth(c, l, *own.mixture, x);
    else
        add(c, *l.feedForward, l.feedForwardNorm, l.feedForwardAfter, x);
    if (own.input) {
        const Tensor input = stream.columns(hidden + index * width, width);
        c.record(op::AddScaled{own.input->record(c, x, input), 1, x});
    }
    if (own.scale != 1)
        c.record(op::Scale{.x = x, .scale = own.scale, .out = x});
    c.release(mark);
}

/// The feed-forward and the experts read x each through a norm of its own, the router through a
/// third one.
void Gemma4Decoder::addBoth(Commands &c, const Layer &l, const Mixture &m, const Tensor &x) const
{
    const Tensor dense = c.scratch(x.rows, x.cols), sparse = c.scratch(x.rows, x.cols);
    l.feedForward->record(c, l.feedForwardNorm.input(c, x), {dense});
    m.denseAfter.record(c, dense, dense);
    m.block.record(c, m.before.input(c, x), m.router.input(c, x), {sparse});
    m.after.record(c, sparse, sparse);
    c.record(op::AddScaled{sparse, 1, dense});
    l.feedForwardAfter.record(c, dense, dense);
    c.record(op::AddScaled{dense, 1, x});
}

Tensor Gemma4Decoder::finalRows(Commands &c, const Tensor &stream) const
{
    return Decoder::finalRows(c, stream.columns(0, config().hidden));
}

void Gemma4Decoder::output(Commands &c, const Tensor &stream, const Tensor &logits) const
{
    Decoder::output(c, stream.columns(0, config().hidden), logits);
}

} // namespace fireside
