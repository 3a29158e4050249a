#include "engine/vulkan/platform/result.h"

#include <array>

namespace fireside::vulkan {
namespace {

struct ResultName
{
    VkResult result;
    const char *name;
};
#define NAMED(result)                                                                              \
    ResultName                                                                                     \
    {                                                                                              \
        result, #result                                                                            \
    }
constexpr std::array kNames{
    NAMED(VK_SUCCESS),
    NAMED(VK_NOT_READY),
    NAMED(VK_TIMEOUT),
    NAMED(VK_INCOMPLETE),
    NAMED(VK_ERROR_OUT_OF_HOST_MEMORY),
    NAMED(VK_ERROR_OUT_OF_DEVICE_MEMORY),
    NAMED(VK_ERROR_INITIALIZATION_FAILED),
    NAMED(VK_ERROR_DEVICE_LOST),
    NAMED(VK_ERROR_MEMORY_MAP_FAILED),
    NAMED(VK_ERROR_LAYER_NOT_PRESENT),
    NAMED(VK_ERROR_EXTENSION_NOT_PRESENT),
    NAMED(VK_ERROR_FEATURE_NOT_PRESENT),
    NAMED(VK_ERROR_INCOMPATIBLE_DRIVER),
    NAMED(VK_ERROR_TOO_MANY_OBJECTS),
    NAMED(VK_ERROR_FORMAT_NOT_SUPPORTED),
    NAMED(VK_ERROR_FRAGMENTED_POOL),
    NAMED(VK_ERROR_UNKNOWN),
    NAMED(VK_ERROR_OUT_OF_POOL_MEMORY),
    NAMED(VK_ERROR_INVALID_EXTERNAL_HANDLE),
    NAMED(VK_ERROR_FRAGMENTATION),
    NAMED(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS),
    NAMED(VK_ERROR_INVALID_SHADER_NV),
};
#undef NAMED

} // namespace

std::string describe(VkResult result)
{
    const std::string number = " (" + std::to_string(static_cast<int>(result)) + ")";
    for (const ResultName &known : kNames)
        if (known.result == result)
            return known.name + number;
    return "VkResult" + number;
}

VulkanError::VulkanError(const char *call, VkResult result)
    : Error(ErrorKind::Device, std::string(call) + " failed: " + describe(result))
    , m_result(result)
{}

bool isOutOfMemory(VkResult result)
{
    return result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY ||
           result == VK_ERROR_TOO_MANY_OBJECTS;
}

void check(const char *call, VkResult result)
{
    if (result < 0)
        throw VulkanError(call, result);
}

} // namespace fireside::vulkan
