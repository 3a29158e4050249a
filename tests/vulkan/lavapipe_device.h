#pragma once
#include "engine/backend/backend.h"
#include "tests/vulkan/lavapipe.h"

#include <memory>
#include <vector>

namespace fireside::test {

/// A device of Mesa's driver for the CPU, opened; null where it is not installed. `keep` the
/// result: while it lives, lavapipe is the only driver there is.
struct LavapipeDevice
{
    explicit LavapipeDevice(const VulkanOptions &options = {.throughput = 1})
    {
        if (!lavapipe.present())
            return;
        environment = lavapipe.select();
        device = open(options);
    }
    std::unique_ptr<Device> open(const VulkanOptions &options = {.throughput = 1}) const
    {
        DeviceReport report;
        report.id = "vulkan:0";
        report.kind = BackendKind::Vulkan;
        report.software = true;
        report.unifiedMemory = true;
        return openVulkan(report, options);
    }
    explicit operator bool() const { return device != nullptr; }

    Lavapipe lavapipe;
    std::unique_ptr<Lavapipe::Selection> environment;
    std::unique_ptr<Device> device;
};

} // namespace fireside::test
