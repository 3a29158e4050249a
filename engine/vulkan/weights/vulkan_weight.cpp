#include "engine/vulkan/weights/vulkan_weight.h"

#include "engine/core/error.h"
#include "engine/vulkan/weights/uploader.h"
#include "engine/vulkan/weights/weight_blocks.h"

namespace fireside::vulkan {

VulkanWeight::VulkanWeight() = default;
VulkanWeight::~VulkanWeight()
{
    if (upload)
        upload->cancel(); // the file it is read from may go next
}

const VulkanWeight &asVulkan(const Weight &weight)
{
    const auto *own = dynamic_cast<const VulkanWeight *>(&weight);
    if (own == nullptr)
        throw Error(ErrorKind::Internal, "tensor '" + weight.name + "' is not on a Vulkan device");
    return *own;
}

} // namespace fireside::vulkan
