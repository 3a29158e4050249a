#include "engine/model/decoder.h"

#include "engine/model/blocks/attention.h"
#include "engine/model/blocks/delta_net.h"
#include "engine/model/blocks/feed_forward.h"
#include "engine/model/blocks/kimi_delta.h"
#include "engine/model/blocks/latent_attention.h"
#include "engine/model/blocks/mamba.h"
#include "engine/model/blocks/mamba2.h"
#include "engine/model/blocks/mixture.h"
#include "engine/model/blocks/product.h"
#include "engine/model/blocks/short_convolution.h"
#include "engine/model/blocks/side_by_side.h"
#include "engine/model/unit_output.h"

namespace fireside {
namespace {

std::unique_ptr<Block> mixerOf(const LayerWeights &w)
{
    switch (w.layer().mixer) {
    case Mixer::Attention:
        return std::make_unique<AttentionBlock>(w);
    case Mixer::Latent:
        return std::make_unique<LatentAttentionBlock>(w);
    case Mixer::ShortConvolution:
        return std::make_unique<ShortConvolutionBlock>(w);
    case Mixer::Mamba:
        return std::make_unique<MambaBlock>(w);
    case Mixer::Mamba2:
        return std::make_unique<Mamba2Block>(w);
    case Mixer::AttentionAndMamba2:
        return std::make_unique<SideBySideBlock>(w);
    case Mixer::DeltaNet:
        return std::make_unique<DeltaNetBlock>(w);
    case Mixer::KimiDelta:
        return std::make_unique<KimiDeltaBlock>(w);
    case Mixer::Product:
        return std::make_unique<ProductBlock>(w);
    case Mixer::None:
        break;
    }
    return nullptr;
}

std::unique_ptr<Block> feedForwardOf(const LayerWeights &w)
{
    const LayerConfig &l = w.layer();
    switch (l.feedForward) {
    case FeedForward::Gated:
        return std::make_unique<FeedForwardBlock>(w, true, l.ffn);
    case FeedForward::Plain:
        return std::make_unique<FeedForwardBlock>(w, false, l.ffn);
    case FeedForward::Mixture:
        return std::make_unique<MixtureBlock>(w);
    case FeedForward::None:
        break;
    }
    return nullptr;
}

} // namespace

Decoder::Decoder(Config config)
    : Network(std::move(config))
    , m_layers(static_cast<std::size_t>(this->config().allLayers()))
    , m_drafts(static_cast<std::size_t>(this->config().drafts))
{}

void Decoder::loadEmbedding(const WeightTable &table, Device &device)
{
    const Config &c = config();
    const LayerWeights w(table, device, -1);
    m_embedding = w.matrix("token_embd", c.vocabulary, c.hidden);
    m_embeddingDevice = &device;
    if (c.positions > 0) {
        WeightSource rows = table.held(
            table.matrix("position_embd.weight", c.positions + c.positionOffset, c.hidden));
        rows.rows = c.positions;
        if (c.positionOffset > 0 && !rows.bytes.empty())
            rows.bytes = rows.bytes.last(rowBytes(rows.dtype, static_cast<std::size_t>(c.hidden)) *
                                         static_cast<std::size_t>(c.positions));
        m_positions = device.addWeight(rows);
    }
    if (c.tokenTypes > 0) {
        WeightSource first = table.held(table.matrix("token_types.weight", c.tokenTypes, c.hidden));
        first.rows = 1;
        if (!first.bytes.empty())
            first.bytes =
                first.bytes.first(rowBytes(first.dtype, static_cast<std::size_t>(c.hidden)));
        m_tokenType = device.addWeight(first);
    }
    if (c.embeddingNorm)
        m_embeddingNorm = Norm::load(w, "token_embd_norm", c.hidden);
}

void Decoder::loadLayer(const WeightTable &table, const LayerDevices &devices, std::int64_t index)
{
    const Config &c = config();
    const LayerWeights w(table, devices, index);
    Layer &l = m_layers[static_cast<std::size_t>(index)];
    l.mixer = mixerOf(w);
    l.feedForward = feedForwardOf(w);
    const NormPlaces places = c.normPlacesOf(index);
    if (places == NormPlaces::AfterSum) {
        l.mixerAfter = Norm::load(w, "attn_output_norm", c.hidden);
        l.feedForwardAfter = Norm::load(w, "layer_output_norm", c.hidden);
        return;
    }
    const bool before = places != NormPlaces::After;
    const bool after = places == NormPlaces::After || places == NormPlaces::Around;
    if (l.mixer && before && (c.firstNorm || index > 0))
        l.mixerNorm = Norm::load(w, "attn_norm", c.hidden);
    if (l.mixer && after)
        l.mixerAfter = Norm::load(w, "post_attention_norm", c.hidden);
    if (l.feedForward && before && places != NormPlaces::Parallel)
        l.feedForwardNorm = Norm::load(w, "ffn_norm", c.hidden);
    if (l.feedForward && after)
        l.feedForwardAfter = Norm::load(w, "post_ffw_norm", c.hidden);
}

void Decoder::loadOutput(const WeightTable &table, Device &device)
{
    const Config &c = config();
    const LayerWeights w(table, device, -1);
    m_outputNorm = Norm::load(w, "output_norm", c.hidden);
    const std::string name = c.tiedOutput ? "token_embd.weight" : "output.weight";
    const bool shared = c.tiedOutput && &device == m_embeddingDevice &&
                        c.outputForm == OutputForm::Stored && m_embedding->columns == nullptr;
    if (!shared)
        m_outputWeight = w.add(table.forDevice(name, [&] {
            return inForm(table, table.matrix(name, c.vocabulary, c.hidden), c.outputForm);
        }));
    m_outputBias = w.optionalBias("output", c.vocabulary);
}

void Decoder::embed(Commands &c, const Tensor &x) const
{
    const Config &cfg = config();
    c.record(op::Embed{*m_embedding, c.ids(), cfg.embeddingScale, x});
    if (m_positions)
        c.record(op::Embed{*m_positions, c.positions(), 1, x, Accumulate::AddToOutput});
    if (m_tokenType)
        c.record(op::AddBias{.x = x, .bias = *m_tokenType, .residual = {}, .out = x});
    if (m_embeddingNorm.there)
        m_embeddingNorm.record(c, x, x);
}

void Decoder::layer(Commands &c, std::int64_t index, const Tensor &x) const
{
    const Layer &l = layerAt(index);
    const NormPlaces places = config().normPlacesOf(index);
    const std::size_t mark = c.mark();
    if (places == NormPlaces::Parallel || places == NormPlaces::ParallelTwo) {
        addParallel(c, l, x);
    } else {
        if (l.mixer)
            add(c, *l.mixer, l.mixerNorm, l.mixerAfter, x);
        if (l.feedForward)
            add(c, *l.feedForward, l.feedForwardNorm, l.feedForwardAfter, x);
    }
    c.release(mark);
}

void Decoder::add(Commands &c, const Block &block, const Norm &before, const Norm &after,
                  const Tensor &x) const
{
    if (config().normPlaces == NormPlaces::AfterSum) {
        block.record(c, x, {x, Accumulate::AddToOutput});
        return after.record(c, x, x);
    }
    const float scale = config().residualScale;
    const LinearInput input = before.input(c, x);
    if (!after.there && scale == 1)
        return block.record(c, input, {x, Accumulate::AddToOutput});
    const Tensor result = c.scratch(x.rows, x.cols);
    block.record(c, input, {result, Accumulate::Overwrite});
    if (after.there)
        after.record(c, result, result);
    c.record(op::AddScaled{result, scale, x});
}

/// Both blocks read x as it was before either added to it.
void Decoder::addParallel(Commands &c, const Layer &l, const Tensor &x) const
{
    const Tensor first = l.mixerNorm.applied(c, x);
    const Tensor second = l.feedForwardNorm.there ? l.feedForwardNorm.applied(c, x) : first;
    l.mixer->record(c, first, {x, Accumulate::AddToOutput});
    l.feedForward->record(c, second, {x, Accumulate::AddToOutput});
}

Tensor Decoder::finalRows(Commands &c, const Tensor &x) const
{
    return m_outputNorm.applied(c, x);
}

void Decoder::output(Commands &c, const Tensor &x, const Tensor &logits) const
{
    addLogits(c, m_outputNorm.input(c, x), outputWeight(), logits);
}

void Decoder::addLogits(Commands &c, const LinearInput &x, const Weight &weight,
                        const Tensor &logits) const
{
    const Config &cfg = config();
    c.record(op::Linear{x, {{&weight, logits, m_outputBias.get()}}});
    if (cfg.logitScale != 1)
        c.record(op::Scale{.x = logits, .scale = cfg.logitScale, .out = logits});
    if (cfg.logitSoftcap > 0)
        c.record(op::Softcap{logits, cfg.logitSoftcap, logits});
}

} // namespace fireside
