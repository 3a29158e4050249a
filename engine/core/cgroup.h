#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace fireside {

/// Limits that control groups (v1 or v2) put on this process: the tightest of its group and all
/// groups above it. nullopt: no limit, or unknown.
struct CgroupLimits
{
    std::optional<double> cpus;                   // CPU quota ÷ period
    std::optional<std::uint64_t> memory;          // bytes
    std::optional<std::uint64_t> memoryAvailable; // limit − use, page cache counted as available
};

/// `root` stands in for "/" in tests.
CgroupLimits queryCgroups(const std::string &root = "");

} // namespace fireside
