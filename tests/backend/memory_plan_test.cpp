#include "engine/backend/memory_plan.h"

#include <gtest/gtest.h>

namespace fireside {
namespace {

constexpr std::uint64_t kPlanGb = 1'000'000'000;

MemoryPlan planOf(std::uint64_t layer, std::size_t layers, std::uint64_t kv, std::uint64_t scratch,
                  std::uint64_t reserve)
{
    MemoryPlan plan;
    plan.layerWeights.assign(layers, layer);
    plan.layerCaches.assign(layers, kv);
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
    plan.layerCaches = {5, 35, 13};
    EXPECT_EQ(plan.kvOf(0), 5U);
    EXPECT_EQ(plan.kvOf(1), 35U);
    EXPECT_EQ(plan.kv(), 53U);
    EXPECT_EQ(plan.total(), 1193U);
    EXPECT_EQ(MemoryPlan{}.total(), 0U);
    // Sums beyond 32 bits stay exact.
    EXPECT_EQ(planOf(3 * kPlanGb, 80, 0, 0, 0).weights(), 240 * kPlanGb);
}

TEST(JudgeFit, FitsUpToTheLastByte)
{
    const MemoryPlan plan = planOf(kPlanGb, 1, 0, 200'000'000, 0);
    EXPECT_EQ(judgeFit(plan, plan.total(), "RAM").fit, Fit::Fits);
    EXPECT_EQ(judgeFit(plan, plan.total() - 1, "RAM").fit, Fit::TooBig);
    EXPECT_EQ(judgeFit(plan, 0, "RAM").fit, Fit::TooBig);
    EXPECT_EQ(judgeFit(plan, std::nullopt, "RAM").fit, Fit::Unknown);
    EXPECT_EQ(judgeFit(plan, 16 * kPlanGb, "RAM").needed, 1'200'000'000U);
    EXPECT_EQ(judgeFit(plan, 16 * kPlanGb, "RAM").available, 16 * kPlanGb);
}

TEST(JudgeFit, SaysItInOneSentence)
{
    const MemoryPlan plan = planOf(kPlanGb, 1, 0, 200'000'000, 0);
    EXPECT_EQ(judgeFit(plan, 16 * kPlanGb, "RAM").sentence, "needs 1.2 GB, 16 GB of RAM is free");
    EXPECT_EQ(judgeFit(plan, kPlanGb, "memory on X").sentence,
              "needs 1.2 GB, only 1.0 GB of memory on X is free");
    EXPECT_EQ(judgeFit(plan, std::nullopt, "RAM").sentence,
              "needs 1.2 GB, how much RAM is free is unknown");
}

TEST(JudgeFit, TellsTheProgramFromTheModel)
{
    MemoryPlan plan = planOf(kPlanGb, 1, 0, 200'000'000, 34'000'000);
    EXPECT_EQ(needsText(plan), "needs 1.2 GB and 34 MB for the program");
    plan.reserve = 0;
    EXPECT_EQ(needsText(plan), "needs 1.2 GB");
    plan.reserve = 34'000'000;
    plan.gpu.pieces = plan.gpu.softwarePieces = {{64}, {kPlanGb}, {64}};
    DeviceReport card;
    card.kind = BackendKind::Vulkan;
    const MemoryPlan there = planOn(plan, card);
    EXPECT_EQ(judgeFit(there, 8 * kPlanGb, "memory on X").sentence,
              "needs 1.0 GB and 157 MB for its driver, 8.0 GB of memory on X is free");
    card.software = true; // has none
    EXPECT_EQ(needsText(planOn(plan, card)), "needs 1.0 GB");
}

/// What is said to be needed is what is shown as predicted afterwards.
TEST(JudgeFit, NeedsWhatIsPlanned)
{
    MemoryPlan plan = planOf(0, 3, 1000, 5000, 34'000'000);
    plan.gpu.pieces = plan.gpu.softwarePieces = {
        {70'000'001}, {3'000'000, 77, 90'000'000}, {40'000'000}, {1}, {64, 50'000'000}};
    for (const bool software : {false, true}) {
        DeviceReport card;
        card.kind = BackendKind::Vulkan;
        card.software = software;
        const MemoryPlan on = planOn(plan, card);
        const Placement whole{0, {0, 0, 0}, 0};
        EXPECT_EQ(on.total() - on.reserve, plannedUse(plan, whole, {&card, 1}, 0).total());
        EXPECT_GE(on.total(), on.weights() + on.kv() + on.reserve);
    }
    const DeviceReport cpu; // is what a report is of
    plan.layerWeights = {1, 2, 3};
    plan.embeddingWeights = 7;
    EXPECT_EQ(plan.total() - plan.reserve,
              plannedUse(plan, {0, {0, 0, 0}, 0}, {&cpu, 1}, 0).total());
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
    const MemoryPlan weights = planOf(6 * kPlanGb, 2, 0, 0, kPlanGb); // 13 GB, all mapped
    const MemoryPlan context = planOf(kPlanGb, 2, 3 * kPlanGb, 0, 0); // 2 GB mapped, 6 GB allocated
    const MemoryPlan chunk =
        planOf(kPlanGb, 2, kPlanGb, 4 * kPlanGb, 0); // of 6 GB allocated 4 are scratch
    MemoryPlan made = weights;                       // of which 10 GB are quantised while loading
    made.madeWeights = 10 * kPlanGb;
    const std::vector<Row> rows{
        {made, 16 * kPlanGb, 15 * kPlanGb, Fit::Fits,
         "needs 12 GB and 1.0 GB for the program, 15 GB of RAM is free"},
        {made, 16 * kPlanGb, 9 * kPlanGb, Fit::TooBig,
         "needs 10 GB for quantised weights and a context of 4096 tokens, only 9.0 GB of RAM is "
         "free"},
        {weights, 16 * kPlanGb, 15 * kPlanGb, Fit::Fits,
         "needs 12 GB and 1.0 GB for the program, 15 GB of RAM is free"},
        {weights, 16 * kPlanGb, 2 * kPlanGb, Fit::Fits,
         "needs 12 GB and 1.0 GB for the program, the computer has 16 GB of RAM"},
        {weights, 13 * kPlanGb, kPlanGb, Fit::Fits,
         "needs 12 GB and 1.0 GB for the program, the computer has 13 GB of RAM"},
        {weights, 13 * kPlanGb - 1, kPlanGb, Fit::TooBig,
         "needs 12 GB and 1.0 GB for the program, the computer has only 13 GB of RAM"},
        {weights, 8 * kPlanGb, 7 * kPlanGb, Fit::TooBig,
         "needs 12 GB and 1.0 GB for the program, the computer has only 8.0 GB of RAM"},
        {weights, std::nullopt, kPlanGb, Fit::Unknown,
         "needs 12 GB and 1.0 GB for the program, how much RAM is free is unknown"},
        {weights, 16 * kPlanGb, std::nullopt, Fit::Fits,
         "needs 12 GB and 1.0 GB for the program, the computer has 16 GB of RAM"},
        {context, 16 * kPlanGb, 6 * kPlanGb, Fit::Fits,
         "needs 8.0 GB, the computer has 16 GB of RAM"},
        {context, 16 * kPlanGb, 5 * kPlanGb, Fit::TooBig,
         "needs 6.0 GB for a context of 4096 tokens, only 5.0 GB of RAM is free"},
        {chunk, 16 * kPlanGb, 6 * kPlanGb, Fit::Fits,
         "needs 8.0 GB, the computer has 16 GB of RAM"},
        {chunk, 16 * kPlanGb, 6 * kPlanGb - 1, Fit::TooBig,
         "needs 6.0 GB for a context of 4096 tokens, only 6.0 GB of RAM is free"},
        {context, std::nullopt, 5 * kPlanGb, Fit::TooBig,
         "needs 6.0 GB for a context of 4096 tokens, only 5.0 GB of RAM is free"},
    };
    for (const Row &row : rows) {
        const FitVerdict verdict = judgeCpuFit(row.plan, row.total, row.free);
        EXPECT_EQ(verdict.fit, row.fit) << row.sentence;
        EXPECT_EQ(verdict.sentence, row.sentence);
    }
}

TEST(PlannedUse, ExpertsCountWhereTheyLie)
{
    MemoryPlan plan = planOf(10, 3, 5, 100, 1000);
    plan.embeddingWeights = plan.outputWeights = 2;
    plan.work = 20;
    plan.rows = 4;
    plan.carried = 7;
    plan.experts.weights = {0, 8, 8}; // the first layer has none
    plan.experts.scratch = 30;
    plan.experts.handed = 6;
    std::vector<DeviceReport> devices(2);
    devices[1].kind = BackendKind::Vulkan;
    devices[1].software = true; // passes as long as the CPU's
    const Placement apart{1, {1, 1, 1}, 1, {0, 1, 0}};
    const MemoryBytes cpu = plannedUse(plan, apart, devices, 0),
                      card = plannedUse(plan, apart, devices, 1);
    EXPECT_EQ(cpu.at(MemoryPurpose::Weights), 8u);
    EXPECT_EQ(cpu.at(MemoryPurpose::Scratch), 30u);
    EXPECT_EQ(cpu.at(MemoryPurpose::Other), 20u);
    EXPECT_EQ(cpu.at(MemoryPurpose::Cache), 0u);
    EXPECT_EQ(card.at(MemoryPurpose::Weights), 2 + 10 + 10 + 2 + 2u);
    EXPECT_EQ(card.at(MemoryPurpose::Scratch), 100u);
    EXPECT_EQ(card.at(MemoryPurpose::Other), 20 + 4 * 6u);
    EXPECT_EQ(card.at(MemoryPurpose::Cache), 15u);
    // Where only a layer without any is named, nothing is handed over.
    EXPECT_EQ(plannedUse(plan, {1, {1, 1, 1}, 1, {0, 1, 1}}, devices, 0).total(), 0u);
    // The other way round; the stream comes to the card once more.
    const Placement inside{0, {0, 1, 1}, 1, {0, 1, 0}};
    EXPECT_EQ(plannedUse(plan, inside, devices, 1).at(MemoryPurpose::Other), 20 + 4 * (6 + 7u));
    EXPECT_EQ(plannedUse(plan, inside, devices, 0).at(MemoryPurpose::Scratch), 100 + 30u);
}

} // namespace
} // namespace fireside
