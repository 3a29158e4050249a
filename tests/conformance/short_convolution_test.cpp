#include "tests/conformance/products.h"
#include "tests/conformance/states.h"
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
        const std::vector<float> w(weight.values.begin(), weight.values.end());
        const std::vector<float> b =
            bias ? std::vector<float>(bias->values.begin(), bias->values.end())
                 : std::vector<float>();
        ItemStates states(bench, pick[lengths], (K - 1) * C);
        for (int pass = 0; pass < 2; ++pass) {
            bench.start(pick, states.plan);
            const Matrix x = bench.numbers(states.plan.rows(), C, pick[from]);
            const Tensor input = bench.in(x, pick[from]);
            const Tensor out = bench.out(states.plan.rows(), C, pick[into]);
            if (!bench.run([&](Commands &c) {
                    c.record(op::ShortConvolution{input, *weight.weight, weightOf(bias),
                                                  ItemStates::kLayer, ItemStates::kOffset, out});
                }))
                break;
            auto reference = reference::shortConvolution(x.v, w, b, static_cast<std::size_t>(C),
                                                         pick[lengths].all, states.all);
            bench.expect(out, std::move(reference),
                         bench.target().tolerance({pick[from], pick[into]}));
            bench.finish();
            states.check(bench, 1e-6);
        }
    }
}

FIRESIDE_ON_EVERY_DEVICE(ShortConvolutionTest);

} // namespace
} // namespace fireside::conformance
