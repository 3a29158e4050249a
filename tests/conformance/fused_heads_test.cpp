#include "tests/conformance/heads.h"
#include "tests/conformance/products.h"

#include <algorithm>
#include <array>

// AppendKv and then Attention: what devices do at once, and what they do when they cannot.
namespace fireside::conformance {
namespace {

using FusedHeadsTest = OpTest;

constexpr std::int64_t kOuts = 33; // of the product that follows

const std::vector<Items> kItems = {
    {{1, 0}},
    {{1, 70}},
    {{1, 17}, {1, 300}, {1, 0}},
    {{1, 64}, {0, 4}, {1, 1}},
    {{1, 127}, {1, 128}, {1, 2}},
    {{1, 140}},
    {{1, 260}, {1, 1100}},
    {{1, 600}},
    {{1, 3000}},
    {{1, 520}, {1, 9}, {1, 300}, {1, 2}},
    {{3, 5}, {1, 9}}, // not for a single dispatch
    // Chats beside parts of prompts.
    {{1, 20}, {1, 300}, {12, 0}},
    {{1, 5}, {1, 64}, {1, 0}, {40, 70}, {1, 3}},
    {{1, 130}, {1, 9}, {3, 5}, {30, 0}, {2, 600}},
};

/// The product that follows: rows of `attended` times the weight.
void expectProduct(Bench &bench, const Tensor &out, const std::vector<double> &attended,
                   const TestWeight &weight, double tolerance)
{
    const std::int64_t width = weight.weight->cols;
    std::vector<double> sums, magnitudes;
    for (std::int64_t t = 0; t < out.rows; ++t)
        for (std::int64_t o = 0; o < kOuts; ++o) {
            const Sum sum = product(attended, static_cast<std::size_t>(t * width), weight, o);
            sums.push_back(sum.value);
            magnitudes.push_back(sum.magnitude);
        }
    bench.expect(out, std::move(sums), tolerance, std::move(magnitudes));
}

TEST_P(FusedHeadsTest, AppendKvAndAttention)
{
    Cases cases("appendKv + attention");
    const auto heads = cases.option<Heads>("heads", {{1, 1, 32, 32},
                                                     {4, 1, 64, 64},
                                                     {8, 2, 128, 128},
                                                     {6, 2, 96, 64},
                                                     {20, 2, 64, 128},
                                                     {3, 3, 80, 80},
                                                     {4, 2, 64, 256},
                                                     {16, 2, 128, 64},
                                                     {32, 8, 32, 32},
                                                     {2, 1, 36, 36}});
    const auto items = cases.option<Items>("items", kItems);
    const auto cacheType = cases.option<DType>("cache", {DType::F32, DType::F16, DType::Q8_0});
    const auto outType = cases.option("out", bench.activations());
    const HeadOptions options(bench, cases);
    const ScoreOptions scores(cases);
    const auto reader = cases.option<DType>("then", {DType::Q8_0, DType::F32});
    withoutCutBlocks(cases, heads, cacheType);
    cases.without(
        [](const Heads &h, DType w) { return h.heads * h.valueDim % 32 != 0 && w == DType::Q8_0; },
        heads, reader);
    for (const Pick &pick : bench.draw(cases, 16)) {
        const Heads &h = pick[heads];
        const TestWeight *const sinks = scores.weight(bench, pick, h);
        const AttentionShape shape = scores.shape(pick, h, sinks);
        // The product that reads the result next: its input may come in another form.
        const TestWeight &weight = bench.weight(pick[reader], kOuts, h.heads * h.valueDim, 1, 9);
        ItemCaches caches(bench, pick[cacheType], h, pick[items]);
        NewHeads made(bench, options, pick, h, caches.plan);
        bench.start(pick, caches.plan);
        const std::int64_t T = caches.plan.rows();
        made.place(bench, options, pick, h, T);
        const Tensor out = bench.out(T, h.heads * h.valueDim, pick[outType]);
        const Tensor product = bench.out(T, kOuts, DType::F32);
        if (!bench.run([&](Commands &c) {
                c.record(op::AppendKv{made.qIn, made.qTransform.transform, made.kIn,
                                      made.kTransform.transform, made.vIn, 0, shape});
                c.record(op::Attention{made.qIn, 0, shape, out});
                c.record(op::Linear{out, {LinearTarget{weight.weight.get(), product}}});
            }))
            continue;
        bench.ignore(made.qIn);
        bench.ignore(made.kIn);
        caches.note(made.kTransform.expected(made.k, caches.plan), doubles(made.v));
        auto reference = caches.attend(shape, made.qTransform.expected(made.q, caches.plan), sinks);
        const double angles = angleError(kFarthest);
        const double tolerance = attentionTolerance(bench.target(), pick[cacheType],
                                                    {pick[options.qType], pick[options.kType],
                                                     pick[options.vType], pick[outType]}) +
                                 angles;
        expectProduct(bench, product, reference, weight,
                      tolerance +
                          bench.target().productTolerance(pick[reader], {pick[outType]}, T));
        bench.expect(out, std::move(reference), tolerance);
        bench.finish();
        caches.check(bench, bench.target().tolerance({pick[options.kType]}) + angles);
    }
}

FIRESIDE_ON_EVERY_DEVICE(FusedHeadsTest);

} // namespace
} // namespace fireside::conformance
