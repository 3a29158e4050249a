#include "engine/vulkan/device.h"

#include "engine/vulkan/result.h"

namespace fireside::vulkan {
namespace {

VkDevice create(const Instance &instance, const PhysicalDevice &physical)
{
    VkPhysicalDeviceVulkan12Features features12{};
    features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    features12.bufferDeviceAddress = VK_TRUE;
    features12.storageBuffer8BitAccess = VK_TRUE;
    features12.scalarBlockLayout = VK_TRUE;
    features12.timelineSemaphore = VK_TRUE;
    VkPhysicalDeviceVulkan11Features features11{};
    features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    features11.pNext = &features12;
    features11.storageBuffer16BitAccess = VK_TRUE;

    const float priority = 1;
    VkDeviceQueueCreateInfo queue{};
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueFamilyIndex = physical.computeFamily.value();
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;

    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &features11;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    VkDevice device = VK_NULL_HANDLE;
    check("vkCreateDevice",
          instance.functions().CreateDevice(physical.handle, &info, nullptr, &device));
    return device;
}

} // namespace

LogicalDevice::LogicalDevice(Instance &instance, const PhysicalDevice &physical)
    : m_instance(instance)
    , m_physical(physical)
    , m_device(create(instance, physical))
{
    try {
        loadFunctions();
        m_functions.GetDeviceQueue(m_device, *physical.computeFamily, 0, &m_queue);
        VkSemaphoreTypeCreateInfo type{};
        type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
        type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
        VkSemaphoreCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
        info.pNext = &type;
        check("vkCreateSemaphore",
              m_functions.CreateSemaphore(m_device, &info, nullptr, &m_timeline));
    } catch (...) {
        if (m_functions.DestroyDevice != nullptr)
            m_functions.DestroyDevice(m_device, nullptr);
        throw;
    }
}

LogicalDevice::~LogicalDevice()
{
    if (m_abandoned)
        return;
    m_functions.DestroySemaphore(m_device, m_timeline, nullptr);
    m_functions.DestroyDevice(m_device, nullptr);
}

void LogicalDevice::loadFunctions()
{
    const PFN_vkGetDeviceProcAddr find = m_instance.functions().GetDeviceProcAddr;
    // First, so that a failure further down can clean up.
    m_functions.DestroyDevice =
        reinterpret_cast<PFN_vkDestroyDevice>(find(m_device, "vkDestroyDevice"));
#define LOAD(name)                                                                                 \
    m_functions.name = reinterpret_cast<PFN_vk##name>(find(m_device, "vk" #name));                 \
    if (m_functions.name == nullptr)                                                               \
        throw Error(ErrorKind::Device, "the driver has no function vk" #name);
    FIRESIDE_VULKAN_DEVICE_FUNCTIONS(LOAD)
#undef LOAD
}

void LogicalDevice::run(VkCommandBuffer commands, std::chrono::nanoseconds limit)
{
    const std::uint64_t done = ++m_submitted;
    VkTimelineSemaphoreSubmitInfo values{};
    values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    values.signalSemaphoreValueCount = 1;
    values.pSignalSemaphoreValues = &done;
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.pNext = &values;
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    submit.signalSemaphoreCount = 1;
    submit.pSignalSemaphores = &m_timeline;
    check("vkQueueSubmit", m_functions.QueueSubmit(m_queue, 1, &submit, VK_NULL_HANDLE));

    VkSemaphoreWaitInfo wait{};
    wait.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    wait.semaphoreCount = 1;
    wait.pSemaphores = &m_timeline;
    wait.pValues = &done;
    const VkResult result =
        m_functions.WaitSemaphores(m_device, &wait, static_cast<std::uint64_t>(limit.count()));
    if (result == VK_TIMEOUT) {
        m_abandoned = true;
        m_instance.abandon();
        throw VulkanError("vkWaitSemaphores", result);
    }
    check("vkWaitSemaphores", result);
}

} // namespace fireside::vulkan
