#pragma once
#include "engine/model/blocks/block.h"

namespace fireside {

/// Multi-head latent attention, arXiv 2405.04434: the cache holds one latent row and one rotated
/// part for all heads. In its absorbed form each head's matrix for keys is applied to its query,
/// and that for values to what attention gives; where a pass has many queries, they may make keys
/// and values of the cache's rows instead.
class LatentAttentionBlock : public Block
{
public:
    explicit LatentAttentionBlock(const LayerWeights &weights);
    void record(Commands &c, const LinearInput &x, const BlockResult &result) const override;

private:
    void loadHeads(const LayerWeights &weights);
    Slot transposedKeys(const LayerWeights &weights) const;
    Tensor query(Commands &c, const LinearInput &x, const Tensor &latent) const;
    void append(Commands &c, const Tensor &latent, const Tensor &q, const Tensor &turned,
                std::int64_t turnedStep) const;
    void attend(Commands &c, const Tensor &latent, const Tensor &q, const Tensor &attended) const;

    const Config &m_config;
    std::int64_t m_index;
    AttentionShape m_shape;
    Slot m_queryDown, m_queryNorm, m_queryUp; // [queryRank, hidden], [queryRank], [H·D, queryRank]
    Slot m_query;                             // [H·D, hidden] without queryRank
    Slot m_latent, m_latentNorm;              // [rank + rotary, hidden], [rank]
    Slot m_keyUp, m_valueUp;                  // of depth H: [rank, plain] and [value, rank]
    Slot m_keys;           // of depth H: [plain, rank], where a device may make keys
    Slot m_out, m_outBias; // [hidden, H·value]
};

} // namespace fireside
