#include "tests/conformance/logits.h"

// The best few of a row.
namespace fireside::conformance {
namespace {

using TopKTest = OpTest;

TEST_P(TopKTest, Rows)
{
    Cases cases("topK");
    const auto k = cases.option<std::int64_t>("k", {1, 2, 5, 8, 40, 64, 100, 513, 1024});
    const auto rows = cases.option<std::int64_t>("rows", {0, 1, 9});
    const auto cols = cases.option<std::int64_t>("cols", {1, 3, 33, 257, 2048, 32000});
    const auto type = cases.option("type", bench.activations());
    const auto kind = kindsOf(cases);
    for (const Pick &pick : bench.draw(cases, 24)) {
        bench.start(pick);
        const Matrix x = awkward(bench, pick[rows], pick[cols], pick[type], pick[kind]);
        const Tensor input = bench.in(x, pick[type]);
        const Tensor values = bench.out(pick[rows], pick[k], DType::F32);
        const Tensor ids = bench.idsOut(pick[rows], pick[k]);
        if (!bench.run([&](Commands &c) { c.record(op::TopK{input, values, ids}); }))
            continue;
        std::vector<std::int32_t> columns;
        std::vector<double> largest;
        for (std::int64_t r = 0; r < x.rows; ++r) {
            const bool finite = isFinite(x, r);
            const auto sorted = finite ? order(x, r) : std::vector<std::int32_t>();
            for (std::size_t j = 0; j < static_cast<std::size_t>(pick[k]); ++j) {
                columns.push_back(j < sorted.size() ? sorted[j] : finite ? -1 : kNotFinite);
                largest.push_back(j < sorted.size() ? static_cast<double>(x.at(r, sorted[j]))
                                                    : -HUGE_VAL);
            }
        }
        // Infinities must match exactly, so the norm of the rest is what counts.
        bench.expectIds(ids, std::move(columns));
        bench.expectExactly(values, std::move(largest));
    }
}

// Long rows are read by several groups: the one that meets it must be heard.
TEST_P(TopKTest, OneBrokenValueInALongRow)
{
    constexpr std::int64_t kEntries = 151936, kBest = 40;
    for (const float broken : {kNotANumber, INFINITY, -INFINITY})
        for (const std::int64_t at : {std::int64_t{0}, kEntries / 2 + 1, kEntries - 1}) {
            bench.start("topK", "with one that is not finite", "F32");
            Matrix x = bench.numbers(1, kEntries, DType::F32);
            x.v[static_cast<std::size_t>(at)] = broken;
            const Tensor input = bench.in(x, DType::F32), best = bench.idsOut(1);
            const Tensor values = bench.out(1, kBest, DType::F32), ids = bench.idsOut(1, kBest);
            if (!bench.run([&](Commands &c) {
                    c.record(op::Argmax{input, best});
                    c.record(op::TopK{input, values, ids});
                }))
                continue;
            bench.expectIds(best, {kNotFinite});
            bench.expectIds(ids, std::vector<std::int32_t>(kBest, kNotFinite));
            bench.expectExactly(values, std::vector<double>(kBest, -HUGE_VAL));
        }
}

FIRESIDE_ON_EVERY_DEVICE(TopKTest);

} // namespace
} // namespace fireside::conformance
