#include "engine/model/blocks/layer_inputs.h"

#include <cmath>

namespace fireside {

LayerInputs::LayerInputs(const LayerWeights &w)
    : m_config(w.config())
{
    const LayerInputConfig &input = m_config.layerInput;
    const std::int64_t all = m_config.layers * input.width;
    if (all == 0)
        return;
    m_table = w.matrix("per_layer_token_embd", input.rows, all);
    m_projection = w.matrix("per_layer_model_proj", all, m_config.hidden);
    m_norm = w.vector("per_layer_proj_norm", input.width);
}

void LayerInputs::record(Commands &c, const Tensor &x, const Tensor &out) const
{
    if (!m_table)
        return;
    const auto width = static_cast<float>(m_config.layerInput.width);
    const auto hidden = static_cast<float>(m_config.hidden);
    const float half = std::sqrt(0.5f);
    c.record(op::Linear{x, {{m_projection.get(), out}}});
    // The norm of x / √hidden is that of x with hidden times the epsilon.
    c.record(op::TransformHeads{
        .x = out,
        .transform = {m_config.layerInput.width, m_norm.get(), m_config.normEps * hidden},
        .out = out});
    c.record(op::Scale{.x = out, .scale = half, .out = out});
    c.record(op::Embed{*m_table, c.ids(), std::sqrt(width) * half, out, Accumulate::AddToOutput});
}

LayerInputBlock::LayerInputBlock(const LayerWeights &w, const char *scale)
    : m_config(w.config())
{
    const std::int64_t width = m_config.layerInput.width;
    m_gate = scale != nullptr ? w.scaledColumns("inp_gate", scale, width, m_config.hidden)
                              : w.matrix("inp_gate", width, m_config.hidden);
    m_projection = w.matrix("proj", m_config.hidden, width);
    m_norm = Norm::load(w, "post_norm", m_config.hidden);
}

Tensor LayerInputBlock::record(Commands &c, const Tensor &x, const Tensor &input) const
{
    const Tensor gate = c.scratch(x.rows, input.cols);
    const Tensor gated = c.productInput(x.rows, input.cols);
    const Tensor out = c.scratch(x.rows, x.cols);
    c.record(op::Linear{x, {{m_gate.get(), gate}}});
    c.record(op::Gate{gate, input, m_config.activation, gated});
    c.record(op::Linear{gated, {{m_projection.get(), out}}});
    m_norm.record(c, out, out);
    return out;
}

} // namespace fireside
