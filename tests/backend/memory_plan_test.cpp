#include "engine/backend/memory_plan.h"

#include <gtest/gtest.h>

namespace fireside {
namespace {

constexpr std::uint64_t kGb = 1'000'000'000;

MemoryPlan planOf(std::uint64_t layer, std::size_t layers, std::uint64_t kv, std::uint64_t scratch,
                  std::uint64_t reserve)
{
    MemoryPlan plan;
    plan.layerWeights.assign(layers, layer);
    plan.kvPerLayer = kv;
    plan.scratch = scratch;
    plan.reserve = reserve;
    plan.context = 4096;
    return plan;
}

TEST(MemoryPlan, SumsItsParts)
{
    MemoryPlan plan = planOf(10, 3, 5, 100, 1000);
    plan.layerWeights[1] = 11;
    plan.embeddingWeights = 7;
    plan.outputWeights = 2;
    EXPECT_EQ(plan.weights(), 40U);
    EXPECT_EQ(plan.kv(), 15U);
    EXPECT_EQ(plan.total(), 1155U);
    EXPECT_EQ(MemoryPlan{}.total(), 0U);
    // Sums beyond 32 bits stay exact.
    EXPECT_EQ(planOf(3 * kGb, 80, 0, 0, 0).weights(), 240 * kGb);
}

TEST(JudgeFit, FitsUpToTheLastByte)
{
    const MemoryPlan plan = planOf(kGb, 1, 0, 200'000'000, 0);
    EXPECT_EQ(judgeFit(plan, plan.total(), "RAM").fit, Fit::Fits);
    EXPECT_EQ(judgeFit(plan, plan.total() - 1, "RAM").fit, Fit::TooBig);
    EXPECT_EQ(judgeFit(plan, 0, "RAM").fit, Fit::TooBig);
    EXPECT_EQ(judgeFit(plan, std::nullopt, "RAM").fit, Fit::Unknown);
    EXPECT_EQ(judgeFit(plan, 16 * kGb, "RAM").needed, 1'200'000'000U);
    EXPECT_EQ(judgeFit(plan, 16 * kGb, "RAM").available, 16 * kGb);
}

TEST(JudgeFit, SaysItInOneSentence)
{
    const MemoryPlan plan = planOf(kGb, 1, 0, 200'000'000, 0);
    EXPECT_EQ(judgeFit(plan, 16 * kGb, "RAM").sentence, "needs 1.2 GB, 16 GB of RAM is free");
    EXPECT_EQ(judgeFit(plan, kGb, "memory on X").sentence,
              "needs 1.2 GB, only 1.0 GB of memory on X is free");
    EXPECT_EQ(judgeFit(plan, std::nullopt, "RAM").sentence,
              "needs 1.2 GB, how much RAM is free is unknown");
}

TEST(JudgeCpuFit, WeightsCountAgainstAllRamAndContextAgainstFreeRam)
{
    struct Row
    {
        MemoryPlan plan;
        std::optional<std::uint64_t> total, free;
        Fit fit;
        std::string sentence;
    };
    const MemoryPlan weights = planOf(6 * kGb, 2, 0, 0, kGb); // 13 GB, all mapped
    const MemoryPlan context = planOf(kGb, 2, 3 * kGb, 0, 0); // 2 GB mapped, 6 GB allocated
    const MemoryPlan chunk = planOf(kGb, 2, kGb, 4 * kGb, 0); // of 6 GB allocated 4 are scratch
    const std::vector<Row> rows{
        {weights, 16 * kGb, 15 * kGb, Fit::Fits, "needs 13 GB, 15 GB of RAM is free"},
        {weights, 16 * kGb, 2 * kGb, Fit::Fits, "needs 13 GB, the computer has 16 GB of RAM"},
        {weights, 13 * kGb, kGb, Fit::Fits, "needs 13 GB, the computer has 13 GB of RAM"},
        {weights, 13 * kGb - 1, kGb, Fit::TooBig,
         "needs 13 GB, the computer has only 13 GB of RAM"},
        {weights, 8 * kGb, 7 * kGb, Fit::TooBig,
         "needs 13 GB, the computer has only 8.0 GB of RAM"},
        {weights, std::nullopt, kGb, Fit::Unknown, "needs 13 GB, how much RAM is free is unknown"},
        {weights, 16 * kGb, std::nullopt, Fit::Fits, "needs 13 GB, the computer has 16 GB of RAM"},
        {context, 16 * kGb, 6 * kGb, Fit::Fits, "needs 8.0 GB, the computer has 16 GB of RAM"},
        {context, 16 * kGb, 5 * kGb, Fit::TooBig,
         "needs 6.0 GB for a context of 4096 tokens, only 5.0 GB of RAM is free"},
        {chunk, 16 * kGb, 6 * kGb, Fit::Fits, "needs 8.0 GB, the computer has 16 GB of RAM"},
        {chunk, 16 * kGb, 6 * kGb - 1, Fit::TooBig,
         "needs 6.0 GB for a context of 4096 tokens, only 6.0 GB of RAM is free"},
        {context, std::nullopt, 5 * kGb, Fit::TooBig,
         "needs 6.0 GB for a context of 4096 tokens, only 5.0 GB of RAM is free"},
    };
    for (const Row &row : rows) {
        const FitVerdict verdict = judgeCpuFit(row.plan, row.total, row.free);
        EXPECT_EQ(verdict.fit, row.fit) << row.sentence;
        EXPECT_EQ(verdict.sentence, row.sentence);
    }
}

} // namespace
} // namespace fireside
