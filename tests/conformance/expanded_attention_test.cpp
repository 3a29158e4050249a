#include "tests/conformance/heads.h"
#include "tests/conformance/products.h"
#include "tests/support/reference_attention.h"

#include <algorithm>
#include <cmath>

// Attention over latent caches with keys and values of each head.
namespace fireside::conformance {
namespace {

using ExpandedAttentionTest = OpTest;

struct LatentHeads
{
    std::int64_t heads, plain, r, rank, values;
    std::int64_t dim() const { return plain + r; }
};
std::string valueText(const LatentHeads &h)
{
    return std::to_string(h.heads) + " of " + std::to_string(h.plain) + "+" + std::to_string(h.r) +
           " and " + std::to_string(h.values) + " from " + std::to_string(h.rank);
}

/// For rows of a latent cache [n, rank + r] what each head makes of them: [n, H·D], [n, H·Dv].
struct HeadsOfRows
{
    HeadsOfRows(const std::vector<double> &rows, const LatentHeads &h, const TestWeight &keyWeight,
                const TestWeight &valueWeight)
    {
        const std::int64_t width = h.rank + h.r;
        for (std::size_t at = 0; at < rows.size(); at += static_cast<std::size_t>(width))
            for (std::int64_t head = 0; head < h.heads; ++head) {
                for (std::int64_t d = 0; d < h.plain; ++d)
                    keys.push_back(product(rows, at, keyWeight, d, head).value);
                for (std::int64_t d = 0; d < h.r; ++d)
                    keys.push_back(rows[at + static_cast<std::size_t>(h.rank + d)]);
                for (std::int64_t d = 0; d < h.values; ++d)
                    values.push_back(product(rows, at, valueWeight, d, head).value);
            }
    }
    std::vector<double> keys, values;
};

TEST_P(ExpandedAttentionTest, OverLatentCaches)
{
    Cases cases("expandedAttention");
    std::vector<LatentHeads> all{{2, 32, 16, 64, 32}, {3, 24, 8, 96, 40}};
    if (bench.target().thorough())
        all.push_back({5, 192, 64, 512, 256});
    const auto heads = cases.option("heads", all);
    const auto items =
        cases.option<Items>("items", {{{40, 0}}, {{1, 5}, {33, 70}, {0, 4}, {3, 0}}, {{130, 7}}});
    const auto from = cases.option("q", bench.activations());
    const auto into = cases.option("out", bench.activations());
    const auto keyType = cases.option<DType>("keys", {DType::F16, DType::F32});
    const auto valueType = cases.option<DType>("values", {DType::F16, DType::Q8_0, DType::F32});
    const auto narrow = cases.option("heads one by one");
    for (const Pick &pick : bench.draw(cases, 5)) {
        const LatentHeads &h = pick[heads];
        const TestWeight &keys = bench.weight(pick[keyType], h.plain, h.rank, h.heads, 3);
        const TestWeight &values = bench.weight(pick[valueType], h.values, h.rank, h.heads, 4);
        ItemCaches caches(bench, DType::F16, {1, 1, h.rank + h.r, h.rank}, pick[items], true);
        caches.append(bench);
        bench.start(pick, caches.plan);
        const std::int64_t T = caches.plan.rows();
        const Matrix q = bench.numbers(T, h.heads * h.dim(), pick[from]);
        const Tensor queries = bench.in(q, pick[from]),
                     out = bench.out(T, h.heads * h.values, pick[into]);
        AttentionShape shape = shapeOf({h.heads, h.heads, h.dim(), h.values});
        // Keys are as large as the weights make them.
        shape.scale = 0.3f * inputScale(keys) / std::sqrt(static_cast<float>(h.dim()));
        const std::int64_t room = pick[narrow] ? 1 : std::int64_t{32} << 20;
        if (!bench.run([&](Commands &c) {
                c.record(op::ExpandedAttention{queries, 0, shape, *keys.weight, *values.weight, out,
                                               room});
            }))
            continue;
        std::vector<double> reference;
        for (std::size_t i = 0; i < caches.plan.items.size(); ++i) {
            const BatchItem &item = caches.plan.items[i];
            if (item.rows == 0)
                continue;
            const HeadsOfRows made(caches.keys(i), h, keys, values);
            const auto asked = rowsOf(doubles(q), item, q.cols);
            const auto rows =
                reference::attend(shape, item.rows, std::vector<float>(asked.begin(), asked.end()),
                                  made.keys, made.values, {});
            reference.insert(reference.end(), rows.begin(), rows.end());
        }
        const Target &target = bench.target();
        bench.expect(out, std::move(reference),
                     attentionTolerance(target, DType::F16, {pick[from], pick[into]}) +
                         target.productTolerance(pick[valueType], {DType::F16}, 64) +
                         target.productTolerance(pick[keyType], {DType::F16}, 64));
        bench.finish(); // while the caches are there
    }
}

FIRESIDE_ON_EVERY_DEVICE(ExpandedAttentionTest);

} // namespace
} // namespace fireside::conformance
