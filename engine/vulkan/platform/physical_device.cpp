#include "engine/vulkan/platform/physical_device.h"

#include "engine/vulkan/platform/result.h"

#include <algorithm>
#include <cstring>

namespace fireside::vulkan {
namespace {

/// At most `size` characters of a driver's fixed-size string, terminated or not.
std::string bounded(const char *text, std::size_t size)
{
    return {text, ::strnlen(text, size)};
}

std::vector<std::string> extensionsOf(const InstanceFunctions &vk, VkPhysicalDevice device)
{
    std::uint32_t count = 0;
    check("vkEnumerateDeviceExtensionProperties",
          vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr));
    std::vector<VkExtensionProperties> properties(std::min<std::uint32_t>(count, 4096));
    count = static_cast<std::uint32_t>(properties.size());
    check("vkEnumerateDeviceExtensionProperties",
          vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, properties.data()));
    properties.resize(std::min<std::size_t>(count, properties.size()));
    std::vector<std::string> names;
    names.reserve(properties.size());
    for (const VkExtensionProperties &extension : properties)
        names.push_back(bounded(extension.extensionName, sizeof extension.extensionName));
    return names;
}

void readComputeFamily(const InstanceFunctions &vk, PhysicalDevice &device)
{
    std::uint32_t count = 0;
    vk.GetPhysicalDeviceQueueFamilyProperties(device.handle, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(std::min<std::uint32_t>(count, 256));
    count = static_cast<std::uint32_t>(families.size());
    vk.GetPhysicalDeviceQueueFamilyProperties(device.handle, &count, families.data());
    // A family without graphics runs beside the desktop's own drawing.
    std::optional<std::uint32_t> &found = device.computeFamily;
    for (std::uint32_t i = 0; i < std::min<std::size_t>(count, families.size()); ++i) {
        const bool computes = (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
        const bool draws = (families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;
        if (computes && families[i].queueCount > 0 && (!found || !draws)) {
            found = i;
            device.timestampBits = families[i].timestampValidBits;
            if (!draws)
                break;
        }
    }
}

void readMemory(const InstanceFunctions &vk, PhysicalDevice &device)
{
    if (device.hasVulkan12() && device.hasExtension(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME)) {
        VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{};
        budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
        VkPhysicalDeviceMemoryProperties2 memory{};
        memory.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
        memory.pNext = &budget;
        vk.GetPhysicalDeviceMemoryProperties2(device.handle, &memory);
        budget.pNext = nullptr;
        device.budget = budget;
        device.memory = memory.memoryProperties;
    } else {
        vk.GetPhysicalDeviceMemoryProperties(device.handle, &device.memory);
    }
    device.memory.memoryHeapCount =
        std::min<std::uint32_t>(device.memory.memoryHeapCount, VK_MAX_MEMORY_HEAPS);
    device.memory.memoryTypeCount =
        std::min<std::uint32_t>(device.memory.memoryTypeCount, VK_MAX_MEMORY_TYPES);
}

/// Structs for one question to the driver, in a chain.
class Chain
{
public:
    template <typename Struct>
    void add(bool wanted, VkStructureType type, Struct &item)
    {
        item = {};
        item.sType = type;
        if (!wanted)
            return;
        *m_end = &item;
        m_end = &item.pNext;
    }
    void *first() const { return m_first; }

private:
    void *m_first = nullptr;
    void **m_end = &m_first;
};

void readProperties(const InstanceFunctions &vk, PhysicalDevice &device)
{
    const bool sizes = device.hasExtension(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
    const bool multiprocessors = device.hasExtension(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME);
    const bool cores = device.hasExtension(VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME);
    const bool buffers = device.hasExtension(VK_KHR_MAINTENANCE_4_EXTENSION_NAME);
    VkPhysicalDeviceSubgroupSizeControlProperties subgroup;
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nv;
    VkPhysicalDeviceShaderCorePropertiesAMD amd;
    const bool dots = device.hasExtension(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
    VkPhysicalDeviceMaintenance4Properties maintenance;
    VkPhysicalDeviceShaderIntegerDotProductProperties dot;
    Chain chain;
    chain.add(true, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, device.properties11);
    chain.add(true, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, device.properties12);
    chain.add(sizes, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES, subgroup);
    chain.add(multiprocessors, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV,
              nv);
    chain.add(cores, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD, amd);
    chain.add(buffers, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES, maintenance);
    chain.add(dots, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES, dot);
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = chain.first();
    vk.GetPhysicalDeviceProperties2(device.handle, &properties);
    device.properties11.pNext = nullptr;
    device.properties12.pNext = nullptr;
    device.minSubgroup = subgroup.minSubgroupSize;
    device.maxSubgroup = subgroup.maxSubgroupSize;
    device.maxBufferSize = maintenance.maxBufferSize;
    device.integerDotInHardware = dot.integerDotProduct4x8BitPackedSignedAccelerated == VK_TRUE;
    const std::uint32_t computeUnits = multiprocessors ? nv.shaderSMCount
                                                       : amd.shaderEngineCount *
                                                             amd.shaderArraysPerEngineCount *
                                                             amd.computeUnitsPerShaderArray;
    if (computeUnits > 0)
        device.computeUnits = computeUnits;
}

void readFeatures(const InstanceFunctions &vk, PhysicalDevice &device)
{
    const bool dots = device.hasExtension(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
    const bool sizes = device.hasExtension(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
    VkPhysicalDeviceShaderIntegerDotProductFeatures dot;
    VkPhysicalDeviceSubgroupSizeControlFeatures subgroup;
    Chain chain;
    chain.add(true, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, device.features11);
    chain.add(true, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, device.features12);
    chain.add(dots, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES, dot);
    chain.add(sizes, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES, subgroup);
    VkPhysicalDeviceFeatures2 features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features.pNext = chain.first();
    vk.GetPhysicalDeviceFeatures2(device.handle, &features);
    device.features11.pNext = nullptr;
    device.features12.pNext = nullptr;
    device.features = features.features;
    device.integerDotProduct = dot.shaderIntegerDotProduct == VK_TRUE;
    device.subgroupSizeControl = subgroup.subgroupSizeControl == VK_TRUE && device.minSubgroup > 0;
    device.computeFullSubgroups = subgroup.computeFullSubgroups == VK_TRUE;
}

/// Matrices need F16 arithmetic and Vulkan's memory model in the shader.
void readMatrices([[maybe_unused]] const InstanceFunctions &vk,
                  [[maybe_unused]] PhysicalDevice &device)
{
#ifdef VK_KHR_cooperative_matrix
    const auto ask = vk.GetPhysicalDeviceCooperativeMatrixPropertiesKHR;
    if (ask == nullptr || !device.hasExtension(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME) ||
        device.features12.shaderFloat16 != VK_TRUE ||
        device.features12.vulkanMemoryModel != VK_TRUE)
        return;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix;
    Chain chain;
    chain.add(true, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR, matrix);
    VkPhysicalDeviceFeatures2 features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features.pNext = chain.first();
    vk.GetPhysicalDeviceFeatures2(device.handle, &features);
    if (matrix.cooperativeMatrix != VK_TRUE)
        return;
    std::uint32_t count = 0;
    check("vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR", ask(device.handle, &count, nullptr));
    VkCooperativeMatrixPropertiesKHR empty{};
    empty.sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
    std::vector<VkCooperativeMatrixPropertiesKHR> shapes(std::min<std::uint32_t>(count, 1024),
                                                         empty);
    count = static_cast<std::uint32_t>(shapes.size());
    check("vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR",
          ask(device.handle, &count, shapes.data()));
    shapes.resize(std::min<std::size_t>(count, shapes.size()));
    for (const VkCooperativeMatrixPropertiesKHR &shape : shapes)
        if (shape.AType == VK_COMPONENT_TYPE_FLOAT16_KHR &&
            shape.BType == VK_COMPONENT_TYPE_FLOAT16_KHR &&
            shape.CType == VK_COMPONENT_TYPE_FLOAT32_KHR &&
            shape.ResultType == VK_COMPONENT_TYPE_FLOAT32_KHR &&
            shape.scope == VK_SCOPE_SUBGROUP_KHR && shape.saturatingAccumulation == VK_FALSE)
            device.matrixShapes.push_back({shape.MSize, shape.NSize, shape.KSize});
#endif
}

} // namespace

bool PhysicalDevice::hasExtension(std::string_view name) const
{
    return std::find(extensions.begin(), extensions.end(), name) != extensions.end();
}

std::optional<std::uint64_t> freeIn(const PhysicalDevice &device, std::uint32_t heap)
{
    if (!device.budget || device.budget->heapBudget[heap] == 0) // 0: the driver does not know
        return std::nullopt;
    const std::uint64_t budget = device.budget->heapBudget[heap];
    return budget - std::min(budget, device.budget->heapUsage[heap]);
}

DeviceMemorySize deviceMemory(const PhysicalDevice &device)
{
    DeviceMemorySize size;
    const VkPhysicalDeviceMemoryProperties &memory = device.memory;
    for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
        const VkMemoryHeap &heap = memory.memoryHeaps[i];
        if ((heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0 && heap.size > size.total)
            size = {heap.size, freeIn(device, i),
                    device.budget ? std::optional(device.budget->heapUsage[i]) : std::nullopt};
    }
    return size;
}

PhysicalDevice withMemoryNow(const Instance &instance, const PhysicalDevice &device)
{
    PhysicalDevice now = device;
    readMemory(instance.functions(), now);
    return now;
}

std::vector<PhysicalDevice> physicalDevices(const Instance &instance)
{
    const InstanceFunctions &vk = instance.functions();
    std::uint32_t count = 0;
    check("vkEnumeratePhysicalDevices",
          vk.EnumeratePhysicalDevices(instance.handle(), &count, nullptr));
    std::vector<VkPhysicalDevice> handles(std::min<std::uint32_t>(count, 64));
    count = static_cast<std::uint32_t>(handles.size());
    if (count > 0)
        check("vkEnumeratePhysicalDevices",
              vk.EnumeratePhysicalDevices(instance.handle(), &count, handles.data()));
    handles.resize(std::min<std::size_t>(count, handles.size()));

    std::vector<PhysicalDevice> devices;
    for (const VkPhysicalDevice handle : handles) {
        PhysicalDevice device;
        device.handle = handle;
        vk.GetPhysicalDeviceProperties(handle, &device.properties);
        device.properties.deviceName[sizeof device.properties.deviceName - 1] = '\0';
        device.extensions = extensionsOf(vk, handle);
        readComputeFamily(vk, device);
        readMemory(vk, device);
        if (device.hasVulkan12()) {
            readProperties(vk, device);
            readFeatures(vk, device);
            readMatrices(vk, device);
        }
        devices.push_back(std::move(device));
    }
    return devices;
}

} // namespace fireside::vulkan
