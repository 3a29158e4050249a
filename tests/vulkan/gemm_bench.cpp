// Measures tiled products on a Vulkan device: for products of real models, each tile in turn, with
// the rate by the device's own clock and whether the result agrees with the first tile's.
//
//   gemm_bench [device index] [type, as Q4_K] [rows]
#include "engine/core/error.h"
#include "engine/vulkan/gemm_launch.h"
#include "engine/vulkan/gpu.h"
#include "engine/vulkan/instance.h"
#include "engine/vulkan/loader.h"
#include "engine/vulkan/vulkan_device.h"
#include "engine/vulkan/vulkan_recorder.h"
#include "tests/support/weight_reference.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <random>

namespace {

using namespace fireside;
using namespace fireside::vulkan;

struct Product
{
    const char *what;
    std::int64_t outs, cols;
    bool gated;
};
constexpr Product kProducts[] = {
    {"8B query, output", 4096, 4096, false},
    {"8B key, value", 1024, 4096, false},
    {"8B down", 4096, 14336, false},
    {"8B gate and up", 14336, 4096, true},
};

struct Shape
{
    std::uint32_t rows, outs, downRows, acrossOuts, step, buffers;
};
constexpr Shape kShapes[] = {
    {128, 128, 2, 2, 1, 2}, {128, 128, 2, 2, 1, 1}, {128, 128, 2, 2, 2, 1}, {128, 128, 2, 4, 1, 2},
    {128, 128, 2, 4, 1, 1}, {128, 128, 2, 4, 2, 1}, {128, 256, 2, 4, 1, 1}, {256, 128, 4, 2, 1, 1},
    {128, 64, 2, 2, 1, 2},  {128, 64, 4, 1, 1, 2},  {64, 128, 1, 4, 1, 2},  {64, 128, 2, 2, 1, 2},
    {64, 64, 2, 2, 1, 2},   {128, 64, 2, 2, 2, 1},  {64, 64, 1, 2, 1, 2},
};

class Bench
{
public:
    Bench(std::size_t index, DType type, std::int64_t rows)
        : m_type(type)
        , m_rows(rows)
    {
        const auto instance = std::make_shared<Instance>(Loader::open());
        const auto devices = physicalDevices(*instance);
        if (index >= devices.size())
            throwBadInput("there is no such device");
        m_gpu = std::make_shared<Gpu>(instance, devices[index], VulkanOptions{});
        m_device = std::make_unique<VulkanDevice>(m_gpu, DeviceReport{});
        m_recorder = std::make_unique<VulkanRecorder>(m_gpu, std::size_t{512} << 20, 4096);
        std::printf("%s, %s, %lld rows\n", m_gpu->name(), name(type), static_cast<long long>(rows));
    }

    void measure(const Product &product)
    {
        const auto gate = weight(product), up = weight(product);
        std::printf("%s: %lld to %lld\n", product.what, static_cast<long long>(product.cols),
                    static_cast<long long>(product.outs));
        std::vector<float> first;
        const auto attempt = [&](const GemmTile &tile) {
            try {
                const std::vector<float> result = run(product, tile, *gate, *up);
                if (first.empty())
                    first = result;
                double difference = 0, size = 0;
                for (std::size_t i = 0; i < first.size(); ++i) {
                    difference += std::pow(static_cast<double>(result[i] - first[i]), 2);
                    size += std::pow(static_cast<double>(first[i]), 2);
                }
                std::printf("  differs by %.1e\n", std::sqrt(difference / size));
            } catch (const Error &error) {
                std::printf("  %s\n", error.what());
            }
        };
        attempt(
            chooseTile(m_gpu->capabilities, {m_type, m_rows, product.outs, product.gated}, false));
        const Capabilities &can = m_gpu->capabilities;
        for (const Shape &shape : kShapes) {
            GemmTile tile;
            tile.matrix = true;
            tile.rows = shape.rows;
            tile.outs = shape.outs;
            tile.downRows = shape.downRows;
            tile.acrossOuts = shape.acrossOuts;
            tile.step = shape.step;
            tile.buffers = shape.buffers;
            tile.m = can.matrixM;
            tile.n = can.matrixN;
            tile.k = can.matrixK;
            tile.threads = shape.downRows * shape.acrossOuts * can.subgroupSize;
            if (can.cooperativeMatrix() && m_recorder->hasShader(tile.shader(m_type)) &&
                tile.sharedBytes(product.gated) + 64 <= can.sharedMemory &&
                tile.threads <= can.maxGroupSize)
                attempt(tile);
        }
    }

private:
    std::unique_ptr<Weight> weight(const Product &product)
    {
        const std::size_t bytes = rowBytes(m_type, static_cast<std::size_t>(product.cols));
        std::mt19937 random(1);
        const auto row = test::randomRow(m_type, static_cast<std::size_t>(product.cols), random);
        m_bytes.clear();
        for (std::int64_t r = 0; r < product.outs; ++r)
            m_bytes.insert(m_bytes.end(), row.begin(), row.end());
        // Rows differ in where they begin to repeat, so that no two columns of out are equal.
        for (std::int64_t r = 0; r < product.outs; ++r)
            std::rotate(m_bytes.begin() + r * static_cast<std::int64_t>(bytes),
                        m_bytes.begin() + r * static_cast<std::int64_t>(bytes) +
                            r % 16 * static_cast<std::int64_t>(info(m_type).blockBytes),
                        m_bytes.begin() + (r + 1) * static_cast<std::int64_t>(bytes));
        WeightSource source;
        source.name = product.what;
        source.dtype = m_type;
        source.rows = product.outs;
        source.cols = product.cols;
        source.bytes = m_bytes;
        auto result = m_device->addWeight(source);
        m_device->finishWeights({});
        return result;
    }

