#include "engine/vulkan/platform/capabilities.h"

#include "engine/vulkan/platform/physical_device.h"
#include "shaders/embedded_shaders.h"

#include <algorithm>

namespace fireside::vulkan {
namespace {

bool contains(const auto &list, std::string_view name)
{
    return std::find(list.begin(), list.end(), name) != list.end();
}

/// 16×16×16 where there is one, else the first.
void chooseMatrix(const PhysicalDevice &device, Capabilities &can)
{
    using Shape = PhysicalDevice::MatrixShape;
    const auto square = std::find_if(
        device.matrixShapes.begin(), device.matrixShapes.end(),
        [](const Shape &shape) { return shape.m == 16 && shape.n == 16 && shape.k == 16; });
    const auto chosen = square != device.matrixShapes.end() ? square : device.matrixShapes.begin();
    if (chosen == device.matrixShapes.end())
        return;
    can.matrixM = chosen->m;
    can.matrixN = chosen->n;
    can.matrixK = chosen->k;
}

} // namespace

Capabilities capabilitiesOf(const PhysicalDevice &device, std::span<const std::string> without)
{
    const VkPhysicalDeviceLimits &limits = device.properties.limits;
    Capabilities can;
    can.software = device.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    if (device.properties11.subgroupSize > 0)
        can.subgroupSize = device.properties11.subgroupSize;
    can.minSubgroup = device.minSubgroup > 0 ? device.minSubgroup : can.subgroupSize;
    can.maxSubgroup = std::max(device.maxSubgroup, can.subgroupSize);
    can.subgroupShuffle =
        (device.properties11.subgroupSupportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0;
    can.fullSubgroups = device.subgroupSizeControl && device.computeFullSubgroups;
    can.sharedMemory = std::max(limits.maxComputeSharedMemorySize, can.sharedMemory);
    can.maxWorkgroupSize =
        std::max(std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]),
                 can.maxWorkgroupSize);
    for (std::size_t i = 0; i < 3; ++i)
        can.maxWorkgroups[i] = std::max(limits.maxComputeWorkGroupCount[i], can.maxWorkgroups[i]);
    can.computeUnits = device.computeUnits.value_or(can.software ? 4 : can.computeUnits);
    can.float16 = device.features12.shaderFloat16 == VK_TRUE;
    const auto wanted = [&](std::string_view feature) {
        return !contains(without, feature) && !contains(missingShaderFeatures(), feature);
    };
    // On software devices for the sake of tests.
    can.integerDot = device.integerDotProduct && (device.integerDotInHardware || can.software) &&
                     wanted(kIntegerDot);
    if (wanted(kCooperativeMatrix))
        chooseMatrix(device, can);
    return can;
}

std::string variantsText(const PhysicalDevice &device, const Capabilities &can)
{
    std::string text = "basic";
    const auto add = [&](std::string_view name, bool there, bool used) {
        if (used)
            text += ", " + std::string(name);
        else if (there && contains(missingShaderFeatures(), name))
            text += ", built without " + std::string(name);
    };
    add(kCooperativeMatrix, !device.matrixShapes.empty(), can.cooperativeMatrix());
    add(kIntegerDot, device.integerDotProduct, can.integerDot);
    return text;
}

} // namespace fireside::vulkan
