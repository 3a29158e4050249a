#include "engine/backend/measure_rates.h"

#include "engine/backend/op.h"
#include "engine/core/cpu_info.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <numeric>

namespace fireside {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kSecondsEach = 0.05;
constexpr std::int64_t kManyRows = 256;
constexpr std::int64_t kSliceRows = 512;
constexpr std::size_t kLeastPasses = 3;
constexpr double kLeastOp = 1e-7; // seconds; where nothing more than the reading can be told

/// What all matrices are made of, one after the other: new pages take longer than the measurement.
class Numbers
{
public:
    std::span<const std::byte> first(std::size_t bytes)
    {
        // Pages that were never written are one page, which a cache holds. 0x11 is a number in any
        // type, and a small one.
        if (m_bytes.size() < bytes)
            m_bytes.assign(bytes, std::byte{0x11});
        return std::span(m_bytes).first(bytes);
    }

private:
    std::vector<std::byte> m_bytes;
};

/// Matrices on the device of `rows` times `cols`, or slices of them of so many rows, and passes
/// that multiply rows by them.
class Product
{
public:
    Product(Device &device, Numbers &numbers, DType type, std::int64_t rows, std::int64_t cols,
            std::int64_t slice)
        : m_rows(slice)
        , m_cols(cols)
        , m_bytes(numbers.first(static_cast<std::size_t>(rows) *
                                rowBytes(type, static_cast<std::size_t>(cols))))
    {
        const auto count = static_cast<std::size_t>(rows / slice);
        const std::size_t each = m_bytes.size() / count;
        for (std::size_t i = 0; i < count; ++i) {
            WeightSource source;
            source.name = "a matrix to measure with";
            source.dtype = type;
            source.rows = slice;
            source.cols = cols;
            source.bytes = m_bytes.subspan(i * each, each);
            m_weights.push_back(device.addWeight(source));
        }
        device.finishWeights();
    }
    Product(Device &device, Numbers &numbers, DType type, std::int64_t rows, std::int64_t cols)
        : Product(device, numbers, type, rows, cols, rows)
    {}
    double bytes() const { return static_cast<double>(m_bytes.size()); }
    int slices() const { return static_cast<int>(m_weights.size()); }

    /// Seconds of a pass with so many products, each of `count` rows; slices take turns.
    double seconds(Commands &c, std::int64_t count, int products, const std::stop_token &stop) const
    {
        std::vector<std::int32_t> ids(static_cast<std::size_t>(count)), positions(ids.size());
        std::iota(positions.begin(), positions.end(), 0);
        const BatchItem item{{}, 0, count, 0};
        const auto start = Clock::now();
        c.begin({ids, positions, {&item, 1}}, {.stop = stop});
        const Tensor x = c.scratch(count, m_cols), y = c.scratch(count, m_rows);
        c.upload(std::vector<float>(static_cast<std::size_t>(count * m_cols), 0.5F), x);
        for (int i = 0; i < products; ++i)
            c.record(op::Linear{x, {{m_weights[static_cast<std::size_t>(i % slices())].get(), y}}});
        c.sync();
        return std::chrono::duration<double>(Clock::now() - start).count();
    }

private:
    std::int64_t m_rows, m_cols;
    std::span<const std::byte> m_bytes;
    std::vector<std::unique_ptr<Weight>> m_weights;
};

/// The middle of several passes: neither those that others disturbed nor the rare lucky one is what
/// a reply gets. What a pass takes that has one product less is not counted, for uploads and
/// submissions.
double secondsOfOne(const Product &product, Commands &c, std::int64_t rows, int products,
                    const std::stop_token &stop)
{
    product.seconds(c, rows, 1 + products, stop); // kernels are compiled, pages are there
    std::vector<double> differences;
    const auto start = Clock::now();
    do {
        const double one = product.seconds(c, rows, 1, stop);
        differences.push_back(product.seconds(c, rows, 1 + products, stop) - one);
    } while (std::chrono::duration<double>(Clock::now() - start).count() < kSecondsEach ||
             differences.size() < kLeastPasses);
    const auto middle = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2);
    std::nth_element(differences.begin(), middle, differences.end());
    return std::max(1e-9, *middle / products);
}

/// Rows of a matrix that no cache holds, not even in part: 256 MB, and at least 27 MB for each core
/// of a processor.
std::int64_t largeRows(BackendKind kind, std::size_t bytesOfRow)
{
    constexpr std::size_t kMega = 1'000'000, kLeast = 256 * kMega, kOfACore = 27 * kMega,
                          kMost = 1000 * kMega;
    const auto cores = static_cast<std::size_t>(kind == BackendKind::Cpu ? cpuInfo().threads : 1);
    const std::size_t rows = std::clamp(cores * kOfACore, kLeast, kMost) / bytesOfRow;
    return static_cast<std::int64_t>(rows / kSliceRows) * kSliceRows;
}

} // namespace

MachineRates measureRates(Device &device, const std::stop_token &stop)
{
    constexpr std::int64_t kCols = 4096;
    constexpr std::size_t kArena = std::size_t{96} << 20;
    MachineRates rates;
    const bool processor = device.report().kind == BackendKind::Cpu;
    const auto commands = device.commands(kArena, kManyRows);
    Numbers numbers;
    // What is read a second differs by type; most models have these.
    double bytes = 0, spent = 0, last = 0; // of all, and of the last a byte
    for (const DType type : {DType::Q4_K, DType::Q8_0}) {
        const std::int64_t rows = largeRows(device.report().kind, rowBytes(type, kCols));
        const Product large(device, numbers, type, rows, kCols);
        const double one = secondsOfOne(large, *commands, 1, 2, stop);
        bytes += large.bytes();
        spent += one;
        last = one / large.bytes();
    }
    rates.readBytes = bytes / spent;
    {
        // The last once more in ops of two megabytes: each has a beginning, where threads come to
        // it, and an end, where they wait for each other. The more there are, the longer it takes.
        const std::int64_t rows = largeRows(device.report().kind, rowBytes(DType::Q8_0, kCols));
        const Product sliced(device, numbers, DType::Q8_0, rows, kCols, kSliceRows);
        const double each = secondsOfOne(sliced, *commands, 1, sliced.slices(), stop);
        rates.opSeconds = std::max(each - sliced.bytes() / sliced.slices() * last, kLeastOp);
    }
    for (const DType type : {DType::Q8_0, DType::F16}) {
        const bool floats = type == DType::F16;
        const ProbeProducts probe = probeProducts(processor ? cpuInfo().threads : 0, floats);
        const Product matrix(device, numbers, type, probe.rows, kCols);
        const double seconds = secondsOfOne(matrix, *commands, kManyRows, probe.times, stop);
        (floats ? rates.floatProducts : rates.byteProducts) =
            static_cast<double>(kManyRows * kCols * probe.rows) / seconds;
    }
    return rates;
}

ProbeProducts probeProducts(int threads, bool floats)
{
    // Enough of them to take longer than a launch, few enough for a processor.
    constexpr std::int64_t kLeast = 1024, kOfAThread = 512, kMost = 8192, kMostFloats = 4096,
                           kPass = 4096, kPassFloats = 2048;
    if (threads <= 0)
        return {kLeast, 32};
    const std::int64_t rows =
        std::clamp(threads * kOfAThread, kLeast, floats ? kMostFloats : kMost);
    return {rows,
            static_cast<int>(std::max<std::int64_t>(1, (floats ? kPassFloats : kPass) / rows))};
}

} // namespace fireside
