#pragma once
#include "engine/model/decoder.h"

namespace fireside {

/// The encoders: a decoder's layers without caches and without an output matrix, in place of which
/// a reranker has a head that gives one number. arXiv 1810.04805.
class Encoder final : public Decoder
{
public:
    using Decoder::Decoder;

    void loadOutput(const WeightTable &table, Device &device) override;
    /// Error(Unsupported): there are no logits.
    void output(Commands &c, const Tensor &x, const Tensor &logits) const override;
    Tensor finalRows(Commands &c, const Tensor &x) const override;
    void score(Commands &c, const Tensor &pooled, const Tensor &scores) const override;

private:
    Norm m_finalNorm;          // or none
    Slot m_dense, m_denseBias; // [hidden, hidden]
    Norm m_scoreNorm;          // or none
    Slot m_score, m_scoreBias; // [1, hidden]
};

} // namespace fireside
