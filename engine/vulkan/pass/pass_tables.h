#pragma once
#include "engine/backend/commands.h"
#include "engine/vulkan/weights/vulkan_buffer.h"
#include "shaders/common/pass.h"

#include <memory>
#include <vector>

namespace fireside::vulkan {

/// The data of a pass on the device (shaders/common/pass.h): ids, positions, output rows, the item
/// of each row, items and caches. Written by the host into staging memory, copied by a command
/// buffer of its own, always to the same addresses.
class PassTables
{
public:
    PassTables(std::shared_ptr<Gpu> gpu, std::int64_t maxRows);

    /// Checks the batch and writes it to the staging memory; nothing may be running that reads it.
    /// True when the tables moved to other addresses. Error(Internal) for a batch that contradicts
    /// itself or its caches.
    bool write(const Batch &batch);
    /// Records the copy of what the last write() put there.
    void recordCopy(VkCommandBuffer commands) const;

    Tensor ids() const { return values(0, m_ids.size()); }
    Tensor positions() const { return values(1, m_ids.size()); }
    Tensor outputRows() const { return values(2, m_outputRows.size()); }
    VkDeviceAddress idsAddress() const { return m_buffer->address(); }
    VkDeviceAddress positionsAddress() const { return m_buffer->address() + part(1); }
    VkDeviceAddress rowItemsAddress() const { return m_buffer->address() + part(3); }
    VkDeviceAddress itemsAddress() const { return m_buffer->address() + part(4); }
    VkDeviceAddress cachesAddress(std::int64_t layer) const;

    std::int64_t rows() const { return static_cast<std::int64_t>(m_ids.size()); }
    const std::vector<std::int32_t> &hostIds() const { return m_ids; }
    const std::vector<std::int32_t> &hostOutputRows() const { return m_outputRows; }
    const std::vector<BatchItem> &items() const { return m_items; }
    /// The layers of the first item's cache, which the others share but for their memory.
    const std::vector<KvLayer> &layers() const { return m_layers; }
    std::int64_t longest() const { return m_longest; } // past + rows of any item
    std::int64_t room() const { return m_room; } // rows that each cache can take after the pass

private:
    void check(const Batch &batch) const;
    bool grow(std::size_t items, std::size_t layers);
    std::size_t part(std::size_t index) const { return index * m_rowBytes; }
    Tensor values(std::size_t index, std::size_t count) const;
    PassCache cacheOf(const BatchItem &item, std::size_t layer, std::int64_t &capacity) const;
    void writeItems(std::byte *to);

    std::shared_ptr<Gpu> m_gpu;
    std::int64_t m_maxRows;
    std::size_t m_rowBytes;      // of one table with a value per row
    std::size_t m_itemBytes = 0; // of the table of items
    std::unique_ptr<VulkanBuffer> m_buffer;
    std::unique_ptr<Allocation> m_staging;

    std::vector<std::int32_t> m_ids, m_outputRows;
    std::vector<BatchItem> m_items;
    std::vector<KvLayer> m_layers;
    std::int64_t m_longest = 0, m_room = 0;
};

} // namespace fireside::vulkan
