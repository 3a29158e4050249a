#include "engine/model/blocks/mixture.h"

namespace fireside {

MixtureBlock::MixtureBlock(const LayerWeights &w)
    : m_config(w.config())
{
    const ExpertConfig &e = m_config.experts;
    const std::int64_t hidden = m_config.hidden;
    m_router = w.matrix("ffn_gate_inp", e.count, hidden);
    m_routerBias = w.optionalBias("ffn_gate_inp", e.count);
    m_choiceBias = w.optionalBias("exp_probs_b", e.count, e.choiceBias);
    if (w.has("ffn_down_exps.scale"))
        m_expertScale = w.whole("ffn_down_exps.scale", 1, e.count);
    if (e.gated) {
        m_gate = w.matrix("ffn_gate_exps", e.ffn, hidden, e.count);
        m_gateBias = w.optionalBias("ffn_gate_exps", e.ffn, false, e.count);
    }
    m_up = w.matrix("ffn_up_exps", e.ffn, hidden, e.count);
    m_upBias = w.optionalBias("ffn_up_exps", e.ffn, false, e.count);
    m_down = w.matrix("ffn_down_exps", hidden, e.ffn, e.count);
    m_downBias = w.optionalBias("ffn_down_exps", hidden, false, e.count);
    if (e.sharedFfn > 0)
        m_shared = std::make_unique<FeedForwardBlock>(w, e.gated, e.sharedFfn, "_shexp");
    if (e.sharedGate)
        m_sharedGate = w.matrix("ffn_gate_inp_shexp", 1, hidden);
}

void MixtureBlock::record(Commands &c, const LinearInput &x, const BlockResult &result) const
{
    record(c, x, x, result);
}

void MixtureBlock::record(Commands &c, const LinearInput &x, const LinearInput &routed,
                          const BlockResult &result) const
{
    const ExpertConfig &e = m_config.experts;
    const std::int64_t T = x.x.rows;
    const Routing routing{.score = e.score,
                          .used = e.used,
                          .bias = m_choiceBias.get(),
                          .groups = e.groups,
                          .usedGroups = e.usedGroups,
                          .groupByBestTwo = e.groupByBestTwo,
                          .normalize = e.normalize,
                          .scale = e.scale,
                          .jitterEps = e.jitter,
                          .expertScale = m_expertScale.get()};
    const Tensor logits = c.scratch(T, e.count);
    const Tensor ids = c.scratch(T, e.used, DType::I32);
    const Tensor weights = c.scratch(T, e.used);
    const Tensor gated = c.productInput(T * e.used, e.ffn);
    c.record(op::Linear{routed, {{m_router.get(), logits, m_routerBias.get()}}});
    c.record(op::Route{logits, routing, ids, weights});
    c.record(op::ExpertGatedLinear{e.weighInput ? weighed(c, x, weights) : x,
                                   ids,
                                   {m_gate.get(), m_up.get(), m_gateBias.get(), m_upBias.get()},
                                   m_config.activation,
                                   gated});
    // Everything that reads x, before the first result may change it.
    const Tensor shared = m_shared ? sharedInner(c, x) : Tensor{};
    c.record(
        op::ExpertLinear{gated, ids, weights, *m_down, m_downBias.get(), result.out, result.mode});
    if (m_shared)
        m_shared->last(c, shared, {result.out, Accumulate::AddToOutput});
}

/// The input times its expert's weight, which then counts no more.
Tensor MixtureBlock::weighed(Commands &c, const LinearInput &x, const Tensor &weights) const
{
    const Tensor out = c.scratch(x.x.rows, x.x.cols);
    if (x.norm)
        c.record(op::RmsNorm{.x = x.x, .weight = x.norm, .eps = x.eps, .out = out});
    c.record(op::Multiply{x.norm ? out : x.x, weights, out});
    c.record(op::Scale{.x = weights, .scale = 0, .out = weights, .add = 1});
    return out;
}

/// The shared expert's numbers before its last product, to which its gate applies as well: the
/// product is linear and has no bias.
Tensor MixtureBlock::sharedInner(Commands &c, const LinearInput &x) const
{
    const Tensor inner = m_shared->inner(c, x);
    if (!m_sharedGate)
        return inner;
    const Tensor gate = c.scratch(x.x.rows, 1);
    const Tensor out = c.productInput(inner.rows, inner.cols);
    c.record(op::Linear{x, {{m_sharedGate.get(), gate}}});
    c.record(op::Activate{.x = gate, .act = Activation::Sigmoid, .out = gate});
    c.record(op::Multiply{inner, gate, out});
    return out;
}

} // namespace fireside
