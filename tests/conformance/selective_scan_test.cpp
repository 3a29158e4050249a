#include "tests/conformance/products.h"
#include "tests/conformance/states.h"
#include "tests/support/reference_rows.h"

// Mamba's scan.
namespace fireside::conformance {
namespace {

using SelectiveScanTest = OpTest;

TEST_P(SelectiveScanTest, GoesOnFromItsState)
{
    Cases cases("selectiveScan");
    const auto lengths = cases.option("items of", kStateLengths);
    const auto channels = cases.option<std::int64_t>("channels", {1, 33, 160});
    const auto numbers = cases.option<std::int64_t>("numbers each", {1, 5, 16, 64});
    const auto from = cases.option("from", bench.activations()); // x, b and c
    const auto stepType = cases.option("dt", bench.activations());
    const auto into = cases.option("into", bench.activations());
    const auto aType = cases.option("a", std::vector{DType::F32, DType::F16, DType::BF16});
    const auto biased = cases.option("biased");
    const auto mean = cases.option<float>("dt about", {0, -9, 30});
    for (const Pick &pick : bench.draw(cases, 8)) {
        const std::int64_t C = pick[channels], N = pick[numbers];
        const TestWeight &d = bench.weight(DType::F32, 1, C, 1, 2);
        const TestWeight *const bias = pick[biased] ? &bench.weight(DType::F32, 1, C) : nullptr;
        ItemStates states(bench, pick[lengths], C * N);
        const std::unique_ptr<TestWeight> a = negativeWeight(bench, pick[aType], C, N);
        const std::int64_t T = states.plan.rows();
        for (int pass = 0; pass < 2; ++pass) {
            bench.start(pick, states.plan);
            const Matrix x = bench.numbers(T, C, pick[from]);
            const Matrix dt = numbersAbout(bench, pick[mean], T, C, pick[stepType]);
            const Matrix b = bench.numbers(T, N, pick[from]), c = bench.numbers(T, N, pick[from]);
            const Tensor xs = bench.in(x, pick[from]), steps = bench.in(dt, pick[stepType]);
            const Tensor bs = bench.in(b, pick[from]), cs = bench.in(c, pick[from]);
            const Tensor out = bench.out(T, C, pick[into]);
            if (!bench.run([&](Commands &to) {
                    to.record(op::SelectiveScan{xs, steps, weightOf(bias), *a->weight, bs, cs,
                                                *d.weight, ItemStates::kLayer, ItemStates::kOffset,
                                                out});
                }))
                break;
            auto reference = reference::selectiveScan(
                x.v, dt.v, bias ? bias->values : std::vector<double>(), a->values, b.v, c.v,
                d.values, pick[lengths].all, states.all);
            bench.expect(out, std::move(reference),
                         bench.target().tolerance({pick[from], pick[into]}));
            bench.finish();
            states.check(bench, 1e-5);
        }
    }
}

FIRESIDE_ON_EVERY_DEVICE(SelectiveScanTest);

} // namespace
} // namespace fireside::conformance
