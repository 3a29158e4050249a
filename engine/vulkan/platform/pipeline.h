#pragma once
#include "engine/vulkan/platform/device.h"

#include <span>

namespace fireside::vulkan {

/// A compute shader ready to run: entry point "main", buffers by address in push constants, and
/// specialisation constants 0, 1, … as given. Owner; must not outlive its device.
class ComputePipeline
{
public:
    ComputePipeline(const LogicalDevice &device, std::span<const std::uint32_t> spirv,
                    std::uint32_t pushBytes, std::span<const std::uint32_t> constants,
                    VkPipelineCache cache = VK_NULL_HANDLE);
    ~ComputePipeline();
    ComputePipeline(const ComputePipeline &) = delete;
    ComputePipeline &operator=(const ComputePipeline &) = delete;

    VkPipeline handle() const { return m_pipeline; }
    VkPipelineLayout layout() const { return m_layout; }

private:
    void release() noexcept;

    const LogicalDevice &m_device;
    VkShaderModule m_module = VK_NULL_HANDLE;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    VkPipeline m_pipeline = VK_NULL_HANDLE;
};

} // namespace fireside::vulkan
