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

std::string text(const Routing &r, std::int64_t T, std::int64_t experts)
{
    return shapeText(T, experts) + " score " + std::to_string(static_cast<int>(r.score)) +
           ", uses " + std::to_string(r.used) + ", groups " + std::to_string(r.usedGroups) + "/" +
           std::to_string(r.groups) + (r.groupByBestTwo ? " by two" : "") +
           (r.bias ? " bias" : "") + (r.normalize ? " normalised" : "");
}

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

void routeCase(Bench &bench, std::int64_t T, std::int64_t experts, Routing routing, bool withBias,
               DType type, bool ties)
{
    const TestWeight *const bias = withBias ? &bench.weight(DType::F32, 1, experts, 1, 3) : nullptr;
    routing.bias = bias ? bias->weight.get() : nullptr;
    bench.start("route", text(routing, T, experts) + (ties ? " ties" : ""), typesText({type}));
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
    if (!bench.run([&](Commands &c) { c.route(input, routing, ids, weights); }))
        return;
    auto expected = reference::route(logits.v, static_cast<std::size_t>(experts), routing, biases);
    bench.expectIds(ids, std::move(expected.ids));
    bench.expect(weights, std::move(expected.weights), 1e-5);
}

TEST_P(ExpertsTest, Route)
{
    const bool half = bench.has(DType::F16);
    using Score = Routing::Score;
    for (const Score score : {Score::SoftmaxAll, Score::SoftmaxChosen, Score::Sigmoid})
        for (const auto &[experts, used] :
             {std::pair{1, 1}, {4, 1}, {8, 2}, {60, 4}, {64, 6}, {128, 8}, {256, 8}, {33, 33}})
            for (const std::int64_t T : {0, 1, 9, 65})
                for (const bool normalize : {false, true}) {
                    Routing routing;
                    routing.score = score;
                    routing.used = used;
                    routing.normalize = normalize;
                    routing.scale = normalize ? 2.5f : 1.0f;
                    const bool bias = score == Score::Sigmoid && T != 9;
                    routeCase(bench, T, experts, routing, bias, DType::F32, false);
                    if (half && T == 9)
                        routeCase(bench, T, experts, routing, bias, DType::F16, true);
                    // Equal logits have equal scores; sums with biases could round differently.
                    if (T == 65)
                        routeCase(bench, T, experts, routing, false, DType::F32, true);
                }
}

