#include "engine/vulkan/gpu.h"

namespace fireside::vulkan {

Gpu::Gpu(std::shared_ptr<Instance> theInstance, const PhysicalDevice &physical,
         const VulkanOptions &options)
    : instance(std::move(theInstance))
    , device(*instance, physical)
    , capabilities(capabilitiesOf(physical, options.without))
    , memory(*instance, device,
             {options.largestAllocation, options.memoryLimit, options.stagedUploads})
    , pipelines(device, options.cacheFolder)
{}

} // namespace fireside::vulkan
