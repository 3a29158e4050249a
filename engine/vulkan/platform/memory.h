#pragma once
#include "engine/backend/memory_use.h"
#include "engine/vulkan/platform/device.h"
#include "engine/vulkan/platform/memory_types.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace fireside::vulkan {

class Allocation;

/// Gives out memory of one device and counts it. Thread-safe; must outlive what it gave out.
class Memory
{
public:
    struct Limits
    {
        std::size_t largestAllocation = 0; // bytes; 0: what the device says
        std::size_t total = 0;             // bytes of all allocations; 0: what the device has
        bool stagedUploads = false;        // the host never writes device memory
    };
    Memory(const Instance &instance, LogicalDevice &device, const Limits &limits);

    using Use = MemoryUse;
    /// Error(Memory) "not enough memory for <what>: needs X, Y free of Z on <device>". The contents
    /// are undefined.
    std::unique_ptr<Allocation> allocate(std::size_t bytes, Use use, std::string_view what,
                                         MemoryPurpose purpose = MemoryPurpose::Other);
    /// Error(Memory) as of allocate() when the driver says that fewer bytes are free now; without
    /// its word (VK_EXT_memory_budget) no error.
    void requireFree(std::size_t bytes, std::string_view what) const;
    DeviceMemory now() const;

    /// Error(Memory) with the figures of this moment; bytes 0: not known.
    [[noreturn]] void throwNoMemory(std::size_t bytes, std::string_view what) const;

    std::size_t largestAllocation() const { return m_largest; }
    std::size_t used() const;
    LogicalDevice &device() const { return m_device; }

private:
    friend class Allocation;
    std::vector<std::uint32_t> typesFor(Use use, std::uint32_t allowed) const;
    void count(std::size_t bytes, MemoryPurpose purpose,
               std::string_view what); // Error(Memory) over the limit
    void uncount(std::size_t bytes, MemoryPurpose purpose) noexcept;

    const Instance &m_instance;
    LogicalDevice &m_device;
    Limits m_limits;
    MemoryTypes m_types;
    std::size_t m_largest;
    mutable std::mutex m_mutex;
    MemoryBytes m_used;
};

/// One buffer with memory of its own. Owner; must not outlive its device.
class Allocation
{
public:
    ~Allocation();
    Allocation(const Allocation &) = delete;
    Allocation &operator=(const Allocation &) = delete;

    VkBuffer buffer() const { return m_buffer; }
    VkDeviceAddress address() const { return m_address; }
    std::size_t size() const { return m_size; }    // bytes, as asked for
    std::byte *mapped() const { return m_mapped; } // null when the host does not reach it

private:
    friend class Memory;
    Allocation(Memory &memory, std::size_t bytes, MemoryPurpose purpose)
        : m_memory(memory)
        , m_purpose(purpose)
        , m_size(bytes)
    {}
    void create(Memory::Use use, std::string_view what);
    std::uint32_t takeMemory(std::size_t bytes, const std::vector<std::uint32_t> &types);

    Memory &m_memory;
    MemoryPurpose m_purpose;
    std::size_t m_size;
    std::size_t m_counted = 0;
    VkBuffer m_buffer = VK_NULL_HANDLE;
    VkDeviceMemory m_handle = VK_NULL_HANDLE;
    VkDeviceAddress m_address = 0;
    std::byte *m_mapped = nullptr;
};

} // namespace fireside::vulkan