TEST_P(ExpertsTest, RouteByGroups)
{
    using Score = Routing::Score;
    for (const Score score : {Score::SoftmaxAll, Score::Sigmoid})
        for (const auto &[experts, groups, usedGroups, used] :
             std::initializer_list<std::array<int, 4>>{
                 {16, 4, 2, 3}, {160, 8, 3, 6}, {256, 8, 4, 8}, {8, 8, 3, 2}, {64, 1, 1, 6}})
            for (const bool byTwo : {false, true})
                for (const bool bias : {false, true}) {
                    if (byTwo && experts == groups)
                        continue;
                    Routing routing;
                    routing.score = score;
                    routing.used = used;
                    routing.groups = groups;
                    routing.usedGroups = usedGroups;
                    routing.groupByBestTwo = byTwo;
                    routing.normalize = bias;
                    routing.scale = 16;
                    routeCase(bench, 33, experts, routing, bias, DType::F32, false);
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
constexpr ExpertCase kExpertCases[] = {{1, 1, 4, 4},  {1, 8, 16, 16}, {2, 2, 4, 2}, {5, 4, 8, 8},
                                       {33, 2, 8, 3}, {65, 1, 4, 1},  {0, 2, 4, 4}};

class ExpertTypesTest : public testing::TestWithParam<std::tuple<std::string, DType>>
{
protected:
    Bench bench{std::get<0>(GetParam())};
    DType type() const { return std::get<1>(GetParam()); }
    void TearDown() override { bench.finish(); }

    void gatedCase(const ExpertCase &s, std::int64_t in, std::int64_t ffn, Activation act,
                   DType xType, DType outType, bool withNorm, bool withBias,
                   const Routing *routing = nullptr);
    void downCase(const ExpertCase &s, std::int64_t ffn, std::int64_t n, DType xType, DType outType,
                  bool withBias, bool add);
};

void ExpertTypesTest::gatedCase(const ExpertCase &s, std::int64_t in, std::int64_t ffn,
                                Activation act, DType xType, DType outType, bool withNorm,
                                bool withBias, const Routing *routing)
{
    if (withNorm) // numbers beyond the reach of F16
        outType = DType::F32;
    const TestWeight *const norm = withNorm ? &bench.weight(DType::F32, 1, in, 1, 9) : nullptr;
    const TestWeight &gate = bench.weight(type(), ffn, in, s.experts, 0);
    const TestWeight &up = bench.weight(type(), ffn, in, s.experts, 1);
    const TestWeight *const gateBias =
        withBias ? &bench.weight(DType::F32, 1, ffn, s.experts, 5) : nullptr;
    const TestWeight *const upBias =
        withBias ? &bench.weight(DType::F32, 1, ffn, s.experts, 6) : nullptr;
    bench.start(routing ? "routeAndExpertGatedLinear" : "expertGatedLinear",
                shapeText(s.T, in) + " to " + std::to_string(ffn) + ", " + std::to_string(s.k) +
                    " of " + std::to_string(s.experts) + (norm ? " norm" : "") +
                    (withBias ? " bias" : "") + ", function " +
                    std::to_string(static_cast<int>(act)) +
                    (routing ? ", " + text(*routing, s.T, s.experts) : ""),
                std::string(name(type())) + " " + typesText({xType, outType}));
    const Matrix logits =
        routing ? clearLogits(bench, s.T, s.experts, DType::F32, *routing, {}) : Matrix{};
    const auto routed =
        routing ? reference::route(logits.v, static_cast<std::size_t>(s.experts), *routing, {})
                : reference::Routed{};
    const auto ids = routing ? routed.ids : chosen(bench, s.T, s.k, s.live);
    const float scale = norm ? 1.0f : inputScale(gate);
    const Matrix x = bench.numbers(s.T, in, xType, scale);
    const Tensor input = bench.in(x, xType);
    const Tensor which = routing ? bench.idsOut(s.T, s.k) : bench.ids(ids, s.k);
    const Tensor scores = routing ? bench.in(logits, DType::F32, {0, 0}) : Tensor{};
    const Tensor shares = routing ? bench.out(s.T, s.k, DType::F32) : Tensor{};
    const Tensor out = bench.out(s.T * s.k, ffn, outType);
    GatedWeights weights;
    weights.gate = gate.weight.get();
    weights.up = up.weight.get();
    weights.gateBias = gateBias ? gateBias->weight.get() : nullptr;
    weights.upBias = upBias ? upBias->weight.get() : nullptr;
    const LinearInput from = norm ? LinearInput(input, *norm->weight, 1e-5f) : LinearInput(input);
    if (!bench.run([&](Commands &c) {
            if (routing)
                c.routeAndExpertGatedLinear(scores, *routing, which, shares, from, weights, act,
                                            out);
            else
                c.expertGatedLinear(from, which, weights, act, out);
        }))
        return;
    if (routing) {
        bench.expectIds(which, ids);
        bench.expect(shares, routed.weights, 1e-5);
    }
    const auto rows = normedInput(x, norm, 1e-5);
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
                 2 * bench.target().productTolerance(type(), {xType, outType}),
                 std::move(magnitude));
}

void ExpertTypesTest::downCase(const ExpertCase &s, std::int64_t ffn, std::int64_t n, DType xType,
                               DType outType, bool withBias, bool add)
{
    const TestWeight &down = bench.weight(type(), n, ffn, s.experts, 2);
    const TestWeight *const bias =
        withBias ? &bench.weight(DType::F32, 1, n, s.experts, 7) : nullptr;
    bench.start("expertLinear",
                shapeText(s.T * s.k, ffn) + " to " + std::to_string(n) + ", " +
                    std::to_string(s.k) + " of " + std::to_string(s.experts) +
                    (withBias ? " bias" : "") + (add ? " added" : ""),
                std::string(name(type())) + " " + typesText({xType, outType}));
    const auto ids = chosen(bench, s.T, s.k, s.live);
    const Matrix x = bench.numbers(s.T * s.k, ffn, xType);
    const Matrix share = bench.numbers(s.T, s.k);
    const Matrix before = bench.numbers(s.T, n, outType);
    const Tensor input = bench.in(x, xType), which = bench.ids(ids, s.k);
    const Tensor weights = bench.in(share, DType::F32, {0, 0});
    const Tensor out = add ? bench.in(before, outType) : bench.out(s.T, n, outType);
    if (!bench.run([&](Commands &c) {
            c.expertLinear(input, which, weights, *down.weight, bias ? bias->weight.get() : nullptr,
                           out, add ? Accumulate::AddToOutput : Accumulate::Overwrite);
        }))
        return;
    const auto rows = doubles(x);
    std::vector<double> reference, magnitude;
    for (std::int64_t t = 0; t < s.T; ++t)
        for (std::int64_t r = 0; r < n; ++r) {
            double value = add ? static_cast<double>(before.at(t, r)) : 0, squares = 0;
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
                 bench.target().productTolerance(type(), {xType, outType}), std::move(magnitude));
}

TEST_P(ExpertTypesTest, GatedLinear)
{
    const bool half = bench.has(DType::F16);
    const int turn = static_cast<int>(type());
    const bool thorough = bench.target().thorough();
    for (const ExpertCase &s : kExpertCases) {
        gatedCase(s, 256, 33, static_cast<Activation>(turn % 5), DType::F32, DType::F32, false,
                  false);
        if (!thorough && s.T != 1 && s.T != 33)
            continue;
        const auto bits = thorough ? static_cast<unsigned>(bench.random()()) : 0b0101U;
        gatedCase(s, 512, 64, static_cast<Activation>(turn % 5),
                  half && (bits & 1) != 0 ? DType::F16 : DType::F32,
                  half && (bits & 2) != 0 ? DType::F16 : DType::F32, (bits & 4) != 0,
                  (bits & 8) != 0);
    }
}

TEST_P(ExpertTypesTest, RouteAndGatedLinear)
{
    using Score = Routing::Score;
    // Where each case needs a pipeline of its own, few, but with one type all.
    const bool all = bench.target().thorough() || type() == DType::Q4_K;
    const int turn = static_cast<int>(type());
    for (const Score score : {Score::SoftmaxAll, Score::SoftmaxChosen, Score::Sigmoid})
        for (const auto &[T, k, experts] : std::initializer_list<std::array<std::int64_t, 3>>{
                 {1, 8, 31}, {4, 8, 32}, {1, 1, 1}, {3, 2, 33}, {1, 8, 128}, {9, 3, 8}, {0, 2, 4}})
            for (const bool normalize : {false, true}) {
                if (!all && (experts != 31 || normalize != (turn % 2 > 0) ||
                             static_cast<int>(score) != turn % 3))
                    continue;
                Routing routing;
                routing.score = score;
                routing.used = k;
                routing.normalize = normalize;
                routing.scale = normalize ? 2.5f : 1.0f;
                gatedCase({T, k, experts, experts}, 256, 35, Activation::SiLU, DType::F32,
                          DType::F32, normalize, false, &routing);
            }
}

TEST_P(ExpertTypesTest, Linear)
{
    const bool half = bench.has(DType::F16);
    const bool thorough = bench.target().thorough();
    for (const ExpertCase &s : kExpertCases) {
        downCase(s, 256, 65, DType::F32, DType::F32, false, false);
        if (!thorough && s.T != 1 && s.T != 33)
            continue;
        const auto bits = thorough ? static_cast<unsigned>(bench.random()()) : 0b1101U;
        downCase(s, 768, 32, half && (bits & 1) != 0 ? DType::F16 : DType::F32,
                 half && (bits & 2) != 0 ? DType::F16 : DType::F32, (bits & 4) != 0,
                 (bits & 8) != 0);
    }
}

TEST_P(ExpertTypesTest, NarrowLinear)
{
    // Rows of fewer threads than a subgroup has.
    const std::int64_t ffn = info(type()).blockElements == 256 ? 768 : 96;
    downCase({1, 8, 16, 16}, ffn, 65, DType::F32, DType::F32, true, true);
    downCase({3, 8, 32, 32}, ffn, 32, DType::F32, DType::F32, false, false);
    downCase({2, 3, 8, 8}, ffn, 32, DType::F32, DType::F32, false, false);
}

TEST_P(ExpertTypesTest, HeadLinear)
{
    const bool half = bench.has(DType::F16);
    for (const std::int64_t T : {1, 3, 33, 0})
        for (const auto &[heads, in, out] : std::initializer_list<std::array<std::int64_t, 3>>{
                 {1, 256, 33}, {4, 256, 64}, {3, 512, 7}}) {
            const TestWeight &weight = bench.weight(type(), out, in, heads, 4);
            const auto bits =
                bench.target().thorough() ? static_cast<unsigned>(bench.random()()) : 0b01U;
            const DType xType = half && (bits & 1) != 0 ? DType::F16 : DType::F32;
            const DType outType = half && (bits & 2) != 0 ? DType::F16 : DType::F32;
            bench.start("headLinear",
                        shapeText(T, in) + " to " + std::to_string(out) + ", heads " +
                            std::to_string(heads),
                        std::string(name(type())) + " " + typesText({xType, outType}));
            const Matrix x = bench.numbers(T, heads * in, xType);
            const Tensor input = bench.in(x, xType), to = bench.out(T, heads * out, outType);
            if (!bench.run([&](Commands &c) { c.headLinear(input, *weight.weight, to); }))
                continue;
            const auto rows = doubles(x);
            std::vector<double> reference, magnitude;
            for (std::int64_t t = 0; t < T; ++t)
                for (std::int64_t h = 0; h < heads; ++h)
                    for (std::int64_t r = 0; r < out; ++r) {
                        const Sum sum = product(
                            rows, static_cast<std::size_t>((t * heads + h) * in), weight, r, h);
                        reference.push_back(sum.value);
                        magnitude.push_back(sum.magnitude);
                    }
            bench.expect(to, std::move(reference),
                         bench.target().productTolerance(type(), {xType, outType}),
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
