#pragma once
#include "engine/model/blocks/block.h"

namespace fireside {

/// Mamba 2, arXiv 2405.21060: (z, x, b, c, δ) = in(x); x, b and c pass a convolution and SiLU; a
/// scan with one decay for each head; a norm and silu(z) in either order; out.
class Mamba2Block : public Block
{
public:
    explicit Mamba2Block(const LayerWeights &weights);
    void record(Commands &c, const LinearInput &x, const BlockResult &result) const override;

private:
    void scaleParts(Commands &c, const Tensor &parts) const;
    Tensor gated(Commands &c, const Tensor &gate, const Tensor &scanned) const;

    const Config &m_config;
    std::int64_t m_index;
    Slot m_in, m_inBias;                   // [2·width + 2·groups·states + heads, hidden]
    Slot m_convolution, m_convolutionBias; // [width + 2·groups·states, taps]
    Slot m_stepBias, m_a, m_d;             // [heads]
    Slot m_norm;                           // [width] or none
    Slot m_out, m_outBias;                 // [hidden, width]
};

} // namespace fireside
