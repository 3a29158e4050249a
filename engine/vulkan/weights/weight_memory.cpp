#include "engine/vulkan/weights/weight_memory.h"

#include "engine/core/error.h"
#include "shaders/quant/planes.h"

#include <algorithm>

namespace fireside::vulkan {
namespace {

constexpr std::size_t kSmallestBlock = std::size_t{4} << 20;
constexpr std::size_t kLargestBlock = std::size_t{256} << 20;

} // namespace

std::unique_ptr<WeightMemory> WeightBlocks::take(std::size_t bytes, std::string_view what)
{
    const std::size_t size = (bytes + kPlaneAlignment - 1) / kPlaneAlignment * kPlaneAlignment;
    if (std::shared_ptr<Allocation> block = m_block.lock();
        block && size <= block->size() - m_filled) {
        const std::size_t offset = m_filled;
        m_filled += size;
        m_given += size;
        return std::make_unique<WeightMemory>(m_gpu, std::move(block), offset, bytes);
    }
    Memory &memory = m_gpu->memory;
    // Blocks grow with the model, so that a small one takes little; what is large for a block lies
    // alone.
    const std::size_t blockSize =
        std::min(std::clamp(m_given, kSmallestBlock, kLargestBlock), memory.largestAllocation());
    if (size > blockSize / 4)
        return std::make_unique<WeightMemory>(
            m_gpu, memory.allocate(bytes, Memory::Use::Weights, what), 0, bytes);
    std::shared_ptr<Allocation> block;
    try {
        block = memory.allocate(blockSize, Memory::Use::Weights, what);
    } catch (const Error &error) { // the last bit of memory is taken piece by piece
        if (error.kind() != ErrorKind::Memory)
            throw;
        return std::make_unique<WeightMemory>(
            m_gpu, memory.allocate(bytes, Memory::Use::Weights, what), 0, bytes);
    }
    m_block = block;
    m_filled = size;
    m_given += size;
    return std::make_unique<WeightMemory>(m_gpu, std::move(block), 0, bytes);
}

} // namespace fireside::vulkan
