#pragma once
#include "engine/model/blocks/feed_forward.h"

namespace fireside {

/// A mixture of experts, arXiv 2401.04088: a router chooses for each token; some families add an
/// expert that all tokens use, arXiv 2401.06066. The experts to choose from may lie on another
/// device than the layer, which then gets their input and the choice, and gives back their sum.
class MixtureBlock : public Block
{
public:
    explicit MixtureBlock(const LayerWeights &weights);
    void record(Commands &c, const LinearInput &x, const BlockResult &result) const override;
    /// With another input for the router: Gemma 4.
    void record(Commands &c, const LinearInput &x, const LinearInput &routed,
                const BlockResult &result) const;

private:
    struct Choice
    {
        Tensor ids, weights; // [T, k] I32 and F32
    };
    void choose(Commands &c, const LinearInput &routed, const Tensor &logits,
                const Choice &choice) const;
    Tensor sharedInner(Commands &c, const LinearInput &x) const;
    void weigh(Commands &c, const LinearInput &x, const Tensor &weights, const Tensor &out) const;
    void recordFirst(Commands &c, const LinearInput &x, const Choice &choice,
                     const Tensor &gated) const;
    void recordSecond(Commands &c, const Tensor &gated, const Choice &choice,
                      const BlockResult &result) const;
    void recordApart(Commands &c, const LinearInput &x, const LinearInput &routed,
                     const BlockResult &result) const;

    const Config &m_config;
    bool m_apart;                     // the experts lie on another device
    Slot m_router, m_routerBias;      // [E, hidden]
    Slot m_choiceBias, m_expertScale; // [E] or none
    Slot m_gate, m_up, m_down;        // of depth E
    Slot m_gateBias, m_upBias, m_downBias;
    Slot m_sharedGate; // [1, hidden] or none
    std::unique_ptr<FeedForwardBlock> m_shared;
};

} // namespace fireside
