#pragma once
#include "engine/backend/backend.h"
#include "engine/vulkan/platform/capabilities.h"
#include "engine/vulkan/platform/memory.h"
#include "engine/vulkan/platform/pipeline_library.h"
#include "engine/vulkan/platform/result.h"
#include "engine/vulkan/platform/throughput.h"

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
    std::chrono::seconds timeout() const
    {
        return std::chrono::seconds(capabilities.software ? 120 : 10);
    }

    std::shared_ptr<Instance> instance;
    LogicalDevice device;
    Capabilities capabilities;
    Memory memory;
    PipelineLibrary pipelines;
    Throughput throughput;
};

/// Says an error of Vulkan for a person: memory that ran out becomes Error(Memory), a lost or
/// hanging device Error(Device) with what to do; everything else stays as it is.
[[noreturn]] void rethrow(const Gpu &gpu, const VulkanError &error, std::string_view what);

/// Runs `action`, with errors for a person. what: "a pass", "copying a cache"
template <typename Action>
auto guarded(const Gpu &gpu, std::string_view what, Action &&action)
{
    try {
        return action();
    } catch (const VulkanError &error) {
        rethrow(gpu, error, what);
    }
}

} // namespace fireside::vulkan
