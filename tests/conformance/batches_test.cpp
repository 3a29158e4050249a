#include "tests/conformance/bench.h"

#include <algorithm>
#include <limits>

// Batches of sequences of different lengths.
namespace fireside::conformance {
namespace {

using BatchesTest = OpTest;

struct Lengths
{
    std::vector<std::int64_t> all;
};
std::string valueText(const Lengths &lengths)
{
    std::string list;
    for (const std::int64_t length : lengths.all)
        list += (list.empty() ? "" : "+") + std::to_string(length);
    return list.empty() ? "of no items" : list;
}

const std::vector<Lengths> kLengths = {{{1}},          {{5}},
                                       {{3, 1, 7}},    {{0, 4}},
                                       {{4, 0, 0, 2}}, {{33, 64, 2, 31}},
                                       {{}},           {{1, 1, 1, 1, 1}}};

BatchPlan planOf(const Lengths &lengths)
{
    BatchPlan plan;
    for (const std::int64_t length : lengths.all)
        plan.item(length);
    return plan;
}

/// Rows of x, each item's followed by `filler` up to the longest.
Matrix padded(const Matrix &x, const BatchPlan &plan, std::int64_t longest, float filler)
{
    const auto items = static_cast<std::int64_t>(plan.items.size());
    Matrix out{items * longest, x.cols,
               std::vector<float>(static_cast<std::size_t>(items * longest * x.cols), filler)};
    for (std::int64_t i = 0; i < items; ++i) {
        const BatchItem &item = plan.items[static_cast<std::size_t>(i)];
        std::copy_n(x.v.begin() + item.firstRow * x.cols, item.rows * x.cols,
                    out.v.begin() + i * longest * x.cols);
    }
    return out;
}

TEST_P(BatchesTest, PadAndUnpad)
{
    for (const bool back : {false, true}) {
        Cases cases(back ? "unpad" : "pad");
        const auto lengths = cases.option("rows", kLengths);
        const auto cols = cases.option<std::int64_t>("columns", {3, 64, 257});
        const auto room = cases.option<std::int64_t>("room for more", {0, 1, 5});
        const auto from = cases.option("from", bench.activations());
        const auto to = cases.option("to", bench.activations());
        for (const Pick &pick : bench.draw(cases, 0)) {
            const BatchPlan plan = planOf(pick[lengths]);
            std::int64_t longest = pick[room];
            for (const BatchItem &item : plan.items)
                longest = std::max(longest, item.rows + pick[room]);
            bench.start(pick, plan);
            const Matrix x = bench.numbers(plan.rows(), pick[cols], pick[from]);
            // Nothing of the padding may be read.
            const Matrix wide =
                padded(x, plan, longest, back ? std::numeric_limits<float>::quiet_NaN() : 0);
            const Matrix &source = back ? wide : x, &result = back ? x : wide;
            const Tensor in = bench.in(source, pick[from]);
            const Tensor out = bench.out(result.rows, result.cols, pick[to]);
            if (bench.run([&](Commands &c) {
                    back ? c.record(op::Unpad{in, out}) : c.record(op::Pad{in, out});
                }))
                bench.expect(out, {result.v.begin(), result.v.end()},
                             pick[from] == pick[to] ? 0 : 1e-3);
        }
    }
}

TEST_P(BatchesTest, Pool)
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

FIRESIDE_ON_EVERY_DEVICE(BatchesTest);

} // namespace
} // namespace fireside::conformance
