#include "engine/vulkan/lowering.h"

#include "engine/vulkan/ops/matmul/gemv.h"
#include "tests/support/reference_ops.h"
#include "tests/vulkan/product_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

// What is gained by looking at neighbouring ops: which dispatches they become, and that results
// stay what they are.
namespace fireside::vulkan {
namespace {

using test::EmulatedMatrices;
using test::randomValues;
using test::SomeWeight;

class LoweringTest : public test::OnRecorder
{
protected:
    static constexpr std::int64_t kWidth = 256, kOuts = 600;

    /// The shaders that the ops became. matrices: as on a device that has some and subgroups of 32;
    /// only for products of many rows, other kernels rely on real subgroups.
    std::vector<std::string> lowered(const std::function<void(Lowering &)> &record,
                                     bool matrices = true)
    {
        EmulatedMatrices recorder(device.recorder());
        if (!matrices)
            recorder.device = device.recorder().capabilities();
        Lowering lowering(recorder);
        record(lowering);
        lowering.finish();
        return recorder.dispatched;
    }
    static std::int64_t count(const std::vector<std::string> &shaders, const std::string &shader)
    {
        return std::count(shaders.begin(), shaders.end(), shader);
    }
    std::vector<double> productOf(const std::vector<double> &x, const SomeWeight &weight,
                                  std::int64_t outs)
    {
        return reference::linear(std::vector<float>(x.begin(), x.end()), weight.values, {},
                                 static_cast<std::size_t>(outs), static_cast<std::size_t>(kWidth));
    }
    Tensor outputOf(std::int64_t rows, std::int64_t cols)
    {
        return device.put(std::vector<float>(static_cast<std::size_t>(rows * cols), NAN), rows,
                          cols, DType::F32, cols);
    }
};

// Between two products of many rows: in F16 only where it was said that nothing else reads it.
TEST_F(LoweringTest, WhatOneProductReadsIsKeptInHalves)
{
    constexpr std::int64_t T = 48;
    const SomeWeight first(device.device(), DType::Q4_K, kWidth, kWidth, 1);
    const SomeWeight second(device.device(), DType::Q4_K, kOuts, kWidth, 2);
    const auto x = randomValues(T * kWidth, 3);
    std::size_t dispatches[2] = {};
    for (const bool forProducts : {false, true}) {
        device.begin(T);
        const Tensor input = device.put(x, T, kWidth, DType::F32, kWidth);
        Tensor between = outputOf(T, kWidth);
        between.forProducts = forProducts;
        const Tensor out = outputOf(T, kOuts);
        dispatches[forProducts ? 1 : 0] =
            lowered([&](Lowering &ops) {
                ops.add(op::Linear{input, {{first.weight.get(), between}}});
                ops.add(op::Linear{between, {{second.weight.get(), out}}});
            }).size();
        device.recorder().sync();
        const auto middle = productOf({x.begin(), x.end()}, first, kWidth);
        EXPECT_LE(reference::relativeError(device.get(out), productOf(middle, second, kOuts)), 2e-3)
            << forProducts;
        Tensor halves = between;
        halves.dtype = DType::F16;
        EXPECT_LE(reference::relativeError(device.get(forProducts ? halves : between), middle),
                  2e-3)
            << forProducts;
    }
    EXPECT_EQ(dispatches[1] + 1, dispatches[0]) << "the conversion is left out";
}

// The function and its bias: in the product's own dispatch only where it was said that nothing else
// reads what the product gives; also where its columns are cut.
TEST_F(LoweringTest, AProductTakesTheFunctionBehindIt)
{
    constexpr std::int64_t T = 136, kFewOuts = 64, kCut = 1024;
    const SomeWeight weight(device.device(), DType::Q4_K, kFewOuts, kCut, 1);
    const SomeWeight bias(device.device(), DType::F32, 1, kFewOuts, 2);
    const auto x = randomValues(T * kCut, 3);
    std::vector<double> expected = reference::linear(x, weight.values, {}, kFewOuts, kCut);
    for (std::size_t i = 0; i < expected.size(); ++i)
        expected[i] = std::max(expected[i] + double{bias.values[i % kFewOuts]}, 0.0);
    for (const bool handedOn : {false, true}) {
        device.begin(T);
        const Tensor input = device.put(x, T, kCut, DType::F32, kCut);
        Tensor between = outputOf(T, kFewOuts);
        between.forOneReader = handedOn;
        const Tensor out = outputOf(T, kFewOuts);
        const std::vector<std::string> shaders = lowered([&](Lowering &ops) {
            ops.add(op::Linear{input, {{weight.weight.get(), between}}});
            ops.add(op::Activate{
                .x = between, .act = Activation::Relu, .bias = bias.weight.get(), .out = out});
        });
        device.recorder().sync();
        EXPECT_EQ(count(shaders, "elementwise"), handedOn ? 0 : 1);
        EXPECT_EQ(count(shaders, "gemm_reduce"), 1) << "no columns are cut";
        EXPECT_LE(reference::relativeError(device.get(out), expected), 2e-3) << handedOn;
    }
}

// Ops are lowered after the caller has given their memory back: each still has its own.
TEST_F(LoweringTest, ScratchIsThatOfTheTimeOfRecording)
{
    constexpr std::int64_t T = 40;
    const SomeWeight norm(device.device(), DType::F32, 1, kWidth, 1);
    const SomeWeight first(device.device(), DType::Q4_K, kWidth, kWidth, 2);
    const SomeWeight second(device.device(), DType::Q4_K, kOuts, kWidth, 3);
    const auto x = randomValues(T * kWidth, 4), y = randomValues(T * kWidth, 5);
    device.begin(T);
    const Tensor inputs[] = {device.put(x, T, kWidth, DType::F32, kWidth),
                             device.put(y, T, kWidth, DType::F32, kWidth)};
    const Tensor outs[] = {outputOf(T, kOuts), outputOf(T, kOuts)};
    VulkanRecorder &r = device.recorder();
    lowered([&](Lowering &ops) {
        for (int i = 0; i < 2; ++i) {
            const std::size_t mark = r.mark();
            const Tensor between = r.scratch(T, kWidth, DType::F32); // the same memory each time
            ops.add(op::Linear{{inputs[i], *norm.weight, 1e-5f}, {{first.weight.get(), between}}});
            ops.add(op::Linear{{between, *norm.weight, 1e-5f}, {{second.weight.get(), outs[i]}}});
            r.release(mark);
        }
    });
    r.sync();
    const std::vector<float> norms(norm.values.begin(), norm.values.end());
    for (int i = 0; i < 2; ++i) {
        const auto middle =
            productOf(reference::rmsNorm(i == 0 ? x : y, norms, 1e-5), first, kWidth);
        const auto normed =
            reference::rmsNorm(std::vector<float>(middle.begin(), middle.end()), norms, 1e-5);
        EXPECT_LE(reference::relativeError(device.get(outs[i]), productOf(normed, second, kOuts)),
                  3e-3)
            << i;
    }
}

// The dispatch that writes a row makes its integers too, for the product two ops later.
TEST_F(LoweringTest, TheReaderIsSeenBehindOtherOps)
{
    if (!device.recorder().capabilities().integerDot)
        FIRESIDE_SKIP("no integer dot products here");
    constexpr std::int64_t T = 1;
    const SomeWeight norm(device.device(), DType::F32, 1, kWidth, 1);
    const SomeWeight first(device.device(), DType::Q4_K, kWidth, kWidth, 2);
    const SomeWeight router(device.device(), DType::F32, 8, kWidth, 3);
    const SomeWeight second(device.device(), DType::Q4_K, kOuts, kWidth, 4);
    device.begin(T);
    const Tensor input = device.put(randomValues(kWidth, 5), T, kWidth, DType::F32, kWidth);
    const Tensor x = outputOf(T, kWidth), logits = outputOf(T, 8), copied = outputOf(T, 8);
    const Tensor out = outputOf(T, kOuts);
    const LinearInput normed{x, *norm.weight, 1e-5f};
    bool made = false;
    const auto shaders = lowered(
        [&](Lowering &ops) {
            ops.add(op::Linear{input, {{first.weight.get(), x}}});
            ops.add(op::Linear{normed, {{router.weight.get(), logits}}});
            ops.add(op::Copy{logits, copied});
            ops.add(op::Linear{normed, {{second.weight.get(), out}}});
            ops.add(op::Copy{logits, copied}); // the first op is lowered by now
            made = device.recorder().q8Activations().find(x, norm.weight.get()).has_value();
        },
        false);
    device.recorder().sync();
    // Not by the narrow subgroups that the driver may have been asked for, see narrow_vectors.h.
    EXPECT_EQ(made, mayReadQ8(device.recorder(), DType::Q4_K));
    EXPECT_LE(count(shaders, "q8_activations"), 1) << "of the input alone";
}

TEST_F(LoweringTest, TheChoiceOfExpertsGoesWithTheirProduct)
{
    constexpr std::int64_t T = 1, kChoices = 8, kUsed = 2, kFfn = 64;
    const SomeWeight gate(device.device(), DType::Q4_K, kFfn, kWidth, 1, kChoices);
    const SomeWeight up(device.device(), DType::Q4_K, kFfn, kWidth, 2, kChoices);
    for (const bool others : {false, true}) {
        device.begin(T);
        const Tensor x = device.put(randomValues(kWidth, 3), T, kWidth, DType::F32, kWidth);
        const Tensor logits =
            device.put(randomValues(kChoices, 4), T, kChoices, DType::F32, kChoices);
        const Tensor ids = device.put(std::vector<std::int32_t>{0, 1}, T, kUsed);
        const Tensor other = device.put(std::vector<std::int32_t>{0, 1}, T, kUsed);
        const Tensor weights = outputOf(T, kUsed), out = outputOf(T * kUsed, kFfn);
        const auto shaders = lowered(
            [&](Lowering &ops) {
                ops.add(op::Route{logits, {.used = kUsed}, ids, weights});
                ops.add(op::ExpertGatedLinear{x,
                                              others ? other : ids,
                                              {gate.weight.get(), up.weight.get()},
                                              Activation::SiLU,
                                              out});
            },
            false);
        device.recorder().sync();
        EXPECT_EQ(count(shaders, "route"), others ? 1 : 0);
    }
}

TEST_F(LoweringTest, NewHeadsGoWithTheirAttention)
{
    constexpr std::int64_t D = 64;
    const auto buffer = device.device().allocate(2 * 16 * D * 2 * 4, "caches");
    const KvLayer layer{buffer.get(), buffer.get(), DType::F16, 1, 16, D, D};
    const KvLayer layers[] = {layer, layer};
    AttentionShape shape;
    shape.heads = shape.kvHeads = 1;
    shape.headDim = D;
    shape.scale = 0.125f;
    enum class Differs { Nothing, Layer, Queries, Shape };
    for (const Differs what :
         {Differs::Nothing, Differs::Layer, Differs::Queries, Differs::Shape}) {
        const std::int32_t zero = 0;
        const BatchItem item{layers, 0, 1, 5};
        device.recorder().begin({{&zero, 1}, {&zero, 1}, {&item, 1}}, {});
        const Tensor q = outputOf(1, D), k = outputOf(1, D), out = outputOf(1, D);
        AttentionShape other = shape;
        other.softcap = what == Differs::Shape ? 20.0f : 0.0f;
        const HeadTransform plain{.headDim = D};
        const auto shaders = lowered(
            [&](Lowering &ops) {
                ops.add(op::AppendKv{q, plain, k, plain, k, 0, shape});
                ops.add(op::Attention{what == Differs::Queries ? k : q,
                                      what == Differs::Layer ? 1 : 0, other, out});
            },
            false);
        EXPECT_EQ(count(shaders, "append_kv"), what == Differs::Nothing ? 0 : 1)
            << static_cast<int>(what);
        device.recorder().sync();
    }
}

} // namespace
} // namespace fireside::vulkan
