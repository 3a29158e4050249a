#pragma once
#include "engine/core/error.h"
#include "engine/vulkan/platform/api.h"

#include <string>

namespace fireside::vulkan {

/// "VK_ERROR_INCOMPATIBLE_DRIVER (-9)"
std::string describe(VkResult result);

/// A Vulkan call that failed; what() is "vkCreateDevice failed: VK_ERROR_… (-3)".
class VulkanError : public Error
{
public:
    VulkanError(const char *call, VkResult result);
    VkResult result() const noexcept { return m_result; }

private:
    VkResult m_result;
};

/// Whether a call failed because memory of the device or the host ran out.
bool isOutOfMemory(VkResult result);

/// Throws VulkanError for error codes; VK_INCOMPLETE and other non-negative results pass.
void check(const char *call, VkResult result);

} // namespace fireside::vulkan