    std::vector<float> run(const Product &product, const GemmTile &tile, const Weight &gate,
                           const Weight &up)
    {
        // The best pass counts; so many that a card which slowed down while kernels were compiled
        // has come back to its full clock.
        constexpr int kPasses = 4, kMostPasses = 200, kRuns = 8;
        constexpr double kBusySeconds = 0.15;
        const auto count = static_cast<std::size_t>(m_rows);
        const std::vector<std::int32_t> zeros(count, 0);
        const std::vector<BatchItem> items = {{{}, 0, m_rows, 0}};
        std::mt19937 random(2);
        std::normal_distribution<float> normal;
        std::vector<float> values(count * static_cast<std::size_t>(product.cols));
        for (float &v : values)
            v = normal(random) / 64;
        double best = 1e9, busy = 0;
        Tensor out;
        for (int pass = 0; pass < kPasses || (busy < kBusySeconds && pass < kMostPasses); ++pass) {
            m_recorder->begin({zeros, zeros, items}, {});
            const Tensor x = m_recorder->scratch(m_rows, product.cols, DType::F32);
            out = m_recorder->scratch(m_rows, product.outs, DType::F32);
            m_recorder->upload(std::as_bytes(std::span(values)), x);
            m_recorder->takeOpTimes();
            for (int i = 0; i < kRuns; ++i) {
                m_recorder->beginOp("linear");
                const std::size_t mark = m_recorder->mark();
                TiledProduct p;
                p.op = product.what;
                p.x = prepareInput(*m_recorder, x, tile, product.outs * (product.gated ? 2 : 1));
                p.weight = &gate;
                p.up = product.gated ? &up : nullptr;
                p.out = out;
                TiledLaunch launch(*m_recorder);
                launch.add(p, tile);
                launch.finish();
                m_recorder->release(mark);
                m_recorder->endOp();
            }
            m_recorder->sync();
            for (const OpTime &time : m_recorder->takeOpTimes())
                if (std::strcmp(time.op, "linear") == 0) {
                    best = std::min(best, time.seconds / kRuns);
                    busy += time.seconds;
                }
        }
        const double operations = 2.0 * static_cast<double>(m_rows) *
                                  static_cast<double>(product.outs * product.cols) *
                                  (product.gated ? 2 : 1);
        std::printf("  %-6s %3u x %3u, %u x %u, step %u, buffers %u: %8.1f us %7.1f TFLOP/s",
                    tile.matrix ? "matrix" : "scalar", tile.rows, tile.outs, tile.downRows,
                    tile.acrossOuts, tile.step, tile.buffers, best * 1e6, operations / best / 1e12);
        std::fflush(stdout);
        std::vector<float> result(count * static_cast<std::size_t>(product.outs));
        m_recorder->read(out, std::as_writable_bytes(std::span(result)));
        return result;
    }

    DType m_type;
    std::int64_t m_rows;
    std::shared_ptr<Gpu> m_gpu;
    std::unique_ptr<VulkanDevice> m_device;
    std::unique_ptr<VulkanRecorder> m_recorder;
    std::vector<std::byte> m_bytes;
};

std::optional<DType> typeNamed(const char *wanted)
{
    for (int i = 0; i < kDTypeCount; ++i)
        if (std::strcmp(name(static_cast<DType>(i)), wanted) == 0)
            return static_cast<DType>(i);
    return std::nullopt;
}

} // namespace

int main(int count, char **arguments)
{
    try {
        const std::size_t index = count > 1 ? static_cast<std::size_t>(std::atoi(arguments[1])) : 0;
        const auto type = typeNamed(count > 2 ? arguments[2] : "Q4_K");
        if (!type)
            throwBadInput("there is no such type");
        Bench bench(index, *type, count > 3 ? std::atoi(arguments[3]) : 512);
        for (const Product &product : kProducts)
            bench.measure(product);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
