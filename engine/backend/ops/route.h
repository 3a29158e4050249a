#pragma once
#include "engine/backend/ops/op_check.h"

namespace fireside {

/// How a mixture of experts chooses. Weights of the chosen experts, in order of falling score
/// (the first expert wins a tie).
struct Routing
{
    enum class Score {
        SoftmaxAll,    // softmax over all logits, then the k largest
        SoftmaxChosen, // the k largest logits, then softmax over those
        Sigmoid,       // σ(logit) each (DeepSeek V3)
        SparseMixer,   // see jitterEps
    };
    Score score = Score::SoftmaxAll;
    std::int64_t used = 1;        // k
    const Weight *bias = nullptr; // [1, experts]: added to the scores for choosing, not to weights
    std::int64_t groups = 1, usedGroups = 1; // choose the best groups first, experts within them
    bool groupByBestTwo = false; // a group's score: sum of its two best (V3), or its best (V2)
    bool normalize = false;      // the chosen weights are divided by their sum
    float scale = 1;             // then multiplied by this
    /// Of SparseMixer, arXiv 2409.12136 (PhiMoE), with two experts of largest logits: each has its
    /// softmax over those not chosen before it whose logit s has
    /// (largest − s) / max(|s|, largest) ≤ 2·jitterEps, largest being its own.
    float jitterEps = 0;
    const Weight *expertScale = nullptr; // [1, experts]: at the end times the expert's number
};

} // namespace fireside

namespace fireside::op {

struct Route
{
    static constexpr const char *kName = "route";
    Tensor logits; // [T, E]
    Routing routing;
    Tensor ids;     // [T, k] I32
    Tensor weights; // [T, k] F32
};

inline void check(const Route &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    const Routing &routing = op.routing;
    const std::int64_t experts = op.logits.cols, groups = routing.groups;
    check.activation("logits", op.logits);
    check.ids("ids", op.logits.rows, routing.used, op.ids);
    check.floats("weights", op.logits.rows, routing.used, op.weights);
    check.vector(routing.bias, experts);
    check.vector(routing.expertScale, experts);
    if (routing.score == Routing::Score::SparseMixer &&
        (routing.used != 2 || routing.bias != nullptr || groups != 1))
        check.fail("the sparse mixer chooses two experts, without bias and groups");
    if (groups < 1 || groups > experts || experts % groups != 0 || routing.usedGroups < 1 ||
        routing.usedGroups > groups || routing.used < 1 ||
        routing.used > routing.usedGroups * (experts / groups))
        check.fail(std::to_string(routing.used) + " experts of " +
                   std::to_string(routing.usedGroups) + " groups cannot be chosen from " +
                   std::to_string(experts) + " experts in " + std::to_string(groups) + " groups");
}

} // namespace fireside::op
