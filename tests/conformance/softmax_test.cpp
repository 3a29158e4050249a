#include "tests/conformance/elements.h"
#include "tests/conformance/products.h"

#include <algorithm>
#include <cmath>
#include <limits>

// Softmax.
namespace fireside::conformance {
namespace {

using SoftmaxTest = OpTest;

/// softmax of the columns of each row that are seen.
std::vector<double> softmax(const Matrix &x, double scale, const std::vector<std::int32_t> &seen)
{
    std::vector<double> out(x.v.size(), 0.0);
    for (std::int64_t r = 0; r < x.rows; ++r) {
        const std::int64_t count = seen[static_cast<std::size_t>(r)];
        double sum = 0, most = -HUGE_VAL;
        for (std::int64_t i = 0; i < count; ++i)
            most = std::max(most, static_cast<double>(x.at(r, i)) * scale);
        for (std::int64_t i = 0; i < count; ++i)
            sum += std::exp(static_cast<double>(x.at(r, i)) * scale - most);
        for (std::int64_t i = 0; i < count; ++i)
            out[static_cast<std::size_t>(r * x.cols + i)] =
                std::exp(static_cast<double>(x.at(r, i)) * scale - most) / sum;
    }
    return out;
}

TEST_P(SoftmaxTest, Rows)
{
    Cases cases("softmax");
    const Places all(bench, cases);
    const auto masked = cases.option("masked");
    const auto scale = cases.option<float>("scale", {0.25f, 1});
    for (const Pick &pick : bench.draw(cases, kFewCases)) {
        const std::int64_t T = pick[all.rows], n = pick[all.cols];
        bench.start(pick);
        Matrix x = bench.numbers(T, n, pick[all.from], 10);
        auto counts = bench.integers(T, 0, static_cast<std::int32_t>(n));
        if (!counts.empty())
            counts[0] = 0;
        // What is not seen may be anything.
        for (std::int64_t r = 0; pick[masked] && r < T; ++r)
            for (std::int64_t i = counts[static_cast<std::size_t>(r)]; i < n; ++i)
                x.v[static_cast<std::size_t>(r * n + i)] = std::numeric_limits<float>::quiet_NaN();
        const Tensor input = bench.in(x, pick[all.from]);
        const Tensor visible = pick[masked] ? bench.ids(counts) : Tensor{};
        const Tensor out = pick[all.inPlace] ? input : bench.out(T, n, pick[all.into]);
        if (!bench.run([&](Commands &c) {
                c.record(op::Softmax{input, pick[scale],
                                     pick[masked] ? std::optional(visible) : std::nullopt, out});
            }))
            continue;
        if (!pick[masked])
            counts.assign(counts.size(), static_cast<std::int32_t>(n));
        bench.expect(out, softmax(x, static_cast<double>(pick[scale]), counts),
                     bench.target().tolerance({pick[all.from], pick[all.into]}));
    }
}

TEST_P(SoftmaxTest, IsOfWhatIsScaled)
{
    // Against the largest as it comes, all of them would be far too small.
    bench.start("softmax", "large logits made small", "F32→F32");
    const Matrix x{1, 4, {400, 396, 0, 392}};
    const Tensor input = bench.in(x, DType::F32), out = bench.out(1, 4, DType::F32);
    if (bench.run([&](Commands &c) { c.record(op::Softmax{input, 0.25f, {}, out}); })) {
        const double second = std::exp(-1.0), last = std::exp(-2.0), sum = 1 + second + last;
        bench.expect(out, {1 / sum, second / sum, 0, last / sum}, 1e-5);
    }
}

TEST_P(SoftmaxTest, OfHugeLogits)
{
    bench.start("softmax", "huge logits", "F32→F32");
    const Matrix x{2, 4, {1e30f, 1e30f, -1e30f, 0, -INFINITY, 3, 2, -INFINITY}};
    const Tensor input = bench.in(x, DType::F32), out = bench.out(2, 4, DType::F32);
    if (bench.run([&](Commands &c) { c.record(op::Softmax{input, 1, {}, out}); })) {
        const double e = std::exp(-1.0);
        bench.expect(out, {0.5, 0.5, 0, 0, 0, 1 / (1 + e), e / (1 + e), 0}, 1e-5);
    }
}

FIRESIDE_ON_EVERY_DEVICE(SoftmaxTest);

} // namespace
} // namespace fireside::conformance
