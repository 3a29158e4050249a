#include "tests/conformance/products.h"
#include "tests/support/reference_rows.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

// Mixtures of experts.
namespace fireside::conformance {
namespace {

using ExpertsTest = OpTest;

/// Whether the first `count` of the values, by size, differ by more than F32 may blur.
bool areApart(std::vector<double> values, std::size_t count)
{
    std::sort(values.rbegin(), values.rend());
    for (std::size_t i = 0; i + 1 < values.size() && i < count; ++i)
        if (values[i] - values[i + 1] < 1e-5 * (std::abs(values[i]) + std::abs(values[i + 1])))
            return false;
    return true;
}

/// Whether the choice for a row does not hang on the last bit: sigmoids of 4.500203 and 4.500209,
/// say, are the same in F32.
bool isClear(std::span<const float> logits, const Routing &routing, std::span<const float> biases)
{
    const double largest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    std::vector<double> values(logits.begin(), logits.end());
    for (double &v : values) {
        if (routing.score == Routing::Score::SoftmaxAll)
            sum += v = std::exp(v - largest);
        else if (routing.score == Routing::Score::Sigmoid)
            v = 1 / (1 + std::exp(-v));
    }
    for (std::size_t e = 0; e < values.size(); ++e)
        values[e] = values[e] / (sum > 0 ? sum : 1) + (biases.empty() ? 0.0 : double{biases[e]});
    const auto groups = static_cast<std::size_t>(routing.groups);
    const std::size_t each = values.size() / groups;
    std::vector<std::pair<double, std::size_t>> order;
    std::vector<double> scores;
    for (std::size_t g = 0; g < groups; ++g) {
        std::vector<double> own(values.begin() + static_cast<std::ptrdiff_t>(g * each),
                                values.begin() + static_cast<std::ptrdiff_t>((g + 1) * each));
        std::sort(own.rbegin(), own.rend());
        scores.push_back(own[0] + (routing.groupByBestTwo && each > 1 ? own[1] : 0));
        order.emplace_back(scores.back(), g);
    }
    std::sort(order.rbegin(), order.rend());
    std::vector<double> left;
    for (std::size_t i = 0; i < static_cast<std::size_t>(routing.usedGroups); ++i)
        for (std::size_t e = 0; e < each; ++e)
            left.push_back(values[order[i].second * each + e]);
    return areApart(scores, static_cast<std::size_t>(routing.usedGroups)) &&
           areApart(left, static_cast<std::size_t>(routing.used));
}

/// Logits whose choice is clear.
Matrix clearLogits(Bench &bench, std::int64_t T, std::int64_t experts, DType type,
                   const Routing &routing, std::span<const float> biases)
{
    Matrix logits = bench.numbers(T, experts, type, 2);
    for (std::int64_t t = 0; t < T; ++t) {
        const std::span<float> row(logits.v.data() + t * experts,
                                   static_cast<std::size_t>(experts));
        for (int tries = 0; tries < 100 && !isClear(row, routing, biases); ++tries) {
            const Matrix other = bench.numbers(1, experts, type, 2);
            std::copy(other.v.begin(), other.v.end(), row.begin());
        }
    }
    return logits;
}

/// The case has been started.
void routeCase(Bench &bench, std::int64_t T, std::int64_t experts, Routing routing, bool withBias,
               DType type, bool ties)
{
    const TestWeight *const bias = withBias ? &bench.weight(DType::F32, 1, experts, 1, 3) : nullptr;
    routing.bias = bias ? bias->weight.get() : nullptr;
    const std::vector<float> biases =
        bias ? std::vector<float>(bias->values.begin(), bias->values.end()) : std::vector<float>();
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
    auto expected = reference::route(logits.v, static_cast<std::size_t>(experts), routing, biases);
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
Option<Routing::Score> scoresOf(Cases &cases)
{
    using Score = Routing::Score;
    return cases.option<Score>("score", {Score::SoftmaxAll, Score::SoftmaxChosen, Score::Sigmoid},
                               {"softmax of all", "softmax of chosen", "sigmoid"});
}

TEST_P(ExpertsTest, Route)
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
                  pick[ties]);
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

TEST_P(ExpertsTest, RouteByGroups)
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

/// Ids of k different experts for each row, out of the first `live` ones.
std::vector<std::int32_t> chosen(Bench &bench, std::int64_t T, std::int64_t k, std::int64_t live)
{
    std::vector<std::int32_t> ids;
    for (std::int64_t t = 0; t < T; ++t) {
        std::vector<std::int32_t> all;
        for (std::int64_t e = 0; e < live; ++e)
            all.push_back(static_cast<std::int32_t>(e));
        std::shuffle(all.begin(), all.end(), bench.random());
        ids.insert(ids.end(), all.begin(), all.begin() + k);
    }
    return ids;
}

struct ExpertCase
{
    std::int64_t T, k, experts, live; // only the first `live` are used
};
std::string valueText(const ExpertCase &c)
{
    return std::to_string(c.T) + " rows, " + std::to_string(c.k) + " of " +
           std::to_string(c.experts) + ", live " + std::to_string(c.live);
}
const std::vector<std::vector<ExpertCase>> kExpertCases{
    {{1, 1, 4, 4}, {1, 8, 16, 16}, {2, 2, 4, 2}}, // few enough to be multiplied one by one
    {{5, 4, 8, 8}, {33, 2, 8, 3}, {65, 1, 4, 1}},
    {{0, 2, 4, 4}}};

/// Biases of all experts, in the type that vectors have here; null without.
const TestWeight *biasOf(Bench &bench, bool there, const ProductOptions &o, std::int64_t cols,
                         std::int64_t experts, int salt)
{
    return there ? &bench.weight(o.bias, 1, cols, experts, salt) : nullptr;
}

class ExpertTypesTest : public testing::TestWithParam<std::tuple<std::string, DType>>
{
protected:
    Bench bench{std::get<0>(GetParam())};
    DType type() const { return std::get<1>(GetParam()); }
    void TearDown() override { bench.finish(); }

