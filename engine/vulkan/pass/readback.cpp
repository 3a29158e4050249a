#include "engine/vulkan/pass/readback.h"

#include "engine/backend/memory_plan.h"
#include "engine/vulkan/platform/commands.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace fireside::vulkan {
namespace {

constexpr std::size_t kMirror = kRecorderResults;            // bytes of all slots
constexpr std::size_t kTiny = 4096;                          // mirrored unasked: ids, a few numbers
constexpr std::size_t kLargest = std::size_t{1} << 20;       // of one slot
constexpr std::size_t kLargestFetch = std::size_t{32} << 20; // at once
constexpr std::size_t kSlotAlignment = 256;

/// Copies a tensor's rows from memory that holds `at` of its bytes on.
void unpack(const Tensor &x, const std::byte *from, std::span<std::byte> bytes)
{
    const std::size_t element = info(x.dtype).blockBytes;
    const std::size_t rowBytes = static_cast<std::size_t>(x.cols) * element;
    for (std::int64_t row = 0; row < x.rows; ++row)
        std::memcpy(bytes.data() + static_cast<std::size_t>(row) * rowBytes,
                    from + static_cast<std::size_t>(row * x.stride) * element, rowBytes);
}

bool inside(const Tensor &part, std::size_t partBytes, const Tensor &whole)
{
    return part.buffer == whole.buffer && part.offset >= whole.offset &&
           part.offset + partBytes <= whole.offset + bytesOf(whole, "a kept tensor");
}

} // namespace

Readback::Readback(std::shared_ptr<Gpu> gpu)
    : m_gpu(std::move(gpu))
    , m_mirror(m_gpu->memory.allocate(kMirror, Memory::Use::Readback, "results of a pass"))
{}

void Readback::record(Pass &pass, VkCommandBuffer commands)
{
    std::size_t used = 0;
    for (std::size_t slot = 0; slot < pass.kept.size(); ++slot) {
        const Tensor &x = pass.kept[slot];
        if (x.buffer == nullptr)
            continue;
        const std::size_t bytes = bytesOf(x, "a kept tensor");
        if (bytes == 0 || bytes > (m_wanted[slot] ? kLargest : kTiny) || bytes > kMirror - used)
            continue;
        if (used == 0)
            fullBarrier(m_gpu->device, commands, true);
        const VulkanBuffer &from = asVulkan(x.buffer, "a kept tensor");
        const VkBufferCopy region{from.offset() + x.offset, used, bytes};
        m_gpu->device.functions().CmdCopyBuffer(commands, from.handle(), m_mirror->buffer(), 1,
                                                &region);
        pass.mirrored[slot] = used;
        used = std::min(kMirror,
                        (used + bytes + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment);
    }
    if (used > 0)
        hostBarrier(m_gpu->device, commands);
}

void Readback::read(const Tensor &x, Pass *pass, std::span<std::byte> bytes, bool &recordAnew)
{
    const std::size_t span = bytesOf(x, "read");
    if (span == 0)
        return;
    for (std::size_t slot = 0; pass != nullptr && slot < pass->kept.size(); ++slot) {
        const Tensor &kept = pass->kept[slot];
        if (!inside(x, span, kept))
            continue;
        if (pass->mirrored[slot]) {
            unpack(x, m_mirror->mapped() + *pass->mirrored[slot] + (x.offset - kept.offset), bytes);
            return;
        }
        if (!m_wanted[slot] && bytesOf(kept, "a kept tensor") <= kLargest) {
            m_wanted[slot] = true;
            recordAnew = true;
        }
    }
    // As many rows at once as the memory for it holds.
    const VulkanBuffer &from = asVulkan(x.buffer, "read");
    const std::size_t element = info(x.dtype).blockBytes;
    const std::size_t stride = static_cast<std::size_t>(x.stride) * element;
    const std::size_t rowBytes = static_cast<std::size_t>(x.cols) * element;
    const std::int64_t rowsAtOnce = static_cast<std::int64_t>(
        std::max<std::size_t>(1, kLargestFetch / std::max<std::size_t>(1, stride)));
    for (std::int64_t first = 0; first < x.rows; first += rowsAtOnce) {
        const Tensor part = x.rowRange(first, std::min(rowsAtOnce, x.rows - first));
        const std::size_t needed = bytesOf(part, "read");
        if (!m_fetched || m_fetched->size() < needed) {
            m_fetched.reset();
            m_fetched = m_gpu->memory.allocate(std::bit_ceil(needed), Memory::Use::Readback,
                                               "results of the device");
        }
        CommandRecording copy(m_gpu->device);
        copy.copy(from.handle(), from.offset() + part.offset, m_fetched->buffer(), 0, needed);
        copy.run(m_gpu->timeout());
        unpack(part, m_fetched->mapped(),
               bytes.subspan(static_cast<std::size_t>(first) * rowBytes));
    }
}

} // namespace fireside::vulkan
