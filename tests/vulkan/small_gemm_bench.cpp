// Measures products of a few to 128 rows on a Vulkan device: microseconds per dispatch, each
// dispatch waiting for the one before, on weights that take turns so that no cache serves them.
//
//   small_gemm_bench [device index] [type, as Q4_K] [rows, rows …]
#include "engine/vulkan/ops/matmul/gemm.h"
#include "engine/vulkan/ops/matmul/gemv.h"
#include "engine/vulkan/ops/matmul/small_gemm.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/platform/matrix_layout.h"
#include "tests/vulkan/product_bench.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <sstream>

namespace {

using namespace fireside;
using namespace fireside::vulkan;

constexpr std::size_t kBytesInTurn = std::size_t{240} << 20; // several times a large cache

using test::BenchProduct;

class Bench
{
public:
    Bench(std::size_t index, DType type)
        : m_type(type)
        , m_device(index)
    {
        Gpu &gpu = m_device.gpu();
        std::printf("%s, %s, matrix order %d\n", gpu.name(), name(type),
                    static_cast<int>(gpu.capabilities.matrixOrder.value_or(99)));
        if (hasNarrowMatrix(gpu.device.physical()) && !gpu.capabilities.matrixOrder)
            std::printf("%s", matrixLayoutText(gpu.device).c_str());
    }
    const Capabilities &capabilities() const { return m_device.capabilities(); }

    void weightsOf(const BenchProduct &product)
    {
        m_product = product;
        m_weights.clear();
        m_values = test::benchInput(128 * product.cols);
        const std::size_t bytes = rowBytes(m_type, static_cast<std::size_t>(product.cols)) *
                                  static_cast<std::size_t>(product.outs);
        const std::size_t matrices = product.gated ? 2 : 1;
        m_sets = std::max<std::size_t>(2, kBytesInTurn / (bytes * matrices) + 1);
        for (std::size_t i = 0; i < m_sets * matrices; ++i)
            m_weights.push_back(
                m_device.weight(m_type, product.outs, product.cols, static_cast<unsigned>(i % 3)));
        m_norm = m_device.weight(DType::F32, 1, product.cols, 1);
        std::printf("%s\n", product.what);
    }

    using Dispatch = std::function<void(const Tensor &x, const Tensor &out, const Weight &weight,
                                        const Weight *up)>;
    /// Compiles what the dispatches need.
    void prepare(std::int64_t rows, const std::vector<Dispatch> &dispatches)
    {
        PassOptions options;
        options.prepareOnly = true;
        begin(rows, options);
        for (const Dispatch &dispatch : dispatches)
            dispatch(m_x, m_out, *m_weights[0], m_product.gated ? m_weights[1].get() : nullptr);
        m_device.recorder().sync();
    }
    /// Microseconds of one dispatch; the relative difference to `reference`, which the first one
    /// sets.
    double run(std::int64_t rows, const Dispatch &dispatch, std::vector<float> &reference,
               double &difference)
    {
        // A device that was idle is slow for a while.
        constexpr int kFewest = 6, kMax = 200;
        constexpr std::size_t kDispatches = 96;
        constexpr double kAwake = 0.03;
        double best = 1e9, all = 0;
        for (int pass = 0; pass < kMax && (pass < kFewest || all < kAwake); ++pass) {
            begin(rows, {});
            m_device.recorder().upload(
                std::as_bytes(std::span(m_values).first(static_cast<std::size_t>(rows * m_x.cols))),
                m_x);
            vulkan::run(m_device.recorder(), op::Copy{m_x, m_halfX});
            m_device.recorder().takeOpTimes();
            // Many dispatches a pass: with waits of the host between them the device slows
            const std::size_t dispatches = (kDispatches / m_sets + 1) * m_sets;
            {
                const OpScope scope(m_device.recorder(), "linear", m_device.recorder().mark());
                const std::size_t matrices = m_product.gated ? 2 : 1;
                // down.
                for (std::size_t i = 0; i < dispatches; ++i) {
                    const std::size_t set = i % m_sets * matrices;
                    dispatch(m_x, m_out, *m_weights[set],
                             m_product.gated ? m_weights[set + 1].get() : nullptr);
                }
            }
            m_device.recorder().sync();
            const double seconds = m_device.linearSeconds();
            best = std::min(best, seconds / static_cast<double>(dispatches));
            all += seconds;
        }
        const std::vector<float> result = m_device.read(m_out);
        if (reference.empty())
            reference = result;
        difference = test::relativeDifference(result, reference);
        return best * 1e6;
    }

