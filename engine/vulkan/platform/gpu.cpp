#include "engine/vulkan/platform/gpu.h"

#include "engine/vulkan/platform/matrix_layout.h"

namespace fireside::vulkan {
namespace {

Throughput::Kind throughputOf(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return Throughput::Kind::Software;
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return Throughput::Kind::Discrete;
    default:
        return Throughput::Kind::Integrated;
    }
}

} // namespace

Gpu::Gpu(std::shared_ptr<Instance> theInstance, const PhysicalDevice &physical,
         const VulkanOptions &options)
    : instance(std::move(theInstance))
    , device(*instance, physical)
    , capabilities(capabilitiesOf(physical, options.without))
    , memory(*instance, device,
             {options.largestAllocation, options.memoryLimit, options.stagedUploads})
    , pipelines(device, options.cacheFolder)
    , throughput(throughputOf(physical.properties.deviceType), options.throughput)
{
    capabilities.alikePasses = options.alikePasses;
    const bool subgroups = capabilities.minSubgroup == 32 && capabilities.maxSubgroup == 32;
    if (capabilities.cooperativeMatrix() && subgroups && hasNarrowMatrix(physical))
        capabilities.matrixOrder = matrixOrder(device);
}

void rethrow(const Gpu &gpu, const VulkanError &error, std::string_view what)
{
    if (isOutOfMemory(error.result()))
        gpu.memory.throwNoMemory(0, what);
    const std::string device = gpu.name();
    const std::string call = std::string(" (") + error.what() + ")";
    switch (error.result()) {
    case VK_ERROR_DEVICE_LOST:
        throw Error(ErrorKind::Device, device + " stopped working during " + std::string(what) +
                                           ", the driver reset or lost it" + call);
    case VK_TIMEOUT:
        throw Error::ofHang(device + " did not finish " + std::string(what) + " within " +
                            std::to_string(gpu.timeout().count()) + " s" + call +
                            "; it is not used any more until the program is started again");
    default:
        throw error;
    }
}

} // namespace fireside::vulkan
