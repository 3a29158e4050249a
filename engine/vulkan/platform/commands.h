#pragma once
#include "engine/vulkan/platform/pipeline.h"

#include <chrono>

namespace fireside::vulkan {

/// One command buffer, recorded once and run once. Owner; must not outlive its device.
class CommandRecording
{
public:
    explicit CommandRecording(LogicalDevice &device); // begins recording; throws VulkanError
    ~CommandRecording();
    CommandRecording(const CommandRecording &) = delete;
    CommandRecording &operator=(const CommandRecording &) = delete;

    template <typename Push>
    void dispatch(const ComputePipeline &pipeline, const Push &push, std::uint32_t groups)
    {
        dispatch(pipeline, &push, sizeof push, groups);
    }
    /// After everything before it, and before everything after it.
    void copy(VkBuffer from, VkDeviceSize fromOffset, VkBuffer to, VkDeviceSize toOffset,
              VkDeviceSize bytes);
    /// The same in no order to the other copies since everythingBarrier().
    void copyUnordered(VkBuffer from, VkDeviceSize fromOffset, VkBuffer to, VkDeviceSize toOffset,
                       VkDeviceSize bytes);
    void everythingBarrier();
    void fillZero(VkBuffer buffer, VkDeviceSize offset = 0, VkDeviceSize bytes = VK_WHOLE_SIZE);
    /// Makes what shaders wrote visible to the host after run().
    void makeVisibleToHost();
    /// Ends recording, submits and waits; see LogicalDevice::run().
    void run(std::chrono::nanoseconds limit);

private:
    void dispatch(const ComputePipeline &pipeline, const void *push, std::uint32_t pushBytes,
                  std::uint32_t groups);

    LogicalDevice &m_device;
    VkCommandPool m_pool = VK_NULL_HANDLE;
    VkCommandBuffer m_commands = VK_NULL_HANDLE;
};

} // namespace fireside::vulkan
