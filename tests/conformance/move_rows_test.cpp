#include "tests/conformance/moved.h"
#include "tests/conformance/products.h"
#include "tests/conformance/sequences.h"

#include <algorithm>
#include <limits>

// Rows that move, with and without padding, and from and to the host.
namespace fireside::conformance {
namespace {

using MoveRowsTest = OpTest;

TEST_P(MoveRowsTest, GatherRows)
{
    Cases cases("gatherRows");
    const auto from = cases.option("from", bench.activations());
    const auto into = cases.option("into", bench.activations());
    const auto cols = cases.option<std::int64_t>("cols", {1, 3, 32, 33, 256, 2048});
    const auto count = cases.option<std::int64_t>("rows", {0, 1, 3, 64});
    const auto all = cases.option<std::int64_t>("of", {1, 9, 65});
    for (const Pick &pick : bench.draw(cases, 16)) {
        bench.start(pick);
        const Matrix x = bench.numbers(pick[all], pick[cols], pick[from]);
        const auto which = bench.integers(pick[count], 0, static_cast<std::int32_t>(pick[all] - 1));
        const Tensor input = bench.in(x, pick[from]);
        const Tensor rows = bench.ids(which);
        const Tensor out = bench.out(pick[count], pick[cols], pick[into]);
        if (!bench.run([&](Commands &c) { c.record(op::GatherRows{input, rows, out}); }))
            continue;
        std::vector<double> reference;
        for (const std::int32_t row : which)
            for (std::int64_t i = 0; i < x.cols; ++i)
                reference.push_back(static_cast<double>(x.at(row, i)));
        bench.expect(out, std::move(reference), moved(pick[from], pick[into]));
    }
}

TEST_P(MoveRowsTest, GatherTheBatchsOutputRows)
{
    BatchPlan plan = BatchPlan::plain(9);
    plan.outputRows = {8, 0, 3};
    bench.start("gatherRows", "output rows", "F32→F32", plan);
    const Matrix x = bench.numbers(9, 40);
    const Tensor input = bench.in(x, DType::F32);
    const Tensor out = bench.out(3, 40, DType::F32);
    if (!bench.run([&](Commands &c) { c.record(op::GatherRows{input, c.outputRows(), out}); }))
        return;
    std::vector<double> reference;
    for (const std::int32_t row : plan.outputRows)
        for (std::int64_t i = 0; i < 40; ++i)
            reference.push_back(static_cast<double>(x.at(row, i)));
    bench.expect(out, std::move(reference), 0);
}

TEST_P(MoveRowsTest, Copy)
{
    Cases cases("copy");
    const auto from = cases.option("from", bench.activations());
    const auto into = cases.option("into", bench.activations());
    const auto rows = cases.option<std::int64_t>("rows", {0, 1, 2, 33, 257});
    const auto cols = cases.option<std::int64_t>("cols", {1, 3, 31, 32, 96, 257, 2048});
    cases.without([](std::int64_t r, std::int64_t c) { return r * c > 100000; }, rows, cols);
    for (const Pick &pick : bench.draw(cases, 16)) {
        bench.start(pick);
        const Matrix x = bench.numbers(pick[rows], pick[cols], pick[from]);
        const Tensor input = bench.in(x, pick[from]);
        const Tensor out = bench.out(pick[rows], pick[cols], pick[into]);
        if (bench.run([&](Commands &c) { c.record(op::Copy{input, out}); }))
            bench.expect(out, doubles(x), moved(pick[from], pick[into]));
    }
}

TEST_P(MoveRowsTest, CopyJoinsAndSplits)
{
    const Matrix left = bench.numbers(9, 31), right = bench.numbers(9, 33);
    bench.start("copy", "concatenation by views", "F32→F32");
    const Tensor a = bench.in(left, DType::F32), b = bench.in(right, DType::F32);
    const Tensor both = bench.out(9, 64, DType::F32);
    const Tensor back = bench.out(9, 33, DType::F32);
    const Tensor lastRows = bench.out(4, 64, DType::F32);
    if (!bench.run([&](Commands &c) {
            c.record(op::Copy{a, both.columns(0, 31)});
            c.record(op::Copy{b, both.columns(31, 33)});
            c.record(op::Copy{both.columns(31, 33), back});
            c.record(op::Copy{both.rowRange(5, 4), lastRows});
        }))
        return;
    std::vector<double> joined;
    for (std::int64_t r = 0; r < 9; ++r) {
        for (std::int64_t i = 0; i < 31; ++i)
            joined.push_back(static_cast<double>(left.at(r, i)));
        for (std::int64_t i = 0; i < 33; ++i)
            joined.push_back(static_cast<double>(right.at(r, i)));
    }
    bench.expect(back, doubles(right), 0);
    bench.expect(lastRows, {joined.begin() + 5 * 64, joined.end()}, 0);
    bench.expect(both, std::move(joined), 0);
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

TEST_P(MoveRowsTest, PadAndUnpad)
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

TEST_P(MoveRowsTest, UploadAndRead)
{
    const bool half = bench.has(DType::F16);
    for (const DType type : {DType::F32, DType::F16})
        for (const std::int64_t rows : {0, 1, 3, 33})
            for (const std::int64_t cols : {1, 3, 31, 32, 257}) {
                if (type == DType::F16 && !half)
                    continue;
                bench.start("upload", shapeText(rows, cols), typesText({type}));
                const Matrix x = bench.numbers(rows, cols, type);
                const Tensor out = bench.out(rows, cols, type);
                if (bench.run([&](Commands &c) { c.upload(x.v, out); }))
                    bench.expect(out, doubles(x), 0);
            }
    for (const std::int64_t rows : {0, 1, 7, 64}) {
        bench.start("upload", shapeText(rows, 3), typesText({DType::I32}));
        const auto values = bench.integers(rows * 3, -1000000, 1000000);
        const Tensor out = bench.idsOut(rows, 3);
        if (bench.run([&](Commands &c) { c.upload(values, out); }))
            bench.expectIds(out, values);
    }
}

TEST_P(MoveRowsTest, UploadsComeInOrderWithOps)
{
    // One place, written twice: each copy must see what was there at its turn.
    const Matrix first = bench.numbers(3, 33), second = bench.numbers(3, 33);
    bench.start("upload", "twice to one place", "F32");
    const Tensor place = bench.out(3, 33, DType::F32);
    const Tensor a = bench.out(3, 33, DType::F32), b = bench.out(3, 33, DType::F32);
    if (!bench.run([&](Commands &c) {
            c.upload(first.v, place);
            c.record(op::Copy{place, a});
            c.upload(second.v, place);
            c.record(op::Copy{place, b});
        }))
        return;
    bench.expect(a, doubles(first), 0);
    bench.expect(b, doubles(second), 0);
    bench.expect(place, doubles(second), 0);
}

FIRESIDE_ON_EVERY_DEVICE(MoveRowsTest);

} // namespace
} // namespace fireside::conformance
