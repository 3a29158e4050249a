#include "tests/conformance/caches.h"
#include "tests/conformance/products.h"
#include "tests/support/reference_attention.h"

#include <cmath>

// Attention over caches and within sequences.
namespace fireside::conformance {
namespace {

using AttentionTest = OpTest;

struct Item
{
    std::int64_t rows, past;
};
struct AttentionCase
{
    std::int64_t heads = 4, kvHeads = 2, dim = 64, valueDim = 64;
    std::vector<Item> items{{1, 0}};
    std::int64_t window = 0;
    float softcap = 0, alibi = 0;
    bool sinks = false, causal = true, latent = false;
};

std::string text(const AttentionCase &s)
{
    std::string items;
    for (const Item &item : s.items)
        items += (items.empty() ? "" : ", ") + std::to_string(item.rows) + " after " +
                 std::to_string(item.past);
    return std::to_string(s.heads) + "/" + std::to_string(s.kvHeads) + " heads of " +
           std::to_string(s.dim) + "/" + std::to_string(s.valueDim) + ", items " + items +
           (s.window > 0 ? ", window " + std::to_string(s.window) : "") +
           (s.softcap > 0 ? ", softcap" : "") + (s.alibi > 0 ? ", alibi" : "") +
           (s.sinks ? ", sinks" : "") + (s.causal ? "" : ", both ways") +
           (s.latent ? ", latent" : "");
}

AttentionShape shapeOf(Bench &bench, const AttentionCase &s, const TestWeight *&sinks)
{
    AttentionShape shape;
    shape.heads = s.heads;
    shape.kvHeads = s.kvHeads;
    shape.headDim = s.dim;
    shape.valueDim = s.valueDim;
    shape.scale = 1 / std::sqrt(static_cast<float>(s.dim));
    shape.causal = s.causal;
    shape.window = s.window;
    shape.softcap = s.softcap;
    shape.alibiMaxBias = s.alibi;
    sinks = s.sinks ? &bench.weight(DType::F32, 1, s.heads, 1, 8) : nullptr;
    shape.sinks = sinks ? sinks->weight.get() : nullptr;
    return shape;
}

void attentionCase(Bench &bench, const AttentionCase &s, DType cacheType, DType from, DType to)
{
    const TestWeight *sinks = nullptr;
    const AttentionShape shape = shapeOf(bench, s, sinks);
    std::vector<std::unique_ptr<TestCache>> caches;
    BatchPlan plan;
    for (const Item &item : s.items) {
        caches.push_back(std::make_unique<TestCache>(bench, cacheType, s.kvHeads, s.dim, s.valueDim,
                                                     item.past + item.rows + 7, s.latent));
        caches.back()->fill(bench, item.past + item.rows);
        plan.item(item.rows, item.past, caches.back()->layers());
    }
    bench.start("attention", text(s), typesText({from, cacheType, to}), plan);
    const std::int64_t T = plan.rows();
    const Matrix q = bench.numbers(T, s.heads * s.dim, from, 2);
    const Tensor queries = bench.in(q, from), out = bench.out(T, s.heads * s.valueDim, to);
    if (!bench.run([&](Commands &c) { c.attention(queries, 0, shape, out); }))
        return;
    std::vector<double> reference;
    for (std::size_t i = 0; i < caches.size(); ++i) {
        const BatchItem &item = plan.items[i];
        const auto first = q.v.begin() + item.firstRow * q.cols;
        const std::vector<float> part(first, first + item.rows * q.cols);
        if (item.rows == 0)
            continue;
        const auto rows =
            reference::attend(shape, item.rows, part, caches[i]->keys(), caches[i]->values(),
                              sinks ? sinks->values : std::vector<double>());
        reference.insert(reference.end(), rows.begin(), rows.end());
    }
    double tolerance = bench.target().tolerance({from, to, cacheType});
    if (cacheType == DType::Q8_0 || bench.target().uses("cooperative matrix"))
        tolerance = std::max(tolerance, 2e-3);
    if (cacheType == DType::Q8_0 && bench.target().isCpu())
        tolerance = 1e-2; // queries and weights may be rounded to 8 bits
    bench.expect(out, std::move(reference), tolerance);
    bench.finish();
}

void onTypes(Bench &bench, const std::vector<AttentionCase> &cases)
{
    const bool half = bench.has(DType::F16);
    unsigned turn = 0;
    for (const AttentionCase &s : cases)
        for (const DType cacheType : {DType::F32, DType::F16, DType::Q8_0}) {
            attentionCase(bench, s, cacheType, DType::F32, DType::F32);
            if (!half)
                continue;
            const unsigned pick = turn++ % 3;
            attentionCase(bench, s, cacheType, pick == 1 ? DType::F32 : DType::F16,
                          pick == 2 ? DType::F32 : DType::F16);
        }
}

AttentionCase make(std::int64_t heads, std::int64_t kvHeads, std::int64_t dim,
                   std::vector<Item> items)
{
    AttentionCase s;
    s.heads = heads;
    s.kvHeads = kvHeads;
    s.dim = s.valueDim = dim;
    s.items = std::move(items);
    return s;
}

TEST_P(AttentionTest, OneRowAfterAnother)
{
    onTypes(bench, {make(1, 1, 32, {{1, 0}}), make(4, 2, 64, {{1, 1}}), make(4, 4, 64, {{1, 31}}),
                    make(8, 2, 128, {{1, 33}}), make(16, 1, 64, {{1, 257}}),
                    make(6, 2, 96, {{1, 63}}), make(5, 1, 256, {{1, 100}})});
}

TEST_P(AttentionTest, Chunks)
{
    onTypes(bench, {make(4, 2, 64, {{2, 0}}), make(4, 2, 64, {{33, 0}}), make(8, 1, 128, {{9, 40}}),
                    make(2, 2, 96, {{64, 3}}), make(3, 3, 32, {{65, 130}})});
}

TEST_P(AttentionTest, RaggedBatches)
{
    onTypes(bench, {make(4, 2, 64, {{1, 5}, {1, 300}, {1, 0}, {1, 64}}),
                    make(4, 1, 64, {{3, 0}, {1, 17}, {20, 9}, {0, 4}, {2, 2}})});
}

TEST_P(AttentionTest, LongPasts)
{
    onTypes(bench, {make(4, 1, 64, {{1, 5000}}), make(2, 2, 128, {{1, 3001}, {1, 5}}),
                    make(4, 2, 64, {{7, 2500}})});
}

TEST_P(AttentionTest, Windows)
{
    std::vector<AttentionCase> cases;
    for (const std::int64_t window : {1, 4, 33, 512}) {
        cases.push_back(make(4, 2, 64, {{1, 100}}));
        cases.back().window = window;
        cases.push_back(make(4, 2, 64, {{40, 20}, {1, 700}}));
        cases.back().window = window;
    }
    onTypes(bench, cases);
}

TEST_P(AttentionTest, SinksSoftcapAndAlibi)
{
    std::vector<AttentionCase> cases;
    for (const std::vector<Item> &items :
         {std::vector<Item>{{1, 50}}, {{17, 30}, {1, 600}}, {{1, 2300}}}) {
        AttentionCase s = make(8, 2, 64, items);
        s.sinks = true;
        cases.push_back(s);
        s.window = 16;
        cases.push_back(s);
        s = make(6, 3, 64, items); // not a power of two
        s.alibi = 8;
        cases.push_back(s);
        s = make(4, 4, 128, items);
        s.alibi = 8;
        s.softcap = 1.5f;
        cases.push_back(s);
        s = make(2, 1, 256, items);
        s.softcap = 5;
        s.sinks = true;
        cases.push_back(s);
    }
    onTypes(bench, cases);
}

TEST_P(AttentionTest, ValuesOfAnotherWidth)
{
    AttentionCase wide = make(4, 2, 64, {{9, 5}, {1, 40}});
    wide.valueDim = 128;
    AttentionCase narrow = make(4, 4, 192, {{1, 70}, {5, 0}});
    narrow.valueDim = 128;
    onTypes(bench, {wide, narrow});
}

TEST_P(AttentionTest, BothWaysOverACache)
{
    AttentionCase s = make(4, 2, 64, {{9, 5}, {1, 40}});
    s.causal = false;
    AttentionCase windowed = s;
    windowed.window = 8;
    onTypes(bench, {s, windowed});
}

TEST_P(AttentionTest, LatentCaches)
{
    std::vector<AttentionCase> cases;
    for (const std::vector<Item> &items :
         {std::vector<Item>{{1, 70}}, {{9, 3}, {1, 0}}, {{1, 1500}}}) {
        AttentionCase s = make(4, 1, 64 + 32, items);
        s.valueDim = 64;
        s.latent = true;
        cases.push_back(s);
    }
    AttentionCase deepSeek = make(16, 1, 576, {{1, 100}, {3, 9}});
    deepSeek.valueDim = 512;
    deepSeek.latent = true;
    cases.push_back(deepSeek);
    onTypes(bench, cases);
}

TEST_P(AttentionTest, ScoresFarApart)
{
    // Large queries: softmax must not overflow, and a single key takes all.
    AttentionCase s = make(2, 1, 64, {{3, 200}});
    const TestWeight *sinks = nullptr;
    AttentionShape shape = shapeOf(bench, s, sinks);
    shape.scale = 20;
    TestCache cache(bench, DType::F32, 1, 64, 64, 210);
    cache.fill(bench, 203);
    BatchPlan plan;
    plan.item(3, 200, cache.layers());
    bench.start("attention", "scores far apart", "F32→F32", plan);
    const Matrix q = bench.numbers(3, 128);
    const Tensor queries = bench.in(q, DType::F32), out = bench.out(3, 128, DType::F32);
    if (bench.run([&](Commands &c) { c.attention(queries, 0, shape, out); }))
        bench.expect(out, reference::attend(shape, 3, q.v, cache.keys(), cache.values(), {}), 2e-3);
    bench.finish(); // while the cache is there
}

TEST_P(AttentionTest, Sequences)
{
    const bool half = bench.has(DType::F16);
    std::vector<AttentionCase> cases;
    for (const std::vector<Item> &items : {std::vector<Item>{{1, 0}},
                                           {{33, 0}},
                                           {{5, 0}, {64, 0}, {0, 0}, {1, 0}, {17, 0}},
                                           {{130, 0}}})
        // Every shape and kind needs its own pipelines: some of each.
        for (const auto &[heads, kvHeads, dim, values, kind] :
             std::initializer_list<std::array<std::int64_t, 5>>{{2, 2, 32, 32, 0},
                                                                {4, 1, 64, 64, 1},
                                                                {4, 1, 64, 64, 2},
                                                                {3, 3, 33, 33, 0},
                                                                {2, 1, 64, 96, 3},
                                                                {3, 3, 33, 33, 4},
                                                                {1, 1, 128, 128, 0}}) {
            AttentionCase s = make(heads, kvHeads, dim, items);
            s.valueDim = values;
            s.causal = kind == 1 || kind == 4;
            s.window = kind == 2 || kind == 4 ? 6 : 0;
            s.softcap = kind == 3 ? 4.0f : 0;
            s.sinks = kind == 3;
            s.alibi = kind == 4 ? 8.0f : 0;
            cases.push_back(s);
        }
    unsigned turn = 0;
    for (const AttentionCase &s : cases) {
        const unsigned pick = half ? turn++ % 7 : 0;
        const DType from = (pick & 1) != 0 ? DType::F16 : DType::F32;
        const DType to = (pick & 2) != 0 ? DType::F16 : DType::F32;
        const TestWeight *sinks = nullptr;
        const AttentionShape shape = shapeOf(bench, s, sinks);
        BatchPlan plan;
        for (const Item &item : s.items)
            plan.item(item.rows);
        bench.start("sequenceAttention", text(s), typesText({from, to}), plan);
        const std::int64_t T = plan.rows();
        const Matrix q = bench.numbers(T, s.heads * s.dim, from, 2);
        const Matrix k = bench.numbers(T, s.kvHeads * s.dim, from);
        const Matrix v = bench.numbers(T, s.kvHeads * s.valueDim, from);
        const Layout layout = pick % 3 == 0 ? Layout{1, 3} : Layout{0, 0};
        const Tensor queries = bench.in(q, from), keys = bench.in(k, from, layout),
                     values = bench.in(v, from, layout);
        const Tensor out = bench.out(T, s.heads * s.valueDim, to);
        if (!bench.run(
                [&](Commands &c) { c.sequenceAttention(queries, keys, values, shape, out); }))
            continue;
        std::vector<double> reference;
        for (const BatchItem &item : plan.items) {
            if (item.rows == 0)
                continue;
            const auto part = [&](const Matrix &m) {
                return std::vector<float>(m.v.begin() + item.firstRow * m.cols,
                                          m.v.begin() + (item.firstRow + item.rows) * m.cols);
            };
            const auto keyPart = part(k), valuePart = part(v);
            const auto rows = reference::attend(
                shape, item.rows, part(q), std::vector<double>(keyPart.begin(), keyPart.end()),
                std::vector<double>(valuePart.begin(), valuePart.end()),
                sinks ? sinks->values : std::vector<double>());
            reference.insert(reference.end(), rows.begin(), rows.end());
        }
        double tolerance = bench.target().tolerance({from, to});
        if (bench.target().uses("cooperative matrix"))
            tolerance = 2e-3;
        bench.expect(out, std::move(reference), tolerance);
    }
}

FIRESIDE_ON_EVERY_DEVICE(AttentionTest);

} // namespace
} // namespace fireside::conformance
