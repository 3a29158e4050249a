#pragma once
#include "engine/vulkan/platform/device.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

// The file in which compiled pipelines survive the program. It is only ever a help: whatever is
// wrong with it, pipelines are compiled anew.
namespace fireside::vulkan {

/// One name per device and driver version.
std::string pipelineCacheName(const PhysicalDevice &device);

/// The file's contents; empty unless it is whole and made by this device and driver.
std::vector<std::byte> loadPipelineCache(const std::filesystem::path &file,
                                         const PhysicalDevice &device);

/// Written beside and renamed, so that a file is always whole. Failures are ignored.
void savePipelineCache(const std::filesystem::path &file, const LogicalDevice &device,
                       VkPipelineCache cache) noexcept;

} // namespace fireside::vulkan
