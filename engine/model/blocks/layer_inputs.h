#pragma once
#include "engine/model/blocks/block.h"

// Gemma 3n, 4: every layer has an embedding of its own of each token. All are made at once where
// the ids are known, and travel with the residual stream.
namespace fireside {

/// (norm(x·Wᵀ / √hidden) + table[id] · √width) / √2 for each layer, x being the token's embedding.
class LayerInputs
{
public:
    /// Nothing where the model has none.
    explicit LayerInputs(const LayerWeights &weights);
    /// out [T, layers·width]
    void record(Commands &c, const Tensor &x, const Tensor &out) const;

private:
    const Config &m_config;
    Block::Slot m_table;      // [tokens, layers·width]
    Block::Slot m_projection; // [layers·width, hidden]
    Block::Slot m_norm;       // [width]
};

/// norm((act((x ⊙ scale)·gateᵀ) ⊙ input)·projectionᵀ)
class LayerInputBlock
{
public:
    /// scale: the name of a vector, or none
    explicit LayerInputBlock(const LayerWeights &weights, const char *scale = nullptr);
    /// x [T, hidden] → [T, hidden] in scratch
    Tensor record(Commands &c, const Tensor &x, const Tensor &input) const;

private:
    const Config &m_config;
    Block::Slot m_gate, m_projection; // [width, hidden], [hidden, width]
    Norm m_norm;
};

} // namespace fireside
