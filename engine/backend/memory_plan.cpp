#include "engine/backend/memory_plan.h"

#include "engine/core/error.h"

#include <numeric>

namespace fireside {

std::uint64_t MemoryPlan::weights() const
{
    return std::accumulate(layerWeights.begin(), layerWeights.end(),
                           embeddingWeights + lookupWeights + outputWeights);
}

std::uint64_t MemoryPlan::kv() const
{
    return std::accumulate(layerCaches.begin(), layerCaches.end(), std::uint64_t{0});
}

FitVerdict judgeFit(const MemoryPlan &plan, std::optional<std::uint64_t> available,
                    const std::string &where)
{
    FitVerdict verdict;
    verdict.needed = plan.total();
    verdict.available = available;
    verdict.sentence = "needs " + formatBytes(verdict.needed) + ", ";
    if (!available) {
        verdict.sentence += "how much " + where + " is free is unknown";
        return verdict;
    }
    verdict.fit = verdict.needed <= *available ? Fit::Fits : Fit::TooBig;
    verdict.sentence += (verdict.fit == Fit::TooBig ? "only " : "") + formatBytes(*available) +
                        " of " + where + " is free";
    return verdict;
}

FitVerdict judgeCpuFit(const MemoryPlan &all, std::optional<std::uint64_t> totalRam,
                       std::optional<std::uint64_t> freeRam)
{
    MemoryPlan plan = all;
    plan.batchScratch = 0;
    const std::uint64_t allocated = plan.kv() + plan.scratch + plan.madeWeights;
    if (freeRam && allocated > *freeRam) {
        FitVerdict verdict{Fit::TooBig, allocated, freeRam, {}};
        verdict.sentence = "needs " + formatBytes(allocated) + " for " +
                           (plan.madeWeights > 0 ? "quantised weights and " : "") +
                           "a context of " + std::to_string(plan.context) + " tokens, only " +
                           formatBytes(*freeRam) + " of RAM is free";
        return verdict;
    }
    if (!totalRam)
        return judgeFit(plan, std::nullopt, "RAM");
    if (plan.total() > *totalRam) {
        FitVerdict verdict{Fit::TooBig, plan.total(), totalRam, {}};
        verdict.sentence = "needs " + formatBytes(plan.total()) + ", the computer has only " +
                           formatBytes(*totalRam) + " of RAM";
        return verdict;
    }
    // It fits. Say what is free when that is enough too, else what there is in all.
    const bool fitsFree = freeRam && plan.total() <= *freeRam;
    FitVerdict verdict{Fit::Fits, plan.total(), fitsFree ? freeRam : totalRam, {}};
    verdict.sentence = "needs " + formatBytes(plan.total()) + ", " +
                       (fitsFree ? formatBytes(*freeRam) + " of RAM is free"
                                 : "the computer has " + formatBytes(*totalRam) + " of RAM");
    return verdict;
}

} // namespace fireside
