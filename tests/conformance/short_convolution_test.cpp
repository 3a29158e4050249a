#include "tests/conformance/products.h"
#include "tests/conformance/sequences.h"
#include "tests/support/reference_rows.h"

// Convolution over the last few tokens.
namespace fireside::conformance {
namespace {

using ShortConvolutionTest = OpTest;

TEST_P(ShortConvolutionTest, GoesOnFromItsState)
{
    const std::vector<DType> stored{DType::F32, DType::F16, DType::BF16};
    Cases cases("shortConvolution");
    const auto lengths = cases.option("items of", kStateLengths);
    const auto taps = cases.option<std::int64_t>("taps", {1, 2, 3, 4, 5, 16, 33, 64});
    const auto channels = cases.option<std::int64_t>("channels", {1, 33, 256});
    const auto from = cases.option("from", bench.activations());
    const auto into = cases.option("into", bench.activations());
    const auto weightType = cases.option("weight", stored);
    const auto biased = cases.option("biased");
    const auto biasType = cases.option("bias", stored);
    for (const Pick &pick : bench.draw(cases, 10)) {
        const std::int64_t K = pick[taps], C = pick[channels];
        const TestWeight &weight = bench.weight(pick[weightType], C, K);
        const TestWeight *const bias = pick[biased] ? &bench.weight(pick[biasType], 1, C) : nullptr;
        const BatchPlan plan = planOf(pick[lengths]);
        bench.start(pick, plan);
        const Matrix x = bench.numbers(plan.rows(), C, pick[from]);
        const Matrix before =
            bench.numbers(static_cast<std::int64_t>(pick[lengths].all.size()) * (K - 1), C);
        const Tensor input = bench.in(x, pick[from]);
        const Tensor state = bench.in(before, DType::F32, {4, 0});
        const Tensor out = bench.out(plan.rows(), C, pick[into]);
        if (!bench.run([&](Commands &c) {
                c.record(op::ShortConvolution{input, *weight.weight,
                                              bias ? bias->weight.get() : nullptr, state, out});
            }))
            continue;
        const std::vector<float> w(weight.values.begin(), weight.values.end());
        const std::vector<float> b =
            bias ? std::vector<float>(bias->values.begin(), bias->values.end())
                 : std::vector<float>();
        std::vector<double> after = doubles(before);
        auto reference = reference::shortConvolution(x.v, w, b, static_cast<std::size_t>(C),
                                                     pick[lengths].all, after);
        bench.expect(out, std::move(reference), bench.target().tolerance({pick[from], pick[into]}));
        bench.expect(state, std::move(after), 1e-6);
    }
}

FIRESIDE_ON_EVERY_DEVICE(ShortConvolutionTest);

} // namespace
} // namespace fireside::conformance
