#include "engine/model/blocks/latent_attention.h"

#include "engine/tensor/blocks.h"
#include "engine/tensor/half.h"

#include <cmath>
#include <cstring>

namespace fireside {
namespace {

/// A matrix of keys and values together, [H·(plain + value), rank], as numbers that can be moved:
/// those of a type with blocks become F16.
std::vector<std::byte> movable(const WeightSource &both)
{
    if (info(both.dtype).blockElements == 1)
        return {both.bytes.begin(), both.bytes.end()};
    std::vector<float> values(static_cast<std::size_t>(both.rows * both.cols));
    dequantizeRow(both.dtype, both.bytes.data(), values.data(), values.size());
    std::vector<std::byte> halves(values.size() * sizeof(std::uint16_t));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint16_t half = floatToHalf(values[i]);
        std::memcpy(&halves[i * sizeof half], &half, sizeof half);
    }
    return halves;
}

/// Its rows that belong to keys or to values, in memory of the table; those of keys transposed,
/// [rank, plain] for each head.
std::span<const std::byte> headMatrices(const LayerWeights &w, std::span<const std::byte> both,
                                        std::size_t size, std::int64_t heads, bool keys)
{
    const LatentConfig &l = w.config().latent;
    const auto rank = static_cast<std::size_t>(l.rank),
               plain = static_cast<std::size_t>(l.plainDim);
    const auto value = static_cast<std::size_t>(l.valueDim), row = rank * size;
    const std::size_t rows = keys ? plain : value;
    const std::span<std::byte> made = w.table().own(static_cast<std::size_t>(heads) * rows * row);
    for (std::size_t h = 0; h < static_cast<std::size_t>(heads); ++h) {
        const std::byte *from = &both[(h * (plain + value) + (keys ? 0 : plain)) * row];
        std::byte *to = &made[h * rows * row];
        if (!keys) {
            std::memcpy(to, from, rows * row);
            continue;
        }
        for (std::size_t r = 0; r < rank; ++r)
            for (std::size_t d = 0; d < plain; ++d)
                std::memcpy(to + (r * plain + d) * size, from + (d * rank + r) * size, size);
    }
    return made;
}

} // namespace

LatentAttentionBlock::LatentAttentionBlock(const LayerWeights &w)
    : m_config(w.config())
    , m_index(w.index())
    , m_shape(m_config.attention(m_index))
{
    const LatentConfig &l = m_config.latent;
    const std::int64_t heads = w.layer().heads, hidden = m_config.hidden;
    const std::int64_t queries = heads * (l.plainDim + l.rotaryDim);
    if (m_config.attentionScale == 0)
        m_shape.scale = 1 / std::sqrt(static_cast<float>(l.plainDim + l.rotaryDim));
    if (l.queryRank > 0) {
        m_queryDown = w.matrix("attn_q_a", l.queryRank, hidden);
        m_queryNorm = w.vector("attn_q_a_norm", l.queryRank);
        m_queryUp = w.matrix("attn_q_b", queries, l.queryRank);
    } else {
        m_query = w.matrix("attn_q", queries, hidden);
    }
    m_latent = w.matrix("attn_kv_a_mqa", l.rank + l.rotaryDim, hidden);
    m_latentNorm = w.vector("attn_kv_a_norm", l.rank);
    loadHeads(w);
    m_out = w.matrix("attn_output", hidden, heads * l.valueDim);
    m_outBias = w.optionalBias("attn_output", hidden);
}

void LatentAttentionBlock::loadHeads(const LayerWeights &w)
{
    const LatentConfig &l = m_config.latent;
    const std::int64_t heads = w.layer().heads;
    if (w.has("attn_k_b.weight")) {
        m_keyUp = w.matrix("attn_k_b", l.rank, l.plainDim, heads);
        m_valueUp = w.matrix("attn_v_b", l.valueDim, l.rank, heads);
        return;
    }
    const WeightSource both = w.table().matrix(w.prefix() + "attn_kv_b.weight",
                                               heads * (l.plainDim + l.valueDim), l.rank);
    WeightSource keys = both, values = both;
    keys.rows = l.rank, keys.cols = l.plainDim, keys.depth = heads;
    values.rows = l.valueDim, values.cols = l.rank, values.depth = heads;
    keys.dtype = values.dtype = info(both.dtype).blockElements == 1 ? both.dtype : DType::F16;
    keys.bytes = values.bytes = {};
    if (!w.table().shapesOnly()) {
        const std::vector<std::byte> moved = movable(both);
        const std::size_t size = info(keys.dtype).blockBytes;
        keys.bytes = headMatrices(w, moved, size, heads, true);
        values.bytes = headMatrices(w, moved, size, heads, false);
    }
    m_keyUp = w.device().addWeight(keys);
    m_valueUp = w.device().addWeight(values);
}

