#include "engine/vulkan/ops/matmul/gemm.h"
#include "engine/vulkan/ops/matmul/gemm_tile.h"
#include "engine/vulkan/weights/weight_shader.h"
#include "tests/support/reference_ops.h"
#include "tests/vulkan/narrow_vectors.h"
#include "tests/vulkan/product_case.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <utility>

// Products in tiles: the choice of tiles, and the kernel on cooperative matrices by way of its
// emulation. The conformance tests compare the scalar kernel with references.
namespace fireside::vulkan {
namespace {

using test::EmulatedMatrices;
using test::randomValues;
using test::SomeWeight;

Capabilities largeGpu()
{
    Capabilities device;
    device.sharedMemory = 49152;
    device.maxWorkgroupSize = 1024;
    device.computeUnits = 132;
    device.matrixM = device.matrixN = device.matrixK = 16;
    return device;
}

TEST(GemmTileTest, EveryDeviceHasATile)
{
    for (const std::uint32_t shared : {16384u, 32768u, 49152u})
        for (const std::uint32_t threads : {128u, 256u, 1024u})
            for (const std::uint32_t matrix : {0u, 16u, 8u})
                for (const std::uint32_t subgroup : {4u, 8u, 16u, 32u, 64u, 128u})
                    for (const std::int64_t rows : {1, 9, 40, 80, 1000})
                        for (const auto &[type, gated] :
                             {std::pair(DType::Q4_K, false), std::pair(DType::Q4_K, true),
                              std::pair(DType::BF16, false), std::pair(DType::BF16, true)}) {
                            Capabilities device;
                            device.sharedMemory = shared;
                            device.maxWorkgroupSize = threads;
                            device.matrixM = device.matrixN = device.matrixK = matrix;
                            device.subgroupSize = device.minSubgroup = device.maxSubgroup =
                                subgroup;
                            const GemmTile tile =
                                chooseTile(device, {type, rows, 4096, gated}, true);
                            EXPECT_LE(tile.threads, threads) << tile.reason;
                            EXPECT_LE(tile.sharedBytes(gated), shared) << tile.reason;
                            EXPECT_GE(tile.threads, 8u) << tile.reason;
                            if (tile.matrix) {
                                EXPECT_EQ(tile.threads, tile.downRows * tile.acrossOuts * subgroup);
                                EXPECT_EQ(tile.rows % (tile.downRows * matrix), 0u);
                                EXPECT_EQ(tile.outs % (tile.acrossOuts * matrix), 0u);
                            } else {
                                EXPECT_EQ(tile.threads * tile.downRows * tile.acrossOuts,
                                          tile.rows * tile.outs);
                            }
                        }
}

TEST(GemmTileTest, FloatWeightsStayExact)
{
    const Capabilities device = largeGpu();
    EXPECT_FALSE(chooseTile(device, {DType::F32, 512, 4096, false}, true).matrix);
    EXPECT_TRUE(chooseTile(device, {DType::BF16, 512, 4096, false}, true).matrix);
    for (const bool gated : {false, true}) {
        // x in two parts takes room for twice the rows: large tiles still, of fewer columns.
        const GemmTile exact = chooseTile(device, {DType::BF16, 512, 4096, gated}, true);
        EXPECT_TRUE(exact.exact);
        EXPECT_EQ(exact.rows * exact.outs, gated ? 64u * 64 : 128u * 128);
        EXPECT_LE(exact.sharedBytes(gated), device.sharedMemory);
        EXPECT_EQ(exact.sharedBytes(gated),
                  gated ? 16u * 9 * (2 * 64 + 2 * 64) : 16u * 5 * 3 * 128);
        EXPECT_FALSE(chooseTile(device, {DType::Q4_K, 512, 4096, gated}, true).exact);
    }
    EXPECT_FALSE(chooseTile(device, {DType::Q4_K, 512, 4096, false}, false).matrix);
    EXPECT_EQ(chooseTile(device, {DType::Q4_K, 512, 4096, false}, true).shader(DType::Q4_K),
              "gemm_matrix_q4_k");
}

TEST(GemmTileTest, FewTilesAreCutAlongTheColumns)
{
    const Capabilities device = largeGpu();
    GemmTile tile = chooseTile(device, {DType::Q4_K, 512, 4096, false}, true);
    EXPECT_EQ(columnSplits(device, tile, 1000, 128), 1); // enough tiles
    EXPECT_EQ(columnSplits(device, tile, 128, 128), 2);  // two for each processor
    EXPECT_EQ(columnSplits(device, tile, 32, 128), 8);
    EXPECT_EQ(columnSplits(device, tile, 32, 32), 4); // a split has 256 columns or more
    EXPECT_EQ(columnSplits(device, tile, 1, 8), 1);
    tile = chooseTile(device, {DType::Q4_K, 64, 4096, false}, true);
    EXPECT_EQ(columnSplits(device, tile, 128, 128), 4); // small groups, four for each
}

class EmulatedGemmTest : public test::WithNarrowVectors<test::OnRecorder>
{};

// What matrix_products_test.cpp leaves out: many rows, and columns cut into splits.
TEST_F(EmulatedGemmTest, LargeTiles)
{
    struct Case
    {
        DType weight, x, out;
        std::int64_t T, in, outs, gap;
        bool add;
    };
    const Case cases[] = {
        {DType::Q8_0, DType::F32, DType::F32, 130, 96, 700, 0, false},  // x to F16 beforehand
        {DType::Q8_0, DType::F16, DType::F16, 33, 1024, 132, 0, false}, // cut along the columns
        {DType::F16, DType::F32, DType::F32, 130, 416, 260, 0, true},
        {DType::Q6_K, DType::F32, DType::F32, 70, 512, 136, 0, false},
    };
    for (const Case &c : cases) {
        const std::string where = std::string(name(c.weight)) + ", " + std::to_string(c.T) +
                                  " rows, " + std::to_string(c.in) + " to " +
                                  std::to_string(c.outs);
        const SomeWeight weight(device.device(), c.weight, c.outs, c.in, 1);
        const SomeWeight bias(device.device(), DType::F32, 1, c.outs, 2);
        const auto x = randomValues(c.T * c.in, 3), before = randomValues(c.T * c.outs, 4);
        device.begin(c.T);
        const Tensor input = device.put(x, c.T, c.in, c.x, c.in + c.gap);
        const Tensor out = device.put(c.add ? before : std::vector<float>(before.size(), NAN), c.T,
                                      c.outs, c.out, c.outs + c.gap);
        EmulatedMatrices recorder(device.recorder());
        const LinearTarget targets[] = {{weight.weight.get(), out, bias.weight.get()}};
        linearTiled(recorder, input, targets,
                    c.add ? Accumulate::AddToOutput : Accumulate::Overwrite);
        device.recorder().sync();
        EXPECT_NE(std::find(recorder.dispatched.begin(), recorder.dispatched.end(),
                            weightShader("gemm_matrix", c.weight)),
                  recorder.dispatched.end());
        const std::vector<float> biases(bias.values.begin(), bias.values.end());
        auto expected =
            reference::linear(x, weight.values, biases, static_cast<std::size_t>(c.outs),
                              static_cast<std::size_t>(c.in));
        for (std::size_t i = 0; c.add && i < expected.size(); ++i)
            expected[i] += static_cast<double>(before[i]);
        // Weights that are not quantised keep x in two parts.
        const bool exact = c.weight == DType::F16 && c.x == DType::F32 && c.out == DType::F32;
        EXPECT_LE(reference::relativeError(device.get(out), expected), exact ? 2e-6 : 2e-3)
            << where;
    }
}

} // namespace
} // namespace fireside::vulkan
