#pragma once
#include "engine/model/blocks/delta_rule.h"

namespace fireside {

/// Gated delta net, arXiv 2412.06464: products for q, k, v, a gate, a decay and a rate; the rule;
/// out. Files have the products together or apart.
class DeltaNetBlock : public Block
{
public:
    explicit DeltaNetBlock(const LayerWeights &weights);
    void record(Commands &c, const LinearInput &x, const BlockResult &result) const override;

private:
    void loadProducts(const LayerWeights &weights);

    const Config &m_config;
    DeltaRule m_rule;
    Slot m_qkvGate;                // [2·keys + 2·values, hidden], or apart:
    Slot m_qkv, m_q, m_k, m_v;     // [2·keys + values, hidden], or each by itself
    Slot m_gate;                   // [values, hidden]
    Slot m_rateDecay;              // [2·heads, hidden], or apart:
    Slot m_rate, m_decay;          // [heads, hidden]
    Slot m_decayScale, m_stepBias; // [heads]
    Slot m_out;                    // [hidden, values]
};

} // namespace fireside
