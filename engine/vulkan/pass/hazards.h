#pragma once
#include "engine/vulkan/pass/recorder.h"

#include <span>
#include <vector>

namespace fireside::vulkan {

/// What was read and written since the last barrier, so that a barrier comes only where one
/// dispatch needs another's result.
class Hazards
{
public:
    /// Takes a dispatch in. True when a barrier must come before it: it touches what an earlier one
    /// wrote, or writes what an earlier one reads.
    bool add(std::span<const Access> reads, std::span<const Access> writes);
    void clear();

private:
    std::vector<Access> m_reads, m_writes;
};

} // namespace fireside::vulkan
