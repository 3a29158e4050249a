#include "engine/vulkan/platform/recording.h"

#include "engine/vulkan/platform/result.h"

#include <algorithm>

namespace fireside::vulkan {

Recording::Recording(Gpu &gpu)
    : m_gpu(gpu)
    , m_clock(gpu)
{
    const DeviceFunctions &vk = gpu.device.functions();
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.queueFamilyIndex = gpu.device.physical().computeFamily.value();
    check("vkCreateCommandPool",
          vk.CreateCommandPool(gpu.device.handle(), &pool, nullptr, &m_pool));
}

Recording::~Recording()
{
    if (!m_gpu.device.abandoned())
        m_gpu.device.functions().DestroyCommandPool(m_gpu.device.handle(), m_pool, nullptr);
}

void Recording::reset(bool timed)
{
    check("vkResetCommandPool",
          m_gpu.device.functions().ResetCommandPool(m_gpu.device.handle(), m_pool, 0));
    m_used = 0;
    m_open = false;
    nominal.clear();
    m_hostWork.clear();
    lastSeconds = 0;
    factor = m_gpu.throughput.factor();
    m_clock.reset(timed);
}

VkCommandBuffer Recording::begin()
{
    const DeviceFunctions &vk = m_gpu.device.functions();
    if (m_used == m_buffers.size()) {
        VkCommandBufferAllocateInfo allocate{};
        allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
        allocate.commandPool = m_pool;
        allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
        allocate.commandBufferCount = 1;
        VkCommandBuffer added = VK_NULL_HANDLE;
        check("vkAllocateCommandBuffers",
              vk.AllocateCommandBuffers(m_gpu.device.handle(), &allocate, &added));
        m_buffers.push_back(added);
    }
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    begin.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT; // several times in a row
    check("vkBeginCommandBuffer", vk.BeginCommandBuffer(m_buffers[m_used], &begin));
    m_open = true;
    return m_buffers[m_used++];
}

void Recording::end()
{
    m_open = false;
    check("vkEndCommandBuffer", m_gpu.device.functions().EndCommandBuffer(m_buffers[m_used - 1]));
}

const std::function<void()> *Recording::hostWork(std::size_t segment) const
{
    const auto found =
        std::find_if(m_hostWork.begin(), m_hostWork.end(),
                     [segment](const HostWork &each) { return each.segment == segment; });
    return found == m_hostWork.end() ? nullptr : &found->work;
}

bool Recording::cutTooCoarsely() const
{
    const double now = m_gpu.throughput.factor();
    if (now < 3 * factor || nominal.empty())
        return false;
    return *std::max_element(nominal.begin(), nominal.end()) * now > 4 * Throughput::kLongest;
}

void fullBarrier(const LogicalDevice &device, VkCommandBuffer commands, bool copies)
{
    VkMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    if (copies) {
        barrier.srcAccessMask |= VK_ACCESS_TRANSFER_WRITE_BIT;
        barrier.dstAccessMask |= VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
        stages |= VK_PIPELINE_STAGE_TRANSFER_BIT;
    }
    device.functions().CmdPipelineBarrier(commands, stages, stages, 0, 1, &barrier, 0, nullptr, 0,
                                          nullptr);
}

void endBarrier(const LogicalDevice &device, VkCommandBuffer commands)
{
    VkMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                            VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
                            VK_ACCESS_HOST_READ_BIT;
    device.functions().CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                          VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT |
                                              VK_PIPELINE_STAGE_TRANSFER_BIT |
                                              VK_PIPELINE_STAGE_HOST_BIT,
                                          0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void hostBarrier(const LogicalDevice &device, VkCommandBuffer commands)
{
    VkMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    device.functions().CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                          VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr, 0,
                                          nullptr);
}

} // namespace fireside::vulkan
