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

/// Row `row` of a matrix of `cols` columns as floats.
void readRow(const WeightSource &from, std::span<const std::byte> matrix, std::size_t row,
             std::span<float> out)
{
    dequantizeRow(from.dtype, &matrix[row * rowBytes(from.dtype, out.size())], out.data(),
                  out.size());
}

/// The matrices of keys of all heads one after the other, [H, plain, rank]: from those stored
/// [rank, plain] each, or from rows of keys and values together.
std::vector<float> keyRows(const WeightSource &from, const LatentConfig &l, std::int64_t heads,
                           bool together)
{
    const auto rank = static_cast<std::size_t>(l.rank),
               plain = static_cast<std::size_t>(l.plainDim);
    const std::size_t both = plain + static_cast<std::size_t>(l.valueDim);
    std::vector<float> keys(static_cast<std::size_t>(heads) * plain * rank), row(plain);
    for (std::size_t h = 0; h < static_cast<std::size_t>(heads); ++h) {
        float *const to = &keys[h * plain * rank];
        if (together) {
            for (std::size_t d = 0; d < plain; ++d)
                readRow(from, from.bytes, h * both + d, {to + d * rank, rank});
            continue;
        }
        const std::span<const std::byte> matrix = from.matrixBytes(static_cast<std::int64_t>(h));
        for (std::size_t r = 0; r < rank; ++r) {
            readRow(from, matrix, r, row);
            for (std::size_t d = 0; d < plain; ++d)
                to[d * rank + r] = row[d];
        }
    }
    return keys;
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
    if (w.device().mayExpandLatent())
        m_keys = transposedKeys(w);
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
    const WeightSource both = w.table().held(w.table().matrix(
        w.prefix() + "attn_kv_b.weight", heads * (l.plainDim + l.valueDim), l.rank));
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

/// The matrix of keys as it makes keys, in F16 where the file has blocks or halves.
LatentAttentionBlock::Slot LatentAttentionBlock::transposedKeys(const LayerWeights &w) const
{
    const LatentConfig &l = m_config.latent;
    const std::int64_t heads = m_shape.heads;
    const bool together = !w.has("attn_k_b.weight");
    const WeightSource from = w.table().held(
        together ? w.table().matrix(w.prefix() + "attn_kv_b.weight",
                                    heads * (l.plainDim + l.valueDim), l.rank)
                 : w.table().matrix(w.prefix() + "attn_k_b.weight", l.rank, l.plainDim, heads));
    const bool exact = from.dtype == DType::F32;
    WeightSource made{.name = from.name + " as keys",
                      .dtype = exact ? DType::F32 : DType::F16,
                      .rows = l.plainDim,
                      .cols = l.rank,
                      .depth = heads,
                      .bytes = {}};
    if (!w.table().shapesOnly()) {
        const std::vector<float> keys = keyRows(from, l, heads, together);
        const std::span<std::byte> own = w.table().own(keys.size() * info(made.dtype).blockBytes);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const std::uint16_t half = floatToHalf(keys[i]);
            if (exact)
                std::memcpy(&own[i * sizeof(float)], &keys[i], sizeof(float));
            else
                std::memcpy(&own[i * sizeof half], &half, sizeof half);
        }
        made.bytes = own;
    }
    return w.device().addWeight(made);
}

/// The pass's rows to the cache. What turns of each head's query goes to columns of `turned`.
void LatentAttentionBlock::append(Commands &c, const Tensor &latent, const Tensor &q,
                                  const Tensor &turned, std::int64_t turnedStep) const
{
    const Config &cfg = m_config;
    const LatentConfig &l = cfg.latent;
    const std::int64_t H = m_shape.heads, step = l.plainDim + l.rotaryDim;
    const Rope none{.inverseFrequencies = {}};
    c.record(op::AppendLatent{
        .latent = latent.columns(0, l.rank),
        .ropePart = latent.columns(l.rank, l.rotaryDim),
        .rope = cfg.layer(m_index).rope != RopeUse::None ? cfg.mainRope() : none,
        .layer = m_index,
        .norm = m_latentNorm.get(),
        .eps = l.normEps,
        .heads = H,
        .queryStep = step,
        .turnedStep = turnedStep,
        .queries = q.columns(l.plainDim, (H - 1) * step + l.rotaryDim),
        .turned = turned.columns(turnedStep - l.rotaryDim, (H - 1) * turnedStep + l.rotaryDim)});
}

/// attended [T, H·value], by one of the two forms.
void LatentAttentionBlock::attend(Commands &c, const Tensor &latent, const Tensor &q,
                                  const Tensor &attended) const
{
    const LatentConfig &l = m_config.latent;
    const std::int64_t T = q.rows, H = m_shape.heads, step = l.plainDim + l.rotaryDim;
    if (m_keys) {
        AttentionShape shape = m_shape;
        shape.kvHeads = H;
        shape.headDim = step;
        shape.valueDim = l.valueDim;
        const op::ExpandedAttention expanded{q,
                                             m_index,
                                             shape,
                                             *m_keys,
                                             *m_valueUp,
                                             attended,
                                             op::roomForHeads(shape, m_config.contextTrained)};
        if (c.expandsLatent(expanded)) {
            append(c, latent, q, q, step);
            c.record(expanded);
            return;
        }
    }
    // For each head its query in the space of the latent rows, then its rotated part.
    const Tensor inLatent = c.scratch(T, H * l.rank), whole = c.scratch(T, H * m_shape.headDim);
    append(c, latent, q, whole, m_shape.headDim);
    c.record(op::HeadLinear{q.columns(0, (H - 1) * step + l.plainDim), *m_keyUp,
                            whole.columns(0, (H - 1) * m_shape.headDim + l.rank), step,
                            m_shape.headDim});
    c.record(op::Attention{whole, m_index, m_shape, inLatent});
    c.record(op::HeadLinear{inLatent, *m_valueUp, attended});
}

void LatentAttentionBlock::record(Commands &c, const LinearInput &x,
                                  const BlockResult &result) const
{
    const LatentConfig &l = m_config.latent;
    const std::int64_t T = x.x.rows;
    const Tensor latent = c.scratch(T, l.rank + l.rotaryDim);
    const Tensor q = query(c, x, latent);
    const Tensor attended = c.productInput(T, m_shape.heads * l.valueDim);
    attend(c, latent, q, attended);
    c.record(op::Linear{attended, {{m_out.get(), result.out, m_outBias.get()}}, result.mode});
}

} // namespace fireside
