#pragma once
#include "engine/model/blocks/block.h"

namespace fireside {

/// One matrix in place of attention: layers that a search found not to need it, arXiv 2411.19146.
class ProductBlock : public Block
{
public:
    explicit ProductBlock(const LayerWeights &weights)
        : m_matrix(weights.matrix("attn_output", weights.config().hidden, weights.config().hidden))
    {}
    void record(Commands &c, const LinearInput &x, const BlockResult &result) const override
    {
        // The product may add to x itself: it reads a copy.
        const Tensor input = c.productInput(x.x.rows, x.x.cols);
        if (x.norm)
            c.record(op::RmsNorm{.x = x.x, .weight = x.norm, .eps = x.eps, .out = input});
        else
            c.record(op::Copy{x.x, input});
        c.record(op::Linear{input, {{m_matrix.get(), result.out}}, result.mode});
    }

private:
    Slot m_matrix; // [hidden, hidden]
};

} // namespace fireside
