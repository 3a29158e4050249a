#include "engine/cpu/memory/cpu_buffer.h"

#include "engine/core/error.h"
#include "engine/core/memory_info.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace fireside::cpu {
namespace {

[[noreturn]] void throwNoMemory(std::size_t bytes, std::string_view what)
{
    const MemoryInfo memory = queryMemory();
    std::string text =
        "not enough memory for " + std::string(what) + ": needs " + formatBytes(bytes);
    if (memory.available)
        text += ", " + formatBytes(*memory.available) + " of RAM free";
    if (memory.addressSpace)
        text += ", " + formatBytes(*memory.addressSpace) + " left of the address space limit";
    throw Error(ErrorKind::Memory, text);
}

std::string describe(const Tensor &t)
{
    return std::string("[") + std::to_string(t.rows) + ", " + std::to_string(t.cols) + "] " +
           name(t.dtype) + " with stride " + std::to_string(t.stride) + " at byte " +
           std::to_string(t.offset);
}

} // namespace

CpuBuffer::CpuBuffer(std::size_t bytes, std::string_view what, Pages pages, MemoryEntry counted)
    : m_size(bytes)
    , m_counted(std::move(counted))
{
    const std::size_t page = static_cast<std::size_t>(std::max(4096L, sysconf(_SC_PAGESIZE)));
    if (bytes > SIZE_MAX - page)
        throwNoMemory(bytes, what);
    m_mapped = std::max(page, (bytes + page - 1) / page * page);
    void *memory =
        mmap(nullptr, m_mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        throwNoMemory(bytes, what);
    // Only a hint: systems without huge pages say no, and everything still works.
    if (pages == Pages::Huge && m_mapped >= 2 * kHugePage)
        madvise(memory, m_mapped, MADV_HUGEPAGE);
    m_data = static_cast<std::byte *>(memory);
    m_counted.set(m_size);
}

void requireFree(std::size_t bytes, std::string_view what)
{
    const std::optional<std::uint64_t> free = queryMemory().available;
    if (free && bytes > *free)
        throwNoMemory(bytes, what);
}

CpuBuffer::~CpuBuffer()
{
    munmap(m_data, m_mapped);
}

CpuBuffer &asCpu(Buffer *buffer, std::string_view what)
{
    auto *own = dynamic_cast<CpuBuffer *>(buffer);
    if (!own)
        throw Error(ErrorKind::Internal,
                    std::string(what) + (buffer ? " is not in CPU memory" : " has no memory"));
    return *own;
}

std::byte *tensorData(const Tensor &tensor, DType type, std::string_view what)
{
    CpuBuffer &buffer = asCpu(tensor.buffer, what);
    const std::size_t element = rowBytes(type, 1);
    std::size_t elements = 0, last = 0, bytes = 0, end = 0;
    const bool valid =
        tensor.dtype == type && tensor.rows >= 0 && tensor.cols >= 0 &&
        tensor.stride >= tensor.cols && tensor.offset % element == 0 &&
        !__builtin_mul_overflow(
            static_cast<std::size_t>(std::max<std::int64_t>(tensor.rows, 1) - 1),
            static_cast<std::size_t>(tensor.stride), &last) &&
        !__builtin_add_overflow(last, static_cast<std::size_t>(tensor.cols), &elements) &&
        !__builtin_mul_overflow(elements, element, &bytes) &&
        !__builtin_add_overflow(bytes, tensor.offset, &end) &&
        (tensor.rows == 0 || end <= buffer.size());
    if (!valid)
        throw Error(ErrorKind::Internal, std::string(what) + " " + describe(tensor) + " is not a " +
                                             name(type) + " matrix inside its buffer of " +
                                             std::to_string(buffer.size()) + " bytes");
    return buffer.data() + tensor.offset;
}

} // namespace fireside::cpu
