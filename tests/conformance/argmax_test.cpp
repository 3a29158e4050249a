#include "tests/conformance/logits.h"

// The best of a row.
namespace fireside::conformance {
namespace {

using ArgmaxTest = OpTest;

TEST_P(ArgmaxTest, Rows)
{
    Cases cases("argmax");
    const auto rows = cases.option<std::int64_t>("rows", {0, 1, 3, 9, 64});
    const auto cols = cases.option<std::int64_t>("cols", {1, 2, 3, 31, 32, 33, 257, 2048, 151936});
    const auto type = cases.option("type", bench.activations());
    const auto kind = kindsOf(cases);
    cases.without([](std::int64_t r, std::int64_t c) { return r * c > 500000; }, rows, cols);
    for (const Pick &pick : bench.draw(cases, 0)) {
        bench.start(pick);
        const Matrix x = awkward(bench, pick[rows], pick[cols], pick[type], pick[kind]);
        const Tensor input = bench.in(x, pick[type]), out = bench.idsOut(pick[rows]);
        if (!bench.run([&](Commands &c) { c.record(op::Argmax{input, out}); }))
            continue;
        std::vector<std::int32_t> reference;
        for (std::int64_t r = 0; r < x.rows; ++r)
            reference.push_back(isFinite(x, r) ? order(x, r)[0] : kNotFinite);
        bench.expectIds(out, std::move(reference));
    }
}

TEST_P(ArgmaxTest, OfTheLastColumnAndOfZeros)
{
    for (const std::int64_t cols : {5, 1000, 32000}) {
        bench.start("argmax", "the last of " + std::to_string(cols), "F32");
        Matrix x{2, cols, std::vector<float>(static_cast<std::size_t>(2 * cols), -1.0f)};
        x.v[static_cast<std::size_t>(cols - 1)] = 0;
        // −0 and 0 are equal: the first wins.
        x.v[static_cast<std::size_t>(cols + 1)] = -0.0f;
        x.v[static_cast<std::size_t>(cols + 3)] = 0.0f;
        const Tensor input = bench.in(x, DType::F32), out = bench.idsOut(2);
        if (bench.run([&](Commands &c) { c.record(op::Argmax{input, out}); }))
            bench.expectIds(out, {static_cast<std::int32_t>(cols - 1), 1});
    }
}

FIRESIDE_ON_EVERY_DEVICE(ArgmaxTest);

} // namespace
} // namespace fireside::conformance