    Dispatch few()
    {
        return [this](const Tensor &x, const Tensor &out, const Weight &w, const Weight *up) {
            const LinearTarget targets[] = {{&w, out}};
            if (up != nullptr)
                gatedLinearOfFewRows(m_device.recorder(), x, {&w, up}, Activation::SiLU, out);
            else
                linearOfFewRows(m_device.recorder(), x, targets, Accumulate::Overwrite);
        };
    }
    Dispatch tiled()
    {
        return [this](const Tensor &x, const Tensor &out, const Weight &w, const Weight *up) {
            const LinearTarget targets[] = {{&w, out}};
            if (up != nullptr)
                gatedLinearTiled(m_device.recorder(), x, {&w, up}, Activation::SiLU, out);
            else
                linearTiled(m_device.recorder(), x, targets, Accumulate::Overwrite);
        };
    }
    /// How x comes.
    struct Input
    {
        bool half = false, normed = false, prepared = true; // before each dispatch
    };
    Dispatch smallGemm(const SmallGemmShape &shape, const Input &input)
    {
        return [this, shape, input](const Tensor &x, const Tensor &out, const Weight &w,
                                    const Weight *up) {
            const LinearTarget targets[] = {{&w, out}, {up != nullptr ? up : &w, out}};
            const Tensor &own = input.half ? m_halfX : x;
            const std::size_t mark = m_device.recorder().mark();
            const LinearInput source =
                input.normed ? LinearInput(own, *m_norm, 1e-5f) : LinearInput(own);
            if (input.prepared || m_prepared.x.cols == 0)
                m_prepared = prepareSmallGemm(m_device.recorder(), source, m_type, shape);
            SmallGemmDispatch dispatch{
                m_prepared, x.rows, x.cols, {targets, up != nullptr ? 2u : 1u}};
            dispatch.gated = up != nullptr;
            if (dispatch.gated)
                dispatch.activation = static_cast<std::uint32_t>(Activation::SiLU);
            dispatchSmallGemm(m_device.recorder(), dispatch, shape);
            if (input.prepared)
                m_device.recorder().release(mark);
        };
    }
    bool hasSmallGemm() { return maxSmallGemmRows(m_device.recorder(), m_type) > 0; }

private:
    void begin(std::int64_t rows, const PassOptions &options)
    {
        m_device.begin(rows, options);
        m_x = m_device.recorder().scratch(rows, m_product.cols, DType::F32);
        m_out = m_device.recorder().scratch(rows, m_product.outs, DType::F32);
        m_prepared = {};
        m_halfX = m_device.recorder().scratch(rows, m_product.cols, DType::F16);
    }

