#pragma once
#include "engine/tensor/planes.h"
#include "engine/vulkan/platform/gpu.h"

#include <cstddef>
#include <memory>
#include <string_view>

namespace fireside::vulkan {

/// A piece of device memory for one weight: of a block shared with others, or of its own. The block
/// goes with its last piece.
class WeightMemory
{
public:
    WeightMemory(std::shared_ptr<Gpu> gpu, std::shared_ptr<Allocation> block, std::size_t offset,
                 std::size_t bytes)
        : m_gpu(std::move(gpu))
        , m_block(std::move(block))
        , m_offset(offset)
        , m_bytes(bytes)
    {}
    const Gpu &gpu() const { return *m_gpu; }
    VkBuffer buffer() const { return m_block->buffer(); }
    std::size_t offset() const { return m_offset; } // bytes in the buffer
    std::size_t size() const { return m_bytes; }
    VkDeviceAddress address() const { return m_block->address() + m_offset; }
    std::byte *mapped() const // null when the host does not reach it
    {
        return m_block->mapped() != nullptr ? m_block->mapped() + m_offset : nullptr;
    }

private:
    std::shared_ptr<Gpu> m_gpu; // outlives the block
    std::shared_ptr<Allocation> m_block;
    std::size_t m_offset, m_bytes;
};

/// Cuts blocks into pieces, one after another. One thread at a time.
class WeightBlocks
{
public:
    explicit WeightBlocks(std::shared_ptr<Gpu> gpu);
    /// Error(Memory) naming `what`.
    std::unique_ptr<WeightMemory> take(std::size_t bytes, std::string_view what);

private:
    std::shared_ptr<Gpu> m_gpu;
    std::weak_ptr<Allocation> m_block; // the one being filled
    BlockSizes m_sizes;
};

} // namespace fireside::vulkan
