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

/// All words, in eight sums that do not wait for each other, fetched ahead as weights are: without,
/// a Xeon reads 17.6 GB/s instead of 24.6.
std::uint64_t sumOfWords(const std::byte *bytes, std::size_t count)
{
    constexpr std::size_t kAhead = 8192;
    std::uint64_t sums[8] = {};
    const auto *words = reinterpret_cast<const std::uint64_t *>(bytes);
    for (std::size_t i = 0; i + 8 <= count / sizeof(std::uint64_t); i += 8) {
        __builtin_prefetch(words + i + kAhead / sizeof(std::uint64_t), 0, 2);
        for (std::size_t j = 0; j < 8; ++j)
            sums[j] += words[i + j];
    }
    std::uint64_t sum = 0;
    for (const std::uint64_t each : sums)
        sum += each;
    return sum;
}

/// A buffer of which each thread reads a part.
class Reading : public MemoryReading
{
public:
    explicit Reading(int threads)
        : m_pool(threads)
        , m_buffer(sizeNow(), "memory to read", cpu::CpuBuffer::Pages::Huge)
        , m_each(m_buffer.size() / static_cast<std::size_t>(threads) / 64 * 64)
    {
        m_pool.run([&](int t) { // pages lie near who writes them first
            std::fill_n(partOf(t), m_each, std::byte{1});
        });
    }
    ThreadPool &pool() { return m_pool; }
    /// Reads all of it; how many bytes that is.
    double once()
    {
        std::atomic<std::uint64_t> sum{0};
        m_pool.run([&](int t) { sum += sumOfWords(partOf(t), m_each); });
        m_sum += sum;
        return static_cast<double>(m_each) * m_pool.size();
    }
    double rate(double seconds) override
    {
        double bytes = 0, passed = 0;
        const auto start = Clock::now();
        do {
            bytes += once();
            passed = std::chrono::duration<double>(Clock::now() - start).count();
        } while (passed < seconds);
        return bytes / passed;
    }

private:
    /// Larger than the caches of most processors; less where memory is short.
    static std::size_t sizeNow()
    {
        constexpr std::size_t kMost = std::size_t{512} << 20, kLeast = std::size_t{64} << 20;
        const std::uint64_t free = queryMemory().available.value_or(kMost);
        return std::clamp<std::uint64_t>(free / 8, kLeast, kMost);
    }
    std::byte *partOf(int thread)
    {
        return m_buffer.data() + static_cast<std::size_t>(thread) * m_each;
    }

    ThreadPool m_pool;
    cpu::CpuBuffer m_buffer;
    std::size_t m_each;
    std::uint64_t m_sum = 0; // so that nothing is left out
};

int threadsOf(const CpuOptions &options)
{
    return options.threads > 0 ? options.threads : cpuInfo().threads;
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
    Reading reading(threadsOf(options));
    const cpu::PeakLoops &loops = cpu::peakLoops(selectedIsa());
    return {.readBytes = best(stop, [&] { return reading.once(); }),
            .byteProducts = productRate(reading.pool(), loops.bytes, stop),
            .floatProducts = productRate(reading.pool(), loops.floats, stop)};
}

std::unique_ptr<MemoryReading> openMemoryReading(const CpuOptions &options)
{
    return std::make_unique<Reading>(threadsOf(options));
}

} // namespace fireside
