#include "engine/vulkan/ops/matmul/gemm_tile.h"
#include "engine/vulkan/weights/weight_shader.h"
#include "tests/conformance/draw.h"
#include "tests/vulkan/emulation_report.h"
#include "tests/vulkan/matrix_product.h"
#include "tests/vulkan/narrow_vectors.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>
#include <random>

// Every weight type in the kernels on cooperative matrices, in tiles and in small groups, by way of
// their emulation: all pairs of a type and a form, and of two options of a form.
namespace fireside::vulkan {
namespace {

using conformance::Cases;
using conformance::Pick;
using test::EmulatedMatrices;
using test::kMatrixTypes;
using test::MatrixProduct;

/// What a product may be asked for; not gated is one of the functions.
struct Options
{
    explicit Options(const char *kernel, std::vector<std::int64_t> rowCounts)
        : cases(kernel)
        , type(cases.option("weight",
                            std::vector<DType>(std::begin(kMatrixTypes), std::end(kMatrixTypes))))
        , gated(cases.option("gated"))
        , rows(cases.option("rows", std::move(rowCounts)))
        , blocks(cases.option<std::int64_t>("blocks", {1, 2}))
        , outs(cases.option<std::int64_t>("outs", {21, 40}))
        , gap(cases.option<std::int64_t>("gap", {0, 3}))
        , x(cases.option("x", std::vector{DType::F32, DType::F16}))
        , out(cases.option("out", std::vector{DType::F32, DType::F16}))
        , bias(cases.option("bias"))
        , addOrUpBias(cases.option("added or up's bias"))
        , norm(cases.option("norm"))
    {}
    Cases cases;
    conformance::Option<DType> type;
    conformance::Option<bool> gated;
    conformance::Option<std::int64_t> rows, blocks, outs, gap;
    conformance::Option<DType> x, out;
    conformance::Option<bool> bias, addOrUpBias, norm;

    MatrixProduct product(const Pick &pick, std::size_t number) const
    {
        constexpr Activation kActs[] = {Activation::SiLU, Activation::GeluErf, Activation::GeluTanh,
                                        Activation::ReluSquared, Activation::ClampedSwiGlu};
        MatrixProduct p;
        p.weight = pick[type];
        p.x = pick[x];
        p.out = pick[out];
        p.rows = pick[rows];
        p.cols = pick[blocks] * static_cast<std::int64_t>(info(p.weight).blockElements);
        if (const std::int64_t block = info(p.weight).blockElements; block < 256)
            // Whole groups, and rows that end within a step.
            p.cols = pick[blocks] == 2 ? 256 : p.exact() ? 41 : (95 + block) / block * block;
        p.outs = pick[outs];
        p.gap = pick[gap];
        if (pick[gated])
            p.act = kActs[number % std::size(kActs)];
        // GELU is told from GELU by its bias.
        p.bias = pick[bias] || p.act == Activation::GeluErf || p.act == Activation::GeluTanh;
        p.upBias = pick[gated] && pick[addOrUpBias];
        p.add = !pick[gated] && pick[addOrUpBias];
        p.norm = pick[norm];
        return p;
    }
};

class MatrixProducts : public test::WithNarrowVectors<test::OnRecorder>
{
protected:
    void run(const Options &options, const char *kernel, bool tiles, const char *onDevicesOnly)
    {
        std::mt19937 random(11);
        test::EmulationReport report(kernel, onDevicesOnly);
        std::size_t number = 0;
        for (const Pick &pick : options.cases.allPairs(random)) {
            const MatrixProduct product = options.product(pick, number++);
            EmulatedMatrices recorder(device.recorder());
            const double error = errorOf(
                device, product,
                [&](const LinearInput &x, const LinearTarget &target, Accumulate mode) {
                    (tiles ? linearTiled : linearSmallGemm)(recorder, x, {&target, 1}, mode);
                },
                [&](const LinearInput &x, const GatedWeights &weights, Activation act,
                    const Tensor &out) {
                    (tiles ? gatedLinearTiled : gatedLinearSmallGemm)(recorder, x, weights, act,
                                                                      out);
                });
            EXPECT_LE(error, product.bound()) << product.text();
            const std::string shader = weightShader(kernel, product.weight);
            EXPECT_GT(std::count(recorder.dispatched.begin(), recorder.dispatched.end(), shader), 0)
                << product.text();
            report.met(product.weight, options.cases.pairsOf(pick), error / product.bound());
        }
        report.expectAll(std::size(kMatrixTypes), options.cases.pairs());
    }
};

TEST_F(MatrixProducts, EveryTypeInTiles)
{
    run(Options("gemm_matrix", {20, 50}), "gemm_matrix", true,
        "the order in which the driver loads factors (by rows, by columns)");
}

TEST_F(MatrixProducts, EveryTypeInSmallGroups)
{
    run(Options("small_gemm_matrix", {5, 16}), "small_gemm_matrix", false,
        "which thread has which element of a matrix");
}

/// Rows of x hold NaN, an infinity and a number beyond F16: only the last one is limited. The
/// output is F16, too, of which the same is true.
TEST_F(MatrixProducts, WhatIsNotFiniteStaysSo)
{
    constexpr std::int64_t kRows = 16, kCols = 256, kOuts = 40;
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (const DType type : {DType::Q4_K, DType::F16})
        for (const bool tiles : {true, false})
            for (const bool gated : {true, false}) {
                const test::SomeWeight weight(device.device(), type, kOuts, kCols, 1);
                std::vector<float> x = test::randomValues(kRows * kCols, 3);
                x[1 * kCols + 7] = NAN;
                x[2 * kCols + 255] = kInfinity;
                x[3 * kCols] = -kInfinity;
                x[4 * kCols + 100] = 1e30f;
                device.begin(kRows);
                EmulatedMatrices recorder(device.recorder());
                const Tensor in = device.put(x, kRows, kCols, DType::F32, kCols);
                const std::vector<float> nothing(kRows * kOuts, 0);
                const Tensor out = device.put(nothing, kRows, kOuts, DType::F16, kOuts);
                const Weight *const w = weight.weight.get();
                const LinearTarget target{w, out, nullptr};
                const GatedWeights both{w, w, nullptr, nullptr};
                if (gated)
                    (tiles ? gatedLinearTiled : gatedLinearSmallGemm)(recorder, LinearInput(in),
                                                                      both, Activation::SiLU, out);
                else
                    (tiles ? linearTiled : linearSmallGemm)(recorder, LinearInput(in), {&target, 1},
                                                            Accumulate::Overwrite);
                device.recorder().sync();
                const std::vector<float> got = device.get(out);
                for (std::int64_t r = 0; r < kRows; ++r)
                    for (std::int64_t o = 0; o < kOuts; ++o)
                        EXPECT_EQ(std::isfinite(got[static_cast<std::size_t>(r * kOuts + o)]),
                                  r < 1 || r > 3)
                            << name(type) << (tiles ? ", tiles" : ", small")
                            << (gated ? ", gated" : "") << ", row " << r << ", " << o;
            }
}

} // namespace
} // namespace fireside::vulkan
