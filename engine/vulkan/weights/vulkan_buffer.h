#pragma once
#include "engine/backend/memory.h"
#include "engine/vulkan/platform/gpu.h"

#include <memory>
#include <string_view>

namespace fireside::vulkan {

/// Memory of a Vulkan device as models see it.
class VulkanBuffer final : public Buffer
{
public:
    VulkanBuffer(std::shared_ptr<Gpu> gpu, std::unique_ptr<Allocation> allocation)
        : m_gpu(std::move(gpu))
        , m_allocation(std::move(allocation))
    {}
    std::size_t size() const override { return m_allocation->size(); }
    const Gpu *gpu() const { return m_gpu.get(); }
    const std::shared_ptr<Gpu> &shared() const { return m_gpu; }
    VkBuffer handle() const { return m_allocation->buffer(); }
    VkDeviceAddress address() const { return m_allocation->address(); }
    std::byte *mapped() const { return m_allocation->mapped(); } // null: the host does not reach it

private:
    std::shared_ptr<Gpu> m_gpu; // outlives the allocation
    std::unique_ptr<Allocation> m_allocation;
};

/// The buffer as one of ours; Error(Internal) for another backend's or none.
const VulkanBuffer &asVulkan(const Buffer *buffer, std::string_view what);

/// Bytes from a tensor's first element to the end of its last; Error(Internal) unless all of them
/// lie inside its buffer.
std::size_t bytesOf(const Tensor &tensor, std::string_view what);

} // namespace fireside::vulkan
