#pragma once
#include "engine/model/blocks/block.h"

#include <optional>

namespace fireside {

/// arXiv 2411.13010: αp and αn are what softplus makes of the stored numbers, αn with β added.
XIelu storedXIelu(float alphaP, float alphaN, float beta, float eps);

/// act(x·gateᵀ) ⊙ (x·upᵀ) · downᵀ, arXiv 2002.05202, or act(x·upᵀ) · downᵀ; with biases where the
/// file has them.
class FeedForwardBlock : public Block
{
public:
    /// suffix: of the tensors' names, "" or "_shexp" of the expert that all tokens use
    FeedForwardBlock(const LayerWeights &weights, bool gated, std::int64_t width,
                     const std::string &suffix = {});
    void record(Commands &c, const LinearInput &x, const BlockResult &result) const override;
    /// All but the last product: [T, ffn].
    Tensor inner(Commands &c, const LinearInput &x) const;
    void last(Commands &c, const Tensor &inner, const BlockResult &result) const;

private:
    void gated(Commands &c, const LinearInput &x, const Tensor &out) const;
    const Config &m_config;
    std::int64_t m_width;
    Slot m_gate, m_up, m_down; // [ffn, hidden] ×2, [hidden, ffn]
    Slot m_gateBias, m_upBias, m_downBias;
    Slot m_subNorm; // [ffn] or none
    std::optional<float> m_sparsity;
    XIelu m_xielu;
};

} // namespace fireside
