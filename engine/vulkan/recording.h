#pragma once
#include "engine/vulkan/gpu.h"

#include <span>
#include <vector>

namespace fireside::vulkan {

/// The command buffers of one pass in the order they run. Can be submitted many times. Owner; must
/// not be reset or destroyed while it runs.
class Recording
{
public:
    explicit Recording(Gpu &gpu);
    ~Recording();
    Recording(const Recording &) = delete;
    Recording &operator=(const Recording &) = delete;

    void reset();            // back to no command buffers
    VkCommandBuffer begin(); // starts the next one
    void end();              // ends the one that was begun
    bool open() const { return m_open; }

    std::span<const VkCommandBuffer> buffers() const { return {m_buffers.data(), m_used}; }

private:
    Gpu &m_gpu;
    VkCommandPool m_pool = VK_NULL_HANDLE;
    std::vector<VkCommandBuffer> m_buffers; // used ones first
    std::size_t m_used = 0;
    bool m_open = false;
};

/// Makes everything before in the queue visible to everything after: shaders, or copies too.
void fullBarrier(const LogicalDevice &device, VkCommandBuffer commands, bool copies);
/// Makes what was copied visible to the host.
void hostBarrier(const LogicalDevice &device, VkCommandBuffer commands);

} // namespace fireside::vulkan