    DType m_type;
    test::BenchDevice m_device;
    BenchProduct m_product{};
    std::size_t m_sets = 1;
    std::vector<std::unique_ptr<Weight>> m_weights;
    std::vector<float> m_values; // of x
    std::unique_ptr<Weight> m_norm;
    Tensor m_x, m_halfX, m_out;
    SmallGemmInput m_prepared;
};

/// Knobs of an experiment: "tiles=1,held=2,groups=264".
SmallGemmShape shapeOf(SmallGemmShape shape, const std::string &text, DType type,
                       const BenchProduct &product, Bench::Input &input)
{
    std::istringstream parts(text);
    std::uint32_t groups = 0;
    shape.splits = 1;
    for (std::string part; std::getline(parts, part, ',');) {
        const auto value = static_cast<std::uint32_t>(std::atoi(part.c_str() + part.find('=') + 1));
        const std::string key = part.substr(0, part.find('='));
        if (key == "subgroups")
            shape.subgroups = value;
        else if (key == "across")
            shape.across = value;
        else if (key == "held")
            shape.held = value;
        else if (key == "together")
            shape.together = value;
        else if (key == "buffers")
            shape.buffers = value;
        else if (key == "steps")
            shape.steps = value;
        else if (key == "ahead")
            shape.ahead = value;
        else if (key == "down")
            shape.down = value;
        else if (key == "staged")
            shape.staged = value != 0;
        else if (key == "abreast")
            shape.abreast = value;
        else if (key == "groups")
            groups = value;
        else if (key == "half")
            input.half = value != 0;
        else if (key == "prep")
            input.prepared = value != 0;
        else if (key == "norm")
            input.normed = value != 0;
        else
            throwBadInput("unknown knob " + key);
    }
    const std::int64_t each = shape.heldCols(type);
    shape.splits = static_cast<std::uint32_t>((product.cols + each - 1) / each);
    if (groups == 0)
        groups = shape.steps > 1 ? static_cast<std::uint32_t>(product.outs) : 132;
    const std::int64_t tiles = product.outs / (16 * shape.down * shape.abreast),
                       perPiece = groups / shape.splits;
    shape.tilesPerGroup = static_cast<std::uint32_t>((tiles + perPiece - 1) / perPiece);
    return shape;
}

void measure(Bench &bench, DType type, const BenchProduct &product, std::int64_t T,
             const std::vector<std::string> &knobs)
{
    std::vector<std::string> names;
    std::vector<Bench::Dispatch> dispatches;
    if (T <= 16 && knobs.empty()) {
        names.emplace_back("few");
        dispatches.push_back(bench.few());
    }
    names.emplace_back("tiled");
    dispatches.push_back(bench.tiled());
    if (bench.hasSmallGemm() && knobs.empty()) {
        names.emplace_back("small_gemm");
        dispatches.push_back(
            bench.smallGemm(smallGemmShape(bench.capabilities(), type, T, product.outs,
                                           product.cols, product.gated),
                            {}));
    }
    for (const std::string &knob : knobs) {
        const Capabilities &can = bench.capabilities();
        const SmallGemmShape usual =
            smallGemmShape(can, type, T, product.outs, product.cols, product.gated);
        Bench::Input input;
        const SmallGemmShape shape = shapeOf(usual, knob, type, product, input);
        if (shape.sharedBytes(product.gated) + 80 > can.sharedMemory) {
            std::printf("    too much shared memory: %s\n", knob.c_str());
            continue;
        }
        names.push_back(knob);
        dispatches.push_back(bench.smallGemm(shape, input));
    }
    bench.prepare(T, dispatches);
    std::vector<float> reference;
    std::printf("  %2lld rows:", static_cast<long long>(T));
    for (std::size_t i = 0; i < dispatches.size(); ++i) {
        double difference = 0;
        const double time = bench.run(T, dispatches[i], reference, difference);
        std::printf(knobs.empty() ? "  %s %6.1f (%.0e)" : "  %s %6.1f (%.0e)\n", names[i].c_str(),
                    time, difference);
        std::fflush(stdout);
    }
    std::printf("\n");
}

} // namespace

int main(int count, char **arguments)
{
    try {
        const std::size_t index = count > 1 ? static_cast<std::size_t>(std::atoi(arguments[1])) : 0;
        const auto type = test::typeNamed(count > 2 ? arguments[2] : "Q4_K");
        if (!type)
            throwBadInput("there is no such type");
        std::vector<std::int64_t> rows;
        std::vector<std::string> knobs;
        int onlyProduct = -1;
        for (int i = 3; i < count; ++i) {
            if (std::strncmp(arguments[i], "product=", 8) == 0)
                onlyProduct = std::atoi(arguments[i] + 8);
            else if (std::strchr(arguments[i], '=') != nullptr)
                knobs.emplace_back(arguments[i]);
            else
                rows.push_back(std::atoi(arguments[i]));
        }
        if (rows.empty())
            rows = {1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64};
        Bench bench(index, *type);
        for (int p = 0; p < static_cast<int>(std::size(test::kBenchProducts)); ++p) {
            if (onlyProduct >= 0 && p != onlyProduct)
                continue;
            bench.weightsOf(test::kBenchProducts[p]);
            for (const std::int64_t T : rows)
                measure(bench, *type, test::kBenchProducts[p], T, knobs);
        }
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
