#include "engine/model/blocks/delta_net.h"

namespace fireside {

DeltaNetBlock::DeltaNetBlock(const LayerWeights &w)
    : m_config(w.config())
    , m_rule(w)
{
    const DeltaConfig &d = m_config.delta;
    loadProducts(w);
    m_decayScale = w.whole("ssm_a", 1, d.heads);
    m_stepBias = w.bias("ssm_dt", d.heads);
    m_out = w.matrix("ssm_out", m_config.hidden, d.valueWidth());
}

void DeltaNetBlock::loadProducts(const LayerWeights &w)
{
    const DeltaConfig &d = m_config.delta;
    const std::int64_t hidden = m_config.hidden;
    if (w.has("attn_qkv_gate.weight")) {
        m_qkvGate = w.matrix("attn_qkv_gate", d.convolved() + d.valueWidth(), hidden);
    } else {
        if (w.has("attn_qkv.weight")) {
            m_qkv = w.matrix("attn_qkv", d.convolved(), hidden);
        } else {
            m_q = w.matrix("attn_q", d.keyWidth(), hidden);
            m_k = w.matrix("attn_k", d.keyWidth(), hidden);
            m_v = w.matrix("attn_v", d.valueWidth(), hidden);
        }
        m_gate = w.matrix("attn_gate", d.valueWidth(), hidden);
    }
    if (w.has("ssm_ba.weight")) {
        m_rateDecay = w.matrix("ssm_ba", 2 * d.heads, hidden);
    } else {
        m_rate = w.matrix("ssm_beta", d.heads, hidden);
        m_decay = w.matrix("ssm_alpha", d.heads, hidden);
    }
}

void DeltaNetBlock::record(Commands &c, const LinearInput &x, const BlockResult &result) const
{
    const DeltaConfig &d = m_config.delta;
    const std::int64_t T = x.x.rows, K = d.keyWidth(), V = d.valueWidth();
    const Tensor all = c.scratch(T, 2 * K + 2 * V), both = c.scratch(T, 2 * d.heads);
    const Tensor qkv = all.columns(0, 2 * K + V), gate = all.columns(2 * K + V, V);
    const Tensor rate = both.columns(0, d.heads), decay = both.columns(d.heads, d.heads);
    std::vector<LinearTarget> targets;
    if (m_qkvGate)
        targets.push_back({m_qkvGate.get(), all});
    if (m_qkv)
        targets.push_back({m_qkv.get(), qkv});
    if (m_q) {
        targets.push_back({m_q.get(), all.columns(0, K)});
        targets.push_back({m_k.get(), all.columns(K, K)});
        targets.push_back({m_v.get(), all.columns(2 * K, V)});
    }
    if (m_gate)
        targets.push_back({m_gate.get(), gate});
    if (m_rateDecay)
        targets.push_back({m_rateDecay.get(), both});
    if (m_rate) {
        targets.push_back({m_rate.get(), rate});
        targets.push_back({m_decay.get(), decay});
    }
    c.record(op::Linear{x, targets});
    c.record(op::Decay{.x = decay, .a = *m_decayScale, .bias = m_stepBias.get(), .out = decay});
    const Tensor gated = m_rule.record(c, {qkv, decay, rate, gate});
    c.record(op::Linear{gated, {{m_out.get(), result.out}}, result.mode});
}

} // namespace fireside
