#include "engine/vulkan/platform/buffer.h"

#include "engine/vulkan/platform/result.h"

namespace fireside::vulkan {
namespace {

std::uint32_t hostMemoryType(const PhysicalDevice &device, std::uint32_t allowedTypes)
{
    constexpr VkMemoryPropertyFlags needed =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (std::uint32_t i = 0; i < device.memory.memoryTypeCount; ++i)
        if ((allowedTypes >> i & 1) != 0 &&
            (device.memory.memoryTypes[i].propertyFlags & needed) == needed)
            return i;
    throw Error(ErrorKind::Device, "the device has no memory that the host can write");
}

} // namespace

HostBuffer::HostBuffer(const LogicalDevice &device, std::size_t bytes)
    : m_device(device)
    , m_size(bytes)
{
    const DeviceFunctions &vk = device.functions();
    try {
        VkBufferCreateInfo create{};
        create.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
        create.size = bytes;
        create.usage =
            VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
        create.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
        check("vkCreateBuffer", vk.CreateBuffer(device.handle(), &create, nullptr, &m_buffer));

        VkMemoryRequirements requirements{};
        vk.GetBufferMemoryRequirements(device.handle(), m_buffer, &requirements);
        VkMemoryAllocateFlagsInfo flags{};
        flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
        flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
        VkMemoryAllocateInfo allocate{};
        allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
        allocate.pNext = &flags;
        allocate.allocationSize = requirements.size;
        allocate.memoryTypeIndex = hostMemoryType(device.physical(), requirements.memoryTypeBits);
        check("vkAllocateMemory",
              vk.AllocateMemory(device.handle(), &allocate, nullptr, &m_memory));
        check("vkBindBufferMemory", vk.BindBufferMemory(device.handle(), m_buffer, m_memory, 0));

        void *mapped = nullptr;
        check("vkMapMemory", vk.MapMemory(device.handle(), m_memory, 0, VK_WHOLE_SIZE, 0, &mapped));
        if (mapped == nullptr)
            throw Error(ErrorKind::Device, "vkMapMemory returned no address");
        m_mapped = static_cast<std::byte *>(mapped);
        std::memset(m_mapped, 0, m_size);

        VkBufferDeviceAddressInfo address{};
        address.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
        address.buffer = m_buffer;
        m_address = vk.GetBufferDeviceAddress(device.handle(), &address);
        if (m_address == 0)
            throw Error(ErrorKind::Device, "vkGetBufferDeviceAddress returned no address");
    } catch (...) {
        release();
        throw;
    }
}

HostBuffer::~HostBuffer()
{
    release();
}

void HostBuffer::release() noexcept
{
    if (m_device.abandoned())
        return;
    const DeviceFunctions &vk = m_device.functions();
    vk.DestroyBuffer(m_device.handle(), m_buffer, nullptr);
    vk.FreeMemory(m_device.handle(), m_memory, nullptr); // unmaps too
}

} // namespace fireside::vulkan
