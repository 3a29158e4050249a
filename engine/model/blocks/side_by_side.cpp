#include "engine/model/blocks/side_by_side.h"

namespace fireside {

SideBySideBlock::SideBySideBlock(const LayerWeights &weights)
    : m_scales(weights.config().scales)
    , m_attention(weights)
    , m_scan(weights)
{}

void SideBySideBlock::record(Commands &c, const LinearInput &x, const BlockResult &result) const
{
    // Both read x before either result may change it.
    const Tensor attended = c.scratch(result.out.rows, result.out.cols);
    const Tensor scanned = c.scratch(result.out.rows, result.out.cols);
    m_attention.record(c, scaled(c, x, m_scales.attentionIn), {attended});
    m_scan.record(c, scaled(c, x, m_scales.scanIn), {scanned});
    addScaled(c, attended, m_scales.attentionOut, result);
    addScaled(c, scanned, m_scales.scanOut, {result.out, Accumulate::AddToOutput});
}

} // namespace fireside
