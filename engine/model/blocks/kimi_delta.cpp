#include "engine/model/blocks/kimi_delta.h"

namespace fireside {

KimiDeltaBlock::KimiDeltaBlock(const LayerWeights &w)
    : m_config(w.config())
    , m_rule(w)
{
    const DeltaConfig &d = m_config.delta;
    const std::int64_t hidden = m_config.hidden, decays = d.heads * d.keyDim;
    m_q = w.matrix("attn_q", d.keyWidth(), hidden);
    m_k = w.matrix("attn_k", d.keyWidth(), hidden);
    m_v = w.matrix("attn_v", d.valueWidth(), hidden);
    m_decayDown = w.matrix("ssm_f_a", d.valueDim, hidden);
    m_decayUp = w.matrix("ssm_f_b", decays, d.valueDim);
    m_gateDown = w.matrix("ssm_g_a", d.valueDim, hidden);
    m_gateUp = w.matrix("ssm_g_b", d.valueWidth(), d.valueDim);
    m_rate = w.matrix("ssm_beta", d.heads, hidden);
    m_decayScale = w.repeated("ssm_a", d.heads, d.keyDim);
    m_stepBias = w.bias("ssm_dt", decays);
    m_out = w.matrix("attn_output", hidden, d.valueWidth());
}

void KimiDeltaBlock::record(Commands &c, const LinearInput &x, const BlockResult &result) const
{
    const DeltaConfig &d = m_config.delta;
    const std::int64_t T = x.x.rows, K = d.keyWidth(), V = d.valueWidth();
    const Tensor qkv = m_rule.scratch(c, T), rate = c.scratch(T, d.heads);
    const Tensor narrowDecay = c.productInput(T, d.valueDim),
                 decay = c.scratch(T, d.heads * d.keyDim);
    const Tensor narrowGate = c.productInput(T, d.valueDim), gate = c.scratch(T, V);
    c.record(op::Linear{x,
                        {{m_q.get(), qkv.columns(0, K)},
                         {m_k.get(), qkv.columns(K, K)},
                         {m_v.get(), qkv.columns(2 * K, V)},
                         {m_rate.get(), rate},
                         {m_decayDown.get(), narrowDecay},
                         {m_gateDown.get(), narrowGate}}});
    c.record(op::Linear{narrowDecay, {{m_decayUp.get(), decay}}});
    c.record(op::Linear{narrowGate, {{m_gateUp.get(), gate}}});
    c.record(op::Decay{.x = decay, .a = *m_decayScale, .bias = m_stepBias.get(), .out = decay});
    const Tensor gated = m_rule.record(c, {qkv, decay, rate, gate, Activation::Sigmoid});
    c.record(op::Linear{gated, {{m_out.get(), result.out}}, result.mode});
}

} // namespace fireside
