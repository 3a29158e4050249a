#include "engine/vulkan/probe/gpu_nodes.h"

#include <algorithm>
#include <fstream>
#include <grp.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace fireside::vulkan {
namespace {

constexpr unsigned kNvidia = 0x10de;

std::string groupOf(const std::filesystem::path &path)
{
    struct stat status
    {};
    if (::stat(path.c_str(), &status) != 0)
        return {};
    group entry{};
    group *found = nullptr;
    std::vector<char> buffer(16384);
    if (::getgrgid_r(status.st_gid, &entry, buffer.data(), buffer.size(), &found) == 0 &&
        found != nullptr)
        return found->gr_name;
    return std::to_string(status.st_gid);
}

unsigned vendorOf(const std::filesystem::path &node)
{
    std::ifstream in(node / "device/vendor");
    unsigned vendor = 0;
    in >> std::hex >> vendor;
    return in ? vendor : 0;
}

} // namespace

std::vector<GpuNode> findGpuNodes(const std::filesystem::path &devices,
                                  const std::filesystem::path &sysfs)
{
    std::vector<GpuNode> nodes;
    const auto add = [&](const std::filesystem::path &path, unsigned vendor) {
        nodes.push_back({path, ::access(path.c_str(), R_OK | W_OK) == 0, groupOf(path), vendor});
    };
    std::error_code error;
    for (std::filesystem::directory_iterator it(devices / "dri", error), end; !error && it != end;
         it.increment(error)) {
        const std::string name = it->path().filename().string();
        if (name.rfind("renderD", 0) == 0)
            add(it->path(), vendorOf(sysfs / name));
    }
    std::sort(nodes.begin(), nodes.end(),
              [](const GpuNode &a, const GpuNode &b) { return a.path < b.path; });
    // NVIDIA's own kernel driver; containers often have this file alone.
    if (std::filesystem::exists(devices / "nvidiactl", error))
        add(devices / "nvidiactl", kNvidia);
    return nodes;
}

std::string driverAdvice(const std::vector<GpuNode> &nodes)
{
    for (const GpuNode &node : nodes)
        if (!node.accessible)
            return "this user may not open " + node.path.string() +
                   ": join its group with 'sudo usermod -aG " +
                   (node.group.empty() ? "render" : node.group) + " $USER' and log in again";
    const bool nvidia = std::any_of(nodes.begin(), nodes.end(),
                                    [](const GpuNode &node) { return node.vendor == kNvidia; });
    if (nvidia)
        return "there is an NVIDIA GPU, but the Vulkan part of its driver did not start: install "
               "it (Debian: "
               "nvidia-driver and nvidia-vulkan-icd, Ubuntu: 'sudo ubuntu-drivers install'), in a "
               "container "
               "with graphics capabilities";
    if (!nodes.empty())
        return "install the driver for " + nodes.front().path.string() +
               " with 'sudo apt install mesa-vulkan-drivers'";
    return "there is no GPU device file /dev/dri/renderD*; if this computer has a GPU, install "
           "mesa-vulkan-drivers (AMD, Intel) or NVIDIA's driver";
}

} // namespace fireside::vulkan
