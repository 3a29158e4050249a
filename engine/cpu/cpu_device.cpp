#include "engine/cpu/cpu_device.h"

#include "engine/core/cpu_info.h"
#include "engine/core/error.h"
#include "engine/core/memory_info.h"
#include "engine/cpu/cpu_commands.h"
#include "engine/cpu/linear/cpu_weight.h"
#include "engine/cpu/memory/cpu_buffer.h"

#include <cstring>

namespace fireside {
namespace cpu {
namespace {

void requireInside(const CpuBuffer *buffer, std::size_t offset, std::size_t bytes)
{
    if (!buffer)
        throw Error(ErrorKind::Internal, "what the host reads or writes is not in CPU memory");
    if (offset > buffer->size() || bytes > buffer->size() - offset)
        throw Error(ErrorKind::Internal, std::to_string(bytes) + " bytes at " +
                                             std::to_string(offset) + " of a buffer of " +
                                             std::to_string(buffer->size()));
}

} // namespace

CpuDevice::CpuDevice(int threads)
    : m_report(probeCpu())
    , m_pool(threads)
{
    for (auto &[key, value] : m_report.properties)
        if (key == "Threads")
            value = std::to_string(m_pool.size());
}

std::unique_ptr<Buffer> CpuDevice::allocate(std::size_t bytes, std::string_view what,
                                            MemoryPurpose purpose)
{
    // The system promises more than it has: what is free is asked before it is written to.
    constexpr std::size_t kLarge = std::size_t{16} << 20;
    if (bytes >= kLarge)
        requireFree(bytes, what);
    return std::make_unique<CpuBuffer>(bytes, what, CpuBuffer::Pages::Default,
                                       MemoryEntry(m_ledger, purpose));
}

DeviceMemory CpuDevice::memoryNow() const
{
    DeviceMemory memory{.use = m_ledger->use()};
    memory.free = queryMemory().available;
    return memory;
}

std::unique_ptr<Weight> CpuDevice::addWeight(const WeightSource &source)
{
    return std::make_unique<CpuWeight>(source, &m_pool, m_weightPages, m_ledger);
}

void CpuDevice::copy(const Buffer &from, std::size_t fromOffset, Buffer &to, std::size_t toOffset,
                     std::size_t bytes)
{
    const auto *source = dynamic_cast<const CpuBuffer *>(&from);
    CpuBuffer &target = asCpu(&to, "the target of a copy");
    if (!source)
        throw Error(ErrorKind::Internal, "the source of a copy is not in CPU memory");
    if (fromOffset > source->size() || bytes > source->size() - fromOffset ||
        toOffset > target.size() || bytes > target.size() - toOffset)
        throw Error(ErrorKind::Internal,
                    "copy of " + std::to_string(bytes) + " bytes from " +
                        std::to_string(fromOffset) + " of " + std::to_string(source->size()) +
                        " to " + std::to_string(toOffset) + " of " + std::to_string(target.size()));
    std::memmove(target.data() + toOffset, source->data() + fromOffset, bytes);
}

void CpuDevice::read(std::span<const BufferRead> parts)
{
    for (const BufferRead &part : parts) {
        const auto *source = dynamic_cast<const CpuBuffer *>(part.from);
        requireInside(source, part.offset, part.to.size());
        std::memcpy(part.to.data(), source->data() + part.offset, part.to.size());
    }
}

void CpuDevice::write(std::span<const BufferWrite> parts)
{
    for (const BufferWrite &part : parts) {
        auto *target = dynamic_cast<CpuBuffer *>(part.to);
        requireInside(target, part.offset, part.from.size());
        std::memcpy(target->data() + part.offset, part.from.data(), part.from.size());
    }
}

void CpuDevice::zero(std::span<Buffer *const> buffers)
{
    for (Buffer *buffer : buffers) {
        CpuBuffer &own = asCpu(buffer, "memory to zero");
        std::memset(own.data(), 0, own.size());
    }
}

std::unique_ptr<Commands> CpuDevice::commands(std::size_t scratchBytes, std::int64_t maxRows)
{
    return std::make_unique<CpuCommands>(m_pool, scratchBytes, maxRows, m_ledger);
}

bool CpuDevice::supports(DType weightType) const
{
    return linearSupports(weightType);
}

} // namespace cpu

std::unique_ptr<Device> openCpu(const CpuOptions &options)
{
    constexpr int kMaxThreads = 1024;
    if (options.threads < 0 || options.threads > kMaxThreads)
        throwBadInput("the number of threads must be between 1 and " + std::to_string(kMaxThreads) +
                      ", not " + std::to_string(options.threads));
    return std::make_unique<cpu::CpuDevice>(options.threads > 0 ? options.threads
                                                                : cpuInfo().threads);
}

} // namespace fireside
