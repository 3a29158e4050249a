#include "engine/vulkan/physical_device.h"

#include "engine/vulkan/result.h"

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

std::optional<std::uint32_t> computeFamilyOf(const InstanceFunctions &vk, VkPhysicalDevice device)
{
    std::uint32_t count = 0;
    vk.GetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(std::min<std::uint32_t>(count, 256));
    count = static_cast<std::uint32_t>(families.size());
    vk.GetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
    // A family without graphics runs beside the desktop's own drawing.
    std::optional<std::uint32_t> found;
    for (std::uint32_t i = 0; i < std::min<std::size_t>(count, families.size()); ++i) {
        const bool computes = (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
        const bool draws = (families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;
        if (computes && families[i].queueCount > 0 && (!found || !draws)) {
            found = i;
            if (!draws)
                break;
        }
    }
    return found;
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

void readVulkan12(const InstanceFunctions &vk, PhysicalDevice &device)
{
    device.properties11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
    device.properties12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
    device.properties11.pNext = &device.properties12;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &device.properties11;
    vk.GetPhysicalDeviceProperties2(device.handle, &properties);
    device.properties11.pNext = nullptr;
    device.properties12.pNext = nullptr;

    VkPhysicalDeviceShaderIntegerDotProductFeatures dot{};
    dot.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES;
    const bool askDot = device.hasExtension(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
    device.features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    device.features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    device.features11.pNext = &device.features12;
    device.features12.pNext = askDot ? &dot : nullptr;
    VkPhysicalDeviceFeatures2 features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features.pNext = &device.features11;
    vk.GetPhysicalDeviceFeatures2(device.handle, &features);
    device.features11.pNext = nullptr;
    device.features12.pNext = nullptr;
    device.features = features.features;
    device.integerDotProduct = askDot && dot.shaderIntegerDotProduct == VK_TRUE;
}

} // namespace

bool PhysicalDevice::hasExtension(std::string_view name) const
{
    return std::find(extensions.begin(), extensions.end(), name) != extensions.end();
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
        device.computeFamily = computeFamilyOf(vk, handle);
        readMemory(vk, device);
        if (device.hasVulkan12())
            readVulkan12(vk, device);
        devices.push_back(std::move(device));
    }
    return devices;
}

} // namespace fireside::vulkan
