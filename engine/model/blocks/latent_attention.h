#pragma once
#include "engine/model/blocks/block.h"

namespace fireside {

/// Multi-head latent attention, arXiv 2405.04434, in its absorbed form: the cache holds one latent
/// row and one rotated part for all heads; each head's matrix for keys is applied to its query, and
/// that for values to what attention gives.
class LatentAttentionBlock : public Block
{
public:
    explicit LatentAttentionBlock(const LayerWeights &weights);
    void record(Commands &c, const LinearInput &x, const BlockResult &result) const override;

private:
    void loadHeads(const LayerWeights &weights);
    Tensor query(Commands &c, const LinearInput &x, const Tensor &latent) const;
    Tensor absorbed(Commands &c, const Tensor &q) const;

    const Config &m_config;
    std::int64_t m_index;
    AttentionShape m_shape;
    Slot m_queryDown, m_queryNorm, m_queryUp; // [queryRank, hidden], [queryRank], [H·D, queryRank]
    Slot m_query;                             // [H·D, hidden] without queryRank
    Slot m_latent, m_latentNorm;              // [rank + rotary, hidden], [rank]
    Slot m_keyUp, m_valueUp;                  // of depth H: [rank, plain] and [value, rank]
    Slot m_out, m_outBias;                    // [hidden, H·value]
};

} // namespace fireside
