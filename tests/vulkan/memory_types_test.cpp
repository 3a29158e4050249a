#include "engine/vulkan/platform/memory_types.h"

#include <gtest/gtest.h>

// Which memory serves what, with heaps and types laid out as drivers of real devices list them.
namespace fireside::vulkan {
namespace {

constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kHost =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
constexpr VkDeviceSize kMiB = 1024 * 1024, kGiB = 1024 * kMiB;
constexpr std::uint32_t kAll = 0xffffffff;
using Types = std::vector<std::uint32_t>;

struct Heap
{
    VkDeviceSize size;
    bool local;
};
struct Type
{
    VkMemoryPropertyFlags flags;
    std::uint32_t heap;
};

PhysicalDevice device(VkPhysicalDeviceType kind, const std::vector<Heap> &heaps,
                      const std::vector<Type> &types)
{
    PhysicalDevice result;
    result.properties.deviceType = kind;
    for (const Heap &heap : heaps)
        result.memory.memoryHeaps[result.memory.memoryHeapCount++] = {
            heap.size, heap.local ? VkMemoryHeapFlags{VK_MEMORY_HEAP_DEVICE_LOCAL_BIT} : 0};
    for (const Type &type : types)
        result.memory.memoryTypes[result.memory.memoryTypeCount++] = {type.flags, type.heap};
    return result;
}

/// A card of which the host sees a window of 256 MiB, on three heaps.
PhysicalDevice cardWithWindow()
{
    return device(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
                  {{8 * kGiB, true}, {24 * kGiB, false}, {256 * kMiB, true}},
                  {{0, 1}, {kLocal, 0}, {kHost, 1}, {kHost | kCached, 1}, {kLocal | kHost, 2}});
}

/// The same card with all of its memory in the host's reach.
PhysicalDevice cardInReach()
{
    return device(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, {{8 * kGiB, true}, {24 * kGiB, false}},
                  {{0, 1}, {kLocal, 0}, {kHost, 1}, {kHost | kCached, 1}, {kLocal | kHost, 0}});
}

/// Local memory is the only heap, and all types are local.
PhysicalDevice integrated()
{
    return device(VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, {{12 * kGiB, true}},
                  {{kLocal, 0}, {kLocal | kHost, 0}, {kLocal | kHost | kCached, 0}});
}

TEST(MemoryTypesTest, AWindowIsLeftAlone)
{
    const MemoryTypes types(cardWithWindow(), false);
    // The window last: weights would fill it and be written past the staging for nothing.
    EXPECT_EQ(types.best(MemoryUse::Weights, kAll), (Types{1, 4}));
    EXPECT_EQ(types.best(MemoryUse::Device, kAll), (Types{1, 4}));
    EXPECT_FALSE(types.mapped(MemoryUse::Weights, 1));
    EXPECT_FALSE(types.mapped(MemoryUse::Weights, 4)) << "weights there are uploaded like the rest";
    EXPECT_FALSE(types.mapped(MemoryUse::Device, 4));
}

TEST(MemoryTypesTest, WeightsAreWrittenWhereTheHostReachesTheCard)
{
    const MemoryTypes types(cardInReach(), false);
    EXPECT_EQ(types.best(MemoryUse::Weights, kAll), (Types{4, 1}));
    EXPECT_TRUE(types.mapped(MemoryUse::Weights, 4));
    EXPECT_FALSE(types.mapped(MemoryUse::Weights, 1));
    // What kernels write and read is not: each access of the host would go over the bus.
    EXPECT_EQ(types.best(MemoryUse::Device, kAll), (Types{1, 4}));
    EXPECT_FALSE(types.mapped(MemoryUse::Device, 4));
}

TEST(MemoryTypesTest, MemoryThatMustBeStagedIsNotMapped)
{
    const MemoryTypes card(cardInReach(), true);
    EXPECT_EQ(card.best(MemoryUse::Weights, kAll), (Types{1, 4}));
    EXPECT_FALSE(card.mapped(MemoryUse::Weights, 4));
    const MemoryTypes shared(integrated(), true);
    EXPECT_EQ(shared.best(MemoryUse::Weights, kAll), (Types{0, 1, 2}));
    EXPECT_FALSE(shared.mapped(MemoryUse::Weights, 1));
}

TEST(MemoryTypesTest, AnIntegratedDeviceSharesItsMemory)
{
    const MemoryTypes types(integrated(), false);
    EXPECT_EQ(types.best(MemoryUse::Weights, kAll), (Types{1, 2, 0}));
    EXPECT_EQ(types.best(MemoryUse::Device, kAll), (Types{1, 2, 0}));
    EXPECT_TRUE(types.mapped(MemoryUse::Device, 1));
    EXPECT_FALSE(types.mapped(MemoryUse::Device, 0));
    EXPECT_EQ(types.best(MemoryUse::Readback, kAll), (Types{2, 1}));
    EXPECT_EQ(types.best(MemoryUse::Staging, kAll), (Types{1, 2}));
}

TEST(MemoryTypesTest, TheHostsOwnMemoryServesWhatIsOnItsWay)
{
    for (const PhysicalDevice &card : {cardWithWindow(), cardInReach()}) {
        const MemoryTypes types(card, false);
        EXPECT_EQ(types.best(MemoryUse::Staging, kAll).front(), 2u) << "not cached";
        EXPECT_EQ(types.best(MemoryUse::Readback, kAll).front(), 3u) << "cached";
        EXPECT_TRUE(types.mapped(MemoryUse::Staging, 2));
        EXPECT_TRUE(types.mapped(MemoryUse::Readback, 3));
    }
}

TEST(MemoryTypesTest, OnlyAllowedTypesCount)
{
    const MemoryTypes types(cardInReach(), false);
    EXPECT_EQ(types.best(MemoryUse::Weights, 1u << 1), (Types{1}));
    EXPECT_EQ(types.best(MemoryUse::Weights, 1u << 0 | 1u << 2), Types{});
    EXPECT_EQ(types.best(MemoryUse::Readback, 1u << 1), Types{});
}

TEST(MemoryTypesTest, AHeapThatIsAboutAsLargeIsInReach)
{
    // Half or more of the card: drivers keep a part of it. Less is a window.
    const auto reached = [](VkDeviceSize window) {
        const MemoryTypes types(device(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
                                       {{8 * kGiB, true}, {window, true}},
                                       {{kLocal, 0}, {kLocal | kHost, 1}}),
                                false);
        return types.best(MemoryUse::Weights, kAll).front() == 1;
    };
    EXPECT_TRUE(reached(4 * kGiB));
    EXPECT_FALSE(reached(4 * kGiB - 1));
}

TEST(MemoryTypesTest, ADeviceWithoutMemoryHasNone)
{
    const MemoryTypes types(PhysicalDevice{}, false);
    for (const MemoryUse use :
         {MemoryUse::Device, MemoryUse::Weights, MemoryUse::Staging, MemoryUse::Readback})
        EXPECT_TRUE(types.best(use, kAll).empty());
}

} // namespace
} // namespace fireside::vulkan
