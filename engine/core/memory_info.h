#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace fireside {

/// What processors with small pages of 4 KiB call a huge one, in bytes.
inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// What the operating system says about RAM, in bytes. Unknown is nullopt, never 0.
struct MemoryInfo
{
    std::optional<std::uint64_t> total;     // physical RAM, or the cgroup limit when that is lower
    std::optional<std::uint64_t> available; // usable without swapping, within the cgroup limit
    std::optional<std::uint64_t>
        addressSpace; // RLIMIT_AS minus what is mapped already, when limited
};
/// `root` stands in for "/" in tests.
MemoryInfo queryMemory(const std::string &root = "");

/// Peak and current resident set of this process in bytes; nullopt when unknown.
std::optional<std::uint64_t> peakResidentBytes();
std::optional<std::uint64_t> currentResidentBytes();

/// What was freed and is kept for later goes back to the system, where that can be asked for
/// (glibc): after a model has gone, a driver's compiled kernels above all, it is much. Takes
/// milliseconds.
void returnFreeMemory() noexcept;

} // namespace fireside
