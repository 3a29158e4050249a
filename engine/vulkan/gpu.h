#pragma once
#include "engine/backend/backend.h"
#include "engine/vulkan/capabilities.h"
#include "engine/vulkan/memory.h"
#include "engine/vulkan/pipeline_library.h"

#include <memory>

namespace fireside::vulkan {

/// An opened device with what its buffers, weights and passes share. Each of them holds it, so it
/// ends with the last.
struct Gpu
{
    Gpu(std::shared_ptr<Instance> theInstance, const PhysicalDevice &physical,
        const VulkanOptions &options);

    const char *name() const { return device.physical().properties.deviceName; }
    /// How long a submission may take before the device counts as hanging.
    std::chrono::seconds patience() const
    {
        return std::chrono::seconds(capabilities.software ? 120 : 10);
    }

    std::shared_ptr<Instance> instance;
    LogicalDevice device;
    Capabilities capabilities;
    Memory memory;
    PipelineLibrary pipelines;
};

} // namespace fireside::vulkan
