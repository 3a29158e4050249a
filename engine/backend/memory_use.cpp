#include "engine/backend/memory_use.h"

#include <numeric>

namespace fireside {

std::string_view toString(MemoryPurpose purpose)
{
    switch (purpose) {
    case MemoryPurpose::Weights:
        return "weights";
    case MemoryPurpose::Cache:
        return "context";
    case MemoryPurpose::States:
        return "states";
    case MemoryPurpose::Scratch:
        return "scratch";
    case MemoryPurpose::Other:
        break;
    }
    return "other";
}

std::uint64_t MemoryBytes::total() const
{
    return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

MemoryBytes &MemoryBytes::operator+=(const MemoryBytes &more)
{
    for (const MemoryPurpose purpose : kMemoryPurposes)
        at(purpose) += more.at(purpose);
    return *this;
}

void MemoryLedger::add(MemoryPurpose purpose, std::uint64_t bytes)
{
    const std::lock_guard lock(m_mutex);
    m_use.at(purpose) += bytes;
}

void MemoryLedger::remove(MemoryPurpose purpose, std::uint64_t bytes) noexcept
{
    const std::lock_guard lock(m_mutex);
    m_use.at(purpose) -= bytes;
}

MemoryBytes MemoryLedger::use() const
{
    const std::lock_guard lock(m_mutex);
    return m_use;
}

MemoryEntry::MemoryEntry(std::shared_ptr<MemoryLedger> ledger, MemoryPurpose purpose,
                         std::uint64_t bytes)
    : m_ledger(std::move(ledger))
    , m_purpose(purpose)
{
    set(bytes);
}

MemoryEntry::MemoryEntry(MemoryEntry &&other) noexcept
    : m_ledger(std::move(other.m_ledger))
    , m_purpose(other.m_purpose)
    , m_bytes(std::exchange(other.m_bytes, 0))
{}

MemoryEntry &MemoryEntry::operator=(MemoryEntry &&other) noexcept
{
    set(0);
    m_ledger = std::move(other.m_ledger);
    m_purpose = other.m_purpose;
    m_bytes = std::exchange(other.m_bytes, 0);
    return *this;
}

void MemoryEntry::set(std::uint64_t bytes)
{
    if (m_ledger && bytes > m_bytes)
        m_ledger->add(m_purpose, bytes - m_bytes);
    else if (m_ledger)
        m_ledger->remove(m_purpose, m_bytes - bytes);
    m_bytes = bytes;
}

} // namespace fireside
