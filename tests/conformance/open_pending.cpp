#include "engine/backend/backend.h"
#include "engine/core/error.h"

namespace fireside {

std::unique_ptr<Device> openVulkan(const DeviceReport &, const VulkanOptions &)
{
    throwUnsupported("opening a Vulkan device");
}

} // namespace fireside
