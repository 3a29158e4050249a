#include "engine/vulkan/probe/requirements.h"

#include <array>

namespace fireside::vulkan {
namespace {

constexpr std::array kRequirements{
    Requirement{"Vulkan 1.2 on the device", [](const PhysicalDevice &d) { return d.hasVulkan12(); },
                "everything below is part of it"},
    Requirement{"Compute queue",
                [](const PhysicalDevice &d) { return d.computeFamily.has_value(); },
                "to run shaders without drawing"},
    Requirement{"Buffer device addresses",
                [](const PhysicalDevice &d) { return d.features12.bufferDeviceAddress == VK_TRUE; },
                "to reach weights of any size"},
    Requirement{
        "16-bit storage",
        [](const PhysicalDevice &d) { return d.features11.storageBuffer16BitAccess == VK_TRUE; },
        "for F16 weights and caches"},
    Requirement{
        "8-bit storage",
        [](const PhysicalDevice &d) { return d.features12.storageBuffer8BitAccess == VK_TRUE; },
        "for quantised weights"},
    Requirement{"Scalar block layout",
                [](const PhysicalDevice &d) { return d.features12.scalarBlockLayout == VK_TRUE; },
                "to read weights as they lie in the file"},
    Requirement{"Timeline semaphores",
                [](const PhysicalDevice &d) { return d.features12.timelineSemaphore == VK_TRUE; },
                "to wait for results with a time limit"},
    Requirement{"Subgroup arithmetic in compute shaders",
                [](const PhysicalDevice &d) {
                    constexpr VkSubgroupFeatureFlags needed =
                        VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT;
                    return (d.properties11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) !=
                               0 &&
                           (d.properties11.subgroupSupportedOperations & needed) == needed;
                },
                "for fast sums"},
};

} // namespace

std::span<const Requirement> requirements()
{
    return kRequirements;
}

} // namespace fireside::vulkan
