#include "engine/vulkan/platform/pipeline.h"

#include "engine/vulkan/platform/result.h"

#include <vector>

namespace fireside::vulkan {

ComputePipeline::ComputePipeline(const LogicalDevice &device, std::span<const std::uint32_t> spirv,
                                 std::uint32_t pushBytes, std::span<const std::uint32_t> constants,
                                 VkPipelineCache cache)
    : m_device(device)
{
    const DeviceFunctions &vk = device.functions();
    try {
        VkShaderModuleCreateInfo module{};
        module.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
        module.codeSize = spirv.size_bytes();
        module.pCode = spirv.data();
        check("vkCreateShaderModule",
              vk.CreateShaderModule(device.handle(), &module, nullptr, &m_module));

        const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, pushBytes};
        VkPipelineLayoutCreateInfo layout{};
        layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
        layout.pushConstantRangeCount = pushBytes > 0 ? 1 : 0;
        layout.pPushConstantRanges = &range;
        check("vkCreatePipelineLayout",
              vk.CreatePipelineLayout(device.handle(), &layout, nullptr, &m_layout));

        std::vector<VkSpecializationMapEntry> entries;
        for (std::uint32_t i = 0; i < constants.size(); ++i)
            entries.push_back(
                {i, static_cast<std::uint32_t>(i * sizeof(std::uint32_t)), sizeof(std::uint32_t)});
        const VkSpecializationInfo specialization{static_cast<std::uint32_t>(entries.size()),
                                                  entries.data(), constants.size_bytes(),
                                                  constants.data()};
        VkComputePipelineCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
        info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
        info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.stage.module = m_module;
        info.stage.pName = "main";
        info.stage.pSpecializationInfo = &specialization;
        info.layout = m_layout;
        check("vkCreateComputePipelines",
              vk.CreateComputePipelines(device.handle(), cache, 1, &info, nullptr, &m_pipeline));
    } catch (...) {
        release();
        throw;
    }
}

ComputePipeline::~ComputePipeline()
{
    release();
}

void ComputePipeline::release() noexcept
{
    if (m_device.abandoned())
        return;
    const DeviceFunctions &vk = m_device.functions();
    vk.DestroyPipeline(m_device.handle(), m_pipeline, nullptr);
    vk.DestroyPipelineLayout(m_device.handle(), m_layout, nullptr);
    vk.DestroyShaderModule(m_device.handle(), m_module, nullptr);
}

} // namespace fireside::vulkan
