#pragma once
#include "engine/backend/backend.h"

#include <cstddef>
#include <string_view>

namespace fireside::cpu {

/// Zeroed anonymous memory whose pages are taken from the system when first written, so that a
/// cache for a long context costs only what is used of it.
class CpuBuffer final : public Buffer
{
public:
    enum class Pages { Default, Huge }; // Huge: for memory that is soon used from end to end

    /// Error(Memory) naming `what`, what was needed and what is free.
    CpuBuffer(std::size_t bytes, std::string_view what, Pages pages = Pages::Default,
              MemoryEntry counted = {});
    ~CpuBuffer() override;
    CpuBuffer(const CpuBuffer &) = delete;
    CpuBuffer &operator=(const CpuBuffer &) = delete;

    std::size_t size() const override { return m_size; }
    std::byte *data() { return m_data; }
    const std::byte *data() const { return m_data; }

private:
    std::byte *m_data = nullptr;
    std::size_t m_size = 0;
    std::size_t m_mapped = 0;
    MemoryEntry m_counted;
};

/// Error(Memory) naming `what` and the numbers when fewer bytes than that are free now; unknown is
/// no error.
void requireFree(std::size_t bytes, std::string_view what);

/// The buffer as one of ours; Error(Internal) for none or another device's.
CpuBuffer &asCpu(Buffer *buffer, std::string_view what);

/// First element of a tensor of `type`, whose rows are checked to lie inside its buffer.
std::byte *tensorData(const Tensor &tensor, DType type, std::string_view what);

} // namespace fireside::cpu
