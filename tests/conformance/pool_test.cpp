#include "tests/conformance/sequences.h"

#include <algorithm>

// One row of each sequence.
namespace fireside::conformance {
namespace {

using PoolTest = OpTest;

TEST_P(PoolTest, EveryKind)
{
    Cases cases("pool");
    const auto pooling = cases.option<Pooling>(
        "kind", {Pooling::First, Pooling::Mean, Pooling::Last}, {"first", "mean", "last"});
    const auto lengths = cases.option("rows", kLengths);
    const auto cols = cases.option<std::int64_t>("columns", {1, 33, 768});
    const auto from = cases.option("from", bench.activations());
    const auto to = cases.option("to", bench.activations());
    for (const Pick &pick : bench.draw(cases, 0)) {
        const BatchPlan plan = planOf(pick[lengths]);
        bench.start(pick, plan);
        const Matrix x = bench.numbers(plan.rows(), pick[cols], pick[from]);
        const Tensor input = bench.in(x, pick[from]);
        const Tensor out =
            bench.out(static_cast<std::int64_t>(plan.items.size()), x.cols, pick[to]);
        if (!bench.run([&](Commands &c) { c.record(op::Pool{input, pick[pooling], out}); }))
            continue;
        std::vector<double> reference;
        for (const BatchItem &item : plan.items)
            for (std::int64_t i = 0; i < x.cols; ++i) {
                std::int64_t first = item.firstRow, last = item.firstRow + item.rows;
                if (pick[pooling] == Pooling::First)
                    last = std::min(last, first + 1);
                else if (pick[pooling] == Pooling::Last)
                    first = std::max(first, last - 1);
                double sum = 0;
                for (std::int64_t r = first; r < last; ++r)
                    sum += static_cast<double>(x.at(r, i));
                reference.push_back(last > first ? sum / static_cast<double>(last - first) : 0);
            }
        bench.expect(out, std::move(reference), bench.target().tolerance({pick[from], pick[to]}));
    }
}

FIRESIDE_ON_EVERY_DEVICE(PoolTest);

} // namespace
} // namespace fireside::conformance
