#pragma once
#include "engine/tensor/planes.h"
#include "engine/vulkan/platform/memory_piece.h"

#include <cstddef>
#include <memory>
#include <string_view>

namespace fireside::vulkan {

/// Memory for weights: cuts blocks into pieces, one after another. One thread at a time.
class WeightBlocks
{
public:
    explicit WeightBlocks(std::shared_ptr<Gpu> gpu);
    /// Error(Memory) naming `what`.
    std::unique_ptr<MemoryPiece> take(std::size_t bytes, std::string_view what);

private:
    std::shared_ptr<Gpu> m_gpu;
    std::weak_ptr<Allocation> m_block; // the one being filled
    BlockSizes m_sizes;
};

} // namespace fireside::vulkan
