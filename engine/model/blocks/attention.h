#pragma once
#include "engine/model/blocks/block.h"

namespace fireside {

/// Grouped-query attention over the session's cache, arXiv 2305.13245, with all that families add:
/// one product for q, k and v; biases; norms of heads before or after the rotary embedding; gates;
/// sinks; another layer's keys and values.
class AttentionBlock : public Block
{
public:
    explicit AttentionBlock(const LayerWeights &weights);
    void record(Commands &c, const LinearInput &x, const BlockResult &result) const override;

private:
    struct Heads
    {
        Tensor q, k, v, gate;
    };
    void load(const LayerWeights &weights);
    void loadNorms(const LayerWeights &weights);
    void loadDistances(const LayerWeights &weights);
    Heads products(Commands &c, const LinearInput &x) const;
    void clamp(Commands &c, const Heads &h) const;
    void norm(Commands &c, const Tensor &x, const Slot &weight, const Slot &bias,
              std::int64_t heads) const;
    void append(Commands &c, const Heads &h) const;
    void attend(Commands &c, const Heads &h, const Tensor &attended) const;
    Tensor gated(Commands &c, const Heads &h, const Tensor &attended) const;

    const Config &m_config;
    std::int64_t m_index;
    AttentionShape m_shape;
    Slot m_qkv, m_q, m_k, m_v;                 // [H·D + 2·Hkv·D, hidden], or each by itself
    Slot m_qkvBias, m_qBias, m_kBias, m_vBias; // or none
    Slot m_qNorm, m_kNorm;                     // as HeadNorm says, or none
    Slot m_qNormBias, m_kNormBias;             // or none
    Slot m_gate;                               // [H·D, hidden] or none
    Slot m_sinks;                              // [H] or none
    Slot m_distances;                          // [H·(2R + 1)] or none, see SequenceAttention
    Slot m_subNorm;                            // [H·D] or none
    Slot m_out, m_outBias;                     // [hidden, H·D]
};

} // namespace fireside