/// q [T, H·(plain + rotary)]; the latent row is made by the same op where both read x.
Tensor LatentAttentionBlock::query(Commands &c, const LinearInput &x, const Tensor &latent) const
{
    const std::int64_t T = x.x.rows;
    if (m_query) {
        const Tensor q = c.scratch(T, m_query->rows);
        c.record(op::Linear{x, {{m_query.get(), q}, {m_latent.get(), latent}}});
        return q;
    }
    const Tensor down = c.scratch(T, m_queryDown->rows);
    const Tensor q = c.scratch(T, m_queryUp->rows);
    c.record(op::Linear{x, {{m_queryDown.get(), down}, {m_latent.get(), latent}}});
    c.record(op::Linear{{down, *m_queryNorm, m_config.latent.normEps}, {{m_queryUp.get(), q}}});
    return q;
}

/// For each head its query in the space of the latent rows, then its rotated part:
/// [T, H·(rank + rotary)].
Tensor LatentAttentionBlock::absorbed(Commands &c, const Tensor &q) const
{
    const LatentConfig &l = m_config.latent;
    const std::int64_t T = q.rows, H = m_shape.heads;
    const Tensor plain = c.scratch(T, H * l.plainDim), inLatent = c.scratch(T, H * l.rank);
    const Tensor whole = c.scratch(T, H * m_shape.headDim);
    const auto copy = [&](const Tensor &from, std::int64_t first, const Tensor &to, std::int64_t at,
                          std::int64_t count) {
        c.record(op::Copy{ofEachHead(from, H, first, count), ofEachHead(to, H, at, count)});
    };
    copy(q, 0, plain, 0, l.plainDim);
    c.record(op::HeadLinear{plain, *m_keyUp, inLatent});
    copy(inLatent, 0, whole, 0, l.rank);
    copy(q, l.plainDim, whole, l.rank, l.rotaryDim);
    return whole;
}

void LatentAttentionBlock::record(Commands &c, const LinearInput &x,
                                  const BlockResult &result) const
{
    const Config &cfg = m_config;
    const LatentConfig &l = cfg.latent;
    const std::int64_t T = x.x.rows, H = m_shape.heads;
    const Tensor latent = c.scratch(T, l.rank + l.rotaryDim);
    const Tensor row = c.scratch(T, l.rank);
    Tensor q = query(c, x, latent);
    if (cfg.layer(m_index).rope != RopeUse::None) {
        Rope rope = cfg.rope;
        rope.firstChannel = l.plainDim;
        c.record(op::TransformHeads{
            .x = q, .transform = {l.plainDim + l.rotaryDim, nullptr, 0, rope}, .out = q});
    }
    c.record(op::RmsNorm{.x = latent.columns(0, l.rank),
                         .weight = m_latentNorm.get(),
                         .eps = l.normEps,
                         .out = row});
    const Rope none{.inverseFrequencies = {}};
    c.record(op::AppendLatent{row, latent.columns(l.rank, l.rotaryDim),
                              cfg.layer(m_index).rope != RopeUse::None ? cfg.rope : none, m_index});
    const Tensor inLatent = c.scratch(T, H * l.rank);
    const Tensor attended = c.productInput(T, H * l.valueDim);
    c.record(op::Attention{absorbed(c, q), m_index, m_shape, inLatent});
    c.record(op::HeadLinear{inLatent, *m_valueUp, attended});
    c.record(op::Linear{attended, {{m_out.get(), result.out, m_outBias.get()}}, result.mode});
}

} // namespace fireside
