#include "engine/vulkan/ops/matmul/gemm_tile.h"
#include "engine/vulkan/ops/matmul/small_gemm.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/weights/weight_shader.h"
#include "shaders/common/activation_kinds.h"
#include "tests/support/reference_ops.h"
#include "tests/vulkan/product_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

// Products of 3 to 128 rows by way of the emulation of matrices.
namespace fireside::vulkan {
namespace {

using test::EmulatedMatrices;
using test::randomValues;
using test::SomeWeight;

class SmallGemmTest : public test::OnRecorder
{};

// What matrix_products_test.cpp leaves out: long rows, shared out in other ways.
TEST_F(SmallGemmTest, LongRows)
{
    struct Case
    {
        DType weight, x, out;
        std::int64_t T, in, outs, gap;
        bool add, bias;
        std::uint32_t computeUnits = 1; // where rows are long: few enough for small groups
        bool staged = false;
    };
    const Case cases[] = {
        {DType::Q8_0, DType::F16, DType::F32, 32, 1056, 132, 0, false, false},
        {DType::Q6_K, DType::F16, DType::F32, 8, 4352, 40, 0, true, false},  // in steps
        {DType::Q8_0, DType::F16, DType::F32, 30, 2080, 36, 0, false, true}, // the same
        {DType::F16, DType::F32, DType::F32, 5, 2112, 40, 0, true, false},   // several splits
        {DType::Q8_0, DType::F16, DType::F16, 3, 4128, 20, 0, false, true},
        // One large group for each compute unit: three tiles at a time.
        {DType::Q4_K, DType::F16, DType::F32, 26, 2304, 40, 3, true, false, 1},
        {DType::Q4_K, DType::F16, DType::F32, 64, 2048, 100, 0, true, false, 1}, // small groups
        {DType::Q5_K, DType::F32, DType::F32, 37, 512, 20, 0, false, false, 8},
        // x through shared memory: in splits, with more columns than a step has, in one go.
        {DType::Q4_K, DType::F16, DType::F32, 77, 768, 300, 2, true, false, 132, true},
        {DType::Q6_K, DType::F32, DType::F16, 96, 1024, 40, 0, false, true, 132, true},
        {DType::Q8_0, DType::F16, DType::F16, 117, 288, 260, 0, false, true, 1, true},
        {DType::MXFP4, DType::F16, DType::F32, 128, 512, 20, 0, true, true, 1, true},
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
        recorder.device.computeUnits = c.computeUnits;
        run(recorder, op::Linear{input,
                                 {{weight.weight.get(), out, c.bias ? bias.weight.get() : nullptr}},
                                 c.add ? Accumulate::AddToOutput : Accumulate::Overwrite});
        device.recorder().sync();
        const auto ran = [&](const std::string &shader) {
            const auto &all = recorder.dispatched;
            return std::find(all.begin(), all.end(), shader) != all.end();
        };
        EXPECT_TRUE(
            ran(weightShader(c.staged ? "staged_gemm_matrix" : "small_gemm_matrix", c.weight)))
            << where;
        EXPECT_EQ(ran("small_gemm_reduce"), c.staged && c.computeUnits > 1) << where;
        std::vector<float> biases(bias.values.begin(), bias.values.end());
        if (!c.bias)
            biases.clear();
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

TEST_F(SmallGemmTest, WhatSuits)
{
    device.begin(1);
    EmulatedMatrices recorder(device.recorder());
    const SomeWeight narrow(device.device(), DType::Q4_K, 40, 1024, 1);
    const SomeWeight table(device.device(), DType::IQ2_XS, 40, 1024, 1);
    EXPECT_TRUE(suitsSmallGemm(recorder, 96, *narrow.weight));
    EXPECT_FALSE(suitsSmallGemm(recorder, 97, *narrow.weight)) << "short splits";
    EXPECT_TRUE(suitsSmallGemm(recorder, 64, *table.weight));
    EXPECT_FALSE(suitsSmallGemm(recorder, 65, *table.weight)) << "slowly decoded";
    recorder.device.computeUnits = 1;
    EXPECT_TRUE(suitsSmallGemm(recorder, 128, *narrow.weight));
    EXPECT_FALSE(suitsSmallGemm(recorder, 129, *narrow.weight));
}

TEST_F(SmallGemmTest, LargeResultsInHalvesStayFinite)
{
    constexpr std::int64_t T = 8, in = 256, outs = 40;
    const SomeWeight weight(device.device(), DType::Q8_0, outs, in, 1);
    const SomeWeight bias(device.device(), DType::F32, 1, outs, 2);
    auto x = randomValues(T * in, 3);
    for (float &value : x)
        value *= 1e4f;
    device.begin(T);
    const Tensor input = device.put(x, T, in, DType::F32, in);
    const Tensor out = device.put(std::vector<float>(T * outs, NAN), T, outs, DType::F16, outs);
    EmulatedMatrices recorder(device.recorder());
    run(recorder, op::Linear{input, {{weight.weight.get(), out, bias.weight.get()}}});
    device.recorder().sync();
    EXPECT_EQ(recorder.dispatched.back(), "small_gemm_matrix_q8_0");
    const std::vector<float> biases(bias.values.begin(), bias.values.end());
    auto expected = reference::linear(x, weight.values, biases, outs, in);
    constexpr double kLargest = 65504;
    EXPECT_GT(std::count_if(expected.begin(), expected.end(),
                            [](double value) { return std::abs(value) > 2 * kLargest; }),
              T * outs / 8)
        << "large enough to matter";
    for (double &value : expected)
        value = std::clamp(value, -kLargest, kLargest);
    EXPECT_LE(reference::relativeError(device.get(out), expected), 2e-3);
}

TEST_F(SmallGemmTest, TargetsOfTwoTypesWithNorm)
{
    constexpr std::int64_t T = 11, in = 256;
    constexpr std::int64_t outs[] = {70, 33, 16, 4};
    constexpr DType types[] = {DType::Q4_K, DType::Q4_K, DType::Q6_K, DType::Q4_K};
    const SomeWeight norm(device.device(), DType::F32, 1, in, 3);
    std::vector<SomeWeight> weights;
    for (unsigned i = 0; i < std::size(outs); ++i)
        weights.emplace_back(device.device(), types[i], outs[i], in, i);
    const auto x = randomValues(T * in, 4);
    device.begin(T);
    const Tensor input = device.put(x, T, in, DType::F32, in);
    const Tensor all = device.put(std::vector<float>(T * 123, NAN), T, 123, DType::F32, 123);
    std::vector<LinearTarget> targets;
    std::int64_t at = 0;
    for (std::size_t i = 0; i < std::size(outs); ++i) {
        targets.push_back({weights[i].weight.get(), all.columns(at, outs[i])});
        at += outs[i];
    }
    EmulatedMatrices recorder(device.recorder());
    run(recorder, op::Linear{{input, *norm.weight, 1e-5f}, targets});
    device.recorder().sync();
    const std::vector<float> norms(norm.values.begin(), norm.values.end());
    const auto normed = reference::rmsNorm(x, norms, 1e-5);
    const std::vector<float> rows(normed.begin(), normed.end());
    const std::vector<float> result = device.get(all);
    at = 0;
    for (std::size_t i = 0; i < std::size(outs); ++i) {
        const auto expected =
            reference::linear(rows, weights[i].values, {}, static_cast<std::size_t>(outs[i]), in);
        std::vector<float> own;
        for (std::int64_t t = 0; t < T; ++t)
            for (std::int64_t o = 0; o < outs[i]; ++o)
                own.push_back(result[static_cast<std::size_t>(t * 123 + at + o)]);
        EXPECT_LE(reference::relativeError(own, expected), 2e-3) << i;
        at += outs[i];
    }
}

TEST_F(SmallGemmTest, GatedWithNorm)
{
    struct Case
    {
        DType type;
        std::int64_t T, in, ffn;
    };
    const Case cases[] = {
        {DType::Q8_0, 20, 288, 150}, {DType::Q8_0, 9, 2080, 33}, // in steps along a row
        {DType::Q4_K, 8, 2560, 33},  {DType::Q6_K, 31, 2048, 33}, {DType::Q4_K, 50, 2304, 40},
        {DType::Q8_0, 64, 288, 20},  {DType::Q4_K, 85, 512, 140}, {DType::Q6_K, 96, 768, 20},
        {DType::Q8_0, 70, 128, 20}};
    for (const auto &[type, T, in, ffn] : cases) {
        const SomeWeight gate(device.device(), type, ffn, in, 1);
        const SomeWeight up(device.device(), type, ffn, in, 2);
        const SomeWeight norm(device.device(), DType::F32, 1, in, 3);
        const auto x = randomValues(T * in, 4);
        device.begin(T);
        const Tensor input = device.put(x, T, in, DType::F32, in);
        const Tensor out = device.put(std::vector<float>(static_cast<std::size_t>(T * ffn), NAN), T,
                                      ffn, DType::F32, ffn + 1);
        EmulatedMatrices recorder(device.recorder());
        if (in > 2000)
            recorder.device.computeUnits = 1; // enough tiles for small groups
        run(recorder, op::GatedLinear{{input, *norm.weight, 1e-5f},
                                      {gate.weight.get(), up.weight.get()},
                                      Activation::SiLU,
                                      out});
        device.recorder().sync();
        EXPECT_NE(
            std::find(recorder.dispatched.begin(), recorder.dispatched.end(),
                      weightShader(T > 64 ? "staged_gemm_matrix" : "small_gemm_matrix", type)),
            recorder.dispatched.end());
        const std::vector<float> norms(norm.values.begin(), norm.values.end());
        const auto normed = reference::rmsNorm(x, norms, 1e-5);
        const std::vector<float> rows(normed.begin(), normed.end());
        const auto outs = static_cast<std::size_t>(ffn), width = static_cast<std::size_t>(in);
        auto expected = reference::linear(rows, gate.values, {}, outs, width);
        const auto ups = reference::linear(rows, up.values, {}, outs, width);
        for (std::size_t i = 0; i < expected.size(); ++i)
            expected[i] = reference::silu(expected[i]) * ups[i];
        EXPECT_LE(reference::relativeError(device.get(out), expected), 2e-3)
            << name(type) << ' ' << T;
    }
}

// What has a hint is written in the order of matrices, and read so: the same numbers, bit by bit.
TEST_F(SmallGemmTest, GatedInTheOrderOfWhatReadsIt)
{
    struct Case
    {
        DType down;
        std::int64_t T, in, ffn;
        bool ordered;
    };
    const Case cases[] = {{DType::Q4_K, 8, 512, 512, true},   {DType::Q6_K, 11, 2048, 768, true},
                          {DType::IQ4_NL, 3, 256, 256, true}, {DType::Q4_K, 40, 512, 512, true},
                          {DType::Q4_K, 90, 512, 512, true},  {DType::Q8_0, 70, 256, 768, true},
                          {DType::Q8_0, 8, 256, 288, false}, // zeros would be missing
                          {DType::F16, 8, 256, 256, false}};
    for (const Case &c : cases) {
        const SomeWeight gate(device.device(), DType::Q4_K, c.ffn, c.in, 1);
        const SomeWeight up(device.device(), DType::Q4_K, c.ffn, c.in, 2);
        const SomeWeight down(device.device(), c.down, 40, c.ffn, 3);
        const auto x = randomValues(c.T * c.in, 4);
        const auto run = [&](bool hinted) {
            device.begin(c.T);
            const Tensor input = device.put(x, c.T, c.in, DType::F32, c.in);
            EmulatedMatrices recorder(device.recorder());
            recorder.device.computeUnits = 1;
            const Tensor gated = recorder.scratch(c.T, c.ffn, DType::F16);
            const Tensor out =
                device.put(std::vector<float>(static_cast<std::size_t>(c.T * 40), NAN), c.T, 40,
                           DType::F32, 40);
            if (hinted)
                hintReader(recorder, gated, *down.weight);
            vulkan::run(recorder,
                        op::GatedLinear{
                            input, {gate.weight.get(), up.weight.get()}, Activation::SiLU, gated});
            const bool made =
                recorder.q8Activations()
                    .find(gated, nullptr,
                          smallGemmForm(recorder, gated, *down.weight).value_or(RowOrder{1, 1}))
                    .has_value();
            EXPECT_EQ(made, hinted && c.ordered) << name(c.down);
            vulkan::run(recorder, op::Linear{gated, {{down.weight.get(), out}}});
            device.recorder().sync();
            return device.get(out);
        };
        const std::vector<float> apart = run(false), together = run(true);
        EXPECT_EQ(apart, together) << name(c.down);
        EXPECT_TRUE(std::all_of(apart.begin(), apart.end(), [](float v) { return v == v; }));
    }
}

/// Of a device of 132 compute units, whatever the product.
TEST(SmallGemmShapeTest, FitsEveryDevice)
{
    Capabilities can;
    can.computeUnits = 132;
    constexpr std::int64_t outs[] = {16, 100, 1024, 4096, 6144, 14336, 128256};
    constexpr std::int64_t cols[] = {64, 896, 2048, 4096, 14336};
    for (const DType type : {DType::Q4_K, DType::Q8_0, DType::IQ2_XS, DType::F16})
        for (const std::int64_t out : outs)
            for (const std::int64_t in : cols)
                for (std::int64_t rows = 3; rows <= (type == DType::F16 ? 16 : 128); ++rows)
                    for (const bool gated : {false, true}) {
                        const SmallGemmShape s = smallGemmShape(can, type, rows, out, in, gated);
                        const std::string where = std::string(name(type)) + ' ' +
                                                  std::to_string(rows) + " rows, " +
                                                  std::to_string(out) + " x " + std::to_string(in);
                        ASSERT_LE(s.sharedBytes(gated), 47u << 10) << where;
                        ASSERT_LE(s.subgroups, 16u) << where;
                        ASSERT_EQ(s.staged, rows > 64) << where;
                        if (s.staged)
                            ASSERT_LE(s.down * (gated ? 2 : 1) * s.across, 32u) << where;
                        else
                            ASSERT_LE(s.subgroups * s.down * s.across, 192u) << where;
                        ASSERT_GE(8 * s.across, rows) << where;
                        ASSERT_GE(s.heldCols(type) * s.splits, in) << where;
                        ASSERT_LT(s.heldCols(type) * (s.splits - 1), in) << where;
                    }
}

TEST(SmallGemmShapeTest, OneLargeGroupForEachComputeUnit)
{
    Capabilities can;
    can.computeUnits = 132;
    const SmallGemmShape three = smallGemmShape(can, DType::Q4_K, 32, 6144, 4096, false);
    EXPECT_EQ(three.down, 3u);
    EXPECT_EQ(three.subgroups, 8u);
    EXPECT_EQ(three.steps, 4u);
    const SmallGemmShape two = smallGemmShape(can, DType::Q4_K, 30, 4096, 14336, false);
    EXPECT_EQ(two.down, 2u);
    EXPECT_EQ(two.subgroups, 8u);
    EXPECT_EQ(two.steps, 7u);
    EXPECT_EQ(two.held, 2u);
    EXPECT_EQ(smallGemmShape(can, DType::Q4_K, 16, 4096, 14336, false).down, 1u) << "few rows of x";
    EXPECT_EQ(smallGemmShape(can, DType::Q4_K, 32, 14336, 4096, false).down, 1u) << "many tiles";
    EXPECT_EQ(smallGemmShape(can, DType::Q4_K, 32, 4096, 14336, true).down, 1u) << "gated";
}

TEST(SmallGemmShapeTest, ManyTilesLieAbreast)
{
    Capabilities can;
    can.computeUnits = 132;
    const SmallGemmShape gated = smallGemmShape(can, DType::Q4_K, 32, 14336, 4096, true);
    EXPECT_EQ(gated.abreast, gated.subgroups);
    EXPECT_EQ(gated.steps, 16u);
    EXPECT_EQ(gated.down, 1u);
    const SmallGemmShape output = smallGemmShape(can, DType::Q4_K, 64, 128256, 4096, false);
    EXPECT_EQ(output.abreast, output.subgroups);
    EXPECT_EQ(output.down, 2u);
    EXPECT_EQ(smallGemmShape(can, DType::Q4_K, 16, 14336, 4096, true).abreast, 1u) << "few rows";
    EXPECT_EQ(smallGemmShape(can, DType::Q4_K, 32, 8192, 2048, true).abreast, 1u) << "few tiles";
}

TEST(SmallGemmShapeTest, MoreRowsAreSplitUntilComputeUnitsAreBusy)
{
    Capabilities can;
    can.computeUnits = 132;
    const SmallGemmShape gated = smallGemmShape(can, DType::Q4_K, 117, 14336, 4096, true);
    EXPECT_EQ(gated.splits, 1u);
    EXPECT_EQ(gated.across, 16u);
    const SmallGemmShape few = smallGemmShape(can, DType::Q4_K, 117, 4096, 4096, false);
    EXPECT_GE(few.splits, 4u);
    EXPECT_EQ(few.steps * few.splits, 32u);
    can.computeUnits = 8;
    EXPECT_EQ(smallGemmShape(can, DType::Q4_K, 117, 4096, 4096, false).splits, 1u);
}

TEST_F(SmallGemmTest, EveryShape)
{
    constexpr std::int64_t T = 11, in = 768, outs = 100;
    const SomeWeight weight(device.device(), DType::Q4_K, outs, in, 1);
    const auto x = randomValues(T * in, 3);
    const auto expected = reference::linear(x, weight.values, {}, outs, in);
    struct Case
    {
        std::uint32_t subgroups, across, held, buffers, tilesPerGroup, steps = 1, down = 1,
                                                                       abreast = 1;
    };
    const Case cases[] = {
        {2, 2, 1, 1, 3},          {3, 2, 2, 2, 2},          {6, 4, 1, 1, 7},
        {1, 2, 1, 2, 3},          {2, 2, 2, 1, 1},          {8, 2, 1, 2, 3},
        {1, 2, 1, 2, 3, 2},       {2, 2, 2, 1, 2, 2},       {1, 2, 1, 1, 1, 6},
        {2, 2, 1, 2, 2, 1, 2},    {3, 2, 1, 1, 1, 2, 3},    {2, 2, 2, 1, 2, 2, 2},
        {2, 8, 1, 1, 1, 3, 2},    {1, 5, 1, 1, 2, 6, 3},    {2, 2, 1, 1, 1, 6, 1, 2},
        {6, 2, 1, 1, 2, 2, 1, 3}, {4, 2, 2, 2, 1, 1, 2, 2}, {2, 8, 1, 1, 1, 2, 2, 2}};
    for (const Case &c : cases) {
        SmallGemmShape shape;
        shape.subgroups = c.subgroups;
        shape.across = c.across;
        shape.held = c.held;
        shape.together = c.held;
        shape.buffers = c.buffers;
        shape.tilesPerGroup = c.tilesPerGroup;
        shape.steps = c.steps;
        shape.down = c.down;
        shape.abreast = c.abreast;
        shape.ahead = 2;
        shape.splits = static_cast<std::uint32_t>(ceilDiv(in, shape.heldCols(DType::Q4_K)));
        for (int again = 0; again < 2; ++again) { // the counters are zero again
            device.begin(T);
            const Tensor input = device.put(x, T, in, DType::F32, in);
            const Tensor out =
                device.put(std::vector<float>(T * outs, NAN), T, outs, DType::F32, outs);
            EmulatedMatrices recorder(device.recorder());
            const LinearTarget targets[] = {{weight.weight.get(), out}};
            const SmallGemmDispatch dispatch{prepareSmallGemm(recorder, input, DType::Q4_K, shape),
                                             T, in, targets};
            dispatchSmallGemm(recorder, dispatch, shape);
            device.recorder().sync();
            EXPECT_LE(reference::relativeError(device.get(out), expected), 2e-3)
                << shape.subgroups << " subgroups, " << shape.splits << " splits, " << shape.abreast
                << " abreast";
        }
    }
}

} // namespace
} // namespace fireside::vulkan
