#include "engine/model/blocks/mamba.h"

namespace fireside {

MambaBlock::MambaBlock(const LayerWeights &w)
    : m_config(w.config())
    , m_index(w.index())
{
    const StateSpaceConfig &s = m_config.stateSpace;
    const std::int64_t hidden = m_config.hidden;
    m_in = w.matrix("ssm_in", 2 * s.width, hidden);
    m_inBias = w.optionalBias("ssm_in", 2 * s.width);
    m_convolution = w.matrix("ssm_conv1d", s.width, m_config.taps);
    m_convolutionBias = w.optionalBias("ssm_conv1d", s.width);
    m_parts = w.matrix("ssm_x", s.stepRank + 2 * s.states, s.width);
    if (s.innerNorms == StateSpaceConfig::InnerNorms::Weighted) {
        m_stepNorm = w.vector("ssm_dt_norm", s.stepRank);
        m_bNorm = w.vector("ssm_b_norm", s.states);
        m_cNorm = w.vector("ssm_c_norm", s.states);
    }
    m_step = w.matrix("ssm_dt", s.width, s.stepRank);
    m_stepBias = w.bias("ssm_dt", s.width);
    m_a = w.whole("ssm_a", s.width, s.states);
    m_d = w.whole("ssm_d", 1, s.width);
    m_out = w.matrix("ssm_out", hidden, s.width);
    m_outBias = w.optionalBias("ssm_out", hidden);
}

void MambaBlock::norm(Commands &c, const Tensor &part, const Slot &weight) const
{
    if (m_config.stateSpace.innerNorms != StateSpaceConfig::InnerNorms::None)
        c.record(
            op::RmsNorm{.x = part, .weight = weight.get(), .eps = m_config.normEps, .out = part});
}

void MambaBlock::record(Commands &c, const LinearInput &input, const BlockResult &result) const
{
    const StateSpaceConfig &s = m_config.stateSpace;
    const std::int64_t T = input.x.rows;
    const Tensor both = c.scratch(T, 2 * s.width), x = c.productInput(T, s.width);
    const Tensor parts = c.scratch(T, m_parts->rows), step = c.scratch(T, s.width);
    const Tensor scanned = c.scratch(T, s.width), gated = c.productInput(T, s.width);
    const Tensor rank = parts.columns(0, s.stepRank);
    const Tensor b = parts.columns(s.stepRank, s.states);
    const Tensor cc = parts.columns(s.stepRank + s.states, s.states);
    c.record(op::Linear{input, {{m_in.get(), both, m_inBias.get()}}});
    c.record(op::ShortConvolution{.x = both.columns(0, s.width),
                                  .weight = *m_convolution,
                                  .bias = m_convolutionBias.get(),
                                  .layer = m_index,
                                  .out = x});
    c.record(op::Activate{.x = x, .out = x});
    c.record(op::Linear{x, {{m_parts.get(), parts}}});
    norm(c, rank, m_stepNorm);
    norm(c, b, m_bNorm);
    norm(c, cc, m_cNorm);
    c.record(op::Linear{rank, {{m_step.get(), step}}});
    c.record(op::SelectiveScan{.x = x,
                               .dt = step,
                               .dtBias = m_stepBias.get(),
                               .a = *m_a,
                               .b = b,
                               .c = cc,
                               .d = *m_d,
                               .layer = m_index,
                               .stateOffset = m_config.state(m_index).scanOffset(),
                               .out = scanned});
    c.record(op::Gate{both.columns(s.width, s.width), scanned, Activation::SiLU, gated});
    c.record(op::Linear{gated, {{m_out.get(), result.out, m_outBias.get()}}, result.mode});
}

} // namespace fireside
