#include "engine/cpu/linear/weight_pages.h"

#include "engine/core/exception_guard.h"
#include "engine/core/memory_info.h"
#include "engine/core/small_file.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <linux/mempolicy.h>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

namespace fireside::cpu {
namespace {

// The number of maps of a process is limited (65,530): each chunk becomes one.
constexpr std::size_t kMovedAtOnce = 8 * kHugePage;
constexpr std::size_t kAskAgain = std::size_t{256} << 20; // bytes between looks at what is free

struct Range
{
    std::uintptr_t begin = 0, end = 0;
};

/// The maps of files in this process that are private and only read, in the order of addresses.
std::vector<Range> fileMaps()
{
    std::vector<Range> ranges;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        std::istringstream fields(line);
        std::string permissions, offset, device;
        std::uint64_t inode = 0;
        Range range;
        char dash = 0;
        fields >> std::hex >> range.begin >> dash >> range.end >> permissions >> offset >> device;
        fields >> std::dec >> inode;
        if (!fields || inode == 0 || permissions != "r--p")
            continue;
        if (!ranges.empty() && ranges.back().end == range.begin)
            ranges.back().end = range.end;
        else
            ranges.push_back(range);
    }
    return ranges;
}

/// What parts cover, in whole huge pages, in the order of addresses: each byte once.
std::vector<Range> wholePages(const std::vector<std::span<const std::byte>> &parts)
{
    std::vector<Range> ranges;
    for (const std::span<const std::byte> part : parts) {
        const auto begin = reinterpret_cast<std::uintptr_t>(part.data());
        ranges.push_back({begin, begin + part.size()});
    }
    std::sort(ranges.begin(), ranges.end(),
              [](const Range &a, const Range &b) { return a.begin < b.begin; });
    std::vector<Range> joined;
    for (const Range &range : ranges) {
        // Tensors lie a few bytes apart, which are read with them.
        if (!joined.empty() && range.begin <= joined.back().end + kHugePage)
            joined.back().end = std::max(joined.back().end, range.end);
        else
            joined.push_back(range);
    }
    for (Range &range : joined) {
        range.begin = (range.begin + kHugePage - 1) / kHugePage * kHugePage;
        range.end = std::max(range.begin, range.end / kHugePage * kHugePage);
    }
    return joined;
}

/// Whether some map holds all of a range.
bool inside(const std::vector<Range> &maps, const Range &range)
{
    return std::any_of(maps.begin(), maps.end(), [&](const Range &map) {
        return map.begin <= range.begin && range.end <= map.end;
    });
}

bool systemHasHugePages()
{
    const auto modes = readSmallFile("/sys/kernel/mm/transparent_hugepage/enabled");
    return modes && modes->find("[never]") == std::string::npos;
}

/// Memory that is not there yet comes from the nodes in turn, if the system allows that.
void spreadOver(const std::vector<int> &nodes, void *memory, std::size_t bytes)
{
    if (nodes.size() < 2)
        return;
    unsigned long mask = 0;
    for (const int node : nodes)
        mask |= 1ul << node;
    // The system takes one bit less than it is told.
    ::syscall(SYS_mbind, memory, bytes, MPOL_INTERLEAVE, &mask, 8 * sizeof mask + 1, 0);
}

} // namespace

WeightPages::When WeightPages::chosen()
{
    const char *const word = std::getenv("FIRESIDE_HUGE_PAGES");
    const std::string_view choice = word ? word : "";
    if (choice == "off" || !systemHasHugePages())
        return When::Never;
    return choice == "now" ? When::AtOnce : When::Background;
}

std::optional<std::uint64_t> WeightPages::plentiful()
{
    const MemoryInfo memory = queryMemory();
    if (!memory.total || !memory.available || memory.addressSpace)
        return std::nullopt;
    const std::uint64_t keep = std::max(*memory.total / 8, std::uint64_t{2} << 30);
    return *memory.available - std::min(*memory.available, keep);
}

WeightPages::WeightPages()
    : WeightPages(Options{})
{}

WeightPages::WeightPages(Options options)
    : m_options(std::move(options))
{}

void WeightPages::add(std::span<const std::byte> part)
{
    const std::lock_guard lock(m_starting);
    if (!m_thread.joinable() && !part.empty())
        m_parts.push_back(part);
}

void WeightPages::start()
{
    const std::lock_guard lock(m_starting);
    std::uint64_t bytes = 0;
    for (const std::span<const std::byte> part : m_parts)
        bytes += part.size();
    if (m_options.when == When::Never || bytes < m_options.smallest || m_thread.joinable())
        return;
    if (m_options.when == When::AtOnce) {
        run({});
        return;
    }
    try {
        m_thread = std::jthread([this](const std::stop_token &stop) {
            containExceptions("weight_pages", [&] { run(stop); }); // the rest stays in small pages
        });
    } catch (const std::system_error &) {
        // No other thread can be: small pages are slower, not wrong.
    }
}

void WeightPages::stop() noexcept
{
    const std::lock_guard lock(m_starting);
    m_parts.clear();
    if (!m_thread.joinable())
        return;
    m_thread.request_stop();
    m_thread.join();
}

void WeightPages::run(const std::stop_token &stop)
{
    const std::vector<Range> maps = fileMaps();
    std::uint64_t allowed = 0, taken = 0, looked = kAskAgain;
    for (const Range &range : wholePages(m_parts)) {
        for (Range chunk = range; chunk.begin < range.end; chunk.begin = chunk.end) {
            chunk.end = std::min(range.end, chunk.begin + kMovedAtOnce);
            const std::size_t bytes = chunk.end - chunk.begin;
            if (looked >= kAskAgain) {
                allowed = m_options.mayTake().value_or(0);
                looked = taken = 0;
            }
            if (stop.stop_requested() || taken + bytes > allowed)
                return;
            if (!inside(maps, chunk)) {
                ::madvise(reinterpret_cast<void *>(chunk.begin), bytes, MADV_HUGEPAGE);
                continue;
            }
            if (!move(chunk.begin, bytes))
                return;
            taken += bytes;
            looked += bytes;
            m_moved += bytes;
        }
    }
}

bool WeightPages::move(std::uintptr_t begin, std::size_t bytes)
{
    // More than needed is taken, to begin with a huge page.
    void *const taken = ::mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (taken == MAP_FAILED)
        return false;
    const auto first = reinterpret_cast<std::uintptr_t>(taken);
    const std::uintptr_t copy = (first + kHugePage - 1) / kHugePage * kHugePage;
    void *const to = reinterpret_cast<void *>(copy);
    ::madvise(to, bytes, MADV_HUGEPAGE);
    spreadOver(m_options.nodes, to, bytes);
    std::memcpy(to, reinterpret_cast<const void *>(begin), bytes);
    const bool moved = ::mprotect(to, bytes, PROT_READ) == 0 &&
                       ::mremap(to, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                                reinterpret_cast<void *>(begin)) != MAP_FAILED;
    // What is left on both sides; all of it where the copy could not take its place.
    const std::uintptr_t end = first + bytes + kHugePage;
    if (!moved) {
        ::munmap(taken, bytes + kHugePage);
        return false;
    }
    if (copy > first)
        ::munmap(taken, copy - first);
    if (copy + bytes < end)
        ::munmap(reinterpret_cast<void *>(copy + bytes), end - copy - bytes);
    return true;
}

} // namespace fireside::cpu
