#include "engine/backend/backend.h"
#include "engine/core/cpu_info.h"
#include "engine/core/error.h"
#include "engine/core/memory_info.h"
#include "engine/core/thread_pool.h"
#include "engine/cpu/memory/cpu_buffer.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/simd/peak_loops.h"

#include <algorithm>
#include <atomic>
#include <chrono>

// The processor's own rates, without any model.
namespace fireside {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kSecondsEach = 0.5;

/// The best of several goes within half a second: others may take the processor for a while.
template <typename Go>
double best(const std::stop_token &stop, const Go &workOfOneGo)
{
    double rate = 0;
    const auto start = Clock::now();
    for (auto now = start; std::chrono::duration<double>(now - start).count() < kSecondsEach;) {
        if (stop.stop_requested())
            throwCancelled();
        const auto before = now;
        const double work = workOfOneGo();
        now = Clock::now();
        rate = std::max(rate, work / std::chrono::duration<double>(now - before).count());
    }
    return rate;
}

/// All words, in eight sums that do not wait for each other.
std::uint64_t sumOfWords(const std::byte *bytes, std::size_t count)
{
    std::uint64_t sums[8] = {};
    const auto *words = reinterpret_cast<const std::uint64_t *>(bytes);
    for (std::size_t i = 0; i + 8 <= count / sizeof(std::uint64_t); i += 8)
        for (std::size_t j = 0; j < 8; ++j)
            sums[j] += words[i + j];
    std::uint64_t sum = 0;
    for (const std::uint64_t each : sums)
        sum += each;
    return sum;
}

double readRate(ThreadPool &pool, const std::stop_token &stop)
{
    // Larger than the caches of most processors; less where memory is short.
    constexpr std::size_t kMost = std::size_t{512} << 20, kLeast = std::size_t{64} << 20;
    const std::uint64_t free = queryMemory().available.value_or(kMost);
    const std::size_t bytes = std::clamp<std::uint64_t>(free / 8, kLeast, kMost);
    cpu::CpuBuffer buffer(bytes, "memory to read", cpu::CpuBuffer::Pages::Huge);
    const auto threads = static_cast<std::size_t>(pool.size());
    const std::size_t each = bytes / threads / 64 * 64;
    pool.run([&](int t) { // pages lie near who writes them first
        std::fill_n(buffer.data() + static_cast<std::size_t>(t) * each, each, std::byte{1});
    });
    std::atomic<std::uint64_t> sum{0};
    return best(stop, [&] {
        pool.run([&](int t) {
            sum += sumOfWords(buffer.data() + static_cast<std::size_t>(t) * each, each);
        });
        return static_cast<double>(each * threads);
    });
}

double productRate(ThreadPool &pool, std::int64_t (*rounds)(std::int64_t),
                   const std::stop_token &stop)
{
    constexpr std::int64_t kRounds = 400'000; // some milliseconds
    return best(stop, [&] {
        std::atomic<std::int64_t> products{0};
        pool.run([&](int) { products += rounds(kRounds); });
        return static_cast<double>(products.load());
    });
}

} // namespace

MachineRates measureCpu(const CpuOptions &options, const std::stop_token &stop)
{
    ThreadPool pool(options.threads > 0 ? options.threads : cpuInfo().threads);
    const cpu::PeakLoops &loops = cpu::peakLoops(selectedIsa());
    return {.readBytes = readRate(pool, stop),
            .byteProducts = productRate(pool, loops.bytes, stop),
            .floatProducts = productRate(pool, loops.floats, stop)};
}

} // namespace fireside
