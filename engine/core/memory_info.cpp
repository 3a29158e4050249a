#include "engine/core/memory_info.h"

#include "engine/core/cgroup.h"
#include "engine/core/small_file.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace fireside {
namespace {

/// A field "Name:   123 kB" of /proc/meminfo or /proc/self/status, in bytes.
std::optional<std::uint64_t> kilobyteField(const std::string &text, const std::string &name)
{
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.compare(0, name.size() + 1, name + ":") != 0)
            continue;
        const auto kilobytes = parseUnsigned(line.substr(name.size() + 1));
        if (!kilobytes || *kilobytes > (UINT64_MAX >> 10))
            return std::nullopt;
        return *kilobytes * 1024;
    }
    return std::nullopt;
}

/// Fields of /proc/self/statm are pages: 0 mapped, 1 resident.
std::optional<std::uint64_t> statmBytes(const std::string &root, int field)
{
    std::istringstream text(readSmallFile(root + "/proc/self/statm").value_or(""));
    const long page = sysconf(_SC_PAGESIZE);
    std::uint64_t pages = 0;
    for (int i = 0; i <= field; ++i)
        if (!(text >> pages))
            return std::nullopt;
    return page > 0 ? std::optional(pages * static_cast<std::uint64_t>(page)) : std::nullopt;
}

template <typename T>
std::optional<T> smaller(std::optional<T> a, std::optional<T> b)
{
    return a && b ? std::optional(std::min(*a, *b)) : a ? a : b;
}

} // namespace

MemoryInfo queryMemory(const std::string &root)
{
    MemoryInfo memory;
    const std::string meminfo = readSmallFile(root + "/proc/meminfo").value_or("");
    memory.total = kilobyteField(meminfo, "MemTotal");
    memory.available = kilobyteField(meminfo, "MemAvailable");
    if (!memory.available) { // kernels before 3.14
        const auto free = kilobyteField(meminfo, "MemFree");
        const auto cached = kilobyteField(meminfo, "Cached");
        if (free && cached)
            memory.available = *free + *cached;
    }
    const CgroupLimits cgroup = queryCgroups(root);
    memory.total = smaller(memory.total, cgroup.memory);
    memory.available = smaller(memory.available, cgroup.memoryAvailable);

    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        if (const auto mapped = statmBytes(root, 0)) {
            const auto most = static_cast<std::uint64_t>(limit.rlim_cur);
            memory.addressSpace = most - std::min(most, *mapped);
        }
    }
    return memory;
}

std::optional<std::uint64_t> peakResidentBytes()
{
    // VmHWM belongs to this program's memory; ru_maxrss may still hold the peak of what ran before
    // exec.
    if (const auto peak = kilobyteField(readSmallFile("/proc/self/status").value_or(""), "VmHWM"))
        return peak;
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) != 0 || usage.ru_maxrss <= 0)
        return std::nullopt;
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::optional<std::uint64_t> currentResidentBytes()
{
    return statmBytes("", 1);
}

void returnFreeMemory() noexcept
{
#if defined(__GLIBC__)
    ::malloc_trim(0);
#endif
}

} // namespace fireside
