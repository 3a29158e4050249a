// Measures products of a few to 64 rows on a Vulkan device: microseconds per launch, each launch
// waiting for the one before, on weights that take turns so that no cache serves them.
//
//   skinny_bench [device index] [type, as Q4_K] [rows, rows …]
#include "engine/core/error.h"
#include "engine/vulkan/gemm.h"
#include "engine/vulkan/gpu.h"
#include "engine/vulkan/instance.h"
#include "engine/vulkan/loader.h"
#include "engine/vulkan/matrix_layout.h"
#include "engine/vulkan/matvec.h"
#include "engine/vulkan/skinny.h"
#include "engine/vulkan/vulkan_device.h"
#include "engine/vulkan/vulkan_recorder.h"
#include "shaders/common/activation_kinds.h"
#include "tests/support/weight_reference.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <random>
#include <sstream>

namespace {

using namespace fireside;
using namespace fireside::vulkan;

constexpr std::size_t kBytesInTurn = std::size_t{240} << 20; // several times a large cache

struct Product
{
    const char *what;
    std::int64_t outs, cols;
    bool gated;
};
constexpr Product kProducts[] = {
    {"4096 x 4096", 4096, 4096, false},
    {"1024 x 4096", 1024, 4096, false},
    {"4096 x 14336", 4096, 14336, false},
    {"gated 14336 x 4096", 14336, 4096, true},
};

class Bench
{
public:
    Bench(std::size_t index, DType type)
        : m_type(type)
    {
        const auto instance = std::make_shared<Instance>(Loader::open());
        const auto devices = physicalDevices(*instance);
        if (index >= devices.size())
            throwBadInput("there is no such device");
        m_gpu = std::make_shared<Gpu>(instance, devices[index], VulkanOptions{});
        m_device = std::make_unique<VulkanDevice>(m_gpu, DeviceReport{});
        m_recorder = std::make_unique<VulkanRecorder>(m_gpu, std::size_t{512} << 20, 4096);
        std::printf("%s, %s, matrix order %d\n", m_gpu->name(), name(type),
                    static_cast<int>(m_gpu->capabilities.matrixOrder.value_or(99)));
        if (hasNarrowMatrix(m_gpu->device.physical()) && !m_gpu->capabilities.matrixOrder)
            std::printf("%s", matrixLayoutText(m_gpu->device).c_str());
    }
    const Capabilities &capabilities() const { return m_gpu->capabilities; }

    void weightsOf(const Product &product)
    {
        m_product = product;
        m_weights.clear();
        std::mt19937 random(2);
        std::normal_distribution<float> normal;
        m_values.resize(static_cast<std::size_t>(64 * product.cols));
        for (float &v : m_values)
            v = normal(random) / 64;
        const std::size_t bytes = rowBytes(m_type, static_cast<std::size_t>(product.cols)) *
                                  static_cast<std::size_t>(product.outs);
        const std::size_t matrices = product.gated ? 2 : 1;
        m_sets = std::max<std::size_t>(2, kBytesInTurn / (bytes * matrices) + 1);
        for (std::size_t i = 0; i < m_sets * matrices; ++i)
            m_weights.push_back(weight(product, static_cast<unsigned>(i % 3)));
        std::printf("%s\n", product.what);
    }

