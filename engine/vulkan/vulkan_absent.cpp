#include "engine/backend/backend.h"
#include "engine/core/error.h"

// Linked instead of the Vulkan backend when FIRESIDE_VULKAN is off.
namespace fireside {

std::vector<DeviceReport> probeVulkan()
{
    DeviceCheck check;
    check.name = "Built with Vulkan";
    check.outcome = DeviceCheck::Outcome::Failed;
    check.detail = "this build of Fireside contains no Vulkan support";
    check.advice = "install a build with Vulkan, or configure with -DFIRESIDE_VULKAN=ON";

    DeviceReport report;
    report.kind = BackendKind::Vulkan;
    report.id = "vulkan";
    report.name = "Vulkan";
    report.reason = check.detail + "; " + check.advice;
    report.checks.push_back(std::move(check));
    return {report};
}

std::unique_ptr<Device> openVulkan(const DeviceReport &, const VulkanOptions &)
{
    throw Error(ErrorKind::Device, "this build of Fireside contains no Vulkan support");
}

} // namespace fireside
