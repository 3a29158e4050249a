#pragma once
#include "engine/vulkan/platform/device.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

namespace fireside::vulkan {

/// A buffer with its own memory that both the host and the device reach: mapped, coherent, zeroed.
/// Owner; must not outlive its device.
class HostBuffer
{
public:
    HostBuffer(const LogicalDevice &device, std::size_t bytes); // throws VulkanError
    ~HostBuffer();
    HostBuffer(const HostBuffer &) = delete;
    HostBuffer &operator=(const HostBuffer &) = delete;

    VkDeviceAddress address() const { return m_address; }
    std::span<std::byte> bytes() const { return {m_mapped, m_size}; }

    template <typename T>
    void write(std::span<const T> values)
    {
        std::memcpy(m_mapped, values.data(), std::min(values.size_bytes(), m_size));
    }
    template <typename T>
    T read(std::size_t index) const
    {
        T value;
        std::memcpy(&value, m_mapped + index * sizeof(T), sizeof(T));
        return value;
    }

private:
    void release() noexcept;

    const LogicalDevice &m_device;
    std::size_t m_size;
    VkBuffer m_buffer = VK_NULL_HANDLE;
    VkDeviceMemory m_memory = VK_NULL_HANDLE;
    VkDeviceAddress m_address = 0;
    std::byte *m_mapped = nullptr;
};

} // namespace fireside::vulkan
