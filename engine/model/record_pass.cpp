#include "engine/model/record_pass.h"

#include "engine/backend/hand_over.h"
#include "engine/backend/op.h"

#include <optional>
#include <vector>

namespace fireside {
namespace {

void recordEmbedding(const Network &network, Commands &c, const Tensor &x, const PassOutput &output,
                     std::int64_t items)
{
    const Tensor rows = network.finalRows(c, x);
    if (!output.hidden.empty())
        c.keep(kHidden, rows);
    if (output.pooled.empty() && output.scores.empty())
        return;
    const Tensor pooled = c.scratch(items, rows.cols);
    c.record(op::Pool{rows, output.pooling, pooled});
    if (!output.pooled.empty())
        c.keep(kPooled, pooled);
    if (output.scores.empty())
        return;
    const Tensor scores = c.scratch(items, 1);
    network.score(c, pooled, scores);
    c.keep(kScores, scores);
}

} // namespace

void recordPart(const Network &network, Commands &c, const PassPart &part, std::int64_t rows,
                const PassOutput &output, std::int64_t items)
{
    const Tensor x = c.scratch(rows, network.config().streamWidth());
    if (part.embeds)
        network.embed(c, x);
    else
        handOverOf(c).takeBrought(x);
    for (std::int64_t i = part.firstLayer; i < part.endLayer; ++i)
        network.layer(c, i, x);
    if (!part.outputs)
        c.keep(kResidual, x);
    if (part.outputs && output.embeds())
        recordEmbedding(network, c, x, output, items);
    const auto wanted = static_cast<std::int64_t>(output.rows.size());
    if (!part.outputs || wanted == 0)
        return;
    const bool all = rows == 1 && wanted == 1 && output.rows[0] == 0; // nothing to choose
    const Tensor chosen = all ? x : c.scratch(wanted, x.cols);
    const Tensor logits = c.scratch(wanted, network.config().vocabulary);
    if (!all)
        c.record(op::GatherRows{x, c.outputRows(), chosen});
    network.output(c, chosen, logits);
    if (!output.logits.empty())
        c.keep(kLogits, logits);
    std::optional<Tensor> values;
    Tensor ids;
    if (!output.greedy.empty()) {
        ids = c.scratch(wanted, 1, DType::I32);
        c.record(op::Argmax{logits, ids});
        c.keep(kGreedy, ids);
    }
    if (const std::int64_t k = output.topK(); k > 0) {
        values = c.scratch(wanted, k);
        ids = c.scratch(wanted, k, DType::I32);
        c.record(op::TopK{logits, *values, ids});
        c.keep(kTopLogits, *values);
        c.keep(kTopIds, ids);
    }
    if (output.next != nullptr)
        c.record(op::Advance{values, ids, c.scratch(wanted, 1, DType::I32)});
}

void recordDraft(const Network &network, Commands &c, std::int64_t head,
                 std::span<const float> hidden, const PassOutput &output)
{
    const Config &cfg = network.config();
    const auto rows = static_cast<std::int64_t>(hidden.size()) / cfg.hidden;
    const auto wanted = static_cast<std::int64_t>(output.rows.size());
    const Tensor before = c.scratch(rows, cfg.hidden);
    c.upload(hidden, before);
    const Tensor x = network.draft(c, head, before);
    const bool all = !output.hidden.empty();
    const Tensor own = all ? network.draftRows(c, head, x) : x;
    if (all)
        c.keep(kHidden, own);
    if (wanted == 0)
        return;
    const Tensor chosen = c.scratch(wanted, cfg.hidden);
    c.record(op::GatherRows{own, c.outputRows(), chosen});
    const Tensor logits = c.scratch(wanted, cfg.vocabulary);
    network.draftLogits(c, head, all ? chosen : network.draftRows(c, head, chosen), logits);
    if (!output.logits.empty())
        c.keep(kLogits, logits);
    if (output.greedy.empty())
        return;
    const Tensor ids = c.scratch(wanted, 1, DType::I32);
    c.record(op::Argmax{logits, ids});
    c.keep(kGreedy, ids);
}

} // namespace fireside
