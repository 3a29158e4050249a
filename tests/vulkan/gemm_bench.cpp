// Measures tiled products on a Vulkan device: for products of real models, each tile in turn, with
// the rate by the device's own clock and whether the result agrees with the first tile's.
//
//   gemm_bench [device index] [type, as Q4_K] [rows]
#include "engine/vulkan/ops/matmul/gemm_dispatch.h"
#include "tests/vulkan/product_bench.h"

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace {

using namespace fireside;
using namespace fireside::vulkan;

using test::BenchProduct;

struct Shape
{
    std::uint32_t rows, outs, downRows, acrossOuts, step, buffers;
};
constexpr Shape kShapes[] = {
    {128, 128, 2, 2, 1, 2}, {128, 128, 2, 2, 1, 1}, {128, 128, 2, 2, 2, 1}, {128, 128, 2, 4, 1, 2},
    {128, 128, 2, 4, 1, 1}, {128, 128, 2, 4, 2, 1}, {128, 256, 2, 4, 1, 1}, {256, 128, 4, 2, 1, 1},
    {128, 64, 2, 2, 1, 2},  {128, 64, 4, 1, 1, 2},  {64, 128, 1, 4, 1, 2},  {64, 128, 2, 2, 1, 2},
    {64, 64, 2, 2, 1, 2},   {128, 64, 2, 2, 2, 1},  {64, 64, 1, 2, 1, 2},   {64, 128, 2, 2, 2, 1},
    {64, 64, 2, 2, 2, 1},   {64, 128, 1, 4, 2, 1},  {64, 256, 1, 4, 1, 1},  {64, 128, 1, 2, 2, 1},
};

class Bench
{
public:
    Bench(std::size_t index, DType type, std::int64_t rows)
        : m_type(type)
        , m_rows(rows)
        , m_device(index)
    {
        std::printf("%s, %s, %lld rows\n", m_device.gpu().name(), name(type),
                    static_cast<long long>(rows));
    }

    void measure(const BenchProduct &product)
    {
        const auto gate = m_device.weight(m_type, product.outs, product.cols, 1);
        const auto up = m_device.weight(m_type, product.outs, product.cols, 1);
        std::printf("%s\n", product.what);
        std::vector<float> first;
        const auto attempt = [&](const GemmTile &tile) {
            try {
                const std::vector<float> result = run(product, tile, *gate, *up);
                if (first.empty())
                    first = result;
                std::printf("  differs by %.1e\n", test::relativeDifference(result, first));
            } catch (const Error &error) {
                std::printf("  %s\n", error.what());
            }
        };
        const Capabilities &can = m_device.capabilities();
        attempt(chooseTile(can, {m_type, m_rows, product.outs, product.gated}, false));
        for (const Shape &shape : kShapes) {
            GemmTile tile;
            tile.matrix = true;
            tile.exact = m_type == DType::F16 || m_type == DType::BF16;
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
            if (can.cooperativeMatrix() && m_device.recorder().hasShader(tile.shader(m_type)) &&
                tile.sharedBytes(product.gated) + 64 <= can.sharedMemory &&
                tile.threads <= can.maxWorkgroupSize)
                attempt(tile);
        }
    }

private:
    std::vector<float> run(const BenchProduct &product, const GemmTile &tile, const Weight &gate,
                           const Weight &up)
    {
        // The best pass counts; so many that a card which slowed down while kernels were compiled
        // has come back to its full clock.
        constexpr int kPasses = 4, kMaxPasses = 200, kRuns = 8;
        constexpr double kBusySeconds = 0.15;
        const std::vector<float> values = test::benchInput(m_rows * product.cols);
        VulkanRecorder &recorder = m_device.recorder();
        double best = 1e9, busy = 0;
        Tensor out;
        for (int pass = 0; pass < kPasses || (busy < kBusySeconds && pass < kMaxPasses); ++pass) {
            m_device.begin(m_rows);
            const Tensor x = recorder.scratch(m_rows, product.cols, DType::F32);
            out = recorder.scratch(m_rows, product.outs, DType::F32);
            recorder.upload(std::as_bytes(std::span(values)), x);
            recorder.takeOpTimes();
            for (int i = 0; i < kRuns; ++i) {
                const OpScope scope(recorder, "linear", recorder.mark());
                const std::size_t mark = recorder.mark();
                TiledProduct p;
                p.op = product.what;
                p.x = prepareInput(recorder, x, tile, product.outs * (product.gated ? 2 : 1));
                p.weight = &gate;
                p.up = product.gated ? &up : nullptr;
                p.out = out;
                TiledDispatch dispatch(recorder);
                dispatch.add(p, tile);
                dispatch.finish();
                recorder.release(mark);
            }
            recorder.sync();
            const double seconds = m_device.linearSeconds();
            best = std::min(best, seconds / kRuns);
            busy += seconds;
        }
        const double operations = 2.0 * static_cast<double>(m_rows) *
                                  static_cast<double>(product.outs * product.cols) *
                                  (product.gated ? 2 : 1);
        std::printf("  %-6s %3u x %3u, %u x %u, step %u, buffers %u: %8.1f us %7.1f TFLOP/s",
                    tile.matrix ? "matrix" : "scalar", tile.rows, tile.outs, tile.downRows,
                    tile.acrossOuts, tile.step, tile.buffers, best * 1e6, operations / best / 1e12);
        std::fflush(stdout);
        return m_device.read(out);
    }

    DType m_type;
    std::int64_t m_rows;
    test::BenchDevice m_device;
};

} // namespace

int main(int count, char **arguments)
{
    try {
        const std::size_t index = count > 1 ? static_cast<std::size_t>(std::atoi(arguments[1])) : 0;
        const auto type = test::typeNamed(count > 2 ? arguments[2] : "Q4_K");
        if (!type)
            throwBadInput("there is no such type");
        Bench bench(index, *type, count > 3 ? std::atoi(arguments[3]) : 512);
        for (const BenchProduct &product : test::kBenchProducts)
            bench.measure(product);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
