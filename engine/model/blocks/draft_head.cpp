#include "engine/model/blocks/draft_head.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/decoder.h"
#include "engine/model/family.h"
#include "engine/model/tensor_names.h"

#include <algorithm>

// A head for drafting joins the norm of a token's embedding with the norm of the hidden state
// before it, goes through a layer with a cache of its own and gives logits of the token after.
namespace fireside {
namespace {

constexpr std::int64_t kMostDraftHeads = 16;

bool hasTensor(const ModelFile &file, const Config &c, std::int64_t layer, const char *name)
{
    const std::string own = "blk." + std::to_string(layer) + '.' + name;
    return file.findTensor(findName(file, own, c.layers).name) != nullptr;
}

/// Its attention is that of the last layer that attends; its feed-forward may be another.
LayerConfig layerOfDraft(const ModelFile &file, const Config &c, std::int64_t index)
{
    const auto last = std::find_if(c.each.rbegin(), c.each.rend(), [](const LayerConfig &l) {
        return l.mixer == Mixer::Attention || l.mixer == Mixer::Latent;
    });
    if (last == c.each.rend())
        throwUnsupported(printable(file.path().string()) +
                         ": not supported: heads for drafting of a model without attention");
    LayerConfig layer = *last;
    if (!hasTensor(file, c, index, "ffn_gate_inp.weight")) {
        layer.feedForward = FeedForward::Gated;
        layer.ffn = c.ffn;
    } else {
        layer.feedForward = FeedForward::Mixture;
    }
    return layer;
}

} // namespace

std::int64_t countDraftHeads(const ModelFile &file, const Config &c)
{
    std::int64_t count = 0;
    // Some families' heads share all but their layers.
    while (count < kMostDraftHeads &&
           hasTensor(file, c, c.layers + count, "nextn.eh_proj.weight") &&
           hasTensor(file, c, c.layers + count, "attn_norm.weight"))
        ++count;
    return count;
}

void addDraftHeads(const ModelFile &file, const Family &family, Config &c)
{
    const std::int64_t count = c.encoder ? 0 : countDraftHeads(file, c);
    if (count == 0 || family.network != nullptr)
        throwUnsupported(printable(file.path().string()) + " has no heads for drafting");
    for (std::int64_t i = 0; i < count; ++i)
        c.each.push_back(layerOfDraft(file, c, c.layers + i));
    c.drafts = count;
    c.draftHiddenFirst = file.gguf() == nullptr && family.draftHiddenFirst;
}

void Decoder::loadDraft(const WeightTable &table, Device &device, std::int64_t head)
{
    const Config &c = config();
    const std::int64_t index = c.layers + head;
    loadLayer(table, device, index);
    const LayerWeights w(table, device, index);
    Draft &d = m_drafts[static_cast<std::size_t>(head)];
    d.embeddingNorm = Norm::load(w, "nextn.enorm", c.hidden);
    d.hiddenNorm = Norm::load(w, "nextn.hnorm", c.hidden);
    d.join = w.matrix("nextn.eh_proj", c.hidden, 2 * c.hidden);
    if (w.has("nextn.shared_head_norm.weight"))
        d.norm = Norm::load(w, "nextn.shared_head_norm", c.hidden);
    if (w.has("nextn.embed_tokens.weight"))
        d.embedding = w.matrix("nextn.embed_tokens", c.vocabulary, c.hidden);
    if (w.has("nextn.shared_head_head.weight"))
        d.output = w.matrix("nextn.shared_head_head", c.vocabulary, c.hidden);
}

Tensor Decoder::draft(Commands &c, std::int64_t head, const Tensor &hidden) const
{
    const Config &cfg = config();
    const Draft &d = m_drafts[static_cast<std::size_t>(head)];
    const std::int64_t H = cfg.hidden;
    const Tensor x = c.scratch(hidden.rows, H), joined = c.scratch(hidden.rows, 2 * H);
    c.record(op::Embed{d.embedding ? *d.embedding : *m_embedding, c.ids(), cfg.embeddingScale, x});
    d.embeddingNorm.record(c, x, joined.columns(cfg.draftHiddenFirst ? H : 0, H));
    d.hiddenNorm.record(c, hidden, joined.columns(cfg.draftHiddenFirst ? 0 : H, H));
    c.record(op::Linear{joined, {{d.join.get(), x}}});
    layer(c, cfg.layers + head, x);
    return x;
}

Tensor Decoder::draftRows(Commands &c, std::int64_t head, const Tensor &x) const
{
    const Draft &d = m_drafts[static_cast<std::size_t>(head)];
    return d.norm.there ? d.norm.applied(c, x) : m_outputNorm.applied(c, x);
}

void Decoder::draftLogits(Commands &c, std::int64_t head, const Tensor &rows,
                          const Tensor &logits) const
{
    const Draft &d = m_drafts[static_cast<std::size_t>(head)];
    addLogits(c, rows, d.output ? *d.output : outputWeight(), logits);
}

} // namespace fireside
