#include "tests/conformance/experts.h"

#include <utility>

// Heads with a matrix each.
namespace fireside::conformance {
namespace {

using HeadLinearTest = TypesTest;

struct HeadCase
{
    std::int64_t heads, in, out;
};
std::string valueText(const HeadCase &c)
{
    return std::to_string(c.heads) + " of " + shapeText(c.out, c.in);
}

TEST_P(HeadLinearTest, AMatrixForEachHead)
{
    const TypeShare share(bench, type());
    Cases cases("headLinear", name(type()));
    const auto rows = cases.option("rows", share.values<std::int64_t>({{1, 3, 33}, {0}}));
    cases.first(rows);
    const auto shape = cases.option<HeadCase>("heads", {{1, 256, 33}, {4, 256, 64}, {3, 512, 7}});
    const auto apart = cases.option("heads apart"); // as parts of wider heads
    const auto from = cases.option("x", bench.activations());
    const auto into = cases.option("out", bench.activations());
    for (const Pick &pick : bench.draw(cases, share.cases(4, 2))) {
        const auto [heads, in, out] = pick[shape];
        const std::int64_t T = pick[rows];
        const TestWeight &weight = bench.weight(type(), out, in, heads, 4);
        bench.start(pick, "headLinear");
        const std::int64_t xStep = pick[apart] ? in + 40 : in, step = pick[apart] ? out + 5 : out;
        const std::int64_t cols = (heads - 1) * xStep + in;
        const Matrix x = bench.numbers(T, cols, pick[from]);
        const Tensor input = bench.in(x, pick[from]);
        const Tensor to = bench.out(T, (heads - 1) * step + out, pick[into]);
        if (!bench.run([&](Commands &c) {
                c.record(op::HeadLinear{input, *weight.weight, to, pick[apart] ? xStep : 0,
                                        pick[apart] ? step : 0});
            }))
            continue;
        const auto values = doubles(x);
        for (std::int64_t h = 0; h < heads; ++h) {
            std::vector<double> reference, magnitude;
            for (std::int64_t t = 0; t < T; ++t)
                for (std::int64_t r = 0; r < out; ++r) {
                    const Sum sum = product(values, static_cast<std::size_t>(t * cols + h * xStep),
                                            weight, r, h);
                    reference.push_back(sum.value);
                    magnitude.push_back(sum.magnitude);
                }
            bench.expect(to.columns(h * step, out), std::move(reference),
                         bench.target().productTolerance(type(), {pick[from], pick[into]}, T),
                         std::move(magnitude));
        }
    }
}

FIRESIDE_ON_EVERY_DEVICE_AND_TYPE(HeadLinearTest);

} // namespace
} // namespace fireside::conformance
