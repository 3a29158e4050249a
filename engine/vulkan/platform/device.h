#pragma once
#include "engine/vulkan/platform/physical_device.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <span>

namespace fireside::vulkan {

/// A logical device with one compute queue and a timeline that counts submissions. Owner. Must not
/// outlive its Instance. submit() and wait() may be called from several threads.
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

    /// Hands command buffers to the queue, to run in this order after all earlier ones. The result
    /// is the timeline's value when they are done. Throws VulkanError.
    std::uint64_t submit(std::span<const VkCommandBuffer> commands);
    /// Waits for a value of submit(). Error(Device) after `limit`; the device is then abandoned:
    /// its objects are never destroyed, because the GPU may still use them.
    void wait(std::uint64_t value, std::chrono::nanoseconds limit);
    /// Whether a value of submit() is reached, without waiting or within a time.
    bool done(std::uint64_t value);
    bool doneWithin(std::uint64_t value, std::chrono::nanoseconds time);
    /// Submits and waits until done.
    void run(VkCommandBuffer commands, std::chrono::nanoseconds limit);
    bool abandoned() const noexcept { return m_abandoned; }

private:
    void loadFunctions();
    VkResult waitOnce(std::uint64_t value, std::chrono::nanoseconds time);
    VkResult waitFor(std::uint64_t value, std::chrono::nanoseconds time);

    Instance &m_instance;
    PhysicalDevice m_physical;
    VkDevice m_device = VK_NULL_HANDLE;
    DeviceFunctions m_functions;
    VkQueue m_queue = VK_NULL_HANDLE;
    VkSemaphore m_timeline = VK_NULL_HANDLE;
    std::mutex m_mutex; // of the queue and the count
    std::uint64_t m_submitted = 0;
    std::atomic<bool> m_abandoned = false;
};

} // namespace fireside::vulkan
