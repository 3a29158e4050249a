#pragma once
#include "engine/model/blocks/block.h"

namespace fireside {

/// LFM2's mixer, arXiv 2511.23404: (b, c, x) = in(x); out(c ⊙ convolution(b ⊙ x)).
class ShortConvolutionBlock : public Block
{
public:
    explicit ShortConvolutionBlock(const LayerWeights &weights);
    void record(Commands &c, const LinearInput &x, const BlockResult &result) const override;

private:
    std::int64_t m_hidden, m_index;
    Slot m_in, m_inBias;                   // [3·hidden, hidden]
    Slot m_convolution, m_convolutionBias; // [hidden, taps]
    Slot m_out, m_outBias;                 // [hidden, hidden]
};

} // namespace fireside
