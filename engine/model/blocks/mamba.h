#pragma once
#include "engine/model/blocks/block.h"

namespace fireside {

/// Mamba, arXiv 2312.00752: (x, z) = in(x); x = silu(convolution(x)); δ, b and c from x; the
/// selective scan; out(y ⊙ silu(z)).
class MambaBlock : public Block
{
public:
    explicit MambaBlock(const LayerWeights &weights);
    void record(Commands &c, const LinearInput &x, const BlockResult &result) const override;

private:
    void norm(Commands &c, const Tensor &part, const Slot &weight) const;

    const Config &m_config;
    std::int64_t m_index;
    Slot m_in, m_inBias;                   // [2·width, hidden]
    Slot m_convolution, m_convolutionBias; // [width, taps]
    Slot m_parts;                          // [stepRank + 2·states, width]: δ, b and c
    Slot m_stepNorm, m_bNorm, m_cNorm;     // [stepRank], [states] ×2 or none
    Slot m_step, m_stepBias;               // [width, stepRank]
    Slot m_a, m_d;                         // [width, states], [width]
    Slot m_out, m_outBias;                 // [hidden, width]
};

} // namespace fireside
