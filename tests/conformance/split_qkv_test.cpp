#include "tests/conformance/moved.h"
#include "tests/conformance/products.h"

// Queries, keys and values of one product.
namespace fireside::conformance {
namespace {

using SplitQkvTest = OpTest;

struct QkvShape
{
    std::int64_t rows, heads, kvHeads, width;
};
std::string valueText(const QkvShape &s)
{
    return std::to_string(s.rows) + "x" + std::to_string(s.heads) + "/" +
           std::to_string(s.kvHeads) + "x" + std::to_string(s.width);
}

TEST_P(SplitQkvTest, Parts)
{
    Cases cases("splitQkv");
    const auto from = cases.option("from", bench.activations());
    const auto into = cases.option("into", bench.activations());
    const auto shapes = cases.option<QkvShape>(
        "shape", {{1, 1, 1, 1}, {9, 6, 2, 32}, {33, 8, 8, 3}, {3, 16, 1, 33}, {0, 4, 4, 8}});
    const auto perKvHead = cases.option("per kv head");
    for (const Pick &pick : bench.draw(cases, 10)) {
        const auto [T, H, G, D] = pick[shapes];
        const bool fused = pick[perKvHead];
        bench.start(pick);
        const Matrix x = bench.numbers(T, (H + 2 * G) * D, pick[from]);
        const Tensor input = bench.in(x, pick[from]);
        const Tensor q = bench.out(T, H * D, pick[into]), k = bench.out(T, G * D, pick[into]),
                     v = bench.out(T, G * D, pick[into]);
        AttentionShape shape;
        shape.heads = H;
        shape.kvHeads = G;
        shape.headDim = D;
        if (!bench.run([&](Commands &c) {
                c.record(op::SplitQkv{input, fused ? QkvLayout::PerKvHead : QkvLayout::TokenMajor,
                                      shape, q, k, v});
            }))
            continue;
        std::vector<double> queries, keys, values;
        const std::int64_t group = H / G;
        for (std::int64_t t = 0; t < T; ++t)
            for (std::int64_t g = 0; g < G; ++g)
                for (std::int64_t j = 0; j < group + 2; ++j)
                    for (std::int64_t d = 0; d < D; ++d) {
                        auto &list = j < group ? queries : j == group ? keys : values;
                        const std::int64_t head = fused        ? g * (group + 2) + j
                                                  : j < group  ? g * group + j
                                                  : j == group ? H + g
                                                               : H + G + g;
                        list.push_back(static_cast<double>(x.at(t, head * D + d)));
                    }
        const double allowed = moved(pick[from], pick[into]);
        bench.expect(q, std::move(queries), allowed);
        bench.expect(k, std::move(keys), allowed);
        bench.expect(v, std::move(values), allowed);
    }
}

FIRESIDE_ON_EVERY_DEVICE(SplitQkvTest);

} // namespace
} // namespace fireside::conformance
