#pragma once
#include "engine/backend/memory.h"
#include "engine/vulkan/platform/gpu.h"

#include <memory>
#include <string_view>

namespace fireside::vulkan {

/// Memory of a Vulkan device as models see it: of its own, or a piece of an allocation that it
/// shares with others, which goes with the last of them.
class VulkanBuffer final : public Buffer
{
public:
    VulkanBuffer(std::shared_ptr<Gpu> gpu, std::unique_ptr<Allocation> allocation)
        : m_gpu(std::move(gpu))
        , m_allocation(std::move(allocation))
        , m_size(m_allocation->size())
    {}
    VulkanBuffer(std::shared_ptr<Gpu> gpu, std::shared_ptr<Allocation> shared, std::size_t offset,
                 std::size_t bytes)
        : m_gpu(std::move(gpu))
        , m_allocation(std::move(shared))
        , m_offset(offset)
        , m_size(bytes)
    {}
    std::size_t size() const override { return m_size; }
    const Gpu *gpu() const { return m_gpu.get(); }
    const std::shared_ptr<Gpu> &shared() const { return m_gpu; }
    VkBuffer handle() const { return m_allocation->buffer(); }
    std::size_t offset() const { return m_offset; } // bytes in the buffer of handle()
    VkDeviceAddress address() const { return m_allocation->address() + m_offset; }
    std::byte *mapped() const // null: the host does not reach it
    {
        return m_allocation->mapped() != nullptr ? m_allocation->mapped() + m_offset : nullptr;
    }

private:
    std::shared_ptr<Gpu> m_gpu; // outlives the allocation
    std::shared_ptr<Allocation> m_allocation;
    std::size_t m_offset = 0, m_size;
};

/// The buffer as one of ours; Error(Internal) for another backend's or none.
const VulkanBuffer &asVulkan(const Buffer *buffer, std::string_view what);

/// Bytes from a tensor's first element to the end of its last; Error(Internal) unless all of them
/// lie inside its buffer.
std::size_t bytesOf(const Tensor &tensor, std::string_view what);

} // namespace fireside::vulkan
