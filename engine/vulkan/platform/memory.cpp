#include "engine/vulkan/platform/memory.h"

#include "engine/vulkan/platform/result.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace fireside::vulkan {
namespace {

constexpr std::size_t kRounding = 256; // sizes of buffers, so that wide loads end inside

std::size_t largestBuffer(const PhysicalDevice &device)
{
    std::uint64_t largest = SIZE_MAX;
    for (const std::uint64_t limit :
         {std::uint64_t{device.properties11.maxMemoryAllocationSize}, device.maxBufferSize})
        if (limit > 0)
            largest = std::min(largest, limit);
    return largest / kRounding * kRounding;
}

} // namespace

Memory::Memory(const Instance &instance, LogicalDevice &device, const Limits &limits)
    : m_instance(instance)
    , m_device(device)
    , m_limits(limits)
    , m_types(device.physical(), limits.stagedUploads)
    , m_largest(largestBuffer(device.physical()))
{
    if (limits.largestAllocation > 0)
        m_largest = std::min(m_largest, limits.largestAllocation);
}

std::unique_ptr<Allocation> Memory::allocate(std::size_t bytes, Use use, std::string_view what,
                                             MemoryPurpose purpose)
{
    if (bytes > m_largest)
        throw Error(ErrorKind::Memory, "not enough memory for " + std::string(what) + ": needs " +
                                           formatBytes(bytes) + " in one piece, but " +
                                           m_device.physical().properties.deviceName +
                                           " gives at most " + formatBytes(m_largest));
    std::unique_ptr<Allocation> allocation(
        new Allocation(*this, bytes, purpose)); // private constructor
    try {
        allocation->create(use, what);
    } catch (const VulkanError &error) {
        if (isOutOfMemory(error.result()))
            throwNoMemory(bytes, what);
        throw;
    }
    return allocation;
}

std::size_t Memory::used() const
{
    const std::lock_guard lock(m_mutex);
    return m_used.total();
}

void Memory::requireFree(std::size_t bytes, std::string_view what) const
{
    const DeviceMemorySize size = deviceMemory(withMemoryNow(m_instance, m_device.physical()));
    if (size.available && bytes > *size.available)
        throwNoMemory(bytes, what);
}

DeviceMemory Memory::now() const
{
    const PhysicalDevice now = withMemoryNow(m_instance, m_device.physical());
    const DeviceMemorySize size = deviceMemory(now);
    DeviceMemory memory{.use = {}, .driver = size.used, .free = size.available};
    const std::lock_guard lock(m_mutex);
    memory.use = m_used;
    if (m_limits.total > 0) {
        const std::uint64_t left = m_limits.total - std::min(m_used.total(), m_limits.total);
        memory.free = std::min(left, memory.free.value_or(left));
    }
    return memory;
}

void Memory::count(std::size_t bytes, MemoryPurpose purpose, std::string_view what)
{
    const std::size_t limit = m_limits.total;
    {
        const std::lock_guard lock(m_mutex);
        const std::size_t taken = m_used.total();
        if (limit == 0 || (taken <= limit && bytes <= limit - taken)) {
            m_used.at(purpose) += bytes;
            return;
        }
    }
    throwNoMemory(bytes, what);
}

void Memory::uncount(std::size_t bytes, MemoryPurpose purpose) noexcept
{
    const std::lock_guard lock(m_mutex);
    m_used.at(purpose) -= bytes;
}

void Memory::throwNoMemory(std::size_t bytes, std::string_view what) const
{
    const PhysicalDevice now = withMemoryNow(m_instance, m_device.physical());
    const DeviceMemorySize size = deviceMemory(now);
    std::uint64_t total = size.total;
    std::optional<std::uint64_t> available = size.available;
    if (m_limits.total > 0) {
        const std::size_t mine = used();
        total = m_limits.total;
        available = m_limits.total - std::min(mine, m_limits.total);
    }
    std::string text =
        "not enough memory for " + std::string(what) + ": needs " + formatBytes(bytes) + ", ";
    text +=
        available ? formatBytes(*available) + " free of " : std::string("more than there is of ");
    throw Error(ErrorKind::Memory,
                text + formatBytes(total) + " on " + m_device.physical().properties.deviceName);
}

std::vector<std::uint32_t> Memory::typesFor(Use use, std::uint32_t allowed) const
{
    std::vector<std::uint32_t> types = m_types.best(use, allowed);
    if (types.empty())
        throw Error(ErrorKind::Device, use == Use::Device || use == Use::Weights
                                           ? "the device names no memory of its own"
                                           : "the device has no memory that the host can write");
    return types;
}

/// The type that had room.
std::uint32_t Allocation::takeMemory(std::size_t bytes, const std::vector<std::uint32_t> &types)
{
    const LogicalDevice &device = m_memory.m_device;
    VkMemoryAllocateFlagsInfo flags{};
    flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo allocate{};
    allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocate.pNext = &flags;
    allocate.allocationSize = bytes;
    VkResult result = VK_SUCCESS;
    for (const std::uint32_t type : types) {
        allocate.memoryTypeIndex = type;
        result = device.functions().AllocateMemory(device.handle(), &allocate, nullptr, &m_handle);
        if (result >= 0)
            return type;
        m_handle = VK_NULL_HANDLE;
        if (!isOutOfMemory(result))
            break;
    }
    throw VulkanError("vkAllocateMemory", result);
}

void Allocation::create(Memory::Use use, std::string_view what)
{
    const LogicalDevice &device = m_memory.m_device;
    const DeviceFunctions &vk = device.functions();
    VkBufferCreateInfo create{};
    create.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    create.size = std::max<std::size_t>(1, (m_size + kRounding - 1) / kRounding) * kRounding;
    create.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                   VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    create.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
    check("vkCreateBuffer", vk.CreateBuffer(device.handle(), &create, nullptr, &m_buffer));

    VkMemoryRequirements requirements{};
    vk.GetBufferMemoryRequirements(device.handle(), m_buffer, &requirements);
    const std::vector<std::uint32_t> types = m_memory.typesFor(use, requirements.memoryTypeBits);
    m_memory.count(requirements.size, m_purpose, what);
    m_counted = requirements.size;
    const std::uint32_t type = takeMemory(requirements.size, types);
    check("vkBindBufferMemory", vk.BindBufferMemory(device.handle(), m_buffer, m_handle, 0));

    if (m_memory.m_types.mapped(use, type)) {
        void *mapped = nullptr;
        check("vkMapMemory", vk.MapMemory(device.handle(), m_handle, 0, VK_WHOLE_SIZE, 0, &mapped));
        if (mapped == nullptr)
            throw Error(ErrorKind::Device, "vkMapMemory returned no address");
        m_mapped = static_cast<std::byte *>(mapped);
    }
    VkBufferDeviceAddressInfo address{};
    address.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    address.buffer = m_buffer;
    m_address = vk.GetBufferDeviceAddress(device.handle(), &address);
    if (m_address == 0)
        throw Error(ErrorKind::Device, "vkGetBufferDeviceAddress returned no address");
}

Allocation::~Allocation()
{
    const LogicalDevice &device = m_memory.m_device;
    if (!device.abandoned()) {
        const DeviceFunctions &vk = device.functions();
        vk.DestroyBuffer(device.handle(), m_buffer, nullptr);
        vk.FreeMemory(device.handle(), m_handle, nullptr); // unmaps too
    }
    m_memory.uncount(m_counted, m_purpose);
}

} // namespace fireside::vulkan
