#include "tests/conformance/heads.h"
#include "tests/conformance/products.h"
#include "tests/support/reference_attention.h"

#include <algorithm>

// Norm and rotation of heads.
namespace fireside::conformance {
namespace {

using TransformHeadsTest = OpTest;

TEST_P(TransformHeadsTest, NormAndRotation)
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

TEST_P(TransformHeadsTest, FarPositions)
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

FIRESIDE_ON_EVERY_DEVICE(TransformHeadsTest);

} // namespace
} // namespace fireside::conformance
