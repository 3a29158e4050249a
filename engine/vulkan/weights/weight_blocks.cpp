#include "engine/vulkan/weights/weight_blocks.h"

#include "engine/core/error.h"

namespace fireside::vulkan {
namespace {

std::unique_ptr<MemoryPiece> alone(const std::shared_ptr<Gpu> &gpu, std::size_t bytes,
                                   std::string_view what)
{
    return std::make_unique<MemoryPiece>(
        gpu, gpu->memory.allocate(bytes, Memory::Use::Weights, what, MemoryPurpose::Weights));
}

} // namespace

WeightBlocks::WeightBlocks(std::shared_ptr<Gpu> gpu)
    : m_gpu(std::move(gpu))
    , m_sizes(m_gpu->memory.largestAllocation())
{}

std::unique_ptr<MemoryPiece> WeightBlocks::take(std::size_t bytes, std::string_view what)
{
    std::shared_ptr<Allocation> block = m_block.lock();
    if (!block)
        m_sizes.forgetBlock();
    const BlockSizes::Place place = m_sizes.next(bytes);
    if (place.alone)
        return alone(m_gpu, bytes, what);
    if (place.allocate > 0) {
        try {
            block = m_gpu->memory.allocate(place.allocate, Memory::Use::Weights, what,
                                           MemoryPurpose::Weights);
        } catch (const Error &error) { // the last bit of memory is taken piece by piece
            if (error.kind() != ErrorKind::Memory)
                throw;
            return alone(m_gpu, bytes, what);
        }
        m_block = block;
    }
    m_sizes.taken(place, bytes);
    return std::make_unique<MemoryPiece>(m_gpu, std::move(block), place.offset, bytes);
}

} // namespace fireside::vulkan
