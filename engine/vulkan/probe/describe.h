#pragma once
#include "engine/backend/device_report.h"
#include "engine/vulkan/platform/physical_device.h"

namespace fireside::vulkan {

/// Name, kind of device, memory and properties; the checks and the reason are the caller's.
DeviceReport describe(const PhysicalDevice &device, std::size_t index);

/// "llvmpipe, Mesa 22.3.6 (LLVM 15.0.6)"; without Vulkan 1.2 only the version number.
std::string driverText(const PhysicalDevice &device);

} // namespace fireside::vulkan
