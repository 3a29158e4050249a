#include "engine/model/blocks/short_convolution.h"

namespace fireside {

ShortConvolutionBlock::ShortConvolutionBlock(const LayerWeights &w)
    : m_hidden(w.config().hidden)
    , m_index(w.index())
{
    m_in = w.matrix("shortconv.in_proj", 3 * m_hidden, m_hidden);
    m_inBias = w.optionalBias("shortconv.in_proj", 3 * m_hidden);
    m_convolution = w.matrix("shortconv.conv", m_hidden, w.config().taps);
    m_convolutionBias = w.optionalBias("shortconv.conv", m_hidden);
    m_out = w.matrix("shortconv.out_proj", m_hidden, m_hidden);
    m_outBias = w.optionalBias("shortconv.out_proj", m_hidden);
}

void ShortConvolutionBlock::record(Commands &c, const LinearInput &x,
                                   const BlockResult &result) const
{
    const std::int64_t T = x.x.rows, n = m_hidden;
    const Tensor parts = c.scratch(T, 3 * n), seen = c.scratch(T, n), mixed = c.scratch(T, n);
    const Tensor gated = c.productInput(T, n);
    c.record(op::Linear{x, {{m_in.get(), parts, m_inBias.get()}}});
    c.record(op::Multiply{parts.columns(0, n), parts.columns(2 * n, n), seen});
    c.record(op::ShortConvolution{.x = seen,
                                  .weight = *m_convolution,
                                  .bias = m_convolutionBias.get(),
                                  .layer = m_index,
                                  .out = mixed});
    c.record(op::Multiply{mixed, parts.columns(n, n), gated});
    c.record(op::Linear{gated, {{m_out.get(), result.out, m_outBias.get()}}, result.mode});
}

} // namespace fireside
