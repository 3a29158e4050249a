#include "tests/conformance/bench.h"

// Streams side by side in a row.
namespace fireside::conformance {
namespace {

using MixStreamsTest = OpTest;

struct Streams
{
    std::int64_t from, to, width;
};
std::string valueText(const Streams &s)
{
    return std::to_string(s.from) + " of " + std::to_string(s.width) + " to " +
           std::to_string(s.to);
}

TEST_P(MixStreamsTest, Rows)
{
    Cases cases("mixStreams");
    const auto rows = cases.option<std::int64_t>("rows", {0, 1, 9, 33});
    const auto streams = cases.option<Streams>(
        "streams", {{4, 4, 64}, {1, 4, 33}, {4, 1, 256}, {3, 2, 1}, {2, 3, 30}});
    const auto from = cases.option("from", bench.activations());
    const auto mix = cases.option("coefficients", bench.activations());
    const auto into = cases.option("into", bench.activations());
    const auto plus = cases.option<float>("plus", {0, 1});
    const auto adds = cases.option("adds");
    for (const Pick &pick : bench.draw(cases, 8)) {
        const Streams &s = pick[streams];
        const std::int64_t T = pick[rows], n = s.width;
        bench.start(pick);
        const Matrix x = bench.numbers(T, s.from * n, pick[from]);
        const Matrix factors = bench.numbers(T, s.to * s.from, pick[mix]);
        const Matrix before = bench.numbers(T, s.to * n, pick[into]);
        const Tensor input = bench.in(x, pick[from]), coefficients = bench.in(factors, pick[mix]);
        const Tensor out =
            pick[adds] ? bench.in(before, pick[into]) : bench.out(T, s.to * n, pick[into]);
        if (!bench.run([&](Commands &c) {
                c.record(
                    op::MixStreams{input, coefficients, out, s.from, s.to, pick[plus],
                                   pick[adds] ? Accumulate::AddToOutput : Accumulate::Overwrite});
            }))
            continue;
        std::vector<double> reference;
        for (std::int64_t t = 0; t < T; ++t)
            for (std::int64_t j = 0; j < s.to; ++j)
                for (std::int64_t c = 0; c < n; ++c) {
                    double sum = pick[adds] ? static_cast<double>(before.at(t, j * n + c)) : 0;
                    for (std::int64_t i = 0; i < s.from; ++i)
                        sum += (static_cast<double>(factors.at(t, j * s.from + i)) +
                                static_cast<double>(pick[plus])) *
                               static_cast<double>(x.at(t, i * n + c));
                    reference.push_back(sum);
                }
        bench.expect(out, std::move(reference),
                     2 * bench.target().tolerance({pick[from], pick[mix], pick[into]}));
    }
}

FIRESIDE_ON_EVERY_DEVICE(MixStreamsTest);

} // namespace
} // namespace fireside::conformance
