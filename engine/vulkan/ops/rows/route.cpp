#include "shaders/ops/rows/route.h"

#include "engine/core/error.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <string>

namespace fireside::vulkan {

static_assert(kScoreSoftmaxAll == static_cast<std::uint32_t>(Routing::Score::SoftmaxAll) &&
              kScoreSoftmaxChosen == static_cast<std::uint32_t>(Routing::Score::SoftmaxChosen) &&
              kScoreSigmoid == static_cast<std::uint32_t>(Routing::Score::Sigmoid) &&
              kScoreSparseMixer == static_cast<std::uint32_t>(Routing::Score::SparseMixer));

void requireSupported(const Recorder & /*r*/, const op::Route &op)
{
    if (const std::int64_t experts = op.logits.cols; experts > kMaxExperts)
        throwUnsupported("route on Vulkan for " + std::to_string(experts) + " experts (at most " +
                         std::to_string(kMaxExperts) + ")");
}

void run(Recorder &r, const op::Route &op)
{
    const Tensor &logits = op.logits, &ids = op.ids, &weights = op.weights;
    const Routing &routing = op.routing;
    const std::int64_t experts = logits.cols;
    if (logits.rows == 0)
        return;
    // Softmax keeps the order of the logits, but may make different ones equal: where only the
    // order counts, the logits themselves are compared.
    const bool byLogit = routing.bias == nullptr && !(routing.groups > 1 && routing.groupByBestTwo);
    // Counting who comes before whom is most of the work: four threads share it.
    const std::uint32_t sharers = r.capabilities().minSubgroup >= 4 ? 4 : 1;
    const RouteConstants constants{.kThreads = threadsFor(r, experts * sharers, 1024),
                                   .kExperts = count32(experts),
                                   .kUsed = count32(routing.used),
                                   .kScore = static_cast<std::uint32_t>(routing.score),
                                   .kHasBias = routing.bias != nullptr,
                                   .kGroups = count32(routing.groups),
                                   .kUsedGroups = count32(routing.usedGroups),
                                   .kBestTwo = routing.groupByBestTwo,
                                   .kNormalize = routing.normalize,
                                   .kLogitsHalf = isHalf(logits),
                                   .kByLogit = byLogit,
                                   .kSharers = sharers,
                                   .kHasScale = routing.expertScale != nullptr};
    const RoutePush push{.logits = r.address(logits),
                         .bias = vectorAddress(routing.bias),
                         .ids = r.address(ids),
                         .weights = r.address(weights),
                         .expertScale = vectorAddress(routing.expertScale),
                         .logitsStride = strideBytes(logits),
                         .idsStride = strideBytes(ids),
                         .weightsStride = strideBytes(weights),
                         .rows = count32(logits.rows),
                         .scale = routing.scale,
                         .nearest = 2 * routing.jitterEps};
    const Workgroups groups{std::min<std::int64_t>(logits.rows, r.capabilities().maxWorkgroups[0]),
                            1, 1};
    r.dispatch("route", constants, push, groups, {accessOf(logits)},
               {accessOf(ids), accessOf(weights)}, {0, bytesOf(logits)});
}

} // namespace fireside::vulkan
