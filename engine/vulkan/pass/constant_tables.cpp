#include "engine/vulkan/pass/constant_tables.h"

#include "engine/vulkan/pass/recorder.h"
#include "engine/vulkan/platform/commands.h"
#include "engine/vulkan/platform/memory.h"

#include <algorithm>
#include <cstring>

namespace fireside::vulkan {
namespace {

constexpr std::size_t kTableAlignment = 256;
constexpr std::size_t kBlock = std::size_t{256} << 10;
constexpr const char *kWhat = "tables of constants";

} // namespace

VkDeviceAddress ConstantTables::address(std::span<const std::byte> contents)
{
    const std::string_view key(reinterpret_cast<const char *>(contents.data()), contents.size());
    if (const auto found = m_tables.find(key); found != m_tables.end())
        return found->second;
    if (m_blocks.empty() || m_filled + contents.size() > m_blocks.back()->size()) {
        // Weights are memory of the device, which the host writes wherever it can.
        m_blocks.push_back(
            m_gpu.memory.allocate(std::max(kBlock, contents.size()), Memory::Use::Weights, kWhat));
        m_filled = 0;
    }
    const Allocation &block = *m_blocks.back();
    const auto entry = m_tables.emplace(std::string(key), block.address() + m_filled).first;
    if (block.mapped() == nullptr)
        m_pending.push_back({entry->first, block.buffer(), m_filled});
    else if (!contents.empty())
        std::memcpy(block.mapped() + m_filled, contents.data(), contents.size());
    m_filled += (contents.size() + kTableAlignment - 1) / kTableAlignment * kTableAlignment;
    return entry->second;
}

void ConstantTables::bring()
{
    if (m_pending.empty())
        return;
    std::size_t bytes = 0;
    for (const Pending &table : m_pending)
        bytes += table.contents.size();
    const std::unique_ptr<Allocation> staging =
        m_gpu.memory.allocate(bytes, Memory::Use::Staging, kWhat);
    CommandRecording copy(m_gpu.device);
    std::size_t from = 0;
    for (const Pending &table : m_pending) {
        if (table.contents.empty())
            continue;
        std::memcpy(staging->mapped() + from, table.contents.data(), table.contents.size());
        copy.copy(staging->buffer(), from, table.buffer, table.offset, table.contents.size());
        from += table.contents.size();
    }
    copy.run(m_gpu.timeout());
    m_pending.clear();
}

VkDeviceAddress counterTable(Recorder &r, std::string_view name, std::size_t count)
{
    constexpr std::size_t kNameBytes = 16;
    std::vector<std::byte> contents(kNameBytes + count * sizeof(std::uint32_t), std::byte{0});
    std::memcpy(contents.data(), name.data(), std::min(name.size(), kNameBytes));
    return r.table(contents) + kNameBytes;
}

} // namespace fireside::vulkan
