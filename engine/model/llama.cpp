#include "engine/model/llama.h"

#include <array>

namespace fireside {

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
    const std::string p = "blk." + std::to_string(index) + '.';
    const auto matrix = [&](const char *name, std::int64_t rows, std::int64_t cols) {
        return device.addWeight(table.matrix(p + name + ".weight", rows, cols));
    };
    const auto bias = [&](const char *name, std::int64_t n) -> Slot {
        const std::string full = p + name + ".bias";
        return table.has(full) ? device.addWeight(table.vector(full, n)) : nullptr;
    };
    Layer &l = m_layers[static_cast<std::size_t>(index)];
    l.attentionNorm = matrix("attn_norm", 1, c.hidden);
    l.q = matrix("attn_q", c.qWidth(), c.hidden);
    l.k = matrix("attn_k", c.kvWidth(), c.hidden);
    l.v = matrix("attn_v", c.kvWidth(), c.hidden);
    l.qBias = bias("attn_q", c.qWidth());
    l.kBias = bias("attn_k", c.kvWidth());
    l.vBias = bias("attn_v", c.kvWidth());
    l.attentionOut = matrix("attn_output", c.hidden, c.qWidth());
    l.ffnNorm = matrix("ffn_norm", 1, c.hidden);
    l.gate = matrix("ffn_gate", c.ffn, c.hidden);
    l.up = matrix("ffn_up", c.ffn, c.hidden);
    l.down = matrix("ffn_down", c.hidden, c.ffn);
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
    c.embed(*m_embedding, c.ids(), config().embeddingScale, x);
}

void LlamaNetwork::layer(Commands &c, std::int64_t index, const Tensor &x) const
{
    const Layer &l = m_layers[static_cast<std::size_t>(index)];
    const Config &cfg = config();
    const AttentionShape shape = cfg.attention();
    const std::size_t mark = c.mark();

    const Tensor q = c.scratch(x.rows, cfg.qWidth());
    const Tensor k = c.scratch(x.rows, cfg.kvWidth());
    const Tensor v = c.scratch(x.rows, cfg.kvWidth());
    const Tensor attended = c.scratch(x.rows, cfg.qWidth());
    const HeadTransform rotate{.headDim = cfg.headDim, .rope = &cfg.rope};
    c.linear({x, *l.attentionNorm, cfg.rmsEps},
             std::array{LinearTarget{l.q.get(), q, l.qBias.get()},
                        LinearTarget{l.k.get(), k, l.kBias.get()},
                        LinearTarget{l.v.get(), v, l.vBias.get()}});
    c.headsToCache(q, rotate, k, rotate, v, index, shape);
    c.attention(q, index, shape, attended);
    c.linear(attended, std::array{LinearTarget{l.attentionOut.get(), x}}, Accumulate::AddToOutput);

    const Tensor gated = c.scratch(x.rows, cfg.ffn);
    c.gatedLinear({x, *l.ffnNorm, cfg.rmsEps}, {l.gate.get(), l.up.get()}, Activation::SiLU, gated);
    c.linear(gated, std::array{LinearTarget{l.down.get(), x}}, Accumulate::AddToOutput);

    c.release(mark);
}

void LlamaNetwork::output(Commands &c, const Tensor &x, const Tensor &logits) const
{
    c.linear({x, *m_outputNorm, config().rmsEps},
             std::array{LinearTarget{m_outputWeight.get(), logits}});
}

} // namespace fireside
