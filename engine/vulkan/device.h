#pragma once
#include "engine/vulkan/physical_device.h"

#include <chrono>

namespace fireside::vulkan {

/// A logical device with one compute queue and a timeline that counts submissions. Owner. Must not
/// outlive its Instance; one thread at a time.
class LogicalDevice
{
public:
    /// The physical device must meet requirements(). Throws VulkanError.
    LogicalDevice(Instance &instance, const PhysicalDevice &physical);
    ~LogicalDevice();
    LogicalDevice(const LogicalDevice &) = delete;
    LogicalDevice &operator=(const LogicalDevice &) = delete;

    VkDevice handle() const { return m_device; }
    const DeviceFunctions &functions() const { return m_functions; }
    const PhysicalDevice &physical() const { return m_physical; }

    /// Submits and waits until done. Error(Device) after `limit`; the device is then abandoned: its
    /// objects are never destroyed, because the GPU may still use them.
    void run(VkCommandBuffer commands, std::chrono::nanoseconds limit);
    bool abandoned() const noexcept { return m_abandoned; }

private:
    void loadFunctions();

    Instance &m_instance;
    PhysicalDevice m_physical;
    VkDevice m_device = VK_NULL_HANDLE;
    DeviceFunctions m_functions;
    VkQueue m_queue = VK_NULL_HANDLE;
    VkSemaphore m_timeline = VK_NULL_HANDLE;
    std::uint64_t m_submitted = 0;
    bool m_abandoned = false;
};

} // namespace fireside::vulkan
