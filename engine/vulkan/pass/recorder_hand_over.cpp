#include "engine/core/error.h"
#include "engine/vulkan/pass/vulkan_recorder.h"

#include <cstring>

// Values of the host in passes that may be replayed: they lie in memory that host and device both
// reach, first those that were brought, then those of the work that is being handed over.
namespace fireside::vulkan {

void VulkanRecorder::prepareHandOver(const HandOver::Needs &needs)
{
    m_handOver = needs;
    growShared(0);
}

/// Between passes: recordings hold addresses of it.
void VulkanRecorder::growShared(std::size_t brought)
{
    const std::size_t needed = std::max(brought, m_handOver.brought) + m_handOver.shared;
    if (needed == 0 || (m_shared && m_shared->size() >= needed))
        return;
    settle();
    m_passes.clear();
    m_pass = nullptr;
    m_shared.reset(); // first: two may not fit
    guarded(*m_gpu, "a pass", [&] {
        m_shared = std::make_unique<VulkanBuffer>(MemoryPiece(
            m_gpu, m_gpu->memory.allocate(needed, Memory::Use::Readback, "values of the host")));
    });
}

void VulkanRecorder::bring(std::span<const float> values)
{
    const auto count = static_cast<std::int64_t>(values.size());
    const std::size_t bytes = sharedBytes(count, 1, DType::F32);
    growShared(bytes);
    m_brought = bytes;
    if (!values.empty())
        std::memcpy(m_shared->mapped(), values.data(), values.size_bytes());
}

Tensor VulkanRecorder::inShared(std::size_t offset, std::int64_t rows, std::int64_t cols,
                                DType dtype) const
{
    const std::size_t end = offset + sharedBytes(rows, cols, dtype);
    if (!m_shared || end > m_shared->size())
        throwInternal("values of the host take " + std::to_string(end) + " bytes, planned are " +
                      std::to_string(m_shared ? m_shared->size() : 0));
    return {m_shared.get(), offset, dtype, rows, cols, cols};
}

Tensor VulkanRecorder::brought(std::int64_t rows, std::int64_t cols) const
{
    return inShared(0, rows, cols, DType::F32);
}

Tensor VulkanRecorder::shared(std::int64_t rows, std::int64_t cols, DType dtype)
{
    const Tensor tensor = inShared(m_sharedCursor, rows, cols, dtype);
    m_sharedCursor += sharedBytes(rows, cols, dtype);
    return tensor;
}

void VulkanRecorder::handOver(const HandedWork &work)
{
    m_sharedCursor = m_brought;
    if (m_handOver.helper == nullptr)
        throwInternal("work is handed over to nobody");
    const Access written = accessOf(work.to);
    m_q8Activations.overwritten({&written, 1});
    if (m_preparing)
        return;
    HandedPlaces places;
    const auto placeOf = [this](const Tensor &tensor) {
        if (tensor.buffer != m_shared.get())
            throwInternal("a tensor is handed over that the host does not reach");
        return m_shared->mapped() + tensor.offset;
    };
    for (std::size_t i = 0; i < work.from.size(); ++i)
        if (work.from[i].cols > 0)
            places.from[i] = placeOf(work.from[i]);
    places.to = placeOf(work.to);
    guarded(*m_gpu, "a pass", [&] {
        endBarrier(m_gpu->device, segment());
        endSegment();
        m_pass->recording.addHostWork(
            [helper = m_handOver.helper, work, places] { doHandedWork(*helper, work, places); });
        m_runner.submitRecorded(); // the device works while what follows is recorded
    });
}

} // namespace fireside::vulkan
