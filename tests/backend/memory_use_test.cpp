#include "engine/backend/memory_use.h"
#include "engine/backend/selection.h"
#include "engine/tensor/planes.h"

#include <gtest/gtest.h>

namespace fireside {
namespace {

TEST(MemoryLedger, CountsWhatThereIs)
{
    const auto ledger = std::make_shared<MemoryLedger>();
    {
        MemoryEntry cache(ledger, MemoryPurpose::Cache, 100);
        MemoryEntry work(ledger, MemoryPurpose::Other);
        EXPECT_EQ(ledger->use().total(), 100u);
        work.set(7);
        work.set(5);
        EXPECT_EQ(ledger->use().at(MemoryPurpose::Other), 5u);
        const MemoryEntry moved = std::move(cache);
        EXPECT_EQ(ledger->use().at(MemoryPurpose::Cache), 100u) << "counted once";
        MemoryEntry other(ledger, MemoryPurpose::Weights, 30);
        other = MemoryEntry(ledger, MemoryPurpose::States, 8);
        EXPECT_EQ(ledger->use().at(MemoryPurpose::Weights), 0u) << "what was there before goes";
        EXPECT_EQ(ledger->use().total(), 113u);
    }
    EXPECT_EQ(ledger->use(), MemoryBytes{});
    MemoryEntry nowhere;
    nowhere.set(1000);
    EXPECT_EQ(ledger->use(), MemoryBytes{});
}

TEST(BlockSizes, SmallPiecesShareBlocksThatGrow)
{
    constexpr std::size_t kMega = std::size_t{1} << 20;
    BlockSizes sizes;
    std::size_t allocated = 0, given = 0;
    for (int i = 0; i < 1000; ++i) {
        const std::size_t bytes = kMega / 2 + 1;
        const BlockSizes::Place place = sizes.next(bytes);
        EXPECT_FALSE(place.alone);
        EXPECT_EQ(place.offset % kPlaneStart, 0u);
        sizes.taken(place, bytes);
        allocated += place.allocate;
        given += bytes;
        EXPECT_LE(given, allocated);
        EXPECT_LE(allocated, 2 * given + 8 * kMega) << "as much again at most";
    }
    const BlockSizes::Place large = sizes.next(300 * kMega);
    EXPECT_TRUE(large.alone);
    EXPECT_EQ(large.allocate, 300 * kMega);
    BlockSizes first;
    EXPECT_TRUE(first.next(kMega + 1).alone) << "large for a block of 4 MiB";
    EXPECT_EQ(first.next(kMega).allocate, 4 * kMega);
    EXPECT_EQ(BlockSizes(2 * kMega).next(kMega / 2).allocate, 2 * kMega) << "the device's limit";
}

/// 2 layers of 10 bytes, with caches of 20 bytes of which 5 are states.
MemoryPlan smallPlan()
{
    MemoryPlan plan;
    plan.embeddingWeights = 100;
    plan.layerWeights = {10, 10};
    plan.outputWeights = 7;
    plan.tiedWeights = 90;
    plan.layerCaches = {20, 20};
    plan.layerStates = {5, 5};
    plan.scratch = 1000;
    plan.work = 300;
    plan.reserve = 10'000;
    return plan;
}

std::vector<DeviceReport> cpuAndCard()
{
    std::vector<DeviceReport> devices(2);
    devices[1].kind = BackendKind::Vulkan;
    return devices;
}

TEST(PlannedUse, EachDeviceHasItsParts)
{
    const auto devices = cpuAndCard();
    const MemoryPlan plan = smallPlan();
    const Placement whole{.embedding = 0, .layers = {0, 0}, .output = 0};
    const MemoryBytes all = plannedUse(plan, whole, devices, 0);
    EXPECT_EQ(all.at(MemoryPurpose::Weights), 127u);
    EXPECT_EQ(all.at(MemoryPurpose::Cache), 30u);
    EXPECT_EQ(all.at(MemoryPurpose::States), 10u);
    EXPECT_EQ(all.at(MemoryPurpose::Scratch), 1000u);
    EXPECT_EQ(all.at(MemoryPurpose::Other), 300u);
    EXPECT_EQ(plannedUse(plan, whole, devices, 1), MemoryBytes{});
    // Two stages on the CPU, with a recorder each.
    const Placement split{.embedding = 0, .layers = {1, 0}, .output = 0};
    const MemoryBytes cpu = plannedUse(plan, split, devices, 0);
    EXPECT_EQ(cpu.at(MemoryPurpose::Weights), 117u);
    EXPECT_EQ(cpu.at(MemoryPurpose::Scratch), 2000u);
    // An output apart from its embedding has a matrix of its own.
    const Placement apart{.embedding = 0, .layers = {0, 1}, .output = 1};
    EXPECT_EQ(plannedUse(plan, apart, devices, 1).at(MemoryPurpose::Weights), 107u);
    EXPECT_EQ(plannedUse(plan, apart, devices, 0).at(MemoryPurpose::Weights), 110u);
}

TEST(PlannedUse, GraphicsProcessorsAllocateBlocks)
{
    auto devices = cpuAndCard();
    MemoryPlan plan = smallPlan();
    plan.gpu.pieces = plan.gpu.softwarePieces = {{100}, {10}, {10}, {7}};
    plan.gpu.outputElsewhere = {7, 300};
    plan.gpu.scratch = 4000;
    plan.gpu.softwareScratch = 3000;
    plan.gpu.cpuScratch = 2000;
    const Placement whole{.embedding = 1, .layers = {1, 1}, .output = 1};
    const MemoryBytes all = plannedUse(plan, whole, devices, 1);
    EXPECT_EQ(all.at(MemoryPurpose::Weights), std::uint64_t{4} << 20) << "one block";
    EXPECT_EQ(all.at(MemoryPurpose::Scratch), 4000u);
    const MemoryPlan on = planOn(plan, devices[1]);
    EXPECT_EQ(on.weights(), 4 * kPlaneStart) << "each piece begins at a multiple";
    EXPECT_EQ(on.tiedWeights, 2 * kPlaneStart);
    EXPECT_GT(on.reserve, 0u);
    EXPECT_EQ(planOn(plan, devices[0]).weights(), 127u);
    // Where a card leads, the CPU's chunks are as long as it wants them.
    const Placement split{.embedding = 0, .layers = {1, 1}, .output = 1};
    EXPECT_EQ(plannedUse(plan, split, devices, 0).at(MemoryPurpose::Scratch), 2000u);
    devices[1].software = true;
    EXPECT_EQ(plannedUse(plan, split, devices, 0).at(MemoryPurpose::Scratch), 1000u);
    EXPECT_EQ(plannedUse(plan, whole, devices, 1).at(MemoryPurpose::Scratch), 3000u);
}

} // namespace
} // namespace fireside
