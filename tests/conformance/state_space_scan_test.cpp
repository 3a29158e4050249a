#include "tests/conformance/products.h"
#include "tests/conformance/states.h"
#include "tests/support/reference_rows.h"

// Mamba 2's scan.
namespace fireside::conformance {
namespace {

using StateSpaceScanTest = OpTest;

struct ScanShape
{
    std::int64_t groups, heads, dim, numbers;
};
std::string valueText(const ScanShape &s)
{
    return std::to_string(s.groups) + "/" + std::to_string(s.heads) + " of " +
           std::to_string(s.dim) + "/" + std::to_string(s.numbers);
}

TEST_P(StateSpaceScanTest, GoesOnFromItsState)
{
    Cases cases("stateSpaceScan");
    const auto lengths = cases.option("items of", kStateLengths);
    std::vector<ScanShape> all{
        {1, 1, 1, 1}, {1, 3, 33, 5}, {2, 4, 64, 16}, {2, 2, 8, 128}, {8, 8, 64, 64}};
    if (bench.target().thorough())
        all.push_back({1, 2, 64, 256});
    const auto shapes = cases.option("heads", all);
    const auto from = cases.option("from", bench.activations()); // x, b and c
    const auto stepType = cases.option("dt", bench.activations());
    const auto into = cases.option("into", bench.activations());
    const auto aType = cases.option("a", std::vector{DType::F32, DType::F16, DType::BF16});
    const auto biased = cases.option("biased"), through = cases.option("d");
    const auto mean = cases.option<float>("dt about", {0, -9, 30});
    const auto limited = cases.option("limited");
    for (const Pick &pick : bench.draw(cases, 8)) {
        const auto [G, H, P, N] = pick[shapes];
        const TestWeight *const d = pick[through] ? &bench.weight(DType::F32, 1, H, 1, 2) : nullptr;
        const TestWeight *const bias = pick[biased] ? &bench.weight(DType::F32, 1, H) : nullptr;
        ItemStates states(bench, pick[lengths], H * P * N);
        const std::unique_ptr<TestWeight> a = negativeWeight(bench, pick[aType], 1, H);
        const std::int64_t T = states.plan.rows();
        for (int pass = 0; pass < 2; ++pass) {
            bench.start(pick, states.plan);
            const Matrix x = bench.numbers(T, H * P, pick[from]);
            const Matrix dt = numbersAbout(bench, pick[mean], T, H, pick[stepType]);
            const Matrix b = bench.numbers(T, G * N, pick[from]);
            const Matrix c = bench.numbers(T, G * N, pick[from]);
            const Tensor xs = bench.in(x, pick[from]), steps = bench.in(dt, pick[stepType]);
            const Tensor bs = bench.in(b, pick[from]), cs = bench.in(c, pick[from]);
            const Tensor out = bench.out(T, H * P, pick[into]);
            const float least = pick[limited] ? 0.3f : 0, most = pick[limited] ? 0.9f : 1e9f;
            if (!bench.run([&, groups = G, heads = H](Commands &to) {
                    to.record(op::StateSpaceScan{xs, steps, weightOf(bias), *a->weight, bs, cs,
                                                 weightOf(d), groups, heads, least, most,
                                                 ItemStates::kLayer, ItemStates::kOffset, out});
                }))
                break;
            const reference::ScanHeads heads{
                .count = static_cast<std::size_t>(H),
                .groups = static_cast<std::size_t>(G),
                .dtBias = bias ? std::span(bias->values) : std::span<const double>(),
                .a = a->values,
                .d = d ? std::span(d->values) : std::span<const double>(),
                .dtMin = static_cast<double>(least),
                .dtMax = static_cast<double>(most)};
            auto reference = reference::stateSpaceScan(x.v, dt.v, b.v, c.v, heads,
                                                       pick[lengths].all, states.all);
            bench.expect(out, std::move(reference),
                         bench.target().tolerance({pick[from], pick[into]}));
            bench.finish();
            states.check(bench, 1e-5);
        }
    }
}

FIRESIDE_ON_EVERY_DEVICE(StateSpaceScanTest);

} // namespace
} // namespace fireside::conformance
