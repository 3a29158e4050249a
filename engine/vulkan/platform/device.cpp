#include "engine/vulkan/platform/device.h"

#include "engine/vulkan/platform/result.h"

#include <thread>
#include <vector>

namespace fireside::vulkan {
namespace {

/// Everything required, and of the optional features those that the device has: a chain of structs
/// that point at each other.
struct WantedFeatures
{
    explicit WantedFeatures(const PhysicalDevice &physical)
    {
        addRequired(physical.features12);
        addOptional(physical);
        features.features.shaderInt16 = physical.features.shaderInt16;
        add(features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    }
    WantedFeatures(const WantedFeatures &) = delete;
    WantedFeatures &operator=(const WantedFeatures &) = delete;

    template <typename Features>
    void add(Features &item, VkStructureType type)
    {
        item.sType = type;
        item.pNext = chain;
        chain = &item;
    }
    void addRequired(const VkPhysicalDeviceVulkan12Features &has);
    void addOptional(const PhysicalDevice &physical);

    VkPhysicalDeviceVulkan12Features features12{};
    VkPhysicalDeviceVulkan11Features features11{};
    VkPhysicalDeviceShaderIntegerDotProductFeatures dot{};
    VkPhysicalDeviceSubgroupSizeControlFeatures subgroup{};
#ifdef VK_KHR_cooperative_matrix
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix{};
#endif
    VkPhysicalDeviceFeatures2 features{};
    void *chain = nullptr;
    std::vector<const char *> extensions;
};

void WantedFeatures::addRequired(const VkPhysicalDeviceVulkan12Features &has)
{
    features12.bufferDeviceAddress = VK_TRUE;
    features12.storageBuffer8BitAccess = VK_TRUE;
    features12.scalarBlockLayout = VK_TRUE;
    features12.timelineSemaphore = VK_TRUE;
    features12.shaderFloat16 = has.shaderFloat16;
    features12.shaderInt8 = has.shaderInt8;
    features12.vulkanMemoryModel = has.vulkanMemoryModel;
    features12.vulkanMemoryModelDeviceScope = has.vulkanMemoryModelDeviceScope;
    add(features12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    features11.storageBuffer16BitAccess = VK_TRUE;
    add(features11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
}

void WantedFeatures::addOptional(const PhysicalDevice &physical)
{
    if (physical.integerDotProduct) {
        dot.shaderIntegerDotProduct = VK_TRUE;
        add(dot, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES);
        extensions.push_back(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
    }
    if (physical.subgroupSizeControl) {
        subgroup.subgroupSizeControl = VK_TRUE;
        subgroup.computeFullSubgroups = physical.computeFullSubgroups ? VK_TRUE : VK_FALSE;
        add(subgroup, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES);
        extensions.push_back(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
    }
#ifdef VK_KHR_cooperative_matrix
    if (!physical.matrixShapes.empty()) {
        matrix.cooperativeMatrix = VK_TRUE;
        add(matrix, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR);
        extensions.push_back(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
    }
#endif
}

VkDevice create(const Instance &instance, const PhysicalDevice &physical)
{
    const WantedFeatures wanted(physical);
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{};
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueFamilyIndex = physical.computeFamily.value();
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;

    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = wanted.chain;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = static_cast<std::uint32_t>(wanted.extensions.size());
    info.ppEnabledExtensionNames = wanted.extensions.data();
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

std::uint64_t LogicalDevice::submit(std::span<const VkCommandBuffer> commands)
{
    const std::lock_guard lock(m_mutex);
    const std::uint64_t done = m_submitted + 1;
    VkTimelineSemaphoreSubmitInfo values{};
    values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    values.signalSemaphoreValueCount = 1;
    values.pSignalSemaphoreValues = &done;
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.pNext = &values;
    submit.commandBufferCount = static_cast<std::uint32_t>(commands.size());
    submit.pCommandBuffers = commands.data();
    submit.signalSemaphoreCount = 1;
    submit.pSignalSemaphores = &m_timeline;
    check("vkQueueSubmit", m_functions.QueueSubmit(m_queue, 1, &submit, VK_NULL_HANDLE));
    return m_submitted = done;
}

VkResult LogicalDevice::waitOnce(std::uint64_t value, std::chrono::nanoseconds time)
{
    VkSemaphoreWaitInfo wait{};
    wait.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    wait.semaphoreCount = 1;
    wait.pSemaphores = &m_timeline;
    wait.pValues = &value;
    return m_functions.WaitSemaphores(m_device, &wait, static_cast<std::uint64_t>(time.count()));
}

VkResult LogicalDevice::waitFor(std::uint64_t value, std::chrono::nanoseconds time)
{
    const VkResult result = waitOnce(value, time);
    check("vkWaitSemaphores", result);
    return result;
}

void LogicalDevice::wait(std::uint64_t value, std::chrono::nanoseconds limit)
{
    // Where memory lacked for waiting, the device works on all the same, and what it uses must not
    // go: the question is put again.
    constexpr std::chrono::milliseconds kPause{1};
    const auto end = std::chrono::steady_clock::now() + limit;
    VkResult result = waitOnce(value, limit);
    while (isOutOfMemory(result) && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(kPause);
        result = waitOnce(value, limit);
    }
    if (result == VK_TIMEOUT || isOutOfMemory(result)) {
        m_abandoned = true;
        m_instance.abandon();
        throw VulkanError("vkWaitSemaphores", result);
    }
    check("vkWaitSemaphores", result);
}

bool LogicalDevice::doneWithin(std::uint64_t value, std::chrono::nanoseconds time)
{
    return waitFor(value, time) != VK_TIMEOUT;
}

bool LogicalDevice::done(std::uint64_t value)
{
    std::uint64_t reached = 0;
    check("vkGetSemaphoreCounterValue",
          m_functions.GetSemaphoreCounterValue(m_device, m_timeline, &reached));
    return reached >= value;
}

void LogicalDevice::run(VkCommandBuffer commands, std::chrono::nanoseconds limit)
{
    wait(submit({&commands, 1}), limit);
}

} // namespace fireside::vulkan
