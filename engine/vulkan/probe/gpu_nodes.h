#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace fireside::vulkan {

/// A GPU's device file, as the kernel shows it; independent of Vulkan.
struct GpuNode
{
    std::filesystem::path path; // /dev/dri/renderD128, /dev/nvidiactl
    bool accessible = false;    // this user may read and write it
    std::string group;          // that owns it: "render"
    unsigned vendor = 0;        // PCI vendor id, 0 unknown
};
std::vector<GpuNode> findGpuNodes(const std::filesystem::path &devices = "/dev",
                                  const std::filesystem::path &sysfs = "/sys/class/drm");

/// What a person can do when no driver or no device answered, judged by the device files.
std::string driverAdvice(const std::vector<GpuNode> &nodes);

} // namespace fireside::vulkan
