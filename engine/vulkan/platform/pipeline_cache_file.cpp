#include "engine/vulkan/platform/pipeline_cache_file.h"

#include "engine/core/private_folder.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace fireside::vulkan {
namespace {

constexpr std::size_t kLargestFile = std::size_t{256} << 20;

/// Ours, before the driver's data: it tells a cut or mixed file from a whole one.
struct Header
{
    std::array<char, 8> magic{'F', 'S', 'P', 'I', 'P', 'E', '0', '1'};
    std::uint64_t bytes = 0;
    std::uint64_t hash = 0;
};

/// FNV-1a, 64 bits.
std::uint64_t hashOf(const std::byte *data, std::size_t bytes)
{
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (std::size_t i = 0; i < bytes; ++i)
        hash = (hash ^ static_cast<std::uint64_t>(data[i])) * 0x100000001b3U;
    return hash;
}

bool madeBy(const PhysicalDevice &device, const std::byte *data, std::size_t bytes)
{
    VkPipelineCacheHeaderVersionOne header{};
    if (bytes < sizeof header)
        return false;
    std::memcpy(&header, data, sizeof header);
    const VkPhysicalDeviceProperties &properties = device.properties;
    return header.headerSize >= sizeof header && header.headerSize <= bytes &&
           header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE &&
           header.vendorID == properties.vendorID && header.deviceID == properties.deviceID &&
           std::memcmp(header.pipelineCacheUUID, properties.pipelineCacheUUID, VK_UUID_SIZE) == 0;
}

} // namespace

std::string pipelineCacheName(const PhysicalDevice &device)
{
    const VkPhysicalDeviceProperties &properties = device.properties;
    std::string name;
    std::array<char, 40> text{};
    for (const std::uint8_t byte : properties.pipelineCacheUUID) {
        std::snprintf(text.data(), text.size(), "%02x", byte);
        name += text.data();
    }
    std::snprintf(text.data(), text.size(), "-%04x-%04x-%08x.bin", properties.vendorID,
                  properties.deviceID, properties.driverVersion);
    return name + text.data();
}

std::vector<std::byte> loadPipelineCache(const std::filesystem::path &file,
                                         const PhysicalDevice &device)
{
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    Header header;
    const Header expected;
    if (error || size < sizeof header || size > kLargestFile)
        return {};
    std::ifstream in(file, std::ios::binary);
    in.read(reinterpret_cast<char *>(&header), sizeof header);
    std::vector<std::byte> data(static_cast<std::size_t>(size) - sizeof header);
    in.read(reinterpret_cast<char *>(data.data()), static_cast<std::streamsize>(data.size()));
    if (!in || header.magic != expected.magic || header.bytes != data.size() ||
        header.hash != hashOf(data.data(), data.size()) ||
        !madeBy(device, data.data(), data.size()))
        return {};
    return data;
}

void savePipelineCache(const std::filesystem::path &file, const LogicalDevice &device,
                       VkPipelineCache cache) noexcept
try {
    const DeviceFunctions &vk = device.functions();
    std::size_t bytes = 0;
    if (vk.GetPipelineCacheData(device.handle(), cache, &bytes, nullptr) != VK_SUCCESS ||
        bytes == 0 || bytes > kLargestFile - sizeof(Header))
        return;
    std::vector<std::byte> data(bytes);
    if (vk.GetPipelineCacheData(device.handle(), cache, &bytes, data.data()) != VK_SUCCESS)
        return;
    Header header;
    header.bytes = bytes;
    header.hash = hashOf(data.data(), bytes);

    makePrivateFolder(file.parent_path()); // the driver runs what lies there
    std::filesystem::path beside = file;
    beside += "." + std::to_string(::getpid()) + ".new";
    {
        std::ofstream out(beside, std::ios::binary | std::ios::trunc);
        out.write(reinterpret_cast<const char *>(&header), sizeof header);
        out.write(reinterpret_cast<const char *>(data.data()), static_cast<std::streamsize>(bytes));
        out.close();
        if (!out) {
            std::error_code ignored;
            std::filesystem::remove(beside, ignored);
            return;
        }
    }
    std::error_code error;
    std::filesystem::rename(beside, file, error);
    if (error)
        std::filesystem::remove(beside, error);
} catch (...) { // without a cache the next start is slower, nothing else
}

} // namespace fireside::vulkan
