#include "tests/conformance/experts.h"
#include "tests/support/reference_rows.h"

#include <cmath>

// Routing: which experts a token takes.
namespace fireside::conformance {
namespace {

using RouteTest = OpTest;

/// The case has been started.
void routeCase(Bench &bench, std::int64_t T, std::int64_t experts, Routing routing, bool withBias,
               DType type, bool ties, bool scaled = false)
{
    const auto vector = [&](bool there, int salt, const Weight *&weight) {
        if (!there)
            return std::vector<float>();
        const TestWeight &made = bench.weight(DType::F32, 1, experts, 1, salt);
        weight = made.weight.get();
        return std::vector<float>(made.values.begin(), made.values.end());
    };
    const std::vector<float> biases = vector(withBias, 3, routing.bias);
    const std::vector<float> scales = vector(scaled, 4, routing.expertScale);
    Matrix logits = ties ? bench.numbers(T, experts, type, 2)
                         : clearLogits(bench, T, experts, type, routing, biases);
    for (float &v : logits.v)
        if (ties)
            v = std::floor(v);
    const Tensor input = bench.in(logits, type);
    const Tensor ids = bench.idsOut(T, routing.used);
    const Tensor weights = bench.out(T, routing.used, DType::F32);
    if (!bench.run([&](Commands &c) { c.record(op::Route{input, routing, ids, weights}); }))
        return;
    auto expected =
        reference::route(logits.v, static_cast<std::size_t>(experts), routing, biases, scales);
    bench.expectIds(ids, std::move(expected.ids));
    bench.expect(weights, std::move(expected.weights), 1e-5);
}

struct Used
{
    int experts, used;
};
std::string valueText(const Used &u)
{
    return std::to_string(u.used) + " of " + std::to_string(u.experts);
}
TEST_P(RouteTest, Rows)
{
    Cases cases("route");
    const auto score = scoresOf(cases);
    const auto used = cases.option<Used>("uses", {{1, 1},
                                                  {4, 1},
                                                  {8, 2},
                                                  {60, 4},
                                                  {64, 6},
                                                  {128, 8},
                                                  {256, 8},
                                                  {33, 33},
                                                  {512, 10},
                                                  {1000, 22},
                                                  {1024, 32}});
    const auto rows = cases.option<std::int64_t>("rows", {0, 1, 9, 65});
    const auto type = cases.option("logits", bench.activations());
    const auto normalize = cases.option("normalised");
    const auto scale = cases.option<float>("scale", {1, 2.5f});
    const auto biased = cases.option("biased");
    const auto ties = cases.option("ties");
    const auto scaled = cases.option("scaled by expert");
    // Equal logits have equal scores; sums with biases could round differently.
    cases.without([](bool bias, bool equal) { return bias && equal; }, biased, ties);
    cases.without([](bool bias, Routing::Score s) { return bias && s != Routing::Score::Sigmoid; },
                  biased, score);
    for (const Pick &pick : bench.draw(cases, 24)) {
        Routing routing;
        routing.score = pick[score];
        routing.used = pick[used].used;
        routing.normalize = pick[normalize];
        routing.scale = pick[scale];
        bench.start(pick);
        routeCase(bench, pick[rows], pick[used].experts, routing, pick[biased], pick[type],
                  pick[ties], pick[scaled]);
    }
}

TEST_P(RouteTest, SparseMixer)
{
    Cases cases("route", "sparse mixer");
    const auto experts = cases.option<std::int64_t>("experts", {2, 16, 33});
    const auto jitter = cases.option<float>("jitterEps", {0.01f, 0.3f});
    const auto rows = cases.option<std::int64_t>("rows", {1, 33});
    const auto type = cases.option("logits", bench.activations());
    const auto normalize = cases.option("normalised");
    const auto scaled = cases.option("scaled by expert");
    for (const Pick &pick : bench.draw(cases, 5)) {
        Routing routing;
        routing.score = Routing::Score::SparseMixer;
        routing.used = 2;
        routing.jitterEps = pick[jitter];
        routing.normalize = pick[normalize];
        bench.start(pick);
        routeCase(bench, pick[rows], pick[experts], routing, false, pick[type], false,
                  pick[scaled]);
    }
}

struct Workgroups
{
    int experts, groups, usedGroups, used;
};
std::string valueText(const Workgroups &g)
{
    return std::to_string(g.used) + " of " + std::to_string(g.experts) + " in " +
           std::to_string(g.usedGroups) + " of " + std::to_string(g.groups);
}

TEST_P(RouteTest, ByGroups)
{
    using Score = Routing::Score;
    Cases cases("route", "by groups");
    const auto score = cases.option<Score>("score", {Score::SoftmaxAll, Score::Sigmoid},
                                           {"softmax of all", "sigmoid"});
    const auto groups = cases.option<Workgroups>("groups", {{16, 4, 2, 3},
                                                            {160, 8, 3, 6},
                                                            {256, 8, 4, 8},
                                                            {8, 8, 3, 2},
                                                            {64, 1, 1, 6},
                                                            {1024, 16, 4, 8}});
    const auto byTwo = cases.option("by the best two");
    const auto biased = cases.option("biased");
    const auto normalize = cases.option("normalised");
    const auto scale = cases.option<float>("scale", {1, 16});
    const auto rows = cases.option<std::int64_t>("rows", {1, 33});
    cases.without([](Workgroups g, bool two) { return two && g.experts == g.groups; }, groups,
                  byTwo);
    for (const Pick &pick : bench.draw(cases, 12)) {
        Routing routing;
        routing.score = pick[score];
        routing.used = pick[groups].used;
        routing.groups = pick[groups].groups;
        routing.usedGroups = pick[groups].usedGroups;
        routing.groupByBestTwo = pick[byTwo];
        routing.normalize = pick[normalize];
        routing.scale = pick[scale];
        bench.start(pick);
        routeCase(bench, pick[rows], pick[groups].experts, routing, pick[biased], DType::F32,
                  false);
    }
}

FIRESIDE_ON_EVERY_DEVICE(RouteTest);

} // namespace
} // namespace fireside::conformance
