#include "engine/model/encoder.h"

#include "engine/core/error.h"

namespace fireside {

void Encoder::loadOutput(const WeightTable &table, Device &device)
{
    const Config &c = config();
    const LayerWeights w(table, device, -1);
    if (c.normPlaces != NormPlaces::AfterSum)
        m_finalNorm = Norm::load(w, "output_norm", c.hidden);
    if (!c.score.there)
        return;
    m_dense = w.matrix("cls", c.hidden, c.hidden);
    m_denseBias = w.optionalBias("cls", c.hidden);
    if (c.score.norm)
        m_scoreNorm = Norm::load(w, "cls.norm", c.hidden);
    m_score = w.matrix("cls.output", 1, c.hidden);
    m_scoreBias = w.optionalBias("cls.output", 1);
}

void Encoder::output(Commands & /*c*/, const Tensor & /*x*/, const Tensor & /*logits*/) const
{
    throwUnsupported("an embedding model has no logits");
}

Tensor Encoder::finalRows(Commands &c, const Tensor &x) const
{
    return m_finalNorm.applied(c, x);
}

void Encoder::score(Commands &c, const Tensor &pooled, const Tensor &scores) const
{
    const Tensor dense = c.scratch(pooled.rows, pooled.cols);
    c.record(op::Linear{pooled, {{m_dense.get(), dense, m_denseBias.get()}}});
    c.record(op::Activate{.x = dense, .act = config().score.activation, .out = dense});
    c.record(op::Linear{m_scoreNorm.input(c, dense), {{m_score.get(), scores, m_scoreBias.get()}}});
}

} // namespace fireside
