#include "engine/backend/measure_rates.h"

#include "engine/backend/op.h"
#include "engine/core/cpu_info.h"
#include "engine/core/error.h"
#include "engine/core/memory_info.h"
#include "engine/core/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace fireside {
namespace {

using Clock = std::chrono::steady_clock;
// Of each measurement, if it has so many passes as are wanted; slow devices get by with one.
constexpr double kSecondsEach = 0.035, kMostSecondsEach = 0.08, kSlowSecondsEach = 0.1;
constexpr std::int64_t kManyRows = 256, kManyRowsOfCard = 512; // tokens
constexpr std::int64_t kSliceRows = 512;
constexpr std::size_t kLeastPasses = 3, kWantedPasses = 5;
constexpr double kLeastOp = 1e-7; // seconds; where nothing more than the reading can be told

/// What all matrices are made of, one after the other: new pages take longer than the measurement.
/// Pages that were never written are one page, which a cache holds. 0x11 is a number in any type,
/// and a small one.
class Numbers
{
public:
    explicit Numbers(std::size_t bytes)
        : m_bytes(std::make_unique_for_overwrite<std::byte[]>(bytes))
    {
        ThreadPool pool(cpuInfo().threads);
        const std::size_t each = bytes / static_cast<std::size_t>(pool.size()) + 1;
        pool.run([&](int thread) {
            const std::size_t first = std::min(bytes, static_cast<std::size_t>(thread) * each);
            std::fill_n(m_bytes.get() + first, std::min(each, bytes - first), std::byte{0x11});
        });
    }
    const std::byte *data() const { return m_bytes.get(); }

private:
    std::unique_ptr<std::byte[]> m_bytes;
};

/// Matrices on the device of `rows` times `cols`, one or several, and passes that multiply rows by
/// them.
class Product
{
public:
    Product(Device &device, const Numbers &numbers, DType type, std::int64_t rows,
            std::int64_t cols, std::int64_t count = 1)
        : m_rows(rows)
        , m_cols(cols)
    {
        const std::size_t each =
            static_cast<std::size_t>(rows) * rowBytes(type, static_cast<std::size_t>(cols));
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            WeightSource source;
            source.name = "a matrix to measure with";
            source.dtype = type;
            source.rows = rows;
            source.cols = cols;
            source.bytes = std::span(numbers.data() + i * each, each);
            m_weights.push_back(device.addWeight(source));
        }
        device.finishWeights();
        m_bytes = static_cast<double>(each);
    }
    double bytes() const { return m_bytes; } // of one
    int count() const { return static_cast<int>(m_weights.size()); }

    /// Seconds of a pass with so many products, each of `rows` rows, by one matrix after the other:
    /// from the first on, or from where the last pass ended, so that none comes from a cache.
    double seconds(Commands &c, std::int64_t rows, int products, bool goOn,
                   const std::stop_token &stop)
    {
        m_next = goOn ? m_next : 0;
        std::vector<std::int32_t> ids(static_cast<std::size_t>(rows)), positions(ids.size());
        std::iota(positions.begin(), positions.end(), 0);
        const BatchItem item{{}, 0, rows, 0};
        const auto start = Clock::now();
        c.begin({ids, positions, {&item, 1}}, {.stop = stop});
        const Tensor x = c.scratch(rows, m_cols), y = c.scratch(rows, m_rows);
        c.upload(std::vector<float>(static_cast<std::size_t>(rows * m_cols), 0.5F), x);
        for (int i = 0; i < products; ++i) {
            c.record(op::Linear{x, {{m_weights[m_next].get(), y}}});
            m_next = (m_next + 1) % m_weights.size();
        }
        c.sync();
        return std::chrono::duration<double>(Clock::now() - start).count();
    }

private:
    std::int64_t m_rows, m_cols;
    double m_bytes = 0;
    std::vector<std::unique_ptr<Weight>> m_weights;
    std::size_t m_next = 0;
};

/// What is measured of a product: by rows of `rows`, and how many a pass has.
struct Passes
{
    std::int64_t rows = 1;
    int products = 1;
    bool launches = false; // take long beside the products: a pass with one less is not counted
};

/// Seconds of one product. The middle of several passes: neither those that others disturbed nor
/// the rare lucky one is what a reply gets.
double secondsOfOne(Product &product, Commands &c, const Passes &passes,
                    const std::stop_token &stop)
{
    int products = passes.products;
    const int beside = passes.launches ? 1 : 0;
    const auto pass = [&](int count) { // of other forms, a graphics processor would record anew
        return product.seconds(c, passes.rows, count, !passes.launches, stop);
    };
    pass(1); // kernels are compiled, threads are awake
    if (passes.launches) {
        // The slower a device, the less is needed beside its launches.
        const double one = pass(1);
        if (one > kSlowSecondsEach)
            return one;
        products =
            static_cast<int>(std::clamp(kSecondsEach / one, 1.0, static_cast<double>(products)));
        if (products > 1)
            pass(products + beside);
    }
    std::vector<double> all;
    const auto start = Clock::now();
    double passed = 0;
    do {
        const double less = beside > 0 ? pass(beside) : 0;
        all.push_back(pass(products + beside) - less);
        passed = std::chrono::duration<double>(Clock::now() - start).count();
    } while (passed < kSecondsEach || (all.size() < kLeastPasses && passed < kSlowSecondsEach) ||
             (all.size() < kWantedPasses && passed < kMostSecondsEach));
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::nth_element(all.begin(), middle, all.end());
    return std::max(1e-9, *middle / products);
}

