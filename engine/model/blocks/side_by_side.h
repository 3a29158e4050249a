#pragma once
#include "engine/model/blocks/attention.h"
#include "engine/model/blocks/mamba2.h"

namespace fireside {

/// Attention and Mamba 2 read the same input, their results are added with a factor each:
/// Falcon-H1, arXiv 2507.22448.
class SideBySideBlock : public Block
{
public:
    explicit SideBySideBlock(const LayerWeights &weights);
    void record(Commands &c, const LinearInput &x, const BlockResult &result) const override;

private:
    const BranchScales &m_scales;
    AttentionBlock m_attention;
    Mamba2Block m_scan;
};

} // namespace fireside
