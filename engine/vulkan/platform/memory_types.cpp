#include "engine/vulkan/platform/memory_types.h"

#include <algorithm>

namespace fireside::vulkan {
namespace {

constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kHost =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

bool sharesMemory(const PhysicalDevice &device)
{
    return device.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU ||
           device.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
}

/// Whether the host can write about all of a graphics card's memory, not only a window of it.
bool hostReachesAll(const VkPhysicalDeviceMemoryProperties &memory)
{
    VkDeviceSize largest = 0, reached = 0;
    for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i)
        if ((memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0)
            largest = std::max(largest, memory.memoryHeaps[i].size);
    for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i)
        if ((memory.memoryTypes[i].propertyFlags & (kLocal | kHost)) == (kLocal | kHost))
            reached = std::max(reached, memory.memoryHeaps[memory.memoryTypes[i].heapIndex].size);
    return largest > 0 && reached >= largest / 2; // drivers keep a part of it
}

} // namespace

MemoryTypes::MemoryTypes(const PhysicalDevice &device, bool staged)
    : m_memory(device.memory)
    , m_staged(staged)
    , m_shared(sharesMemory(device))
    , m_writesCard(!staged && !m_shared && hostReachesAll(device.memory))
{}

std::vector<std::uint32_t> MemoryTypes::best(MemoryUse use, std::uint32_t allowed) const
{
    struct Wish
    {
        VkMemoryPropertyFlags with = 0, without = 0;
    };
    std::vector<Wish> wishes;
    switch (use) {
    case MemoryUse::Weights: // twelve threads writing over the bus are as fast as copies by a queue
    case MemoryUse::Device:
        if (use == MemoryUse::Weights && m_writesCard)
            wishes = {{kLocal | kHost, 0}, {kLocal, 0}};
        else if (!m_shared)
            wishes = {{kLocal, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT}, {kLocal, 0}};
        else if (m_staged)
            wishes = {{kLocal, 0}, {}};
        else
            wishes = {{kLocal | kHost, 0}, {kLocal, 0}, {kHost, 0}, {}};
        break;
    case MemoryUse::Staging: // not cached: written once in order
        wishes = {{kHost, kLocal | kCached}, {kHost, kLocal}, {kHost, 0}};
        break;
    case MemoryUse::Readback:
        wishes = {{kHost | kCached, kLocal}, {kHost | kCached, 0}, {kHost, 0}};
        break;
    }
    std::vector<std::uint32_t> types;
    for (const Wish &wish : wishes)
        for (std::uint32_t i = 0; i < m_memory.memoryTypeCount; ++i) {
            const VkMemoryPropertyFlags flags = m_memory.memoryTypes[i].propertyFlags;
            if ((allowed >> i & 1) != 0 && (flags & wish.with) == wish.with &&
                (flags & wish.without) == 0 &&
                std::find(types.begin(), types.end(), i) == types.end())
                types.push_back(i);
        }
    return types;
}

bool MemoryTypes::mapped(MemoryUse use, std::uint32_t type) const
{
    if (use == MemoryUse::Staging || use == MemoryUse::Readback)
        return true;
    const bool reachable = (m_memory.memoryTypes[type].propertyFlags & kHost) == kHost;
    const bool fast = (m_shared && !m_staged) || (use == MemoryUse::Weights && m_writesCard);
    return reachable && fast;
}

} // namespace fireside::vulkan
