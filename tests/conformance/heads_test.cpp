#include "tests/conformance/caches.h"
#include "tests/conformance/products.h"
#include "tests/support/reference_attention.h"

#include <algorithm>
#include <cmath>
#include <optional>

// Norm and rotation of heads, and their way into caches.
namespace fireside::conformance {
namespace {

using HeadsTest = OpTest;

struct HeadShape
{
    std::int64_t heads, dim, pairs, first; // pairs < 0: no rotation
    bool norm;
};
constexpr HeadShape kShapes[] = {
    {1, 32, 16, 0, false},    {4, 64, 32, 0, true}, {3, 128, 64, 0, true}, {2, 96, 16, 0, false},
    {2, 192, 32, 128, false}, {5, 64, -1, 0, true}, {2, 80, 20, 8, true},  {1, 256, 128, 0, true},
    {2, 32, -1, 0, false},    {3, 33, 1, 31, true}};

std::vector<float> floats(const TestWeight *weight)
{
    return weight ? std::vector<float>(weight->values.begin(), weight->values.end())
                  : std::vector<float>();
}

/// Angles are rounded in F32: the error grows with the position.
double angleError(std::int64_t position)
{
    return 6e-8 * static_cast<double>(position);
}

struct Prepared
{
    HeadTransform transform;
    std::optional<Rope> rope;
    const TestWeight *norm = nullptr;
};

void prepare(Bench &bench, Prepared &p, const HeadShape &s, RopePairing pairing, float factor,
             int salt)
{
    p.norm = s.norm ? &bench.weight(DType::F32, 1, s.dim, 1, salt) : nullptr;
    if (s.pairs >= 0) {
        p.rope.emplace();
        p.rope->pairing = pairing;
        p.rope->inverseFrequencies = frequencies(s.pairs);
        p.rope->attentionFactor = factor;
        p.rope->firstChannel = s.first;
    }
    p.transform.headDim = s.dim;
    p.transform.norm = p.norm ? p.norm->weight.get() : nullptr;
    p.transform.eps = 1e-6f;
    p.transform.rope = p.rope ? &*p.rope : nullptr;
}

std::vector<double> expected(const Matrix &x, const BatchPlan &plan, const Prepared &p)
{
    return reference::transformHeads(x.v, plan.positions, p.transform.headDim, floats(p.norm),
                                     static_cast<double>(p.transform.eps), p.transform.rope);
}

TEST_P(HeadsTest, TransformHeads)
{
    const bool half = bench.has(DType::F16);
    int turn = 0;
    for (const HeadShape &s : kShapes)
        for (const std::int64_t T : {1, 3, 33, 0})
            for (const HeadOrder to : {HeadOrder::TokenMajor, HeadOrder::HeadMajor})
                for (const auto &[from, into] : {std::pair{DType::F32, DType::F32},
                                                 {DType::F16, DType::F16},
                                                 {DType::F32, DType::F16},
                                                 {DType::F16, DType::F32}}) {
                    if (!half && (from == DType::F16 || into == DType::F16))
                        continue;
                    const bool inPlace =
                        ++turn % 3 == 0 && from == into && to == HeadOrder::TokenMajor;
                    Prepared p;
                    prepare(bench, p, s,
                            turn % 2 == 0 ? RopePairing::HalfSplit : RopePairing::Interleaved,
                            turn % 5 == 0 ? 1.25f : 1.0f, 1);
                    BatchPlan plan;
                    plan.item(T, 0);
                    for (std::int32_t &position : plan.positions)
                        position = bench.integers(1, 0, 100)[0];
                    bench.start("transformHeads",
                                shapeText(T, s.heads * s.dim) + ", heads of " +
                                    std::to_string(s.dim) + ", pairs " + std::to_string(s.pairs) +
                                    (s.norm ? " norm" : "") + (inPlace ? " in place" : "") +
                                    (to == HeadOrder::HeadMajor ? " head-major" : ""),
                                typesText({from, into}), plan);
                    const Matrix x = bench.numbers(T, s.heads * s.dim, from);
                    const Tensor input = bench.in(x, from);
                    const Tensor out = inPlace ? input
                                       : to == HeadOrder::HeadMajor
                                           ? bench.out(s.heads * T, s.dim, into)
                                           : bench.out(T, s.heads * s.dim, into);
                    if (!bench.run([&, order = to](Commands &c) {
                            c.transformHeads(input, p.transform, order, out);
                        }))
                        continue;
                    auto reference = expected(x, plan, p);
                    if (to == HeadOrder::HeadMajor) {
                        const auto tokens = reference;
                        for (std::int64_t t = 0; t < T; ++t)
                            for (std::int64_t h = 0; h < s.heads; ++h)
                                std::copy_n(tokens.begin() + (t * s.heads + h) * s.dim, s.dim,
                                            reference.begin() + (h * T + t) * s.dim);
                    }
                    bench.expect(out, std::move(reference),
                                 bench.target().tolerance({from, into}) + angleError(100));
                }
}

TEST_P(HeadsTest, FarPositions)
{
    for (const std::int64_t position : {4095, 32767, 131071}) {
        Prepared p;
        prepare(bench, p, {2, 128, 64, 0, false}, RopePairing::HalfSplit, 1, 1);
        p.rope->inverseFrequencies = frequencies(64, 500000);
        BatchPlan plan;
        plan.item(3, position - 3);
        bench.start("transformHeads", "position " + std::to_string(position), "F32→F32", plan);
        const Matrix x = bench.numbers(3, 256);
        const Tensor input = bench.in(x, DType::F32), out = bench.out(3, 256, DType::F32);
        if (bench.run([&](Commands &c) {
                c.transformHeads(input, p.transform, HeadOrder::TokenMajor, out);
            }))
            bench.expect(out, expected(x, plan, p), 1e-5 + angleError(position));
    }
}

struct CacheCase
{
    std::int64_t heads, kvHeads, dim, valueDim;
    std::vector<std::pair<std::int64_t, std::int64_t>> items; // rows, past
};

const std::vector<CacheCase> kCacheCases = {
    {1, 1, 32, 32, {{1, 0}}},
    {4, 2, 64, 64, {{5, 0}}},
    {8, 2, 128, 128, {{1, 17}, {1, 3}, {1, 0}}},
    {6, 3, 96, 64, {{3, 5}, {0, 4}, {7, 0}}},
    {2, 2, 64, 128, {{33, 31}}},
    {16, 1, 256, 256, {{2, 1}}},
    {5, 1, 64, 64, {{40, 3}, {0, 2}, {5, 9}}},
    {3, 3, 96, 96, {{33, 0}}},
};

TEST_P(HeadsTest, HeadsToCache)
{
    const bool half = bench.has(DType::F16);
    unsigned turn = 0;
    for (const CacheCase &s : kCacheCases)
        for (const DType cacheType : {DType::F32, DType::F16, DType::Q8_0})
            for (const DType type : {DType::F32, DType::F16})
                for (const bool transformed : {true, false}) {
                    if (type == DType::F16 && !half)
                        continue;
                    ++turn;
                    std::vector<std::unique_ptr<TestCache>> caches;
                    BatchPlan plan;
                    for (const auto &[rows, past] : s.items) {
                        caches.push_back(std::make_unique<TestCache>(
                            bench, cacheType, s.kvHeads, s.dim, s.valueDim, rows + past + 3));
                        caches.back()->fill(bench, past);
                        plan.item(rows, past, caches.back()->layers());
                    }
                    const auto pairing =
                        turn % 4 < 2 ? RopePairing::HalfSplit : RopePairing::Interleaved;
                    Prepared q, k;
                    const HeadShape plainHeads{s.heads, s.dim, -1, 0, false};
                    const HeadShape turned{s.heads, s.dim, turn % 3 == 0 ? s.dim / 4 : s.dim / 2, 0,
                                           turn % 2 == 0};
                    prepare(bench, q, transformed ? turned : plainHeads, pairing, 1.1f, 1);
                    prepare(bench, k, transformed ? turned : plainHeads, pairing, 1.1f, 2);
                    AttentionShape shape;
                    shape.heads = s.heads;
                    shape.kvHeads = s.kvHeads;
                    shape.headDim = s.dim;
                    shape.valueDim = s.valueDim;
                    bench.start("headsToCache",
                                std::to_string(s.heads) + "/" + std::to_string(s.kvHeads) +
                                    " heads of " + std::to_string(s.dim) + ", " +
                                    std::to_string(s.items.size()) + " items" +
                                    (transformed ? " transformed" : ""),
                                typesText({type, cacheType}), plan);
                    const std::int64_t T = plan.rows(), kCols = s.kvHeads * s.dim;
                    const Matrix queries = bench.numbers(T, s.heads * s.dim, type);
                    const Matrix keys = bench.numbers(T, kCols, type);
                    const Matrix values = bench.numbers(T, s.kvHeads * s.valueDim, type);
                    Tensor qIn, kIn, vIn;
                    if (turn % 2 == 0) { // k and v are views of one product
                        Matrix both{T, kCols + values.cols, {}};
                        for (std::int64_t t = 0; t < T; ++t) {
                            both.v.insert(both.v.end(), keys.v.begin() + t * kCols,
                                          keys.v.begin() + (t + 1) * kCols);
                            both.v.insert(both.v.end(), values.v.begin() + t * values.cols,
                                          values.v.begin() + (t + 1) * values.cols);
                        }
                        const Tensor whole = bench.in(both, type);
                        kIn = whole.columns(0, kCols);
                        vIn = whole.columns(kCols, values.cols);
                    } else {
                        const Layout layout = bench.layout();
                        kIn = bench.in(keys, type, layout);
                        vIn = bench.in(values, type, bench.layout());
                    }
                    qIn = bench.in(queries, type);
                    if (!bench.run([&](Commands &c) {
                            c.headsToCache(qIn, q.transform, kIn, k.transform, vIn, 0, shape);
                        }))
                        continue;
                    bench.expect(qIn, expected(queries, plan, q),
                                 bench.target().tolerance({type}) + angleError(70));
                    bench.ignore(kIn); // may be transformed where it lies
                    const auto newKeys = expected(keys, plan, k);
                    bench.finish();
                    const auto newValues = doubles(values);
                    for (std::size_t i = 0; i < caches.size(); ++i) {
                        const BatchItem &item = plan.items[i];
                        const auto part = [&](const std::vector<double> &all, std::int64_t cols) {
                            return std::vector<double>(all.begin() + item.firstRow * cols,
                                                       all.begin() +
                                                           (item.firstRow + item.rows) * cols);
                        };
                        caches[i]->note(part(newKeys, kCols), part(newValues, values.cols));
                        caches[i]->check(bench, cacheType == DType::F32 ? 2e-5 : 2e-3);
                    }
                }
}

struct AtOnceCase
{
    std::int64_t heads, kvHeads, dim, valueDim;
    std::vector<std::pair<std::int64_t, std::int64_t>> items; // rows, past
    std::int64_t window = 0;
    float softcap = 0, alibi = 0;
    bool sinks = false;
};

TEST_P(HeadsTest, HeadsToCacheAndAttention)
{
    const bool half = bench.has(DType::F16);
    const std::vector<AtOnceCase> cases = {
        {1, 1, 32, 32, {{1, 0}}},
        {4, 1, 64, 64, {{1, 70}}},
        {8, 2, 128, 128, {{1, 17}, {1, 300}, {1, 0}}},
        {6, 2, 96, 64, {{1, 64}, {0, 4}, {1, 1}}, 0, 0, 0, true},
        {20, 2, 64, 128, {{1, 140}}, 40},
        {3, 3, 80, 80, {{1, 33}}, 0, 2, 8},
        {8, 2, 128, 128, {{1, 127}, {1, 128}, {1, 2}}, 0, 0, 0, true},
        {4, 1, 128, 128, {{1, 900}}, 700},
        {4, 2, 64, 256, {{1, 1500}}},
        {4, 2, 64, 64, {{1, 3000}}},
        {32, 8, 32, 32, {{1, 2100}}},
        {16, 2, 128, 64, {{1, 1100}, {1, 260}}, 700, 0, 0, true},
        {10, 2, 64, 64, {{1, 600}}, 0, 3, 8},
        {32, 2, 32, 64, {{1, 530}}},
        {8, 2, 128, 128, {{1, 1100}}},
        {4, 2, 64, 64, {{3, 5}, {1, 9}}}, // not for a single launch
        {2, 1, 36, 36, {{1, 9}}},
    };
    unsigned turn = 0;
    for (const AtOnceCase &s : cases)
        for (const DType cacheType : {DType::F32, DType::F16, DType::Q8_0})
            for (const DType type : {DType::F32, DType::F16}) {
                if ((type == DType::F16 && !half) || (cacheType == DType::Q8_0 && s.dim % 32 != 0))
                    continue;
                ++turn;
                // Long caches in F16 have a kernel of their own, on matrices; where it cannot run,
                // a third of the cases says enough.
                const bool longCache = s.items[0].second > 500;
                if (longCache && !bench.target().thorough() && turn % 3 != 0)
                    continue;
                std::vector<std::unique_ptr<TestCache>> caches;
                BatchPlan plan;
                for (const auto &[rows, past] : s.items) {
                    caches.push_back(std::make_unique<TestCache>(bench, cacheType, s.kvHeads, s.dim,
                                                                 s.valueDim, rows + past + 3));
                    caches.back()->fill(bench, past);
                    plan.item(rows, past, caches.back()->layers());
                }
                const auto pairing =
                    turn % 4 < 2 ? RopePairing::HalfSplit : RopePairing::Interleaved;
                const bool plain = turn % 5 == 0;
                Prepared q, k;
                prepare(bench, q, {s.heads, s.dim, plain ? -1 : s.dim / 4, 0, turn % 2 == 0},
                        pairing, 1.1f, 1);
                prepare(bench, k, {s.heads, s.dim, plain ? -1 : s.dim / 2, 0, turn % 3 == 0},
                        pairing, 0.9f, 2);
                const TestWeight *sinks =
                    s.sinks ? &bench.weight(DType::F32, 1, s.heads, 1, 8) : nullptr;
                AttentionShape shape;
                shape.heads = s.heads;
                shape.kvHeads = s.kvHeads;
                shape.headDim = s.dim;
                shape.valueDim = s.valueDim;
                shape.scale = 1 / std::sqrt(static_cast<float>(s.dim));
                shape.window = s.window;
                shape.softcap = s.softcap;
                shape.alibiMaxBias = s.alibi;
                shape.sinks = sinks ? sinks->weight.get() : nullptr;
                // A product that has been announced: its input may come in another form.
                const std::int64_t width = s.heads * s.valueDim, outs = 33;
                const TestWeight &weight =
                    bench.weight(width % 32 == 0 ? DType::Q8_0 : DType::F32, outs, width, 1, 9);
                bench.start("headsToCacheAndAttention",
                            std::to_string(s.heads) + "/" + std::to_string(s.kvHeads) +
                                " heads of " + std::to_string(s.dim) + ", " +
                                std::to_string(s.items.size()) + " items",
                            typesText({type, cacheType}), plan);
                const std::int64_t T = plan.rows(), kCols = s.kvHeads * s.dim;
                const Matrix queries = bench.numbers(T, s.heads * s.dim, type);
                const Matrix keys = bench.numbers(T, kCols, type);
                const Matrix values = bench.numbers(T, s.kvHeads * s.valueDim, type);
                const Tensor qIn = bench.in(queries, type), kIn = bench.in(keys, type),
                             vIn = bench.in(values, type);
                const Tensor out = bench.out(T, s.heads * s.valueDim, type);
                const Tensor product = bench.out(T, outs, DType::F32);
                if (!bench.run([&](Commands &c) {
                        c.announce(out, *weight.weight);
                        c.headsToCacheAndAttention(qIn, q.transform, kIn, k.transform, vIn, 0,
                                                   shape, out);
                        c.linear(out, std::array{LinearTarget{weight.weight.get(), product}});
                    }))
                    continue;
                bench.ignore(qIn);
                bench.ignore(kIn);
                const auto turned = expected(queries, plan, q), newKeys = expected(keys, plan, k);
                const auto newValues = doubles(values);
                std::vector<double> reference;
                for (std::size_t i = 0; i < caches.size(); ++i) {
                    const BatchItem &item = plan.items[i];
                    const auto part = [&](const std::vector<double> &all, std::int64_t cols) {
                        return std::vector<double>(all.begin() + item.firstRow * cols,
                                                   all.begin() +
                                                       (item.firstRow + item.rows) * cols);
                    };
                    caches[i]->note(part(newKeys, kCols), part(newValues, values.cols));
                    if (item.rows == 0)
                        continue;
                    const auto asked = part(turned, queries.cols);
                    const auto rows = reference::attend(
                        shape, item.rows, std::vector<float>(asked.begin(), asked.end()),
                        caches[i]->keys(), caches[i]->values(),
                        sinks ? sinks->values : std::vector<double>());
                    reference.insert(reference.end(), rows.begin(), rows.end());
                }
                double tolerance = bench.target().tolerance({type, cacheType}) + angleError(70);
                if (cacheType == DType::Q8_0)
                    tolerance = bench.target().isCpu() ? 1e-2 : 2e-3;
                std::vector<double> products;
                for (std::int64_t t = 0; t < T; ++t)
                    for (std::int64_t o = 0; o < outs; ++o) {
                        double sum = 0;
                        for (std::int64_t i = 0; i < width; ++i)
                            sum += reference[static_cast<std::size_t>(t * width + i)] *
                                   weight.values[static_cast<std::size_t>(o * width + i)];
                        products.push_back(sum);
                    }
                bench.expect(product, std::move(products),
                             bench.target().isCpu() ? 5e-2 : std::max(2e-3, 2 * tolerance));
                bench.expect(out, std::move(reference), tolerance);
                bench.finish();
                for (const auto &cache : caches)
                    if (cacheType != DType::Q8_0)
                        cache->check(bench, cacheType == DType::F32 ? 2e-5 : 2e-3);
            }
}

TEST_P(HeadsTest, LatentToCache)
{
    const bool half = bench.has(DType::F16);
    for (const auto &[rank, r] : {std::pair<std::int64_t, std::int64_t>{32, 32}, {512, 64}})
        for (const DType cacheType : {DType::F32, DType::F16, DType::Q8_0})
            for (const DType type : {DType::F32, DType::F16})
                for (const RopePairing pairing :
                     {RopePairing::HalfSplit, RopePairing::Interleaved}) {
                    if (type == DType::F16 && !half)
                        continue;
                    TestCache first(bench, cacheType, 1, rank + r, rank, 20, true);
                    TestCache second(bench, cacheType, 1, rank + r, rank, 9, true);
                    first.fill(bench, 5);
                    BatchPlan plan;
                    plan.item(7, 5, first.layers()).item(1, 0, second.layers());
                    Rope rope;
                    rope.pairing = pairing;
                    rope.inverseFrequencies = frequencies(r / 2);
                    bench.start("latentToCache", std::to_string(rank) + " + " + std::to_string(r),
                                typesText({type, cacheType}), plan);
                    const Matrix latent = bench.numbers(8, rank, type);
                    const Matrix part = bench.numbers(8, r, type);
                    const Tensor a = bench.in(latent, type), b = bench.in(part, type);
                    if (!bench.run([&](Commands &c) { c.latentToCache(a, b, rope, 0); }))
                        continue;
                    bench.ignore(b);
                    bench.finish();
                    const auto turned =
                        reference::transformHeads(part.v, plan.positions, r, {}, 0, &rope);
                    std::vector<double> rows;
                    for (std::int64_t t = 0; t < 8; ++t) {
                        for (std::int64_t i = 0; i < rank; ++i)
                            rows.push_back(static_cast<double>(latent.at(t, i)));
                        rows.insert(rows.end(), turned.begin() + t * r,
                                    turned.begin() + (t + 1) * r);
                    }
                    const auto split = rows.begin() + 7 * (rank + r);
                    first.note({rows.begin(), split}, {});
                    second.note({split, rows.end()}, {});
                    first.check(bench, cacheType == DType::F32 ? 2e-5 : 2e-3);
                    second.check(bench, cacheType == DType::F32 ? 2e-5 : 2e-3);
                }
}

FIRESIDE_ON_EVERY_DEVICE(HeadsTest);

} // namespace
} // namespace fireside::conformance
