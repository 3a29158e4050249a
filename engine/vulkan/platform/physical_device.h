#pragma once
#include "engine/vulkan/platform/instance.h"

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
    bool integerDotInHardware = false; // of 4×8 bits
    bool subgroupSizeControl = false;  // pipelines can ask for a size
    bool computeFullSubgroups = false;
    std::uint32_t minSubgroup = 0, maxSubgroup = 0; // with subgroupSizeControl
    std::optional<std::uint32_t> computeUnits;      // multiprocessors, compute units
    std::uint64_t maxBufferSize = 0;                // bytes; 0: the driver does not say
    std::uint32_t timestampBits = 0;                // of the compute family; 0: no timestamps

    /// F16 · F16 → F32 matrices of one subgroup that the device multiplies at once.
    struct MatrixShape
    {
        std::uint32_t m = 0, n = 0, k = 0;
    };
    std::vector<MatrixShape> matrixShapes; // empty without cooperative matrices

    bool hasVulkan12() const { return properties.apiVersion >= VK_API_VERSION_1_2; }
    bool hasExtension(std::string_view name) const;
};

/// The device's own memory: its largest device-local heap; small ones beside it are windows into
/// it.
struct DeviceMemorySize
{
    std::uint64_t total = 0;                // bytes; 0: the driver names no such heap
    std::optional<std::uint64_t> available; // bytes; only with VK_EXT_memory_budget
    std::optional<std::uint64_t> used;      // by this program, as the driver counts; the same
};
DeviceMemorySize deviceMemory(const PhysicalDevice &device);
/// What is free in one heap; nullopt when the driver does not know.
std::optional<std::uint64_t> freeIn(const PhysicalDevice &device, std::uint32_t heap);
/// A copy with the memory figures of this moment.
PhysicalDevice withMemoryNow(const Instance &instance, const PhysicalDevice &device);

/// Throws VulkanError. Counts and names that a driver returns are bounded before they are used.
std::vector<PhysicalDevice> physicalDevices(const Instance &instance);

} // namespace fireside::vulkan
