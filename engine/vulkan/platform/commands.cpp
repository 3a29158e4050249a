#include "engine/vulkan/platform/commands.h"

#include "engine/vulkan/platform/result.h"

namespace fireside::vulkan {

CommandRecording::CommandRecording(LogicalDevice &device)
    : m_device(device)
{
    const DeviceFunctions &vk = device.functions();
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.queueFamilyIndex = device.physical().computeFamily.value();
    check("vkCreateCommandPool", vk.CreateCommandPool(device.handle(), &pool, nullptr, &m_pool));
    try {
        VkCommandBufferAllocateInfo allocate{};
        allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
        allocate.commandPool = m_pool;
        allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
        allocate.commandBufferCount = 1;
        check("vkAllocateCommandBuffers",
              vk.AllocateCommandBuffers(device.handle(), &allocate, &m_commands));
        VkCommandBufferBeginInfo begin{};
        begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
        begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
        check("vkBeginCommandBuffer", vk.BeginCommandBuffer(m_commands, &begin));
    } catch (...) {
        vk.DestroyCommandPool(device.handle(), m_pool, nullptr);
        throw;
    }
}

CommandRecording::~CommandRecording()
{
    if (!m_device.abandoned())
        m_device.functions().DestroyCommandPool(m_device.handle(), m_pool, nullptr);
}

void CommandRecording::dispatch(const ComputePipeline &pipeline, const void *push,
                                std::uint32_t pushBytes, std::uint32_t groups)
{
    const DeviceFunctions &vk = m_device.functions();
    vk.CmdBindPipeline(m_commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
    vk.CmdPushConstants(m_commands, pipeline.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0, pushBytes,
                        push);
    vk.CmdDispatch(m_commands, groups, 1, 1);
}

void CommandRecording::copy(VkBuffer from, VkDeviceSize fromOffset, VkBuffer to,
                            VkDeviceSize toOffset, VkDeviceSize bytes)
{
    everythingBarrier(); // what is copied may have been written before
    copyUnordered(from, fromOffset, to, toOffset, bytes);
    everythingBarrier();
}

void CommandRecording::copyUnordered(VkBuffer from, VkDeviceSize fromOffset, VkBuffer to,
                                     VkDeviceSize toOffset, VkDeviceSize bytes)
{
    const VkBufferCopy region{fromOffset, toOffset, bytes};
    m_device.functions().CmdCopyBuffer(m_commands, from, to, 1, &region);
}

void CommandRecording::fillZero(VkBuffer buffer, VkDeviceSize offset, VkDeviceSize bytes)
{
    m_device.functions().CmdFillBuffer(m_commands, buffer, offset, bytes, 0);
    everythingBarrier();
}

void CommandRecording::everythingBarrier()
{
    VkMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    constexpr VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    m_device.functions().CmdPipelineBarrier(m_commands, all, all | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                                            &barrier, 0, nullptr, 0, nullptr);
}

void CommandRecording::makeVisibleToHost()
{
    VkMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    m_device.functions().CmdPipelineBarrier(m_commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                            VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr,
                                            0, nullptr);
}

void CommandRecording::run(std::chrono::nanoseconds limit)
{
    check("vkEndCommandBuffer", m_device.functions().EndCommandBuffer(m_commands));
    m_device.run(m_commands, limit);
}

} // namespace fireside::vulkan
