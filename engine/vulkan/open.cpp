#include "engine/backend/backend.h"
#include "engine/core/error.h"
#include "engine/vulkan/platform/capabilities.h"
#include "engine/vulkan/probe/describe.h"
#include "engine/vulkan/probe/requirements.h"
#include "engine/vulkan/probe/stderr_capture.h"
#include "engine/vulkan/vulkan_device.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

namespace fireside {
namespace {

using namespace vulkan;

std::optional<std::size_t> indexOf(const std::string &id)
{
    constexpr std::string_view prefix = "vulkan:";
    std::size_t index = 0;
    if (id.rfind(prefix, 0) != 0)
        return std::nullopt;
    const char *const end = id.data() + id.size();
    const auto [at, error] = std::from_chars(id.data() + prefix.size(), end, index);
    return error == std::errc() && at == end ? std::optional(index) : std::nullopt;
}

/// The device the report is about: at its place, or wherever one of its name is now.
const PhysicalDevice &find(const std::vector<PhysicalDevice> &devices, const DeviceReport &report)
{
    const std::optional<std::size_t> index = indexOf(report.id);
    const auto same = [&](const PhysicalDevice &device) {
        return report.name.empty() || modelOf(report) == device.properties.deviceName;
    };
    if (index && *index < devices.size() && same(devices[*index]))
        return devices[*index];
    const auto other = std::find_if(devices.begin(), devices.end(), same);
    if (!index || other == devices.end())
        throw Error(ErrorKind::Device,
                    "the device '" + report.id + "' (" + report.name + ") is not there any more");
    return *other;
}

} // namespace

std::unique_ptr<Device> openVulkan(const DeviceReport &report, const VulkanOptions &options)
try {
    const StderrCapture quiet; // drivers print while they start
    const auto instance = std::make_shared<Instance>(Loader::open());
    const std::vector<PhysicalDevice> devices = physicalDevices(*instance);
    const PhysicalDevice &physical = find(devices, report);
    for (const Requirement &requirement : requirements())
        if (!requirement.met(physical))
            throw Error(ErrorKind::Device, std::string(physical.properties.deviceName) +
                                               " lacks: " + requirement.name);
    auto gpu = std::make_shared<Gpu>(instance, physical, options);
    DeviceReport now = report;
    const DeviceMemorySize memory = deviceMemory(physical);
    if (memory.total > 0) {
        now.memoryTotal = memory.total;
        now.memoryFree = memory.available;
    }
    return std::make_unique<VulkanDevice>(std::move(gpu), std::move(now));
} catch (const VulkanError &error) {
    if (isOutOfMemory(error.result()))
        throw Error(ErrorKind::Memory,
                    "not enough memory to open " + report.name + " (" + error.what() + ")");
    throw;
}

} // namespace fireside
