#include "tests/conformance/heads.h"
#include "tests/conformance/products.h"
#include "tests/support/reference_attention.h"

#include <algorithm>

// Norm and rotation of heads, and their way into caches.
namespace fireside::conformance {
namespace {

using HeadsTest = OpTest;

TEST_P(HeadsTest, TransformHeads)
{
    Cases cases("transformHeads");
    const auto heads = cases.option<Heads>("heads", {{1, 1, 32, 32},
                                                     {4, 4, 64, 64},
                                                     {3, 3, 128, 128},
                                                     {2, 2, 96, 96},
                                                     {2, 2, 192, 192},
                                                     {1, 1, 256, 256},
                                                     {5, 5, 36, 36},
                                                     {3, 3, 33, 33}});
    const auto rows = cases.option<std::int64_t>("rows", {0, 1, 3, 33});
    const auto turn = cases.option("turning", kTurns, kTurnTexts);
    const auto pairing = cases.option("pairing", kPairings, kPairingTexts);
    const auto factor = cases.option<float>("factor", {1, 1.25f});
    const auto norm = cases.option("norm");
    const auto eps = cases.option<float>("eps", {1e-6f, 1e-5f});
    const auto quiet = cases.option("quiet rows");
    const auto from = cases.option("from", bench.activations());
    const auto into = cases.option("into", bench.activations());
    const auto order = cases.option<HeadOrder>(
        "order", {HeadOrder::TokenMajor, HeadOrder::HeadMajor}, {"by token", "by head"});
    const auto inPlace = cases.option("in place");
    cases.without([](bool same, DType a, DType b) { return same && a != b; }, inPlace, from, into);
    cases.without([](bool same, HeadOrder to) { return same && to == HeadOrder::HeadMajor; },
                  inPlace, order);
    cases.without([](const Heads &h, Turn t) { return h.dim == 33 && t == Turn::All; }, heads,
                  turn);
    for (const Pick &pick : bench.draw(cases, 0)) {
        const auto [H, unused, D, alsoUnused] = pick[heads];
        const std::int64_t T = pick[rows];
        Transform transform;
        transform.make(D, pick[norm] ? &bench.weight(DType::F32, 1, D, 1, 1) : nullptr, pick[eps],
                       turning(pick[turn], D, pick[pairing], pick[factor]));
        BatchPlan plan;
        plan.item(T);
        scatter(bench, plan, kFarthest);
        bench.start(pick, plan);
        Matrix x = bench.numbers(T, H * D, pick[from]);
        if (pick[quiet])
            quieten(x, pick[from]);
        const bool byHead = pick[order] == HeadOrder::HeadMajor;
        const Tensor input = bench.in(x, pick[from]);
        const Tensor out = pick[inPlace] ? input
                           : byHead      ? bench.out(H * T, D, pick[into])
                                         : bench.out(T, H * D, pick[into]);
        if (!bench.run([&](Commands &c) {
                c.record(op::TransformHeads{input, transform.transform, pick[order], out});
            }))
            continue;
        auto reference = transform.expected(x, plan);
        if (byHead) {
            const auto tokens = reference;
            for (std::int64_t t = 0; t < T; ++t)
                for (std::int64_t h = 0; h < H; ++h)
                    std::copy_n(tokens.begin() + (t * H + h) * D, D,
                                reference.begin() + (h * T + t) * D);
        }
        bench.expect(out, std::move(reference),
                     bench.target().tolerance({pick[from], pick[into]}) + angleError(kFarthest));
    }
}

TEST_P(HeadsTest, FarPositions)
{
    Cases cases("transformHeads", "far positions");
    const auto position = cases.option<std::int32_t>("position", {4095, 32767, 131071});
    const auto pairing = cases.option("pairing", kPairings, kPairingTexts);
    for (const Pick &pick : bench.draw(cases, 0)) {
        Transform transform;
        Rope rope;
        rope.pairing = pick[pairing];
        rope.inverseFrequencies = frequencies(64, 500000);
        transform.make(128, nullptr, 0, rope);
        BatchPlan plan;
        plan.item(3, pick[position] - 3);
        bench.start(pick, plan);
        const Matrix x = bench.numbers(3, 256);
        const Tensor input = bench.in(x, DType::F32), out = bench.out(3, 256, DType::F32);
        if (bench.run([&](Commands &c) {
                c.record(
                    op::TransformHeads{input, transform.transform, HeadOrder::TokenMajor, out});
            }))
            bench.expect(out, transform.expected(x, plan),
                         bench.target().isCpu() ? 1e-5 + angleError(pick[position])
                                                : 1e-5); // exact turns
    }
}

TEST_P(HeadsTest, AppendKv)
{
    Cases cases("appendKv");
    const auto heads = cases.option<Heads>("heads", {{1, 1, 32, 32},
                                                     {4, 2, 64, 64},
                                                     {8, 2, 128, 128},
                                                     {6, 3, 96, 64},
                                                     {2, 2, 64, 128},
                                                     {16, 1, 256, 256},
                                                     {3, 3, 36, 40}});
    const auto items = cases.option<Items>("items", {{{1, 0}},
                                                     {{5, 0}},
                                                     {{1, 17}, {1, 3}, {1, 0}},
                                                     {{3, 5}, {0, 4}, {7, 0}},
                                                     {{33, 31}},
                                                     {{40, 3}, {0, 2}, {5, 9}}});
    const auto cacheType = cases.option<DType>("cache", {DType::F32, DType::F16, DType::Q8_0});
    const HeadOptions options(bench, cases);
    withoutCutBlocks(cases, heads, cacheType);
    for (const Pick &pick : bench.draw(cases, 30)) {
        const Heads &h = pick[heads];
        ItemCaches caches(bench, pick[cacheType], h, pick[items]);
        NewHeads made(bench, options, pick, h, caches.plan);
        bench.start(pick, caches.plan);
        made.place(bench, options, pick, h, caches.plan.rows());
        if (!bench.run([&](Commands &c) {
                c.record(op::AppendKv{made.qIn, made.qTransform.transform, made.kIn,
                                      made.kTransform.transform, made.vIn, 0, shapeOf(h)});
            }))
            continue;
        const double angles = angleError(kFarthest);
        bench.expect(made.qIn, made.qTransform.expected(made.q, caches.plan),
                     bench.target().tolerance({pick[options.qType]}) + angles);
        bench.ignore(made.kIn); // may be transformed where it lies
        bench.finish();
        caches.note(made.kTransform.expected(made.k, caches.plan), doubles(made.v));
        // The device may round keys to the type they came in before it stores them.
        caches.check(bench, bench.target().tolerance({pick[options.kType]}) + angles);
    }
}

TEST_P(HeadsTest, AppendLatent)
{
    Cases cases("appendLatent");
    const auto heads =
        cases.option<Heads>("channels", {{1, 1, 64, 32}, {1, 1, 576, 512}, {1, 1, 160, 128}});
    const auto items = cases.option<Items>(
        "items", {{{1, 0}}, {{7, 5}, {1, 0}}, {{1, 3}, {0, 2}, {1, 40}}, {{33, 1}}});
    const auto cacheType = cases.option<DType>("cache", {DType::F32, DType::F16, DType::Q8_0});
    const auto latentType = cases.option("latent", bench.activations());
    const auto partType = cases.option("part", bench.activations());
    const auto pairing = cases.option("pairing", kPairings, kPairingTexts);
    const auto factor = cases.option<float>("factor", {1, 1.1f});
    const auto scattered = cases.option("scattered positions");
    for (const Pick &pick : bench.draw(cases, 0)) {
        const std::int64_t rank = pick[heads].valueDim, r = pick[heads].dim - rank;
        ItemCaches caches(bench, pick[cacheType], pick[heads], pick[items], true);
        if (pick[scattered])
            scatter(bench, caches.plan, kFarthest);
        Transform turned;
        turned.make(r, nullptr, 0, turning(Turn::All, r, pick[pairing], pick[factor]));
        bench.start(pick, caches.plan);
        const std::int64_t T = caches.plan.rows();
        const Matrix latent = bench.numbers(T, rank, pick[latentType]);
        const Matrix part = bench.numbers(T, r, pick[partType]);
        const Tensor a = bench.in(latent, pick[latentType]), b = bench.in(part, pick[partType]);
        if (!bench.run([&](Commands &c) {
                c.record(op::AppendLatent{a, b, *turned.transform.rope, 0});
            }))
            continue;
        bench.ignore(b); // may be turned where it lies
        bench.finish();
        const auto after = turned.expected(part, caches.plan);
        std::vector<double> rows;
        for (std::int64_t t = 0; t < T; ++t) {
            rows.insert(rows.end(), latent.v.begin() + t * rank, latent.v.begin() + (t + 1) * rank);
            rows.insert(rows.end(), after.begin() + t * r, after.begin() + (t + 1) * r);
        }
        caches.note(rows, {});
        caches.check(bench, bench.target().tolerance({pick[partType]}) + angleError(kFarthest));
    }
}

FIRESIDE_ON_EVERY_DEVICE(HeadsTest);

} // namespace
} // namespace fireside::conformance
