#include "engine/model/blocks/mixture.h"

#include "engine/backend/hand_over.h"

namespace fireside {

MixtureBlock::MixtureBlock(const LayerWeights &w)
    : m_config(w.config())
    , m_apart(w.expertsApart())
{
    const ExpertConfig &e = m_config.experts;
    const std::int64_t hidden = m_config.hidden;
    m_router = w.matrix("ffn_gate_inp", e.count, hidden);
    m_routerBias = w.optionalBias("ffn_gate_inp", e.count);
    m_choiceBias = w.optionalBias("exp_probs_b", e.count, e.choiceBias);
    if (w.has("ffn_down_exps.scale"))
        m_expertScale = w.whole("ffn_down_exps.scale", 1, e.count);
    const LayerWeights other = w.ofExperts(), &experts = m_apart ? other : w;
    if (e.gated) {
        m_gate = experts.matrix("ffn_gate_exps", e.ffn, hidden, e.count);
        m_gateBias = experts.optionalBias("ffn_gate_exps", e.ffn, false, e.count);
    }
    m_up = experts.matrix("ffn_up_exps", e.ffn, hidden, e.count);
    m_upBias = experts.optionalBias("ffn_up_exps", e.ffn, false, e.count);
    m_down = experts.matrix("ffn_down_exps", hidden, e.ffn, e.count);
    m_downBias = experts.optionalBias("ffn_down_exps", hidden, false, e.count);
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
    if (m_apart)
        return recordApart(c, x, routed, result);
    const ExpertConfig &e = m_config.experts;
    const std::int64_t T = x.x.rows;
    const Tensor logits = c.scratch(T, e.count);
    const Choice choice{c.scratch(T, e.used, DType::I32), c.scratch(T, e.used)};
    const Tensor gated = c.productInput(T * e.used, e.ffn);
    choose(c, routed, logits, choice);
    LinearInput input = x;
    if (e.weighInput) {
        input = c.scratch(T, x.x.cols);
        weigh(c, x, choice.weights, input.x);
    }
    recordFirst(c, input, choice, gated);
    // Everything that reads x, before the first result may change it.
    const Tensor shared = m_shared ? sharedInner(c, x) : Tensor{};
    recordSecond(c, gated, choice, result);
    if (m_shared)
        m_shared->last(c, shared, {result.out, Accumulate::AddToOutput});
}

/// The layer's device chooses, prepares the experts' input and adds up; they are computed
/// elsewhere.
void MixtureBlock::recordApart(Commands &c, const LinearInput &x, const LinearInput &routed,
                               const BlockResult &result) const
{
    const ExpertConfig &e = m_config.experts;
    const std::int64_t T = x.x.rows;
    HandOver &over = handOverOf(c);
    const Choice choice{over.shared(T, e.used, DType::I32), over.shared(T, e.used)};
    const Tensor input = over.shared(T, x.x.cols), sum = over.shared(T, x.x.cols);
    choose(c, routed, c.scratch(T, e.count), choice);
    if (e.weighInput)
        weigh(c, x, choice.weights, input);
    else if (x.norm)
        c.record(op::RmsNorm{.x = x.x, .weight = x.norm, .eps = x.eps, .out = input});
    else
        c.record(op::Copy{x.x, input});
    const Tensor shared = m_shared ? sharedInner(c, x) : Tensor{};
    over.handOver({.from = {input, choice.ids, choice.weights},
                   .to = sum,
                   .ops = [this](Commands &helper, const auto &from, const Tensor &to) {
                       const Choice chosen{from[1], from[2]};
                       const Tensor gated = helper.productInput(chosen.ids.rows * chosen.ids.cols,
                                                                m_config.experts.ffn);
                       recordFirst(helper, from[0], chosen, gated);
                       recordSecond(helper, gated, chosen, {to});
                   }});
    addScaled(c, sum, 1, result);
    if (m_shared)
        m_shared->last(c, shared, {result.out, Accumulate::AddToOutput});
}

void MixtureBlock::choose(Commands &c, const LinearInput &routed, const Tensor &logits,
                          const Choice &choice) const
{
    const ExpertConfig &e = m_config.experts;
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
    c.record(op::Linear{routed, {{m_router.get(), logits, m_routerBias.get()}}});
    c.record(op::Route{logits, routing, choice.ids, choice.weights});
}

void MixtureBlock::recordFirst(Commands &c, const LinearInput &x, const Choice &choice,
                               const Tensor &gated) const
{
    c.record(op::ExpertGatedLinear{x,
                                   choice.ids,
                                   {m_gate.get(), m_up.get(), m_gateBias.get(), m_upBias.get()},
                                   m_config.activation,
                                   gated});
}

void MixtureBlock::recordSecond(Commands &c, const Tensor &gated, const Choice &choice,
                                const BlockResult &result) const
{
    c.record(op::ExpertLinear{gated, choice.ids, choice.weights, *m_down, m_downBias.get(),
                              result.out, result.mode});
}

/// The input times its expert's weight, which then counts no more.
void MixtureBlock::weigh(Commands &c, const LinearInput &x, const Tensor &weights,
                         const Tensor &out) const
{
    if (x.norm)
        c.record(op::RmsNorm{.x = x.x, .weight = x.norm, .eps = x.eps, .out = out});
    c.record(op::Multiply{x.norm ? out : x.x, weights, out});
    c.record(op::Scale{.x = weights, .scale = 0, .out = weights, .add = 1});
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
