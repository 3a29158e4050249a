#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

// What lies on a device, counted where it is allocated.
namespace fireside {

enum class MemoryPurpose { Weights, Cache, States, Scratch, Other };
inline constexpr std::array kMemoryPurposes{MemoryPurpose::Weights, MemoryPurpose::Cache,
                                            MemoryPurpose::States, MemoryPurpose::Scratch,
                                            MemoryPurpose::Other};
/// "weights", "context", "states", "scratch", "other"
std::string_view toString(MemoryPurpose purpose);

/// Bytes by what they are for.
struct MemoryBytes
{
    std::uint64_t &at(MemoryPurpose purpose) { return bytes[static_cast<std::size_t>(purpose)]; }
    std::uint64_t at(MemoryPurpose purpose) const
    {
        return bytes[static_cast<std::size_t>(purpose)];
    }
    std::uint64_t total() const;
    MemoryBytes &operator+=(const MemoryBytes &more);
    bool operator==(const MemoryBytes &) const = default;

    std::array<std::uint64_t, kMemoryPurposes.size()> bytes{};
};

/// A device's memory at this moment.
struct DeviceMemory
{
    MemoryBytes use; // what Fireside has allocated there; weights in a file's map count as used
    /// What the driver says that this program takes of the device's heap: the above as the driver
    /// rounds it, compiled programs and its own (VK_EXT_memory_budget).
    std::optional<std::uint64_t> driver{};
    std::optional<std::uint64_t> free{}; // for further allocations, other programs counted
};

/// The counters of one device. Thread-safe; shared by the device and what it gave out.
class MemoryLedger
{
public:
    void add(MemoryPurpose purpose, std::uint64_t bytes);
    void remove(MemoryPurpose purpose, std::uint64_t bytes) noexcept;
    MemoryBytes use() const;

private:
    mutable std::mutex m_mutex;
    MemoryBytes m_use;
};

/// An entry in a ledger: gone with its owner. Without a ledger it counts nowhere.
class MemoryEntry
{
public:
    MemoryEntry() = default;
    MemoryEntry(std::shared_ptr<MemoryLedger> ledger, MemoryPurpose purpose,
                std::uint64_t bytes = 0);
    MemoryEntry(MemoryEntry &&other) noexcept;
    MemoryEntry &operator=(MemoryEntry &&other) noexcept;
    ~MemoryEntry() { set(0); }
    void set(std::uint64_t bytes);

private:
    std::shared_ptr<MemoryLedger> m_ledger;
    MemoryPurpose m_purpose = MemoryPurpose::Other;
    std::uint64_t m_bytes = 0;
};

} // namespace fireside
