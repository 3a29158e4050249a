#include "engine/model/blocks/delta_rule.h"

#include <cmath>

namespace fireside {
namespace {

constexpr float kKeyNormEps = 1e-6f;

} // namespace

DeltaRule::DeltaRule(const LayerWeights &w)
    : m_config(w.config())
    , m_index(w.index())
{
    const std::int64_t channels = m_config.delta.convolved();
    m_convolution =
        w.has("ssm_conv1d.weight")
            ? w.matrix("ssm_conv1d", channels, m_config.taps)
            : w.joined({"ssm_conv1d_q", "ssm_conv1d_k", "ssm_conv1d_v"}, channels, m_config.taps);
    m_norm = w.vector("ssm_norm", m_config.delta.valueDim);
}

Tensor DeltaRule::scratch(Commands &c, std::int64_t rows) const
{
    return c.scratch(rows, m_config.delta.convolved());
}

/// The keys of all heads where they take turns: head h has the key h mod keyHeads.
Tensor DeltaRule::turned(Commands &c, const Tensor &keys) const
{
    const DeltaConfig &d = m_config.delta;
    const Tensor all = c.scratch(keys.rows, d.heads * d.keyDim);
    for (std::int64_t first = 0; first < all.cols; first += keys.cols)
        c.record(op::Copy{keys, all.columns(first, keys.cols)});
    return all;
}

Tensor DeltaRule::record(Commands &c, const Inputs &in) const
{
    const DeltaConfig &d = m_config.delta;
    const std::int64_t T = in.qkv.rows, K = d.keyWidth(), V = d.valueWidth();
    const Tensor mixed = scratch(c, T), both = mixed.columns(0, 2 * K), out = c.scratch(T, V);
    Tensor q = mixed.columns(0, K), k = mixed.columns(K, K);
    const Tensor gated = c.productInput(T, V);
    c.record(op::ShortConvolution{
        .x = in.qkv, .weight = *m_convolution, .layer = m_index, .out = mixed});
    c.record(op::Activate{.x = mixed, .out = mixed});
    c.record(op::L2Normalize{.x = both, .out = both, .eps = kKeyNormEps, .groups = 2 * d.keyHeads});
    c.record(op::Scale{.x = q, .scale = 1 / std::sqrt(static_cast<float>(d.keyDim)), .out = q});
    c.record(op::Activate{.x = in.rate, .act = Activation::Sigmoid, .out = in.rate});
    if (d.rateScale != 1)
        c.record(op::Scale{.x = in.rate, .scale = d.rateScale, .out = in.rate});
    const bool inTurn = d.keysInTurn && d.keyHeads != d.heads;
    if (inTurn) {
        q = turned(c, q);
        k = turned(c, k);
    }
    c.record(op::GatedDeltaRule{.q = q,
                                .k = k,
                                .v = mixed.columns(2 * K, V),
                                .g = in.decay,
                                .beta = in.rate,
                                .keyHeads = inTurn ? d.heads : d.keyHeads,
                                .heads = d.heads,
                                .layer = m_index,
                                .stateOffset = m_config.state(m_index).scanOffset(),
                                .out = out});
    c.record(op::TransformHeads{
        .x = out, .transform = {d.valueDim, m_norm.get(), d.normEps, {}}, .out = out});
    c.record(op::Gate{in.gate, out, in.act, gated});
    return gated;
}

} // namespace fireside
