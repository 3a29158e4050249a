#include "engine/fallback.h"

#include "engine/backend/backend.h"

#include <gtest/gtest.h>

#include <algorithm>

// What is tried after a device failed: pure choices.
namespace fireside {
namespace {

constexpr std::uint64_t kMega = 1'000'000;

std::vector<DeviceReport> devices(std::uint64_t cardFree)
{
    std::vector<DeviceReport> all(2);
    all[0].id = "cpu";
    all[0].name = "Some CPU";
    all[0].available = true;
    all[0].memoryTotal = all[0].memoryFree = 64'000 * kMega;
    all[1].id = "vulkan:0";
    all[1].kind = BackendKind::Vulkan;
    all[1].name = "Some Card";
    all[1].available = true;
    all[1].memoryTotal = all[1].memoryFree = cardFree;
    return all;
}

MemoryPlan plan()
{
    MemoryPlan plan;
    plan.layerWeights.assign(32, 100 * kMega);
    plan.embeddingWeights = plan.outputWeights = 50 * kMega;
    plan.layerCaches.assign(32, 10 * kMega);
    plan.scratch = plan.reserve = 100 * kMega;
    return plan;
}

std::ptrdiff_t onCard(const Selection &selection)
{
    return std::count(selection.placement.layers.begin(), selection.placement.layers.end(), 1);
}

const Error kNoMemory(ErrorKind::Memory, "it is full"), kLost(ErrorKind::Device, "it is lost");

TEST(Fallback, MemoryThatRunsOutPutsFewerLayersOnTheCard)
{
    auto all = devices(8'000 * kMega);
    LoadAttempts attempts(BackendKind::Auto, nullptr, all);
    std::ptrdiff_t layers = 33;
    std::vector<std::ptrdiff_t> tried;
    for (;;) {
        const Selection selection = attempts.select(plan());
        EXPECT_LT(onCard(selection), layers);
        layers = onCard(selection);
        tried.push_back(layers);
        if (layers == 0) {
            EXPECT_NE(selection.reason.find("loading failed there: it is full"), std::string::npos)
                << selection.reason;
            break;
        }
        if (tried.size() > 1) {
            EXPECT_NE(selection.reason.find("memory ran out: it is full"), std::string::npos)
                << selection.reason;
        }
        ASSERT_TRUE(attempts.narrow(selection, plan(), kNoMemory));
    }
    ASSERT_GE(tried.size(), 4U);
    EXPECT_EQ(tried[0], 32);
    EXPECT_GE(tried[1], 16);
    EXPECT_FALSE(attempts.narrow(attempts.select(plan()), plan(), kNoMemory)) << "all on the CPU";
}

TEST(Fallback, ALostCardIsPassedOverAndAChosenOneIsNot)
{
    auto all = devices(8'000 * kMega);
    LoadAttempts automatic(BackendKind::Auto, nullptr, all);
    ASSERT_TRUE(automatic.narrow(automatic.select(plan()), plan(), kLost));
    EXPECT_EQ(automatic.select(plan()).kind, BackendKind::Cpu);
    auto again = devices(8'000 * kMega);
    LoadAttempts chosen(BackendKind::Vulkan, nullptr, again);
    EXPECT_FALSE(chosen.narrow(chosen.select(plan()), plan(), kLost));
    // What is wrong with the file is wrong everywhere.
    LoadAttempts other(BackendKind::Auto, nullptr, again);
    EXPECT_FALSE(
        other.narrow(other.select(plan()), plan(), Error(ErrorKind::BadInput, "a bad file")));
}

TEST(Fallback, ASplitWhoseCardFailsIsNarrowedEvenWhereTheCpuRunsMost)
{
    auto all = devices(1'500 * kMega);
    LoadAttempts attempts(BackendKind::Auto, nullptr, all);
    const Selection split = attempts.select(plan());
    ASSERT_GT(onCard(split), 0);
    ASSERT_EQ(split.kind, BackendKind::Cpu);
    EXPECT_EQ(cardOf(split.placement, all), 1);
    ASSERT_TRUE(attempts.narrow(split, plan(), kLost));
    EXPECT_EQ(onCard(attempts.select(plan())), 0);
}

TEST(Fallback, BytesOnADeviceAreThoseOfItsParts)
{
    Placement placement{.embedding = 0, .layers = std::vector<int>(32, 1), .output = 1};
    placement.layers[3] = 0;
    const auto all = devices(1);
    EXPECT_EQ(bytesOn(1, placement, plan(), all), (31 * 110 + 50 + 2 * 100 + 100) * kMega)
        << "two recorders, one driver";
    EXPECT_EQ(bytesOn(0, placement, plan(), all), (110 + 50 + 2 * 100 + 100) * kMega);
}

TEST(Fallback, ACardIsOpenedOnceMoreAndThenGivenUp)
{
    const DeviceReport card = devices(1)[1];
    FailedCards failed;
    EXPECT_TRUE(failed.recover(card, 0, kLost).again);
    EXPECT_FALSE(failed.givenUp(card.id));
    EXPECT_FALSE(failed.recover(card, 0, kLost).again);
    EXPECT_TRUE(failed.givenUp(card.id));

    FailedCards forgiven;
    forgiven.recover(card, 0, kLost);
    forgiven.wentThrough(card.id);
    EXPECT_TRUE(forgiven.recover(card, 0, kLost).again);

    FailedCards hanging;
    EXPECT_FALSE(hanging.recover(card, 0, Error::ofHang("no answer")).again);
    EXPECT_TRUE(hanging.givenUp(card.id));

    FailedCards full;
    const Recovery recovery = full.recover(card, 400, kNoMemory);
    EXPECT_EQ(recovery.memory, 300U);
    EXPECT_FALSE(recovery.again);
    EXPECT_FALSE(full.givenUp(card.id));
}

TEST(Fallback, AReplyGoesOnElsewhereEvenWhereTheCardWasChosen)
{
    auto all = devices(8'000 * kMega);
    const Recovery again{.device = "vulkan:0", .problem = "it is lost", .again = true};
    LoadAttempts once(BackendKind::Vulkan, &again, all);
    const Selection selection = once.select(plan());
    EXPECT_EQ(selection.kind, BackendKind::Vulkan);
    EXPECT_EQ(selection.reason.rfind("Opened again after it failed (it is lost): running on", 0),
              0U)
        << selection.reason;
    ASSERT_TRUE(once.narrow(selection, plan(), kLost));
    EXPECT_EQ(once.select(plan()).kind, BackendKind::Cpu);

    auto full = devices(8'000 * kMega);
    const Recovery less{.device = "vulkan:0", .problem = "it is full", .memory = 2'000 * kMega};
    const Selection split = LoadAttempts(BackendKind::Vulkan, &less, full).select(plan());
    EXPECT_GT(onCard(split), 4);
    EXPECT_LT(onCard(split), 32);
    EXPECT_NE(split.reason.find("it is full"), std::string::npos) << split.reason;
}

} // namespace
} // namespace fireside
