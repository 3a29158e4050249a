#pragma once
#include "engine/core/cpu_info.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

namespace fireside::cpu {

/// Brings the memory that weights lie in into huge pages (2 MiB), in the background, while it is
/// read: a processor that reads a model from end to end for each token finds addresses sooner and
/// fetches ahead over longer stretches. Maps of files cannot have such pages. So a chunk of the map
/// at a time is copied, and the copy takes its place at the same address, in one step. Memory that
/// is no map of a file is only advised.
///
/// Copies no longer belong to the file: they cannot be dropped when memory is short, and nobody may
/// give the map's pages back (MappedFile::dropPages). So only what leaves plenty of memory free is
/// brought over; the rest stays in the map.
class WeightPages
{
public:
    enum class When {
        Never,      // FIRESIDE_HUGE_PAGES=off, and where the system has none
        Background, // usual
        AtOnce,     // FIRESIDE_HUGE_PAGES=now: start() returns when it is done, for measuring
    };
    static When chosen();

    struct Options
    {
        When when = chosen();
        std::uint64_t smallest = std::uint64_t{64} << 20; // bytes in all that are worth it
        /// Bytes that may still be taken; unknown: none.
        std::function<std::optional<std::uint64_t>()> mayTake = plentiful;
        /// NUMA nodes. Of several, each has every so manieth page of the copies: threads are not
        /// bound to nodes, and so they read from all at once.
        std::vector<int> nodes = cpuInfo().memoryNodes;
    };
    WeightPages();
    explicit WeightPages(Options options);
    ~WeightPages() { stop(); }
    WeightPages(const WeightPages &) = delete;
    WeightPages &operator=(const WeightPages &) = delete;

    /// Memory that stays, and stays as it is, until stop(). Of maps only private ones that nobody
    /// may write to are replaced. Nothing is added after start().
    void add(std::span<const std::byte> part);
    void start();
    /// Waits until nothing moves any more.
    void stop() noexcept;

    std::uint64_t moved() const { return m_moved; } // bytes so far

    /// What is free beyond an eighth of all memory, and beyond 2 GiB.
    static std::optional<std::uint64_t> plentiful();

private:
    void run(const std::stop_token &stop);
    bool move(std::uintptr_t begin, std::size_t bytes);

    Options m_options;
    std::vector<std::span<const std::byte>> m_parts;
    std::atomic<std::uint64_t> m_moved{0};
    std::mutex m_starting;
    std::jthread m_thread;
};

} // namespace fireside::cpu
