#pragma once
#include "engine/vulkan/platform/physical_device.h"

#include <cstdint>
#include <vector>

namespace fireside::vulkan {

enum class MemoryUse {
    Device,   // caches, working memory; mapped where the host reaches it as fast
    Weights,  // the same, mapped too where the host reaches all of a card's memory
    Staging,  // written by the host, read by the device; mapped
    Readback, // written by the device, read by the host; mapped
};

/// Which of the kinds of memory that a device names serve what. Plain values.
class MemoryTypes
{
public:
    /// staged: the host never writes device memory.
    MemoryTypes(const PhysicalDevice &device, bool staged);

    /// Indices of types among the bits `allowed`, best first; may be empty. A graphics card's own
    /// memory is not replaced by the host's, which would be slow without a word.
    std::vector<std::uint32_t> best(MemoryUse use, std::uint32_t allowed) const;

    /// Whether what was given out of this type for this use is mapped.
    bool mapped(MemoryUse use, std::uint32_t type) const;

private:
    VkPhysicalDeviceMemoryProperties m_memory;
    bool m_staged;
    bool m_shared;     // the host writes the device's memory as fast as its own
    bool m_writesCard; // the host reaches all memory of a graphics card
};

} // namespace fireside::vulkan