    using Launch = std::function<void(const Tensor &x, const Tensor &out, const Weight &weight,
                                      const Weight *up)>;
    /// Compiles what the launches need.
    void prepare(std::int64_t rows, const std::vector<Launch> &launches)
    {
        PassOptions options;
        options.prepareOnly = true;
        begin(rows, options);
        for (const Launch &launch : launches)
            launch(m_x, m_out, *m_weights[0], m_product.gated ? m_weights[1].get() : nullptr);
        m_recorder->sync();
    }
    /// Microseconds of one launch; the relative difference to `reference`, which the first one
    /// sets.
    double run(std::int64_t rows, const Launch &launch, std::vector<float> &reference,
               double &difference)
    {
        // A device that was idle is slow for a while.
        constexpr int kFewest = 6, kMost = 200;
        constexpr double kAwake = 0.012;
        double best = 1e9, all = 0;
        for (int pass = 0; pass < kMost && (pass < kFewest || all < kAwake); ++pass) {
            begin(rows, {});
            m_recorder->upload(
                std::as_bytes(std::span(m_values).first(static_cast<std::size_t>(rows * m_x.cols))),
                m_x);
            m_recorder->takeOpTimes();
            m_recorder->beginOp("linear");
            const std::size_t matrices = m_product.gated ? 2 : 1;
            for (std::size_t i = m_sets; i-- > 0;)
                launch(m_x, m_out, *m_weights[i * matrices],
                       m_product.gated ? m_weights[i * matrices + 1].get() : nullptr);
            m_recorder->endOp();
            m_recorder->sync();
            for (const OpTime &time : m_recorder->takeOpTimes())
                if (std::strcmp(time.op, "linear") == 0) {
                    best = std::min(best, time.seconds / static_cast<double>(m_sets));
                    all += time.seconds;
                }
        }
        std::vector<float> result(static_cast<std::size_t>(rows * m_product.outs));
        m_recorder->read(m_out, std::as_writable_bytes(std::span(result)));
        if (reference.empty())
            reference = result;
        double wrong = 0, size = 0;
        for (std::size_t i = 0; i < result.size(); ++i) {
            const double distance =
                static_cast<double>(result[i]) - static_cast<double>(reference[i]);
            wrong += distance * distance;
            size += static_cast<double>(reference[i]) * static_cast<double>(reference[i]);
        }
        difference = std::sqrt(wrong / size);
        return best * 1e6;
    }

    Launch few()
    {
        return [this](const Tensor &x, const Tensor &out, const Weight &w, const Weight *up) {
            const LinearTarget targets[] = {{&w, out}};
            if (up != nullptr)
                gatedLinearOfFewRows(*m_recorder, x, {&w, up}, Activation::SiLU, out);
            else
                linearOfFewRows(*m_recorder, x, targets, Accumulate::Overwrite);
        };
    }
    Launch tiled()
    {
        return [this](const Tensor &x, const Tensor &out, const Weight &w, const Weight *up) {
            const LinearTarget targets[] = {{&w, out}};
            if (up != nullptr)
                gatedLinearTiled(*m_recorder, x, {&w, up}, Activation::SiLU, out);
            else
                linearTiled(*m_recorder, x, targets, Accumulate::Overwrite);
        };
    }
    /// prepare: x is brought into order before each launch.
    Launch skinny(const SkinnyShape &shape, bool prepare)
    {
        return [this, shape, prepare](const Tensor &x, const Tensor &out, const Weight &w,
                                      const Weight *up) {
            const bool gated = up != nullptr;
            const LinearTarget targets[] = {{&w, out}, {gated ? up : &w, out}};
            const std::size_t mark = m_recorder->mark();
            if (prepare || m_fresh) {
                m_prepared = prepareSkinny(*m_recorder, x, m_type, shape);
                m_fresh = false;
            }
            SkinnyLaunch launch;
            launch.x = m_prepared;
            launch.rows = x.rows;
            launch.cols = x.cols;
            launch.targets = {targets, gated ? 2u : 1u};
            launch.gated = gated;
            launch.activation = gated ? static_cast<std::uint32_t>(Activation::SiLU)
                                      : std::uint32_t{kActivationNone};
            launchSkinny(*m_recorder, launch, shape);
            if (prepare)
                m_recorder->release(mark);
        };
    }
    bool hasSkinny() const { return mostSkinnyRows(*m_recorder, m_type) > 0; }

private:
    void begin(std::int64_t rows, const PassOptions &options)
    {
        const std::vector<std::int32_t> zeros(static_cast<std::size_t>(rows), 0);
        const std::vector<BatchItem> items = {{{}, 0, rows, 0}};
        m_recorder->begin({zeros, zeros, items}, options);
        m_x = m_recorder->scratch(rows, m_product.cols, DType::F32);
        m_out = m_recorder->scratch(rows, m_product.outs, DType::F32);
        m_fresh = true;
    }

