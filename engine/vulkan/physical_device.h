#pragma once
#include "engine/vulkan/instance.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fireside::vulkan {

/// What a driver says about one device; plain values, nothing to release. The structs' pNext are
/// null.
struct PhysicalDevice
{
    VkPhysicalDevice handle = VK_NULL_HANDLE;
    VkPhysicalDeviceProperties properties{};
    std::vector<std::string> extensions;
    std::optional<std::uint32_t> computeFamily; // a queue family that computes
    VkPhysicalDeviceMemoryProperties memory{};
    std::optional<VkPhysicalDeviceMemoryBudgetPropertiesEXT> budget; // VK_EXT_memory_budget

    // Zero unless the device has Vulkan 1.2.
    VkPhysicalDeviceFeatures features{};
    VkPhysicalDeviceVulkan11Features features11{};
    VkPhysicalDeviceVulkan12Features features12{};
    VkPhysicalDeviceVulkan11Properties properties11{};
    VkPhysicalDeviceVulkan12Properties properties12{};
    bool integerDotProduct = false;

    bool hasVulkan12() const { return properties.apiVersion >= VK_API_VERSION_1_2; }
    bool hasExtension(std::string_view name) const;
};

/// Throws VulkanError. Counts and names that a driver returns are bounded before they are used.
std::vector<PhysicalDevice> physicalDevices(const Instance &instance);

} // namespace fireside::vulkan
