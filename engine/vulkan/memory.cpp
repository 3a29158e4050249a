#include "engine/vulkan/memory.h"

#include "engine/vulkan/result.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace fireside::vulkan {
namespace {

constexpr std::size_t kRounding = 256; // sizes of buffers, so that wide loads end inside

/// Whether the host writes the device's memory as fast as its own.
bool sharesMemory(const PhysicalDevice &device)
{
    return device.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU ||
           device.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
}

/// Whether the host can write about all of a graphics card's memory, not only a window of it.
bool hostReachesAll(const PhysicalDevice &device)
{
    constexpr VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                                             VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                             VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkPhysicalDeviceMemoryProperties &memory = device.memory;
    VkDeviceSize largest = 0, reached = 0;
    for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i)
        if ((memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0)
            largest = std::max(largest, memory.memoryHeaps[i].size);
    for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i)
        if ((memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            reached = std::max(reached, memory.memoryHeaps[memory.memoryTypes[i].heapIndex].size);
    return largest > 0 && reached >= largest / 2; // drivers keep a part of it
}

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
    , m_largest(largestBuffer(device.physical()))
{
    m_writesCard = !limits.stagedUploads && !sharesMemory(device.physical()) &&
                   hostReachesAll(device.physical());
    if (limits.largestAllocation > 0)
        m_largest = std::min(m_largest, limits.largestAllocation);
}

std::unique_ptr<Allocation> Memory::allocate(std::size_t bytes, Use use, std::string_view what)
{
    if (bytes > m_largest)
        throw Error(ErrorKind::Memory, "not enough memory for " + std::string(what) + ": needs " +
                                           formatBytes(bytes) + " in one piece, but " +
                                           m_device.physical().properties.deviceName +
                                           " gives at most " + formatBytes(m_largest));
    std::unique_ptr<Allocation> allocation(new Allocation(*this, bytes)); // private constructor
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
    return m_used;
}

void Memory::count(std::size_t bytes, std::string_view what)
{
    const std::size_t limit = m_limits.total;
    {
        const std::lock_guard lock(m_mutex);
        if (limit == 0 || (m_used <= limit && bytes <= limit - m_used)) {
            m_used += bytes;
            return;
        }
    }
    throwNoMemory(bytes, what);
}

void Memory::uncount(std::size_t bytes) noexcept
{
    const std::lock_guard lock(m_mutex);
    m_used -= bytes;
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

/// Best first. A graphics card's own memory is not replaced by the host's, which would be slow
/// without a word.
std::vector<std::uint32_t> Memory::typesFor(Use use, std::uint32_t allowed) const
{
    constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    constexpr VkMemoryPropertyFlags host =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    constexpr VkMemoryPropertyFlags cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    struct Wish
    {
        VkMemoryPropertyFlags with = 0, without = 0;
    };
    std::vector<Wish> wishes;
    switch (use) {
    case Use::Weights: // twelve threads writing over the bus are as fast as copies by the queue
    case Use::Device:
        if (use == Use::Weights && m_writesCard)
            wishes = {{local | host, 0}, {local, 0}};
        else if (!sharesMemory(m_device.physical()))
            wishes = {{local, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT}, {local, 0}};
        else if (m_limits.stagedUploads)
            wishes = {{local, 0}, {}};
        else
            wishes = {{local | host, 0}, {local, 0}, {host, 0}, {}};
        break;
    case Use::Staging: // not cached: written once in order
        wishes = {{host, local | cached}, {host, local}, {host, 0}};
        break;
    case Use::Readback:
        wishes = {{host | cached, local}, {host | cached, 0}, {host, 0}};
        break;
    }
    std::vector<std::uint32_t> types;
    const VkPhysicalDeviceMemoryProperties &memory = m_device.physical().memory;
    for (const Wish &wish : wishes)
        for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
            const VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
            if ((allowed >> i & 1) != 0 && (flags & wish.with) == wish.with &&
                (flags & wish.without) == 0 &&
                std::find(types.begin(), types.end(), i) == types.end())
                types.push_back(i);
        }
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
    m_memory.count(requirements.size, what);
    m_counted = requirements.size;
    const std::uint32_t type = takeMemory(requirements.size, types);
    check("vkBindBufferMemory", vk.BindBufferMemory(device.handle(), m_buffer, m_handle, 0));

    constexpr VkMemoryPropertyFlags host =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const bool reachable =
        (device.physical().memory.memoryTypes[type].propertyFlags & host) == host;
    const bool staged = m_memory.m_limits.stagedUploads;
    const bool fast = (sharesMemory(device.physical()) && !staged) ||
                      (use == Memory::Use::Weights && m_memory.m_writesCard);
    const bool onDevice = use == Memory::Use::Device || use == Memory::Use::Weights;
    if (!onDevice || (reachable && fast)) {
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
    m_memory.uncount(m_counted);
}

} // namespace fireside::vulkan
