#pragma once
#include "engine/vulkan/platform/device.h"

#include <string>

namespace fireside::vulkan {

/// Runs one shader over a few thousand values and compares every result exactly. Returns what was
/// done, for the report; throws Error(Device) with the first wrong value, the failed call, or a
/// time-out (the device is then abandoned).
std::string runSelfTest(LogicalDevice &device);

} // namespace fireside::vulkan
