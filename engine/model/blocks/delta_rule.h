#pragma once
#include "engine/model/blocks/block.h"

namespace fireside {

/// What the gated delta nets have in common: a convolution of q, k and v with SiLU, norms of q and
/// k, the rule, a gated norm of each head.
class DeltaRule
{
public:
    explicit DeltaRule(const LayerWeights &weights);

    /// [T, keys + keys + values]
    Tensor scratch(Commands &c, std::int64_t rows) const;
    /// qkv as the products gave it; decay [T, heads] or [T, heads·keyDim]; rate [T, heads] before
    /// its sigmoid. Gives the normed heads ⊙ act(gate), [T, heads·valueDim].
    struct Inputs
    {
        Tensor qkv, decay, rate, gate;
        Activation act = Activation::SiLU;
    };
    Tensor record(Commands &c, const Inputs &in) const;

private:
    Tensor turned(Commands &c, const Tensor &keys) const;

    const Config &m_config;
    std::int64_t m_index;
    std::unique_ptr<Weight> m_convolution; // [2·keys + values, taps]
    std::unique_ptr<Weight> m_norm;        // [valueDim]
};

} // namespace fireside
