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
constexpr double kSecondsEach = 0.1;
constexpr std::int64_t kManyRows = 256;

/// A matrix of `rows` times `cols` on the device, and passes that multiply rows by it.
class Product
{
public:
    Product(Device &device, DType type, std::int64_t rows, std::int64_t cols)
        : m_rows(rows)
        , m_cols(cols)
        , m_bytes(static_cast<std::size_t>(rows) * rowBytes(type, static_cast<std::size_t>(cols)))
    {
        // Pages that were never written are one page, which a cache holds. 0x11 is a number in any
        // type, and a small one.
        std::memset(m_bytes.data(), 0x11, m_bytes.size());
        WeightSource source;
        source.name = "a matrix to measure with";
        source.dtype = type;
        source.rows = rows;
        source.cols = cols;
        source.bytes = m_bytes;
        m_weight = device.addWeight(source);
        device.finishWeights();
    }
    double bytes() const { return static_cast<double>(m_bytes.size()); }

    /// Seconds of a pass with so many products, each of `count` rows.
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
            c.record(op::Linear{x, {{m_weight.get(), y}}});
        c.sync();
        return std::chrono::duration<double>(Clock::now() - start).count();
    }

private:
    std::int64_t m_rows, m_cols;
    std::vector<std::byte> m_bytes;
    std::unique_ptr<Weight> m_weight;
};

/// The best of several passes: others may take the device for a while. What a pass takes that has
/// one product less is not counted, for uploads and submissions.
double secondsOfOne(const Product &product, Commands &c, std::int64_t rows, int products,
                    const std::stop_token &stop)
{
    product.seconds(c, rows, 1, stop); // kernels are compiled
    double many = 1e9, one = 1e9;
    const auto start = Clock::now();
    do {
        one = std::min(one, product.seconds(c, rows, 1, stop));
        many = std::min(many, product.seconds(c, rows, 1 + products, stop));
    } while (std::chrono::duration<double>(Clock::now() - start).count() < kSecondsEach);
    return std::max(1e-9, (many - one) / products);
}

/// Rows of a matrix that no cache holds: 107 MB, and at least 27 MB for each core of a processor.
std::int64_t largeRows(BackendKind kind)
{
    constexpr std::int64_t kLeast = 24 * 1024, kOfACore = 6 * 1024, kMost = 240 * 1024;
    const std::int64_t cores = kind == BackendKind::Cpu ? cpuInfo().threads : 1;
    return std::clamp(cores * kOfACore, kLeast, kMost);
}

} // namespace

MachineRates measureRates(Device &device, const std::stop_token &stop)
{
    constexpr std::int64_t kCols = 4096, kSmallRows = 64;
    constexpr std::size_t kArena = std::size_t{96} << 20;
    MachineRates rates;
    const auto commands = device.commands(kArena, kManyRows);
    {
        const Product large(device, DType::Q8_0, largeRows(device.report().kind), kCols);
        rates.readBytes = large.bytes() / secondsOfOne(large, *commands, 1, 4, stop);
    }
    // Enough of them to take longer than a launch, few enough for a processor.
    constexpr std::int64_t kRows = 1024;
    const int times = device.report().kind == BackendKind::Cpu ? 1 : 32;
    const double products = static_cast<double>(kManyRows * kCols * kRows);
    for (const DType type : {DType::Q8_0, DType::F16}) {
        const Product matrix(device, type, kRows, kCols);
        const double seconds = secondsOfOne(matrix, *commands, kManyRows, times, stop);
        (type == DType::F16 ? rates.floatProducts : rates.byteProducts) = products / seconds;
    }
    const Product small(device, DType::Q8_0, kSmallRows, 256);
    rates.opSeconds = secondsOfOne(small, *commands, 1, 64, stop);
    return rates;
}

} // namespace fireside
