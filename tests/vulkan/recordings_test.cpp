#include "engine/vulkan/ops/ops.h"
#include "tests/support/require.h"
#include "tests/support/weight_reference.h"
#include "tests/vulkan/emulated_matrices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

// What recording a pass of another form finds ready: tables of constants, which arrive also where
// the host does not write the device's memory, and pipelines.
namespace fireside::vulkan {
namespace {

using test::RecorderDevice;

constexpr std::int64_t kLayers = 3, kHeads = 4, kKvHeads = 2, kDim = 64, kCapacity = 600;
constexpr std::int64_t kWidth = kHeads * kDim;

/// Layers of attention, each followed by a product that takes its result as q8 activations.
class Layers
{
public:
    explicit Layers(RecorderDevice &device)
        : m_device(device)
    {
        for (std::int64_t i = 0; i < kLayers; ++i) {
            KvLayer layer;
            layer.dtype = DType::F16;
            layer.kvHeads = kKvHeads;
            layer.capacity = kCapacity;
            layer.headDim = layer.valueDim = kDim;
            const auto bytes = static_cast<std::size_t>(2 * kKvHeads * kCapacity * kDim);
            for (Buffer **buffer : {&layer.keys, &layer.values}) {
                m_buffers.push_back(device.device().allocate(bytes, "a cache"));
                *buffer = m_buffers.back().get();
            }
            m_caches.push_back(layer);
        }
        std::mt19937 random(3);
        m_bytes = test::randomRow(DType::Q8_0, static_cast<std::size_t>(kWidth * kWidth), random);
        WeightSource source;
        source.name = "out";
        source.dtype = DType::Q8_0;
        source.rows = source.cols = kWidth;
        source.bytes = m_bytes;
        m_out = device.device().addWeight(source);
        device.device().finishWeights({});
        for (int pair = 0; pair < kDim / 2; ++pair)
            m_rope.inverseFrequencies.push_back(1 / static_cast<float>(pair + 1));
    }

    /// A pass of one token after `past` others.
    std::vector<float> run(std::int64_t past, std::uint64_t name)
    {
        PassOptions options;
        options.recording = name;
        return run(past, options);
    }
    std::vector<float> run(std::int64_t past, const PassOptions &options)
    {
        VulkanRecorder &r = m_device.recorder();
        const std::int32_t id = 0, position = static_cast<std::int32_t>(past);
        const BatchItem item{m_caches, 0, 1, past};
        if (r.begin({{&id, 1}, {&position, 1}, {&item, 1}, {}}, options) ==
            Commands::Begin::Replay) {
            ADD_FAILURE() << "no other pass had this form";
            return {};
        }
        const Tensor heads = r.scratch(1, kWidth + 2 * kKvHeads * kDim, DType::F32);
        const Tensor result = r.scratch(1, kWidth, DType::F32),
                     y = r.scratch(1, kWidth, DType::F32);
        AttentionShape shape;
        shape.heads = kHeads;
        shape.kvHeads = kKvHeads;
        shape.headDim = shape.valueDim = kDim;
        shape.scale = 0.125f;
        HeadTransform turned;
        turned.headDim = kDim;
        turned.rope = m_rope;
        std::vector<float> values(static_cast<std::size_t>(heads.cols));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = std::sin(static_cast<float>(i));
        r.upload(std::as_bytes(std::span(values)), heads);
        for (std::int64_t layer = 0; layer < kLayers; ++layer) {
            const std::size_t mark = r.mark();
            const Tensor q = heads.columns(0, kWidth);
            const op::AppendKv append{q,
                                      turned,
                                      heads.columns(kWidth, kKvHeads * kDim),
                                      turned,
                                      heads.columns(kWidth + kKvHeads * kDim, kKvHeads * kDim),
                                      layer,
                                      shape};
            const op::Attention attention{q, layer, shape, result};
            EXPECT_TRUE(goTogether(r, append, attention));
            hintReader(r, result, *m_out);
            vulkan::run(r, append, attention);
            vulkan::run(r, op::Linear{result, {{m_out.get(), y}}});
            r.release(mark);
        }
        r.sync();
        return options.prepareOnly ? std::vector<float>() : m_device.get(y);
    }

private:
    RecorderDevice &m_device;
    std::vector<std::unique_ptr<Buffer>> m_buffers;
    std::vector<KvLayer> m_caches;
    std::vector<std::byte> m_bytes;
    std::unique_ptr<Weight> m_out;
    Rope m_rope;
};

TEST(VulkanRecordings, OtherFormsNeedNoMoreTables)
{
    RecorderDevice device;
    if (!device)
        FIRESIDE_SKIP("lavapipe is not installed");
    Layers layers(device);
    const ConstantTables &tables = device.recorder().constantTables();
    layers.run(500, 1); // keys are spread over groups, which count
    const std::size_t after = tables.count();
    EXPECT_LE(after, 3u) << "turns, heads and counters: all layers share theirs";
    layers.run(1, 2);
    layers.run(100, 3);
    layers.run(200, 4);
    EXPECT_EQ(tables.count(), after);
    EXPECT_EQ(tables.allocations(), 1u);
}

TEST(VulkanRecordings, PipelinesForLongerCachesArePrepared)
{
    RecorderDevice device;
    if (!device)
        FIRESIDE_SKIP("lavapipe is not installed");
    Layers layers(device);
    PipelineLibrary &pipelines = device.gpu().pipelines;
    PassOptions prepare;
    prepare.prepareOnly = true;
    layers.run(0, prepare);
    const std::size_t few = pipelines.count();
    prepare.maxKeys = 512;
    layers.run(0, prepare);
    const std::size_t all = pipelines.count();
    EXPECT_GT(all, few);
    layers.run(0, 1);
    layers.run(500, 2);
    EXPECT_EQ(pipelines.count(), all);
}

TEST(VulkanRecordings, TablesArriveThroughStagingToo)
{
    RecorderDevice written;
    if (!written)
        FIRESIDE_SKIP("lavapipe is not installed");
    VulkanOptions options;
    options.stagedUploads = true;
    RecorderDevice copied(options);
    Layers a(written), b(copied);
    const std::vector<float> expected = a.run(0, 0);
    EXPECT_EQ(expected, b.run(0, 0));
    EXPECT_TRUE(std::any_of(expected.begin(), expected.end(), [](float v) { return v != 0; }));
    EXPECT_TRUE(std::none_of(expected.begin(), expected.end(), [](float v) { return v != v; }));
}

TEST(VulkanRecordings, EachTableLiesInOnePlace)
{
    RecorderDevice device;
    if (!device)
        FIRESIDE_SKIP("lavapipe is not installed");
    VulkanRecorder &r = device.recorder();
    const std::vector<std::byte> small(3, std::byte{1}), other(3, std::byte{2}),
        large(std::size_t{1} << 20, std::byte{3});
    const VkDeviceAddress first = r.table(small);
    EXPECT_EQ(first % 256, 0u);
    EXPECT_NE(r.table(other), first);
    r.table(large);
    EXPECT_EQ(r.table(small), first);
    EXPECT_EQ(r.constantTables().count(), 3u);
}

} // namespace
} // namespace fireside::vulkan