    /// The case has been started.
    void gatedCase(const ExpertCase &s, std::int64_t in, std::int64_t ffn, Activation act,
                   const ProductOptions &o, bool upBiased, const Routing *routing = nullptr);
    void downCase(const ExpertCase &s, std::int64_t ffn, std::int64_t n, const ProductOptions &o);
};

void ExpertTypesTest::gatedCase(const ExpertCase &s, std::int64_t in, std::int64_t ffn,
                                Activation act, const ProductOptions &o, bool upBiased,
                                const Routing *routing)
{
    const TestWeight *const norm = o.normWeight(bench, in);
    const TestWeight &gate = bench.weight(type(), ffn, in, s.experts, 0);
    const TestWeight &up = bench.weight(type(), ffn, in, s.experts, 1);
    const TestWeight *const gateBias = biasOf(bench, o.biased, o, ffn, s.experts, 5);
    const TestWeight *const upBias = biasOf(bench, upBiased, o, ffn, s.experts, 6);
    const Matrix logits =
        routing ? clearLogits(bench, s.T, s.experts, DType::F32, *routing, {}) : Matrix{};
    const auto routed =
        routing ? reference::route(logits.v, static_cast<std::size_t>(s.experts), *routing, {})
                : reference::Routed{};
    const auto ids = routing ? routed.ids : chosen(bench, s.T, s.k, s.live);
    const Matrix x = o.input(bench, s.T, in, inputScale(gate));
    const Tensor input = bench.in(x, o.x);
    const Tensor which = routing ? bench.idsOut(s.T, s.k) : bench.ids(ids, s.k);
    const Tensor scores = routing ? bench.in(logits, DType::F32, {0, 0}) : Tensor{};
    const Tensor shares = routing ? bench.out(s.T, s.k, DType::F32) : Tensor{};
    const Tensor out = bench.out(s.T * s.k, ffn, o.out);
    GatedWeights weights;
    weights.gate = gate.weight.get();
    weights.up = up.weight.get();
    weights.gateBias = weightOf(gateBias);
    weights.upBias = weightOf(upBias);
    const LinearInput from = inputOf(input, norm, o.eps);
    if (!bench.run([&](Commands &c) {
            if (routing)
                c.record(op::Route{scores, *routing, which, shares});
            c.record(op::ExpertGatedLinear{from, which, weights, act, out});
        }))
        return;
    if (routing) {
        bench.expectIds(which, ids);
        bench.expect(shares, routed.weights, 1e-5);
    }
    const auto rows = normedInput(x, norm, static_cast<double>(o.eps));
    std::vector<double> reference, magnitude;
    for (std::int64_t i = 0; i < s.T * s.k; ++i) {
        const std::int64_t e = ids[static_cast<std::size_t>(i)];
        const auto start = static_cast<std::size_t>(i / s.k * in);
        for (std::int64_t r = 0; r < ffn; ++r) {
            Sum g = product(rows, start, gate, r, e), u = product(rows, start, up, r, e);
            g.value += gateBias ? gateBias->at(0, r, e) : 0;
            u.value += upBias ? upBias->at(0, r, e) : 0;
            const Sum sum = gatedSum(act, g, u);
            reference.push_back(sum.value);
            magnitude.push_back(sum.magnitude);
        }
    }
    bench.expect(out, std::move(reference),
                 2 * bench.target().productTolerance(type(), {o.x, o.out}, s.T),
                 std::move(magnitude));
}

void ExpertTypesTest::downCase(const ExpertCase &s, std::int64_t ffn, std::int64_t n,
                               const ProductOptions &o)
{
    const TestWeight &down = bench.weight(type(), n, ffn, s.experts, 2);
    const TestWeight *const bias = biasOf(bench, o.biased, o, n, s.experts, 7);
    const auto ids = chosen(bench, s.T, s.k, s.live);
    const Matrix x = bench.numbers(s.T * s.k, ffn, o.x);
    const Matrix share = bench.numbers(s.T, s.k);
    const Matrix before = bench.numbers(s.T, n, o.out);
    const Tensor input = bench.in(x, o.x), which = bench.ids(ids, s.k);
    const Tensor weights = bench.in(share, DType::F32, {0, 0});
    const Tensor out = o.add ? bench.in(before, o.out) : bench.out(s.T, n, o.out);
    if (!bench.run([&](Commands &c) {
            c.record(op::ExpertLinear{input, which, weights, *down.weight,
                                      bias ? bias->weight.get() : nullptr, out,
                                      o.add ? Accumulate::AddToOutput : Accumulate::Overwrite});
        }))
        return;
    const auto rows = doubles(x);
    std::vector<double> reference, magnitude;
    for (std::int64_t t = 0; t < s.T; ++t)
        for (std::int64_t r = 0; r < n; ++r) {
            double value = o.add ? static_cast<double>(before.at(t, r)) : 0, squares = 0;
            for (std::int64_t j = 0; j < s.k; ++j) {
                const std::int64_t e = ids[static_cast<std::size_t>(t * s.k + j)];
                const Sum sum =
                    product(rows, static_cast<std::size_t>((t * s.k + j) * ffn), down, r, e);
                const double w = static_cast<double>(share.at(t, j));
                value += w * (sum.value + (bias ? bias->at(0, r, e) : 0));
                squares += w * sum.magnitude * w * sum.magnitude;
            }
            reference.push_back(value);
            magnitude.push_back(std::sqrt(squares));
        }
    bench.expect(out, std::move(reference),
                 bench.target().productTolerance(type(), {o.x, o.out}, s.T), std::move(magnitude));
}

const std::vector<Activation> kActivations{Activation::SiLU, Activation::GeluErf,
                                           Activation::GeluTanh, Activation::ReluSquared,
                                           Activation::ClampedSwiGlu};

TEST_P(ExpertTypesTest, GatedLinear)
{
    const TypeShare share(bench, type());
    Cases cases("expertGatedLinear", name(type()));
    const auto experts = cases.option("experts", share.values(kExpertCases));
    cases.first(experts);
    const auto wide = cases.option("wide");
    const auto act = cases.option("function", kActivations);
    const auto upBiased = cases.option("up biased");
    const ProductCommon all(bench, cases);
    // Numbers beyond the reach of F16.
    cases.without([](bool norm, DType out) { return norm && out == DType::F16; }, all.normed,
                  all.out);
    for (const Pick &pick : bench.draw(cases, share.cases(5, 3))) {
        bench.start(pick, "expertGatedLinear");
        gatedCase(pick[experts], pick[wide] ? 512 : 256, pick[wide] ? 64 : 33, pick[act],
                  {pick, all}, pick[upBiased]);
    }
}

TEST_P(ExpertTypesTest, RouteAndGatedLinear)
{
    if (!TypeShare(bench, type()).isLarge())
        return;
    Cases cases("route + expertGatedLinear", name(type()));
    const auto experts = cases.option<ExpertCase>("experts", {{1, 8, 31, 31},
                                                              {4, 8, 32, 32},
                                                              {1, 1, 1, 1},
                                                              {3, 2, 33, 33},
                                                              {1, 8, 128, 128},
                                                              {9, 3, 8, 8},
                                                              {0, 2, 4, 4}});
    const auto score = scoresOf(cases);
    const auto normalize = cases.option("normalised");
    const auto scale = cases.option<float>("scale", {1, 2.5f});
    const auto act = cases.option("function", kActivations);
    const ProductCommon all(bench, cases);
    cases.without([](bool norm, DType out) { return norm && out == DType::F16; }, all.normed,
                  all.out);
    for (const Pick &pick : bench.draw(cases, type() == DType::Q4_K ? 10 : 3)) {
        Routing routing;
        routing.score = pick[score];
        routing.used = pick[experts].k;
        routing.normalize = pick[normalize];
        routing.scale = pick[scale];
        bench.start(pick, "route + expertGatedLinear");
        gatedCase(pick[experts], 256, 35, pick[act], {pick, all}, false, &routing);
    }
}

TEST_P(ExpertTypesTest, Linear)
{
    // Rows of fewer threads than a subgroup has among them.
    const std::int64_t narrow = info(type()).blockElements == 256 ? 256 : 96;
    const TypeShare share(bench, type());
    std::vector<std::vector<ExpertCase>> groups = kExpertCases;
    groups[0].insert(groups[0].end(), {{3, 8, 32, 32}, {2, 3, 8, 8}});
    Cases cases("expertLinear", name(type()));
    const auto experts = cases.option("experts", share.values(groups));
    cases.first(experts);
    const auto ffn = cases.option<std::int64_t>("ffn", {narrow, 768});
    const auto outs = cases.option<std::int64_t>("outs", {32, 65});
    const auto add = cases.option("added");
    const auto biased = cases.option("biased");
    const auto bias = cases.option("bias", std::vector{DType::F32, DType::F16, DType::BF16});
    const auto x = cases.option("x", bench.activations());
    const auto out = cases.option("out", bench.activations());
    for (const Pick &pick : bench.draw(cases, share.cases(6, 3))) {
        ProductOptions o;
        o.x = pick[x];
        o.out = pick[out];
        o.biased = pick[biased];
        o.bias = pick[bias];
        o.add = pick[add];
        bench.start(pick, "expertLinear");
        downCase(pick[experts], pick[ffn], pick[outs], o);
    }
}

TEST_P(ExpertTypesTest, LinearAddsToTheOutput)
{
    if (!TypeShare(bench, type()).isLarge())
        return;
    for (const ExpertCase &experts : {ExpertCase{2, 2, 4, 2}, ExpertCase{33, 2, 8, 3}}) {
        ProductOptions o;
        o.add = true;
        bench.start("expertLinear", "added, " + valueText(experts), name(type()));
        downCase(experts, 256, 32, o);
    }
}

struct HeadCase
{
    std::int64_t heads, in, out;
};
std::string valueText(const HeadCase &c)
{
    return std::to_string(c.heads) + " of " + shapeText(c.out, c.in);
}

TEST_P(ExpertTypesTest, HeadLinear)
{
    const TypeShare share(bench, type());
    Cases cases("headLinear", name(type()));
    const auto rows = cases.option("rows", share.values<std::int64_t>({{1, 3, 33}, {0}}));
    cases.first(rows);
    const auto shape = cases.option<HeadCase>("heads", {{1, 256, 33}, {4, 256, 64}, {3, 512, 7}});
    const auto from = cases.option("x", bench.activations());
    const auto into = cases.option("out", bench.activations());
    for (const Pick &pick : bench.draw(cases, share.cases(4, 2))) {
        const auto [heads, in, out] = pick[shape];
        const std::int64_t T = pick[rows];
        const TestWeight &weight = bench.weight(type(), out, in, heads, 4);
        bench.start(pick, "headLinear");
        const Matrix x = bench.numbers(T, heads * in, pick[from]);
        const Tensor input = bench.in(x, pick[from]), to = bench.out(T, heads * out, pick[into]);
        if (!bench.run([&](Commands &c) { c.record(op::HeadLinear{input, *weight.weight, to}); }))
            continue;
        const auto values = doubles(x);
        std::vector<double> reference, magnitude;
        for (std::int64_t t = 0; t < T; ++t)
            for (std::int64_t h = 0; h < heads; ++h)
                for (std::int64_t r = 0; r < out; ++r) {
                    const Sum sum = product(values, static_cast<std::size_t>((t * heads + h) * in),
                                            weight, r, h);
                    reference.push_back(sum.value);
                    magnitude.push_back(sum.magnitude);
                }
        bench.expect(to, std::move(reference),
                     bench.target().productTolerance(type(), {pick[from], pick[into]}, T),
                     std::move(magnitude));
    }
}

INSTANTIATE_TEST_SUITE_P(
    On, ExpertTypesTest,
    testing::Combine(testing::ValuesIn(targetIds()), testing::ValuesIn(weightTypes())),
    [](const auto &test) {
        return deviceName({std::get<0>(test.param), 0}) + "_" + name(std::get<1>(test.param));
    });
FIRESIDE_ON_EVERY_DEVICE(ExpertsTest);

} // namespace
} // namespace fireside::conformance
