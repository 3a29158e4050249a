#include "tests/conformance/heads.h"
#include "tests/conformance/products.h"
#include "tests/support/reference_attention.h"

#include <algorithm>
#include <cmath>

// Attention over caches.
namespace fireside::conformance {
namespace {

using AttentionTest = OpTest;

const std::vector<DType> kCacheTypes{DType::F32, DType::F16, DType::Q8_0};

/// Over caches, one for each item.
void overCaches(Bench &bench, const Pick &pick, const Heads &h, const Items &items, DType cacheType,
                DType from, DType to, const AttentionShape &shape, const TestWeight *sinks,
                bool latent)
{
    ItemCaches caches(bench, cacheType, h, items, latent);
    caches.append(bench);
    bench.start(pick, caches.plan);
    const std::int64_t T = caches.plan.rows();
    const Matrix q = bench.numbers(T, h.heads * h.dim, from, 2);
    const Tensor queries = bench.in(q, from), out = bench.out(T, h.heads * h.valueDim, to);
    if (!bench.run([&](Commands &c) { c.record(op::Attention{queries, 0, shape, out}); }))
        return;
    bench.expect(out, caches.attend(shape, doubles(q), sinks),
                 attentionTolerance(bench.target(), cacheType, {from, to}));
    bench.finish(); // while the caches are there
}

TEST_P(AttentionTest, OverCaches)
{
    Cases cases("attention");
    const auto heads = cases.option<Heads>("heads", {{1, 1, 32, 32},
                                                     {4, 2, 64, 64},
                                                     {8, 2, 128, 128},
                                                     {16, 1, 64, 64},
                                                     {6, 2, 96, 96},
                                                     {5, 1, 256, 256},
                                                     {64, 1, 256, 256},
                                                     {4, 2, 64, 128},
                                                     {4, 4, 192, 128},
                                                     {6, 3, 36, 40}});
    const auto items = cases.option<Items>("items", {{{1, 0}},
                                                     {{1, 33}},
                                                     {{1, 257}},
                                                     {{2, 0}},
                                                     {{9, 40}},
                                                     {{64, 3}},
                                                     {{33, 130}},
                                                     {{1, 5}, {1, 300}, {1, 0}, {1, 64}},
                                                     {{3, 0}, {1, 17}, {20, 9}, {0, 4}, {2, 2}},
                                                     {{1, 5000}},
                                                     {{7, 2500}},
                                                     {{1, 3001}, {1, 5}}});
    const auto cacheType = cases.option("cache", kCacheTypes);
    const auto from = cases.option("q", bench.activations());
    const auto to = cases.option("out", bench.activations());
    const ScoreOptions scores(cases);
    withoutCutBlocks(cases, heads, cacheType);
    for (const Pick &pick : bench.draw(cases, 26)) {
        const TestWeight *const sinks = scores.weight(bench, pick, pick[heads]);
        overCaches(bench, pick, pick[heads], pick[items], pick[cacheType], pick[from], pick[to],
                   scores.shape(pick, pick[heads], sinks), sinks, false);
    }
}

TEST_P(AttentionTest, OverLatentCaches)
{
    Cases cases("attention", "latent");
    const auto heads =
        cases.option<Heads>("heads", {{4, 1, 96, 64}, {16, 1, 576, 512}, {20, 1, 576, 512}});
    const auto items = cases.option<Items>(
        "items", {{{1, 70}}, {{9, 3}, {1, 0}}, {{1, 1500}}, {{1, 100}, {3, 9}}, {{40, 7}}});
    const auto cacheType = cases.option("cache", kCacheTypes);
    const auto from = cases.option("q", bench.activations());
    const auto to = cases.option("out", bench.activations());
    const auto scale = cases.option<float>("scale·√D", {1, 1.7f});
    for (const Pick &pick : bench.draw(cases, 6)) {
        const Heads &h = pick[heads];
        AttentionShape shape = shapeOf(h);
        shape.scale = pick[scale] / std::sqrt(static_cast<float>(h.dim));
        overCaches(bench, pick, h, pick[items], pick[cacheType], pick[from], pick[to], shape,
                   nullptr, true);
    }
}

TEST_P(AttentionTest, ScoresFarApart)
{
    // Large queries: softmax must not overflow, and a single key takes all.
    Cases cases("attention", "scores far apart");
    const auto items = cases.option<Items>("items", {{{1, 200}}, {{3, 200}}, {{40, 9}}});
    for (const Pick &pick : bench.draw(cases, 3)) {
        const Heads h{2, 1, 64, 64};
        AttentionShape shape = shapeOf(h);
        shape.scale = 20;
        // A difference of two scores in the thousands has an error of their size.
        ItemCaches caches(bench, DType::F32, h, pick[items]);
        caches.append(bench);
        const std::int64_t T = caches.plan.rows();
        bench.start(pick, caches.plan);
        const Matrix q = bench.numbers(T, 128);
        const Tensor queries = bench.in(q, DType::F32), out = bench.out(T, 128, DType::F32);
        if (bench.run([&](Commands &c) { c.record(op::Attention{queries, 0, shape, out}); }))
            bench.expect(out, caches.attend(shape, doubles(q), nullptr), 2e-3);
        bench.finish();
    }
}

FIRESIDE_ON_EVERY_DEVICE(AttentionTest);

} // namespace
} // namespace fireside::conformance
