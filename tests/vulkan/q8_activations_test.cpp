#include "engine/vulkan/pass/q8_activations.h"

#include "engine/vulkan/ops/matmul/gemv_shape.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/weights/weight_blocks.h"
#include "tests/support/require.h"
#include "tests/support/weight_reference.h"
#include "tests/vulkan/emulated_matrices.h"
#include "tests/vulkan/random_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

// Q8 activations that a dispatch makes for the product after it: the same as those made by a
// dispatch of their own, and never older than the activations. And the shapes of such dispatches on
// all kinds of devices.
namespace fireside::vulkan {
namespace {

using test::randomValues;
using test::RecorderDevice;

class Q8ActivationsTest : public testing::Test
{
protected:
    void SetUp() override
    {
        if (!device)
            FIRESIDE_SKIP("lavapipe is not installed");
        if (!device.recorder().capabilities().integerDot)
            FIRESIDE_SKIP("no integer dot products here");
        first = add(DType::Q4_0, kWidth, kWidth, 1);
        second = add(DType::Q8_0, 24, kWidth, 2);
        norm = add(DType::F32, 1, kWidth, 3);
    }
    std::unique_ptr<Weight> add(DType type, std::int64_t rows, std::int64_t cols, unsigned seed)
    {
        std::mt19937 random(seed);
        bytes.push_back(test::randomRow(type, static_cast<std::size_t>(rows * cols), random));
        WeightSource source;
        source.name = "w" + std::to_string(seed);
        source.dtype = type;
        source.rows = rows;
        source.cols = cols;
        source.bytes = bytes.back();
        std::unique_ptr<Weight> weight = device.device().addWeight(source);
        device.device().finishWeights({});
        return weight;
    }
    /// y = x · firstᵀ, then normed y · secondᵀ; between them whatever `change` does to y.
    template <typename Change>
    std::vector<float> chain(bool hinted, Change &&change)
    {
        device.begin(kRows);
        VulkanRecorder &r = device.recorder();
        const Tensor x =
            device.put(randomValues(kRows * kWidth, 7), kRows, kWidth, DType::F32, kWidth);
        const Tensor y = r.scratch(kRows, kWidth, DType::F32), z = r.scratch(kRows, 24, DType::F32);
        const LinearInput normed{y, *norm, 1e-5f};
        if (hinted)
            hintReader(r, normed, *second);
        run(r, op::Linear{x, {{first.get(), y}}});
        made = r.q8Activations().find(y, norm.get()).has_value();
        EXPECT_FALSE(r.q8Activations().find(y, nullptr)) << "with another norm they are others";
        change(r, y);
        run(r, op::Linear{normed, {{second.get(), z}}});
        r.sync();
        return device.get(z);
    }

    static constexpr std::int64_t kRows = 2, kWidth = 96;
    RecorderDevice device;
    std::deque<std::vector<std::byte>> bytes;
    std::unique_ptr<Weight> first, second, norm;
    bool made = false;
};

TEST_F(Q8ActivationsTest, MadeOnTheWayTheyAreTheSame)
{
    const auto nothing = [](Recorder &, const Tensor &) {};
    const std::vector<float> apart = chain(false, nothing);
    EXPECT_FALSE(made);
    const std::vector<float> hinted = chain(true, nothing);
    EXPECT_TRUE(made);
    EXPECT_EQ(hinted, apart);
    EXPECT_TRUE(std::any_of(apart.begin(), apart.end(), [](float v) { return v != 0; }));
}

TEST_F(Q8ActivationsTest, AnOverwrittenRowIsNotReadAsItWas)
{
    const auto addsOne = [&](Recorder &r, const Tensor &y) {
        const Tensor ones =
            device.put(std::vector<float>(kRows * kWidth, 1), kRows, kWidth, DType::F32, kWidth);
        run(r, op::Add{y, ones, y});
        EXPECT_FALSE(r.q8Activations().find(y, norm.get()));
    };
    EXPECT_EQ(chain(true, addsOne), chain(false, addsOne));
}

void expectRuns(const Capabilities &can, const GemvProblem &p)
{
    const GemvShape s = gemvShape(can, p);
    const std::uint32_t subgroup = can.minSubgroup;
    ASSERT_GE(s.sets, 1u);
    ASSERT_LE(s.threads, can.maxWorkgroupSize);
    ASSERT_EQ(s.team % subgroup, 0u);
    ASSERT_EQ(s.threads % s.team, 0u);
    ASSERT_EQ(s.groupRows() % p.multiple, 0);
    const std::int64_t passes = p.experts > 0 ? 1 : s.passes;
    ASSERT_GE(std::int64_t{s.team} / s.pairs * passes * 32, p.cols);
    ASSERT_GE(std::int64_t{s.pairs} * s.passes, p.experts);
    // Floats of shared memory for sums; 16 KiB is the least.
    ASSERT_LE(s.groupRows() * p.perRow * s.columns * (s.team / subgroup), 4096 - 256)
        << can.maxWorkgroupSize << " threads, subgroups of " << subgroup << ", " << p.rows
        << " rows of " << p.cols;
}

TEST(GemvShapeTest, EveryDeviceCanRunIt)
{
    for (const std::uint32_t threads : {128u, 256u, 1024u})
        for (const std::uint32_t subgroup : {4u, 8u, 32u, 64u, 128u})
            for (const bool software : {false, true})
                for (const std::int64_t cols : {32, 96, 768, 4096, 14336, 28672})
                    for (const std::int64_t rows : {1, 16, 1000, 4096, 128256})
                        for (const std::int64_t multiple : {1, 16}) {
                            if (multiple > 1 && subgroup < 8)
                                continue; // no q8 activations there
                            Capabilities can;
                            can.maxWorkgroupSize = threads;
                            can.minSubgroup = can.maxSubgroup = can.subgroupSize = subgroup;
                            can.software = software;
                            GemvProblem p;
                            p.rows = rows;
                            p.cols = cols;
                            p.multiple = multiple;
                            for (p.single = false;; p.single = true) {
                                p.lean = p.single;
                                for (p.columns = 1; p.columns < 9; p.columns = 3 * p.columns - 1)
                                    for (p.perRow = 1; p.perRow < 3; ++p.perRow)
                                        expectRuns(can, p);
                                p.columns = p.perRow = 1;
                                if (cols <= 32 * std::int64_t{std::min(threads, 256u)})
                                    for (const std::int64_t experts : {1, 6, 8}) {
                                        p.experts = experts;
                                        expectRuns(can, p);
                                    }
                                p.experts = 0;
                                p.perRow = 2;
                                for (p.repeats = 2; p.repeats < 40; p.repeats *= 4)
                                    expectRuns(can, p);
                                p.repeats = 1;
                                if (p.single)
                                    break;
                            }
                        }
}

} // namespace
} // namespace fireside::vulkan