    std::unique_ptr<Weight> weight(const Product &product, unsigned seed)
    {
        const std::size_t bytes = rowBytes(m_type, static_cast<std::size_t>(product.cols));
        std::mt19937 random(seed);
        const auto row = test::randomRow(m_type, static_cast<std::size_t>(product.cols), random);
        m_bytes.clear();
        for (std::int64_t r = 0; r < product.outs; ++r)
            m_bytes.insert(m_bytes.end(), row.begin(), row.end());
        // Rows differ in where they begin to repeat, so that no two columns of out are equal.
        for (std::int64_t r = 0; r < product.outs; ++r) {
            const auto begin = m_bytes.begin() + r * static_cast<std::int64_t>(bytes);
            std::rotate(begin, begin + r % 16 * std::int64_t{info(m_type).blockBytes},
                        begin + static_cast<std::int64_t>(bytes));
        }
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

    DType m_type;
    Product m_product{};
    std::size_t m_sets = 1;
    std::shared_ptr<Gpu> m_gpu;
    std::unique_ptr<VulkanDevice> m_device;
    std::unique_ptr<VulkanRecorder> m_recorder;
    std::vector<std::unique_ptr<Weight>> m_weights;
    std::vector<std::byte> m_bytes;
    std::vector<float> m_values; // of x
    Tensor m_x, m_out, m_prepared;
    bool m_fresh = true; // nothing is prepared in this pass
};

std::optional<DType> typeNamed(const char *wanted)
{
    for (int i = 0; i < kDTypeCount; ++i)
        if (std::strcmp(name(static_cast<DType>(i)), wanted) == 0)
            return static_cast<DType>(i);
    return std::nullopt;
}

/// Knobs of an experiment: "tiles=1,held=2,groups=264".
SkinnyShape shapeOf(SkinnyShape shape, const std::string &text, DType type, const Product &product,
                    bool &prepare)
{
    std::istringstream parts(text);
    std::uint32_t groups = 0;
    shape.pieces = 1;
    for (std::string part; std::getline(parts, part, ',');) {
        const auto value = static_cast<std::uint32_t>(std::atoi(part.c_str() + part.find('=') + 1));
        const std::string key = part.substr(0, part.find('='));
        if (key == "subgroups")
            shape.subgroups = value;
        else if (key == "across")
            shape.across = value;
        else if (key == "tiles")
            shape.tiles = value;
        else if (key == "held")
            shape.held = value;
        else if (key == "buffers")
            shape.buffers = value;
        else if (key == "groups")
            groups = value;
        else if (key == "prep")
            prepare = value != 0;
        else
            throwBadInput("unknown knob " + key);
    }
    const std::int64_t each = shape.paddedCols(type);
    shape.pieces = static_cast<std::uint32_t>((product.cols + each - 1) / each);
    if (groups == 0)
        groups = 132;
    const std::int64_t tiles = product.outs / 16, perPiece = groups / shape.pieces;
    shape.tilesPerGroup = static_cast<std::uint32_t>((tiles + perPiece - 1) / perPiece);
    return shape;
}

void measure(Bench &bench, DType type, const Product &product, std::int64_t T,
             const std::vector<std::string> &knobs)
{
    std::vector<std::string> names;
    std::vector<Bench::Launch> launches;
    if (T <= 16 && knobs.empty()) {
        names.emplace_back("few");
        launches.push_back(bench.few());
    }
    names.emplace_back("tiled");
    launches.push_back(bench.tiled());
    if (bench.hasSkinny() && knobs.empty()) {
        names.emplace_back("skinny");
        launches.push_back(bench.skinny(
            skinnyShape(bench.capabilities(), type, T, product.outs, product.cols, product.gated),
            true));
    }
    for (const std::string &knob : knobs) {
        const Capabilities &can = bench.capabilities();
        const SkinnyShape usual =
            skinnyShape(can, type, T, product.outs, product.cols, product.gated);
        bool prepare = true;
        const SkinnyShape shape = shapeOf(usual, knob, type, product, prepare);
        if (shape.sharedBytes(product.gated) + 80 > can.sharedMemory) {
            std::printf("    too much shared memory: %s\n", knob.c_str());
            continue;
        }
        names.push_back(knob);
        launches.push_back(bench.skinny(shape, prepare));
    }
    bench.prepare(T, launches);
    std::vector<float> reference;
    std::printf("  %2lld rows:", static_cast<long long>(T));
    for (std::size_t i = 0; i < launches.size(); ++i) {
        double difference = 0;
        const double time = bench.run(T, launches[i], reference, difference);
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
        const auto type = typeNamed(count > 2 ? arguments[2] : "Q4_K");
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
        for (int p = 0; p < static_cast<int>(std::size(kProducts)); ++p) {
            if (onlyProduct >= 0 && p != onlyProduct)
                continue;
            bench.weightsOf(kProducts[p]);
            for (const std::int64_t T : rows)
                measure(bench, *type, kProducts[p], T, knobs);
        }
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
