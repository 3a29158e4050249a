#pragma once
#include "engine/model/blocks/delta_rule.h"

namespace fireside {

/// Kimi delta attention, arXiv 2510.26692: the gated delta rule with a decay for each channel of
/// keys, which like the gate is made by two narrow matrices.
class KimiDeltaBlock : public Block
{
public:
    explicit KimiDeltaBlock(const LayerWeights &weights);
    void record(Commands &c, const LinearInput &x, const BlockResult &result) const override;

private:
    const Config &m_config;
    DeltaRule m_rule;
    Slot m_q, m_k, m_v;            // [keys, hidden] ×2, [values, hidden]
    Slot m_decayDown, m_decayUp;   // [valueDim, hidden], [heads·keyDim, valueDim]
    Slot m_gateDown, m_gateUp;     // [valueDim, hidden], [values, valueDim]
    Slot m_rate;                   // [heads, hidden]
    Slot m_decayScale, m_stepBias; // [heads·keyDim]
    Slot m_out;                    // [hidden, values]
};

} // namespace fireside
