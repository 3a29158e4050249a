#pragma once
#include "engine/vulkan/platform/gpu.h"

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fireside::vulkan {

/// Small tables that stay on a device, each content once. The host writes them itself where it
/// reaches the device's memory, else they are copied together by bring().
class ConstantTables
{
public:
    explicit ConstantTables(Gpu &gpu)
        : m_gpu(gpu)
    {}
    /// Where these bytes lie: at a multiple of 256 bytes. Error(Memory).
    VkDeviceAddress address(std::span<const std::byte> contents);
    /// To be called before a dispatch that reads them is submitted; waits when there is any to
    /// copy.
    void bring();

    std::size_t count() const { return m_tables.size(); }
    std::size_t allocations() const { return m_blocks.size(); }

private:
    struct Pending
    {
        std::string_view contents; // a key of m_tables
        VkBuffer buffer;
        std::size_t offset;
    };
    Gpu &m_gpu;
    std::map<std::string, VkDeviceAddress, std::less<>> m_tables;
    std::vector<std::unique_ptr<Allocation>> m_blocks; // the last one is being filled
    std::size_t m_filled = 0;                          // bytes of it
    std::vector<Pending> m_pending;
};

class Recorder;
/// So many words of zero that dispatches count in and leave as zeros, at a multiple of 16 bytes;
/// `name` tells them from other tables of zeros.
VkDeviceAddress counterTable(Recorder &r, std::string_view name, std::size_t count);

} // namespace fireside::vulkan
