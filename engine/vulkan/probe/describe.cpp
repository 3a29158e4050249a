#include "engine/vulkan/probe/describe.h"

#include "engine/core/error.h"
#include "engine/vulkan/platform/loader.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace fireside::vulkan {
namespace {

const char *typeName(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return "discrete GPU";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return "integrated GPU";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return "virtual GPU";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return "software (runs on the CPU)";
    default:
        return "other";
    }
}

struct Vendor
{
    std::uint32_t id;
    const char *name;
};
constexpr std::array kVendors{
    Vendor{0x1002, "AMD"},    Vendor{0x1010, "Imagination"}, Vendor{0x106b, "Apple"},
    Vendor{0x10de, "NVIDIA"}, Vendor{0x13b5, "Arm"},         Vendor{0x5143, "Qualcomm"},
    Vendor{0x8086, "Intel"},  Vendor{0x10005, "Mesa"},
};

std::string hex(std::uint32_t value)
{
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "0x%04x", value);
    return text.data();
}

std::string vendorName(std::uint32_t id)
{
    for (const Vendor &vendor : kVendors)
        if (vendor.id == id)
            return std::string(vendor.name) + " (" + hex(id) + ")";
    return hex(id);
}

const char *yesNo(bool value)
{
    return value ? "yes" : "no";
}

bool isDeviceLocal(const VkMemoryHeap &heap)
{
    return (heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;
}

void describeMemory(const PhysicalDevice &device, DeviceReport &report)
{
    const VkPhysicalDeviceMemoryProperties &memory = device.memory;
    for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
        const VkMemoryHeap &heap = memory.memoryHeaps[i];
        std::string text =
            formatBytes(heap.size) + (isDeviceLocal(heap) ? ", on the device" : ", of the host");
        if (const auto available = freeIn(device, i))
            text += ", " + formatBytes(*available) + " free";
        report.properties.emplace_back("Memory heap " + std::to_string(i), std::move(text));
    }
    if (const DeviceMemorySize size = deviceMemory(device); size.total > 0) {
        report.memoryTotal = size.total;
        report.memoryFree = size.available;
    }
}

void describeVulkan12(const PhysicalDevice &device, DeviceReport &report)
{
    auto &rows = report.properties;
    const VkPhysicalDeviceVulkan11Properties &properties = device.properties11;
    rows.emplace_back("Subgroup size", std::to_string(properties.subgroupSize));
    rows.emplace_back("Largest allocation", formatBytes(properties.maxMemoryAllocationSize));
    rows.emplace_back("16-bit float arithmetic", yesNo(device.features12.shaderFloat16 == VK_TRUE));
    rows.emplace_back("8-bit integer arithmetic", yesNo(device.features12.shaderInt8 == VK_TRUE));
    rows.emplace_back("Integer dot product", yesNo(device.integerDotProduct));
}

} // namespace

std::string driverText(const PhysicalDevice &device)
{
    if (!device.hasVulkan12())
        return "version " + hex(device.properties.driverVersion);
    const VkPhysicalDeviceVulkan12Properties &properties = device.properties12;
    const std::string name(properties.driverName,
                           ::strnlen(properties.driverName, VK_MAX_DRIVER_NAME_SIZE));
    const std::string version(properties.driverInfo,
                              ::strnlen(properties.driverInfo, VK_MAX_DRIVER_INFO_SIZE));
    return version.empty() ? name : name + ", " + version;
}

DeviceReport describe(const PhysicalDevice &device, std::size_t index)
{
    const VkPhysicalDeviceProperties &properties = device.properties;
    DeviceReport report;
    report.kind = BackendKind::Vulkan;
    report.id = "vulkan:" + std::to_string(index);
    report.name = properties.deviceName;
    report.software = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    report.unifiedMemory =
        report.software || properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;

    auto &rows = report.properties;
    rows.emplace_back("Type", typeName(properties.deviceType));
    rows.emplace_back("Vendor", vendorName(properties.vendorID));
    rows.emplace_back("Driver", driverText(device));
    rows.emplace_back("Driver version", hex(properties.driverVersion));
    rows.emplace_back("Vulkan version", versionText(properties.apiVersion));
    rows.emplace_back("Unified memory", yesNo(report.unifiedMemory));
    describeMemory(device, report);

    const VkPhysicalDeviceLimits &limits = properties.limits;
    rows.emplace_back("Workgroup",
                      "up to " + std::to_string(limits.maxComputeWorkGroupInvocations) +
                          " invocations, " + formatBytes(limits.maxComputeSharedMemorySize) +
                          " shared memory");
    rows.emplace_back("Push constants", std::to_string(limits.maxPushConstantsSize) + " bytes");
    if (device.hasVulkan12())
        describeVulkan12(device, report);
    rows.emplace_back("Memory budget", yesNo(device.budget.has_value()));
    // By name: the headers of older systems do not know these extensions yet.
    rows.emplace_back("Cooperative matrices",
                      device.hasExtension("VK_NV_cooperative_matrix2")   ? "KHR and NV2"
                      : device.hasExtension("VK_KHR_cooperative_matrix") ? "KHR"
                                                                         : "no");
    return report;
}

} // namespace fireside::vulkan
