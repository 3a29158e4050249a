#pragma once
#include "engine/backend/memory.h"
#include "engine/vulkan/platform/memory_piece.h"

#include <memory>
#include <string_view>
#include <utility>

namespace fireside::vulkan {

/// Memory of a Vulkan device as models see it.
class VulkanBuffer final : public Buffer
{
public:
    explicit VulkanBuffer(MemoryPiece memory)
        : m_memory(std::move(memory))
    {}
    std::size_t size() const override { return m_memory.size(); }
    const Gpu *gpu() const { return shared().get(); }
    const std::shared_ptr<Gpu> &shared() const { return m_memory.gpu(); }
    VkBuffer handle() const { return m_memory.buffer(); }
    std::size_t offset() const { return m_memory.offset(); } // bytes in the buffer of handle()
    VkDeviceAddress address() const { return m_memory.address(); }
    std::byte *mapped() const { return m_memory.mapped(); } // null: the host does not reach it

private:
    MemoryPiece m_memory;
};

/// The buffer as one of ours; Error(Internal) for another backend's or none.
const VulkanBuffer &asVulkan(const Buffer *buffer, std::string_view what);

/// Bytes from a tensor's first element to the end of its last; Error(Internal) unless all of them
/// lie inside its buffer.
std::size_t bytesOf(const Tensor &tensor, std::string_view what);

} // namespace fireside::vulkan