/// Of a matrix that no cache holds, not even in part: 192 MB, at least 27 MB for each core of a
/// processor; of a card so much of its memory that reading it takes long beside a launch.
std::size_t largeBytes(const DeviceReport &report)
{
    constexpr std::size_t kMega = 1'000'000, kLeast = 192 * kMega, kOfACore = 27 * kMega,
                          kMost = 1000 * kMega, kShareOfCard = 64;
    const std::size_t bytes =
        report.kind == BackendKind::Cpu
            ? static_cast<std::size_t>(cpuInfo().threads) * kOfACore
            : static_cast<std::size_t>(report.memoryTotal.value_or(0)) / kShareOfCard;
    return std::clamp(bytes, kLeast, kMost);
}

} // namespace

MachineRates measureRates(Device &device, const std::stop_token &stop)
{
    constexpr std::int64_t kCols = 4096;
    constexpr std::size_t kArena = std::size_t{96} << 20;
    MachineRates rates;
    const BackendKind kind = device.report().kind;
    const bool processor = kind == BackendKind::Cpu;
    const auto commands = device.commands(kArena, kManyRowsOfCard);
    const std::size_t large = largeBytes(device.report());
    const std::optional<std::uint64_t> free = queryMemory().available;
    if (free && *free / 2 < large)
        throw Error(ErrorKind::Memory, "too little RAM is free to measure the device with");
    const Numbers numbers(large);
    const auto rowsOf = [&](DType type) { // of a large matrix
        return static_cast<std::int64_t>(large / rowBytes(type, kCols)) / kSliceRows * kSliceRows;
    };
    const Passes reading{.products = processor ? 1 : 2, .launches = !processor};
    // What is read a second differs by type; most models have the first two.
    double bytes = 0, spent = 0, last = 0; // of both, and of the last a byte
    for (const DType type : {DType::F16, DType::Q4_K, DType::Q8_0}) {
        Product matrix(device, numbers, type, rowsOf(type), kCols);
        const double one = secondsOfOne(matrix, *commands, reading, stop);
        last = one / matrix.bytes();
        if (type == DType::F16) {
            rates.readFloats = 1 / last;
            continue;
        }
        bytes += matrix.bytes();
        spent += one;
    }
    rates.readBytes = bytes / spent;
    {
        // The last once more in ops of two megabytes: each has a beginning, where threads come to
        // it, and an end, where they wait for each other. The more there are, the longer it takes.
        Product sliced(device, numbers, DType::Q8_0, kSliceRows, kCols,
                       rowsOf(DType::Q8_0) / kSliceRows);
        const double each = secondsOfOne(
            sliced, *commands, {.products = sliced.count(), .launches = !processor}, stop);
        rates.opSeconds = std::max(each - sliced.bytes() * last, kLeastOp);
    }
    for (const DType type : {DType::Q8_0, DType::F16}) {
        const bool floats = type == DType::F16;
        const ProbeProducts probe = probeProducts(processor ? cpuInfo().threads : 0, floats);
        // A model's weights come from memory, too.
        const std::int64_t count = processor ? rowsOf(type) / probe.rows : 1;
        Product matrices(device, numbers, type, probe.rows, kCols, count);
        const double seconds = secondsOfOne(
            matrices, *commands,
            {.rows = probe.tokens, .products = probe.times, .launches = !processor}, stop);
        (floats ? rates.floatProducts : rates.byteProducts) =
            static_cast<double>(probe.tokens * kCols * probe.rows) / seconds;
    }
    return rates;
}

ProbeProducts probeProducts(int threads, bool floats)
{
    // Enough of them to take longer than a launch, few enough for a processor.
    constexpr std::int64_t kLeast = 1024, kOfAThread = 512, kMost = 8192, kMostFloats = 4096,
                           kPass = 2048, kPassFloats = 1024;
    if (threads <= 0) // 256 tiles of 128 × 128: more than a card has processors
        return {kMost, 8, kManyRowsOfCard};
    const std::int64_t rows =
        std::clamp(threads * kOfAThread, kLeast, floats ? kMostFloats : kMost);
    return {rows,
            static_cast<int>(std::max<std::int64_t>(1, (floats ? kPassFloats : kPass) / rows)),
            kManyRows};
}

} // namespace fireside
