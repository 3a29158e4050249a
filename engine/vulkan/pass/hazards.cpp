#include "engine/vulkan/pass/hazards.h"

#include <algorithm>

namespace fireside::vulkan {
namespace {

bool anyOverlap(std::span<const Access> some, std::span<const Access> others)
{
    return std::any_of(some.begin(), some.end(), [&](const Access &a) {
        return std::any_of(others.begin(), others.end(),
                           [&](const Access &b) { return overlap(a, b); });
    });
}

} // namespace

bool Hazards::add(std::span<const Access> reads, std::span<const Access> writes)
{
    const bool found =
        anyOverlap(reads, m_writes) || anyOverlap(writes, m_writes) || anyOverlap(writes, m_reads);
    if (found)
        clear();
    m_reads.insert(m_reads.end(), reads.begin(), reads.end());
    m_writes.insert(m_writes.end(), writes.begin(), writes.end());
    return found;
}

void Hazards::clear()
{
    m_reads.clear();
    m_writes.clear();
}

} // namespace fireside::vulkan
