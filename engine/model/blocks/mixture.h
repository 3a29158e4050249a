#pragma once
#include "engine/model/blocks/feed_forward.h"

namespace fireside {

/// A mixture of experts, arXiv 2401.04088: a router chooses for each token; some families add an
/// expert that all tokens use, arXiv 2401.06066.
class MixtureBlock : public Block
{
public:
    explicit MixtureBlock(const LayerWeights &weights);
    void record(Commands &c, const LinearInput &x, const BlockResult &result) const override;
    /// With another input for the router: Gemma 4.
    void record(Commands &c, const LinearInput &x, const LinearInput &routed,
                const BlockResult &result) const;

private:
    Tensor sharedInner(Commands &c, const LinearInput &x) const;
    Tensor weighed(Commands &c, const LinearInput &x, const Tensor &weights) const;

    const Config &m_config;
    Slot m_router, m_routerBias;      // [E, hidden]
    Slot m_choiceBias, m_expertScale; // [E] or none
    Slot m_gate, m_up, m_down;        // of depth E
    Slot m_gateBias, m_upBias, m_downBias;
    Slot m_sharedGate; // [1, hidden] or none
    std::unique_ptr<FeedForwardBlock> m_shared;
};

} // namespace fireside
