#pragma once
#include "engine/vulkan/platform/gpu.h"

#include <cstddef>
#include <memory>
#include <utility>

namespace fireside::vulkan {

/// A stretch of device memory: all of an allocation, or a part of one that others share. The
/// allocation goes with its last piece.
class MemoryPiece
{
public:
    /// All of it.
    MemoryPiece(std::shared_ptr<Gpu> gpu, std::shared_ptr<Allocation> allocation)
        : m_gpu(std::move(gpu))
        , m_allocation(std::move(allocation))
        , m_bytes(m_allocation->size())
    {}
    MemoryPiece(std::shared_ptr<Gpu> gpu, std::shared_ptr<Allocation> allocation,
                std::size_t offset, std::size_t bytes)
        : m_gpu(std::move(gpu))
        , m_allocation(std::move(allocation))
        , m_offset(offset)
        , m_bytes(bytes)
    {}
    const std::shared_ptr<Gpu> &gpu() const { return m_gpu; }
    VkBuffer buffer() const { return m_allocation->buffer(); }
    std::size_t offset() const { return m_offset; } // bytes in the buffer
    std::size_t size() const { return m_bytes; }
    VkDeviceAddress address() const { return m_allocation->address() + m_offset; }
    std::byte *mapped() const // null when the host does not reach it
    {
        return m_allocation->mapped() != nullptr ? m_allocation->mapped() + m_offset : nullptr;
    }

private:
    std::shared_ptr<Gpu> m_gpu; // outlives the allocation
    std::shared_ptr<Allocation> m_allocation;
    std::size_t m_offset = 0, m_bytes;
};

} // namespace fireside::vulkan
