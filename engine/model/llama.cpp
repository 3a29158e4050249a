#include "engine/model/llama.h"

#include "engine/backend/op.h"

namespace fireside {

/// Fetches one layer's weights by their short names.
class LlamaNetwork::Loader
{
public:
    Loader(const WeightTable &table, Device &device, std::int64_t layer)
        : m_table(table)
        , m_device(device)
        , m_prefix("blk." + std::to_string(layer) + '.')
    {}

    Slot matrix(const char *name, std::int64_t rows, std::int64_t cols) const
    {
        return m_device.addWeight(m_table.matrix(m_prefix + name + ".weight", rows, cols));
    }
    Slot experts(const char *name, std::int64_t depth, std::int64_t rows, std::int64_t cols) const
    {
        return m_device.addWeight(m_table.experts(m_prefix + name + ".weight", depth, rows, cols));
    }
    /// None where the file has none, unless it must.
    Slot bias(const char *name, std::int64_t n, bool required) const
    {
        const std::string full = m_prefix + name + ".bias";
        return required || m_table.has(full) ? m_device.addWeight(m_table.vector(full, n))
                                             : nullptr;
    }

private:
    const WeightTable &m_table;
    Device &m_device;
    std::string m_prefix;
};

LlamaNetwork::LlamaNetwork(Config config)
    : Network(std::move(config))
    , m_layers(static_cast<std::size_t>(this->config().layers))
{}

void LlamaNetwork::loadEmbedding(const WeightTable &table, Device &device)
{
    const Config &c = config();
    m_embedding = device.addWeight(table.matrix("token_embd.weight", c.vocabulary, c.hidden));
}

void LlamaNetwork::loadLayer(const WeightTable &table, Device &device, std::int64_t index)
{
    const Config &c = config();
    const Loader load(table, device, index);
    Attention &a = m_layers[static_cast<std::size_t>(index)].attention;
    a.norm = load.matrix("attn_norm", 1, c.hidden);
    a.q = load.matrix("attn_q", c.qWidth(), c.hidden);
    a.k = load.matrix("attn_k", c.kvWidth(), c.hidden);
    a.v = load.matrix("attn_v", c.kvWidth(), c.hidden);
    a.out = load.matrix("attn_output", c.hidden, c.qWidth());
    a.qBias = load.bias("attn_q", c.qWidth(), c.attentionBias);
    a.kBias = load.bias("attn_k", c.kvWidth(), c.attentionBias);
    a.vBias = load.bias("attn_v", c.kvWidth(), c.attentionBias);
    a.outBias = load.bias("attn_output", c.hidden, c.attentionBias);
    if (c.headNorms) {
        a.qNorm = load.matrix("attn_q_norm", 1, c.headDim);
        a.kNorm = load.matrix("attn_k_norm", 1, c.headDim);
    }

    FeedForward &f = m_layers[static_cast<std::size_t>(index)].ffn;
    f.norm = load.matrix("ffn_norm", 1, c.hidden);
    if (c.sparse(index)) {
        const ExpertConfig &e = c.experts;
        f.router = load.matrix("ffn_gate_inp", e.count, c.hidden);
        f.gate = load.experts("ffn_gate_exps", e.count, e.ffn, c.hidden);
        f.up = load.experts("ffn_up_exps", e.count, e.ffn, c.hidden);
        f.down = load.experts("ffn_down_exps", e.count, c.hidden, e.ffn);
        return;
    }
    f.gate = load.matrix("ffn_gate", c.ffn, c.hidden);
    f.up = load.matrix("ffn_up", c.ffn, c.hidden);
    f.down = load.matrix("ffn_down", c.hidden, c.ffn);
    f.gateBias = load.bias("ffn_gate", c.ffn, c.ffnBias);
    f.upBias = load.bias("ffn_up", c.ffn, c.ffnBias);
    f.downBias = load.bias("ffn_down", c.hidden, c.ffnBias);
}

void LlamaNetwork::loadOutput(const WeightTable &table, Device &device)
{
    const Config &c = config();
    const char *matrix = c.tiedOutput ? "token_embd.weight" : "output.weight";
    m_outputNorm = device.addWeight(table.vector("output_norm.weight", c.hidden));
    m_outputWeight = device.addWeight(table.matrix(matrix, c.vocabulary, c.hidden));
}

void LlamaNetwork::embed(Commands &c, const Tensor &x) const
{
    c.record(op::Embed{*m_embedding, c.ids(), config().embeddingScale, x});
}

void LlamaNetwork::layer(Commands &c, std::int64_t index, const Tensor &x) const
{
    const Layer &l = m_layers[static_cast<std::size_t>(index)];
    const std::size_t mark = c.mark();
    attend(c, l.attention, index, x);
    if (l.ffn.router)
        mixture(c, l.ffn, x);
    else
        feedForward(c, l.ffn, x);
    c.release(mark);
}

void LlamaNetwork::attend(Commands &c, const Attention &a, std::int64_t index,
                          const Tensor &x) const
{
    const Config &cfg = config();
    const AttentionShape shape = cfg.attention(index);
    const Tensor q = c.scratch(x.rows, cfg.qWidth());
    const Tensor k = c.scratch(x.rows, cfg.kvWidth());
    const Tensor v = c.scratch(x.rows, cfg.kvWidth());
    const Tensor attended = c.productInput(x.rows, cfg.qWidth());
    const auto heads = [&](const Slot &norm) {
        return HeadTransform{cfg.headDim, norm.get(), cfg.rmsEps, cfg.rope};
    };
    c.record(op::Linear{{x, *a.norm, cfg.rmsEps},
                        {{a.q.get(), q, a.qBias.get()},
                         {a.k.get(), k, a.kBias.get()},
                         {a.v.get(), v, a.vBias.get()}}});
    c.record(op::AppendKv{q, heads(a.qNorm), k, heads(a.kNorm), v, index, shape});
    c.record(op::Attention{q, index, shape, attended});
    c.record(op::Linear{attended, {{a.out.get(), x, a.outBias.get()}}, Accumulate::AddToOutput});
}

void LlamaNetwork::feedForward(Commands &c, const FeedForward &f, const Tensor &x) const
{
    const Config &cfg = config();
    const Tensor gated = c.productInput(x.rows, cfg.ffn);
    c.record(op::GatedLinear{{x, *f.norm, cfg.rmsEps},
                             {f.gate.get(), f.up.get(), f.gateBias.get(), f.upBias.get()},
                             cfg.activation,
                             gated});
    c.record(op::Linear{gated, {{f.down.get(), x, f.downBias.get()}}, Accumulate::AddToOutput});
}

void LlamaNetwork::mixture(Commands &c, const FeedForward &f, const Tensor &x) const
{
    const Config &cfg = config();
    const ExpertConfig &e = cfg.experts;
    const Routing routing{.used = e.used, .normalize = e.normalize};
    const LinearInput input{x, *f.norm, cfg.rmsEps};
    const Tensor logits = c.scratch(x.rows, e.count);
    const Tensor ids = c.scratch(x.rows, e.used, DType::I32);
    const Tensor weights = c.scratch(x.rows, e.used);
    const Tensor gated = c.productInput(x.rows * e.used, e.ffn);
    c.record(op::Linear{input, {{f.router.get(), logits}}});
    c.record(op::Route{logits, routing, ids, weights});
    c.record(op::ExpertGatedLinear{input, ids, {f.gate.get(), f.up.get()}, cfg.activation, gated});
    c.record(op::ExpertLinear{gated, ids, weights, *f.down, nullptr, x, Accumulate::AddToOutput});
}

void LlamaNetwork::output(Commands &c, const Tensor &x, const Tensor &logits) const
{
    c.record(op::Linear{{x, *m_outputNorm, config().rmsEps}, {{m_outputWeight.get(), logits}}});
}

} // namespace fireside
