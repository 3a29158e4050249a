#include "tests/conformance/moved.h"

// Rows of heads, by token or by head.
namespace fireside::conformance {
namespace {

using ReorderHeadsTest = OpTest;

struct HeadsOfRows
{
    std::int64_t rows, heads, width;
};
std::string valueText(const HeadsOfRows &h)
{
    return std::to_string(h.rows) + "x" + std::to_string(h.heads) + "x" + std::to_string(h.width);
}

TEST_P(ReorderHeadsTest, BothWays)
{
    Cases cases("reorderHeads");
    const auto from = cases.option("from", bench.activations());
    const auto into = cases.option("into", bench.activations());
    const auto shape = cases.option<HeadsOfRows>(
        "shape", {{1, 1, 1}, {3, 2, 31}, {9, 5, 32}, {33, 3, 64}, {0, 4, 8}, {64, 7, 3}});
    const auto headMajor = cases.option("to heads");
    for (const Pick &pick : bench.draw(cases, 12)) {
        const auto [T, H, D] = pick[shape];
        const bool major = pick[headMajor];
        bench.start(pick);
        const Matrix x =
            major ? bench.numbers(T, H * D, pick[from]) : bench.numbers(H * T, D, pick[from]);
        const Tensor input = bench.in(x, pick[from]);
        const Tensor out =
            major ? bench.out(H * T, D, pick[into]) : bench.out(T, H * D, pick[into]);
        if (!bench.run([&, heads = H](Commands &c) {
                c.record(op::ReorderHeads{
                    input, heads, major ? HeadOrder::HeadMajor : HeadOrder::TokenMajor, out});
            }))
            continue;
        std::vector<double> reference(x.v.size());
        for (std::int64_t t = 0; t < T; ++t)
            for (std::int64_t h = 0; h < H; ++h)
                for (std::int64_t d = 0; d < D; ++d) {
                    const auto token = static_cast<std::size_t>((t * H + h) * D + d);
                    const auto head = static_cast<std::size_t>((h * T + t) * D + d);
                    reference[major ? head : token] =
                        static_cast<double>(x.v[major ? token : head]);
                }
        bench.expect(out, std::move(reference), moved(pick[from], pick[into]));
    }
}

FIRESIDE_ON_EVERY_DEVICE(ReorderHeadsTest);

} // namespace
} // namespace fireside::conformance
