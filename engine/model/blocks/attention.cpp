#include "engine/model/blocks/attention.h"

#include <cmath>
#include <cstring>

namespace fireside {
namespace {

constexpr std::int64_t kFarthest = 128; // distances beyond share a bucket, arXiv 1910.10683

/// The bucket of key − query: half of them for each direction, of these half for one distance each
/// and the rest in logarithmic steps.
std::int64_t bucketOf(std::int64_t distance, std::int64_t buckets)
{
    const std::int64_t half = buckets / 2, exact = half / 2, far = std::abs(distance);
    std::int64_t bucket = far;
    if (far >= exact) {
        // As the makers' code rounds it: in single precision.
        const float steps = std::log(static_cast<float>(far) / static_cast<float>(exact)) /
                            static_cast<float>(std::log(static_cast<double>(kFarthest) /
                                                        static_cast<double>(exact))) *
                            static_cast<float>(half - exact);
        bucket = std::min(exact + static_cast<std::int64_t>(steps), half - 1);
    }
    return bucket + (distance > 0 ? half : 0);
}

} // namespace

AttentionBlock::AttentionBlock(const LayerWeights &weights)
    : m_config(weights.config())
    , m_index(weights.index())
    , m_shape(m_config.attention(m_index))
{
    load(weights);
    loadNorms(weights);
    if (m_config.relativeBuckets > 0)
        loadDistances(weights);
    if (m_config.sinks) {
        m_sinks = weights.vector("attn_sinks", m_shape.heads);
        m_shape.sinks = m_sinks.get();
    }
}

void AttentionBlock::load(const LayerWeights &w)
{
    const Config &c = m_config;
    const LayerConfig &l = w.layer();
    const std::int64_t queries = l.qWidth() * (c.attentionGate == AttentionGate::InQuery ? 2 : 1);
    const std::int64_t all = queries + 2 * l.kvWidth();
    const bool own = l.kvFrom < 0;
    if (w.has("attn_qkv.weight")) {
        m_qkv = w.matrix("attn_qkv", all, c.hidden);
        m_qkvBias = w.optionalBias("attn_qkv", all, c.attentionBias);
    } else {
        m_q = w.matrix("attn_q", queries, c.hidden);
        m_qBias = w.optionalBias("attn_q", queries, c.attentionBias);
        if (own) {
            m_k = w.matrix("attn_k", l.kvWidth(), c.hidden);
            m_kBias = w.optionalBias("attn_k", l.kvWidth(), c.attentionBias);
        }
        if (own && !l.valuesAreKeys) {
            m_v = w.matrix("attn_v", l.kvWidth(), c.hidden);
            m_vBias = w.optionalBias("attn_v", l.kvWidth(), c.attentionBias);
        }
    }
    if (c.attentionGate == AttentionGate::Own)
        m_gate = w.matrix("attn_gate", l.qWidth(), c.hidden);
    m_out = w.matrix("attn_output", c.hidden, l.qWidth());
    m_outBias = w.optionalBias("attn_output", c.hidden);
    if (c.subNorms)
        m_subNorm = w.vector("attn_sub_norm", l.qWidth());
}

void AttentionBlock::loadNorms(const LayerWeights &w)
{
    const LayerConfig &l = w.layer();
    const HeadNorm form = m_config.headNorm;
    if (form == HeadNorm::None || form == HeadNorm::Bare || !l.headNorms)
        return;
    if (form == HeadNorm::Each && m_config.norm == NormKind::Layer) {
        // One for all heads: Phi.
        const auto ofAll = [&](const char *name, std::int64_t heads) {
            const std::vector<float> one = w.numbers(name, l.headDim);
            std::vector<float> all;
            for (std::int64_t h = 0; h < heads; ++h)
                all.insert(all.end(), one.begin(), one.end());
            return w.made(name, all);
        };
        m_qNorm = ofAll("attn_q_norm.weight", l.heads);
        m_qNormBias = ofAll("attn_q_norm.bias", l.heads);
        m_kNorm = ofAll("attn_k_norm.weight", l.kvHeads);
        m_kNormBias = ofAll("attn_k_norm.bias", l.kvHeads);
        return;
    }
    const bool each = form == HeadNorm::Each;
    m_qNorm = w.vector("attn_q_norm", each ? l.headDim : l.qWidth());
    if (l.kvFrom < 0)
        m_kNorm = w.vector("attn_k_norm", each ? l.headDim : l.kvWidth());
}

/// A number for each head and distance, from the file's one for each bucket and head.
void AttentionBlock::loadDistances(const LayerWeights &w)
{
    const std::int64_t buckets = m_config.relativeBuckets, heads = m_shape.heads;
    const std::int64_t each = 2 * kFarthest + 1;
    const std::vector<float> table = w.table().numbers("rel_b.weight", buckets * heads);
    const std::span<std::byte> memory =
        w.table().own(static_cast<std::size_t>(heads * each) * sizeof(float));
    for (std::int64_t i = 0; i < heads * each; ++i) {
        const std::int64_t bucket = bucketOf(i % each - kFarthest, buckets);
        std::memcpy(&memory[static_cast<std::size_t>(i) * sizeof(float)],
                    &table[static_cast<std::size_t>(bucket * heads + i / each)], sizeof(float));
    }
    m_distances = w.device().addWeight({.name = "rel_b",
                                        .dtype = DType::F32,
                                        .rows = 1,
                                        .cols = heads * each,
                                        .depth = 1,
                                        .bytes = memory});
}

AttentionBlock::Heads AttentionBlock::products(Commands &c, const LinearInput &x) const
{
    const LayerConfig &l = m_config.layer(m_index);
    const std::int64_t T = x.x.rows, q = l.qWidth(), kv = l.kvWidth();
    const bool inQuery = m_config.attentionGate == AttentionGate::InQuery;
    const auto memory = [&](std::int64_t cols) {
        return m_config.encoder ? c.attentionInput(T, cols) : c.scratch(T, cols);
    };
    Heads h;
    if (m_qkv) {
        const Tensor all = memory(m_qkv->rows);
        c.record(op::Linear{x, {{m_qkv.get(), all, m_qkvBias.get()}}});
        h.q = all.columns(0, q);
        h.k = all.columns(q, kv);
        h.v = all.columns(q + kv, kv);
        return h;
    }
    const Tensor queries = memory(m_q->rows);
    std::vector<LinearTarget> targets{{m_q.get(), queries, m_qBias.get()}};
    if (m_k) {
        h.k = memory(kv);
        targets.push_back({m_k.get(), h.k, m_kBias.get()});
    }
    if (m_v) {
        h.v = memory(kv);
        targets.push_back({m_v.get(), h.v, m_vBias.get()});
    }
    if (m_gate) {
        h.gate = c.scratch(T, q);
        targets.push_back({m_gate.get(), h.gate});
    }
    c.record(op::Linear{x, targets});
    h.q = queries;
    if (inQuery) {
        // For each head its query, then its gate.
        h.q = c.scratch(T, q);
        h.gate = c.scratch(T, q);
        const std::int64_t D = l.headDim;
        const auto half = [&](std::int64_t first, const Tensor &to) {
            c.record(
                op::Copy{ofEachHead(queries, l.heads, first, D), ofEachHead(to, l.heads, 0, D)});
        };
        half(0, h.q);
        half(D, h.gate);
    }
    if (l.valuesAreKeys && m_k) {
        h.v = c.scratch(T, kv);
        c.record(op::Copy{h.k, h.v});
    }
    return h;
}

void AttentionBlock::clamp(Commands &c, const Heads &h) const
{
    if (m_config.clampQkv == 0)
        return;
    for (const Tensor &x : {h.q, h.k, h.v})
        c.record(op::Clamp{x, -m_config.clampQkv, m_config.clampQkv, x});
}

/// Norms that are not taken on the way into the cache.
void AttentionBlock::norm(Commands &c, const Tensor &x, const Slot &weight, const Slot &bias,
                          std::int64_t heads) const
{
    const bool row = m_config.headNorm == HeadNorm::Row;
    const std::int64_t groups = row ? 1 : heads;
    if (m_config.norm == NormKind::Layer)
        c.record(op::LayerNorm{.x = x,
                               .weight = weight.get(),
                               .bias = bias.get(),
                               .eps = m_config.normEps,
                               .out = x,
                               .groups = groups});
    else
        c.record(op::RmsNorm{
            .x = x, .weight = weight.get(), .eps = m_config.normEps, .out = x, .groups = groups});
}

void AttentionBlock::append(Commands &c, const Heads &h) const
{
    const Config &cfg = m_config;
    const LayerConfig &l = cfg.layer(m_index);
    const bool own = l.kvFrom < 0;
    std::optional<Rope> rope;
    if (l.rope != RopeUse::None)
        rope = l.rope == RopeUse::Local ? cfg.localRope : cfg.mainRope();
    HeadTransform q{l.headDim, nullptr, cfg.normEps, rope}, k = q;
    const bool normed = cfg.headNorm != HeadNorm::None && l.headNorms;
    const bool each = normed && cfg.headNorm == HeadNorm::Each && cfg.norm == NormKind::Rms;
    const bool apart = normed && !each;
    if (cfg.headNormAfterRope && rope) {
        c.record(op::TransformHeads{.x = h.q, .transform = q, .out = h.q});
        if (own)
            c.record(op::TransformHeads{.x = h.k, .transform = k, .out = h.k});
        q.rope = k.rope = std::nullopt;
    }
    if (each) {
        q.norm = m_qNorm.get();
        k.norm = m_kNorm.get();
    } else if (apart) {
        norm(c, h.q, m_qNorm, m_qNormBias, l.heads);
        if (own)
            norm(c, h.k, m_kNorm, m_kNormBias, l.kvHeads);
    }
    if (cfg.clampAfterNorm)
        clamp(c, h);
    if (cfg.valueNorm && own)
        c.record(op::RmsNorm{
            .x = h.v, .weight = nullptr, .eps = cfg.normEps, .out = h.v, .groups = l.kvHeads});
    const TemperatureConfig &t = cfg.temperature;
    if (t.scale != 0 && (l.rope == RopeUse::None || !t.onlyWithoutRope))
        c.record(op::AttentionTemperature{h.q, h.q, t.scale, t.offset, t.period});
    if (own && !cfg.encoder) {
        c.record(op::AppendKv{h.q, q, h.k, k, h.v, m_index, m_shape});
        return;
    }
    if (q.rope || q.norm != nullptr || !own)
        c.record(op::TransformHeads{.x = h.q, .transform = q, .out = h.q});
    if (own && (k.rope || k.norm != nullptr))
        c.record(op::TransformHeads{.x = h.k, .transform = k, .out = h.k});
}

/// Over the session's cache, or among the rows of each item.
void AttentionBlock::attend(Commands &c, const Heads &h, const Tensor &attended) const
{
    const LayerConfig &l = m_config.layer(m_index);
    if (m_config.encoder)
        c.record(op::SequenceAttention{h.q, h.k, h.v, m_shape, attended, m_distances.get()});
    else
        c.record(op::Attention{h.q, l.kvFrom < 0 ? m_index : l.kvFrom, m_shape, attended});
}

Tensor AttentionBlock::gated(Commands &c, const Heads &h, const Tensor &attended) const
{
    Tensor out = attended;
    if (m_config.attentionGate != AttentionGate::None) {
        out = c.productInput(attended.rows, attended.cols);
        c.record(op::Gate{h.gate, attended, Activation::Sigmoid, out});
    }
    if (m_subNorm) {
        const Tensor normed = c.productInput(attended.rows, attended.cols);
        c.record(op::RmsNorm{
            .x = out, .weight = m_subNorm.get(), .eps = m_config.normEps, .out = normed});
        out = normed;
    }
    return out;
}

void AttentionBlock::record(Commands &c, const LinearInput &x, const BlockResult &result) const
{
    const LayerConfig &l = m_config.layer(m_index);
    const bool last = m_config.attentionGate == AttentionGate::None && !m_subNorm;
    const Heads h = products(c, x);
    const Tensor attended =
        last ? c.productInput(x.x.rows, l.qWidth()) : c.scratch(x.x.rows, l.qWidth());
    if (!m_config.clampAfterNorm)
        clamp(c, h);
    append(c, h);
    attend(c, h, attended);
    c.record(op::Linear{
        gated(c, h, attended), {{m_out.get(), result.out, m_outBias.get()}}, result.mode});
}

} // namespace fireside
