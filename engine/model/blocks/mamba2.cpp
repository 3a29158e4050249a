#include "engine/model/blocks/mamba2.h"

namespace fireside {

using GatedNorm = StateSpaceConfig::GatedNorm;

Mamba2Block::Mamba2Block(const LayerWeights &w)
    : m_config(w.config())
    , m_index(w.index())
{
    const StateSpaceConfig &s = m_config.stateSpace;
    const std::int64_t hidden = m_config.hidden, all = s.width + s.convolved() + s.heads;
    m_in = w.matrix("ssm_in", all, hidden);
    m_inBias = w.optionalBias("ssm_in", all);
    m_convolution = w.matrix("ssm_conv1d", s.convolved(), m_config.taps);
    m_convolutionBias = w.optionalBias("ssm_conv1d", s.convolved());
    m_stepBias = w.bias("ssm_dt", s.heads);
    m_a = w.whole("ssm_a", 1, s.heads);
    m_d = w.whole("ssm_d", 1, s.heads);
    if (s.norm != GatedNorm::None)
        m_norm = w.vector("ssm_norm", s.width);
    m_out = w.matrix("ssm_out", hidden, s.width);
    m_outBias = w.optionalBias("ssm_out", hidden);
}

void Mamba2Block::scaleParts(Commands &c, const Tensor &parts) const
{
    const StateSpaceConfig &s = m_config.stateSpace;
    const std::array widths{s.width, s.width, s.groups * s.states, s.groups * s.states, s.heads};
    std::int64_t first = 0;
    for (std::size_t i = 0; i < widths.size(); first += widths[i], ++i)
        if (const float scale = m_config.scales.scanParts[i]; scale != 1) {
            const Tensor part = parts.columns(first, widths[i]);
            c.record(op::Scale{.x = part, .scale = scale, .out = part});
        }
}

Tensor Mamba2Block::gated(Commands &c, const Tensor &gate, const Tensor &scanned) const
{
    const StateSpaceConfig &s = m_config.stateSpace;
    const Tensor out = c.productInput(scanned.rows, scanned.cols);
    const auto norm = [&](const Tensor &to) {
        c.record(op::RmsNorm{.x = scanned,
                             .weight = m_norm.get(),
                             .eps = m_config.normEps,
                             .out = to,
                             .groups = s.normGroups});
    };
    if (s.norm == GatedNorm::NormFirst)
        norm(scanned);
    const bool last = s.norm != GatedNorm::GateFirst;
    c.record(op::Gate{gate, scanned, Activation::SiLU, last ? out : scanned});
    if (s.norm == GatedNorm::GateFirst)
        norm(out);
    return out;
}

void Mamba2Block::record(Commands &c, const LinearInput &input, const BlockResult &result) const
{
    const StateSpaceConfig &s = m_config.stateSpace;
    const std::int64_t T = input.x.rows, shared = s.groups * s.states;
    const Tensor parts = c.scratch(T, m_in->rows), mixed = c.scratch(T, s.convolved());
    const Tensor scanned = c.scratch(T, s.width);
    c.record(op::Linear{input, {{m_in.get(), parts, m_inBias.get()}}});
    scaleParts(c, parts);
    c.record(op::ShortConvolution{.x = parts.columns(s.width, s.convolved()),
                                  .weight = *m_convolution,
                                  .bias = m_convolutionBias.get(),
                                  .layer = m_index,
                                  .out = mixed});
    c.record(op::Activate{.x = mixed, .out = mixed});
    c.record(op::StateSpaceScan{.x = mixed.columns(0, s.width),
                                .dt = parts.columns(s.width + s.convolved(), s.heads),
                                .dtBias = m_stepBias.get(),
                                .a = *m_a,
                                .b = mixed.columns(s.width, shared),
                                .c = mixed.columns(s.width + shared, shared),
                                .d = m_d.get(),
                                .groups = s.groups,
                                .heads = s.heads,
                                .dtMin = s.stepMin,
                                .dtMax = s.stepMax,
                                .layer = m_index,
                                .stateOffset = m_config.state(m_index).scanOffset(),
                                .out = scanned});
    c.record(op::Linear{gated(c, parts.columns(0, s.width), scanned),
                        {{m_out.get(), result.out, m_outBias.get()}},
                        result.mode});
}

} // namespace fireside
