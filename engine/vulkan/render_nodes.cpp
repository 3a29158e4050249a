#include "engine/vulkan/render_nodes.h"

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

std::vector<RenderNode> findRenderNodes(const std::filesystem::path &devices,
                                        const std::filesystem::path &sysfs)
{
    std::vector<RenderNode> nodes;
    std::error_code error;
    for (std::filesystem::directory_iterator it(devices, error), end; !error && it != end;
         it.increment(error)) {
        const std::string name = it->path().filename().string();
        if (name.rfind("renderD", 0) != 0)
            continue;
        RenderNode node;
        node.path = it->path();
        node.accessible = ::access(node.path.c_str(), R_OK | W_OK) == 0;
        node.group = groupOf(node.path);
        node.vendor = vendorOf(sysfs / name);
        nodes.push_back(std::move(node));
    }
    std::sort(nodes.begin(), nodes.end(),
              [](const RenderNode &a, const RenderNode &b) { return a.path < b.path; });
    return nodes;
}

std::string driverAdvice(const std::vector<RenderNode> &nodes)
{
    for (const RenderNode &node : nodes)
        if (!node.accessible)
            return "this user may not open " + node.path.string() +
                   ": join its group with 'sudo usermod -aG " +
                   (node.group.empty() ? "render" : node.group) + " $USER' and log in again";
    const bool nvidia = std::any_of(nodes.begin(), nodes.end(),
                                    [](const RenderNode &node) { return node.vendor == kNvidia; });
    if (nvidia)
        return "install NVIDIA's driver with its Vulkan part (Debian: nvidia-driver and "
               "nvidia-vulkan-icd, "
               "Ubuntu: 'sudo ubuntu-drivers install')";
    if (!nodes.empty())
        return "install the driver for " + nodes.front().path.string() +
               " with 'sudo apt install mesa-vulkan-drivers'";
    return "there is no GPU device file /dev/dri/renderD*; if this computer has a GPU, install "
           "mesa-vulkan-drivers (AMD, Intel) or NVIDIA's driver";
}

} // namespace fireside::vulkan
