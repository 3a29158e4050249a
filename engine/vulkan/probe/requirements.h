#pragma once
#include "engine/vulkan/platform/physical_device.h"

#include <span>

namespace fireside::vulkan {

/// One thing a device must have to run models, in the order of the checks.
struct Requirement
{
    const char *name;
    bool (*met)(const PhysicalDevice &device);
    const char *purpose; // what Fireside needs it for
};
std::span<const Requirement> requirements();

} // namespace fireside::vulkan
