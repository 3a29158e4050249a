#include "engine/core/error.h"
#include "tests/conformance/elements.h"
#include "tests/conformance/products.h"
#include "tests/support/reference_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

// Ops that take each element by itself.
namespace fireside::conformance {
namespace {

using ElementwiseTest = OpTest;

enum class Second { Matrix, Row, Number, Column };
enum class Out { Apart, IsFirst, IsSecond };

TEST_P(ElementwiseTest, AddAndMultiply)
{
    for (const bool product : {false, true}) {
        Cases cases(product ? "multiply" : "add");
        const Elements all(bench, cases);
        const auto second = cases.option("b", bench.activations());
        const auto kind = cases.option<Second>(
            "b is", {Second::Matrix, Second::Row, Second::Number, Second::Column},
            {"a matrix", "a row", "a number", "a number for each row"});
        const auto place = cases.option<Out>("out is", {Out::Apart, Out::IsFirst, Out::IsSecond},
                                             {"apart", "a", "b"});
        cases.without([](Out o, DType a, DType to) { return o == Out::IsFirst && a != to; }, place,
                      all.from, all.into);
        cases.without([](Out o, DType b, DType to) { return o == Out::IsSecond && b != to; }, place,
                      second, all.into);
        cases.without([](Out o, Second k) { return o == Out::IsSecond && k != Second::Matrix; },
                      place, kind);
        for (const Pick &pick : bench.draw(cases, kFewCases)) {
            const std::int64_t T = pick[all.rows], n = pick[all.cols];
            const bool whole = pick[kind] == Second::Matrix || pick[kind] == Second::Column;
            const bool one = pick[kind] == Second::Number || pick[kind] == Second::Column;
            bench.start(pick);
            const Matrix a = bench.numbers(T, n, pick[all.from]);
            const Matrix b = bench.numbers(whole ? T : 1, one ? 1 : n, pick[second]);
            const Tensor left = bench.in(a, pick[all.from]), right = bench.in(b, pick[second]);
            const Tensor out = pick[place] == Out::IsFirst    ? left
                               : pick[place] == Out::IsSecond ? right
                                                              : bench.out(T, n, pick[all.into]);
            if (!bench.run([&](Commands &c) {
                    product ? c.record(op::Multiply{left, right, out})
                            : c.record(op::Add{left, right, out});
                }))
                continue;
            std::vector<double> reference;
            for (std::int64_t r = 0; r < T; ++r)
                for (std::int64_t i = 0; i < n; ++i) {
                    const double x = static_cast<double>(a.at(r, i));
                    const double y = static_cast<double>(b.at(whole ? r : 0, one ? 0 : i));
                    reference.push_back(product ? x * y : x + y);
                }
            bench.expect(out, std::move(reference),
                         bench.target().tolerance({pick[all.from], pick[second], pick[all.into]}));
        }
    }
}

TEST_P(ElementwiseTest, AddScaled)
{
    Cases cases("addScaled");
    const Elements all(bench, cases);
    const auto factor = cases.option<float>("factor", {-0.375f, 1, 3});
    for (const Pick &pick : bench.draw(cases, kFewCases)) {
        bench.start(pick);
        const Matrix x = bench.numbers(pick[all.rows], pick[all.cols], pick[all.from]);
        const Matrix y = bench.numbers(pick[all.rows], pick[all.cols], pick[all.into]);
        const Tensor input = bench.in(x, pick[all.from]), out = bench.in(y, pick[all.into]);
        if (!bench.run([&](Commands &c) { c.record(op::AddScaled{input, pick[factor], out}); }))
            continue;
        std::vector<double> reference;
        for (std::size_t i = 0; i < x.v.size(); ++i)
            reference.push_back(static_cast<double>(y.v[i]) +
                                static_cast<double>(pick[factor]) * static_cast<double>(x.v[i]));
        bench.expect(out, std::move(reference),
                     bench.target().tolerance({pick[all.from], pick[all.into]}));
    }
}

const std::vector<DType> kStored{DType::F32, DType::F16, DType::BF16}; // vectors of files

TEST_P(ElementwiseTest, AddBias)
{
    enum class Place { Apart, IsX, IsResidual };
    Cases cases("addBias");
    const Elements all(bench, cases);
    const auto third = cases.option("residual's type", bench.activations());
    const auto biasType = cases.option("bias", kStored);
    const auto withResidual = cases.option("residual");
    const auto place = cases.option<Place>("out is", {Place::Apart, Place::IsX, Place::IsResidual},
                                           {"apart", "x", "residual"});
    cases.without([](Place o, DType a, DType to) { return o == Place::IsX && a != to; }, place,
                  all.from, all.into);
    cases.without([](Place o, DType a, DType to,
                     bool there) { return o == Place::IsResidual && (a != to || !there); },
                  place, third, all.into, withResidual);
    for (const Pick &pick : bench.draw(cases, kFewCases)) {
        const std::int64_t T = pick[all.rows], n = pick[all.cols];
        const TestWeight &bias = bench.weight(pick[biasType], 1, n);
        bench.start(pick);
        const Matrix x = bench.numbers(T, n, pick[all.from]);
        const Matrix y = bench.numbers(T, n, pick[third]);
        const Tensor input = bench.in(x, pick[all.from]), residual = bench.in(y, pick[third]);
        const Tensor out = pick[place] == Place::IsX          ? input
                           : pick[place] == Place::IsResidual ? residual
                                                              : bench.out(T, n, pick[all.into]);
        if (!bench.run([&](Commands &c) {
                c.record(op::AddBias{input, *bias.weight,
                                     pick[withResidual] ? std::optional(residual) : std::nullopt,
                                     out});
            }))
            continue;
        std::vector<double> reference;
        for (std::size_t i = 0; i < x.v.size(); ++i)
            reference.push_back(static_cast<double>(x.v[i]) +
                                bias.values[i % static_cast<std::size_t>(n)] +
                                (pick[withResidual] ? static_cast<double>(y.v[i]) : 0.0));
        bench.expect(out, std::move(reference),
                     bench.target().tolerance({pick[all.from], pick[all.into], pick[third]}));
    }
}

const std::vector<Activation> kOfOne{
    Activation::SiLU, Activation::GeluErf, Activation::GeluTanh, Activation::ReluSquared,
    Activation::Relu, Activation::Sigmoid, Activation::Tanh,     Activation::QuickGelu};
const std::vector<Activation> kOfGates = [] {
    std::vector<Activation> all = kOfOne;
    all.push_back(Activation::ClampedSwiGlu);
    return all;
}();

TEST_P(ElementwiseTest, Activate)
{
    Cases cases("activate");
    const Places all(bench, cases);
    const auto act = cases.option<Activation>("function", kOfOne);
    const auto biased = cases.option("biased");
    const auto biasType = cases.option("bias", kStored);
    for (const Pick &pick : bench.draw(cases, kFewCases)) {
        const std::int64_t T = pick[all.rows], n = pick[all.cols];
        const TestWeight &bias = bench.weight(pick[biasType], 1, n);
        bench.start(pick);
        const Matrix x = bench.numbers(T, n, pick[all.from], 3);
        const Tensor input = bench.in(x, pick[all.from]);
        const Tensor out = pick[all.inPlace] ? input : bench.out(T, n, pick[all.into]);
        if (!bench.run([&](Commands &c) {
                c.record(op::Activate{input, pick[act], pick[biased] ? bias.weight.get() : nullptr,
                                      out});
            }))
            continue;
        std::vector<double> reference;
        for (std::size_t i = 0; i < x.v.size(); ++i)
            reference.push_back(
                activated(pick[act],
                          static_cast<double>(x.v[i]) +
                              (pick[biased] ? bias.values[i % static_cast<std::size_t>(n)] : 0.0)));
        // Near zero of GELU's tail everything cancels: measured against the inputs too.
        bench.expect(out, std::move(reference),
                     bench.target().tolerance({pick[all.from], pick[all.into]}),
                     {x.v.begin(), x.v.end()});
    }
}

TEST_P(ElementwiseTest, ActivationsOfLargeNumbers)
{
    for (const Activation act : kOfOne) {
        bench.start("activate", "large numbers, function " + std::to_string(static_cast<int>(act)),
                    "F32→F32");
        const Matrix x{1, 8, {-1000, -100, -20, -0.0f, 20, 88.8f, 100, 1000}};
        const Tensor input = bench.in(x, DType::F32), out = bench.out(1, 8, DType::F32);
        if (!bench.run([&](Commands &c) { c.record(op::Activate{input, act, nullptr, out}); }))
            continue;
        std::vector<double> reference;
        for (const float v : x.v)
            reference.push_back(activated(act, static_cast<double>(v)));
        bench.expect(out, std::move(reference), 1e-5);
    }
}

TEST_P(ElementwiseTest, Gate)
{
    enum class Place { Apart, IsGate, IsUp };
    Cases cases("gate");
    const Elements all(bench, cases);
    const auto act = cases.option<Activation>("function", kOfGates);
    const auto halves = cases.option("in one tensor");
    const auto place = cases.option<Place>("out is", {Place::Apart, Place::IsGate, Place::IsUp},
                                           {"apart", "gate", "up"});
    cases.without([](Place o, DType a, DType to) { return o != Place::Apart && a != to; }, place,
                  all.from, all.into);
    for (const Pick &pick : bench.draw(cases, kFewCases)) {
        const std::int64_t T = pick[all.rows], n = pick[all.cols];
        const DType from = pick[all.from];
        bench.start(pick);
        const Matrix both = bench.numbers(T, 2 * n, from, 4);
        Matrix g{T, n, {}}, u{T, n, {}};
        for (std::int64_t r = 0; r < T; ++r)
            for (std::int64_t i = 0; i < n; ++i) {
                g.v.push_back(both.at(r, i));
                u.v.push_back(both.at(r, n + i));
            }
        const Tensor whole = pick[halves] ? bench.in(both, from) : Tensor{};
        const Tensor gate = pick[halves] ? whole.columns(0, n) : bench.in(g, from);
        const Tensor up = pick[halves] ? whole.columns(n, n) : bench.in(u, from);
        const Tensor out = pick[place] == Place::IsGate ? gate
                           : pick[place] == Place::IsUp ? up
                                                        : bench.out(T, n, pick[all.into]);
        if (!bench.run([&](Commands &c) { c.record(op::Gate{gate, up, pick[act], out}); }))
            continue;
        std::vector<double> reference, magnitude;
        for (std::size_t i = 0; i < g.v.size(); ++i) {
            reference.push_back(
                gated(pick[act], static_cast<double>(g.v[i]), static_cast<double>(u.v[i])));
            magnitude.push_back(static_cast<double>(g.v[i]) * static_cast<double>(u.v[i]));
        }
        bench.expect(out, std::move(reference), bench.target().tolerance({from, pick[all.into]}),
                     std::move(magnitude));
    }
}

TEST_P(ElementwiseTest, Softcap)
{
    Cases cases("softcap");
    const Places all(bench, cases);
    const auto cap = cases.option<float>("cap", {30, 5});
    for (const Pick &pick : bench.draw(cases, kFewCases)) {
        const double most = static_cast<double>(pick[cap]);
        bench.start(pick);
        Matrix x = bench.numbers(pick[all.rows], pick[all.cols], pick[all.from], 20);
        if (!x.v.empty())
            x.v[0] = 5000;
        const Tensor input = bench.in(x, pick[all.from]);
        const Tensor out = pick[all.inPlace] ? input : bench.out(x.rows, x.cols, pick[all.into]);
        if (!bench.run([&](Commands &c) { c.record(op::Softcap{input, pick[cap], out}); }))
            continue;
        std::vector<double> reference;
        for (const float v : x.v)
            reference.push_back(most * std::tanh(static_cast<double>(v) / most));
        bench.expect(out, std::move(reference),
                     bench.target().tolerance({pick[all.from], pick[all.into]}));
    }
}

TEST_P(ElementwiseTest, XIelu)
{
    Cases cases("activate", "xIELU");
    const Places all(bench, cases);
    const auto numbers =
        cases.option<XIelu>("numbers", {XIelu{}, {0.3f, 1.7f, 0.25f, -0.5f}}, {"usual", "others"});
    const auto biased = cases.option("biased");
    for (const Pick &pick : bench.draw(cases, kFewCases)) {
        const std::int64_t T = pick[all.rows], n = pick[all.cols];
        const TestWeight &bias = bench.weight(DType::F32, 1, n);
        bench.start(pick);
        Matrix x = bench.numbers(T, n, pick[all.from], 3);
        for (std::size_t i = 0; i < x.v.size() && i < 4; ++i)
            x.v[i] = std::array{-100.0f, -0.0009765625f, 0.0f, 60.0f}[i];
        const Tensor input = bench.in(x, pick[all.from]);
        const Tensor out = pick[all.inPlace] ? input : bench.out(T, n, pick[all.into]);
        if (!bench.run([&](Commands &c) {
                c.record(op::Activate{input, Activation::XIelu,
                                      pick[biased] ? bias.weight.get() : nullptr, out,
                                      pick[numbers]});
            }))
            continue;
        std::vector<double> reference;
        for (std::size_t i = 0; i < x.v.size(); ++i)
            reference.push_back(reference::xIelu(
                pick[numbers],
                static_cast<double>(x.v[i]) +
                    (pick[biased] ? bias.values[i % static_cast<std::size_t>(n)] : 0.0)));
        bench.expect(out, std::move(reference),
                     bench.target().tolerance({pick[all.from], pick[all.into]}));
    }
    bench.start("gate", "xIELU has no gate", "F32→F32");
    const Tensor x = bench.in(bench.numbers(1, 4), DType::F32);
    bench.run([&](Commands &c) {
        try {
            c.record(op::Gate{x, x, Activation::XIelu, x});
            ADD_FAILURE() << "xIELU was taken as a gate's function";
        } catch (const Error &error) {
            EXPECT_EQ(error.kind(), ErrorKind::Unsupported) << error.what();
        }
    });
}

TEST_P(ElementwiseTest, ScaleAndClamp)
{
    for (const bool clamps : {false, true}) {
        Cases cases(clamps ? "clamp" : "scale");
        const Places all(bench, cases);
        const auto first = cases.option<float>("first", {-0.375f, -3});
        const auto second = cases.option<float>("second", {0, 1.5f});
        for (const Pick &pick : bench.draw(cases, 8)) {
            bench.start(pick);
            const Matrix x = bench.numbers(pick[all.rows], pick[all.cols], pick[all.from], 2);
            const Tensor input = bench.in(x, pick[all.from]);
            const Tensor out =
                pick[all.inPlace] ? input : bench.out(x.rows, x.cols, pick[all.into]);
            if (!bench.run([&](Commands &c) {
                    clamps ? c.record(op::Clamp{input, pick[first], pick[second], out})
                           : c.record(op::Scale{input, pick[first], out, pick[second]});
                }))
                continue;
            std::vector<double> reference;
            const double p = static_cast<double>(pick[first]),
                         q = static_cast<double>(pick[second]);
            for (const float v : x.v)
                reference.push_back(clamps ? std::clamp(static_cast<double>(v), p, q)
                                           : p * static_cast<double>(v) + q);
            bench.expect(out, std::move(reference),
                         bench.target().tolerance({pick[all.from], pick[all.into]}));
        }
    }
}

TEST_P(ElementwiseTest, Decay)
{
    Cases cases("decay");
    const Places all(bench, cases);
    const auto biased = cases.option("biased");
    const auto stored = cases.option("a", kStored);
    const auto size = cases.option<float>("size", {1, 12});
    for (const Pick &pick : bench.draw(cases, kFewCases)) {
        const std::int64_t T = pick[all.rows], n = pick[all.cols];
        const TestWeight &a = bench.weight(pick[stored], 1, n, 1, 1);
        const TestWeight &bias = bench.weight(DType::F32, 1, n, 1, 2);
        bench.start(pick);
        const Matrix x = bench.numbers(T, n, pick[all.from], pick[size]);
        const Tensor input = bench.in(x, pick[all.from]);
        const Tensor out = pick[all.inPlace] ? input : bench.out(T, n, pick[all.into]);
        if (!bench.run([&](Commands &c) {
                c.record(
                    op::Decay{input, *a.weight, pick[biased] ? bias.weight.get() : nullptr, out});
            }))
            continue;
        std::vector<double> reference;
        for (std::size_t i = 0; i < x.v.size(); ++i) {
            const std::size_t column = i % static_cast<std::size_t>(n);
            const double z =
                static_cast<double>(x.v[i]) + (pick[biased] ? bias.values[column] : 0.0);
            reference.push_back(a.values[column] * std::log1p(std::exp(z)));
        }
        bench.expect(out, std::move(reference),
                     bench.target().tolerance({pick[all.from], pick[all.into]}));
    }
}

TEST_P(ElementwiseTest, DecayOfLargeNumbers)
{
    const TestWeight &a = bench.weight(DType::F32, 1, 8, 1, 1);
    bench.start("decay", "large numbers", "F32→F32");
    const Matrix x{1, 8, {-1000, -100, -20, -0.0f, 20, 21, 100, 1000}};
    const Tensor input = bench.in(x, DType::F32), out = bench.out(1, 8, DType::F32);
    if (!bench.run([&](Commands &c) { c.record(op::Decay{input, *a.weight, nullptr, out}); }))
        return;
    bench.ignore(out);
    bench.finish();
    const std::vector<float> got = bench.read(out);
    for (std::size_t i = 0; i < x.v.size(); ++i) { // each by itself: they differ by magnitudes
        const double z = static_cast<double>(x.v[i]);
        const double want = a.values[i] * (z > 100 ? z : std::log1p(std::exp(z)));
        EXPECT_NEAR(static_cast<double>(got[i]), want, 1e-6 * std::fabs(want) + 1e-38) << z;
    }
}

TEST_P(ElementwiseTest, AttentionTemperature)
{
    Cases cases("attentionTemperature");
    const auto rows = cases.option<std::int64_t>("rows", {1, 9, 33});
    const auto past = cases.option<std::int64_t>("past", {0, 8191, 40000});
    const auto cols = cases.option<std::int64_t>("cols", {1, 31, 256});
    const auto from = cases.option("from", bench.activations());
    const auto into = cases.option("into", bench.activations());
    const auto inPlace = cases.option("in place");
    const auto period = cases.option<float>("period", {8192, 10});
    const auto offset = cases.option<float>("offset", {0, 1});
    cases.without([](bool same, DType a, DType b) { return same && a != b; }, inPlace, from, into);
    for (const Pick &pick : bench.draw(cases, 6)) {
        const std::int64_t T = pick[rows], n = pick[cols];
        BatchPlan plan;
        plan.item(T, pick[past]);
        bench.start(pick, plan);
        const Matrix x = bench.numbers(T, n, pick[from]);
        const Tensor input = bench.in(x, pick[from]);
        const Tensor out = pick[inPlace] ? input : bench.out(T, n, pick[into]);
        if (!bench.run([&](Commands &c) {
                c.record(op::AttentionTemperature{input, out, 0.1f, pick[offset], pick[period]});
            }))
            continue;
        std::vector<double> reference;
        for (std::int64_t i = 0; i < T * n; ++i) {
            const double at = static_cast<double>(plan.positions[static_cast<std::size_t>(i / n)]) +
                              static_cast<double>(pick[offset]);
            reference.push_back(
                static_cast<double>(x.v[static_cast<std::size_t>(i)]) *
                (1 + static_cast<double>(0.1f) *
                         std::log(1 + std::floor(at / static_cast<double>(pick[period])))));
        }
        bench.expect(out, std::move(reference), bench.target().tolerance({pick[from], pick[into]}));
    }
}

// A model with a broken weight is told by its results: no function may make a number of NaN.
TEST_P(ElementwiseTest, NaNStays)
{
    const auto expectNaN = [&](const Tensor &out, std::size_t first) {
        bench.ignore(out);
        bench.finish();
        const std::vector<float> got = bench.read(out);
        ASSERT_EQ(got.size(), 4u);
        for (std::size_t i = 0; i < got.size(); ++i)
            EXPECT_EQ(std::isnan(got[i]), i >= first) << "element " << i;
    };
    const Matrix x{1, 4, {-1, 2, NAN, -NAN}}, y{1, 4, {1, 1, 1, 1}};
    for (const Activation act : kOfGates) {
        SCOPED_TRACE("function " + std::to_string(static_cast<int>(act)));
        for (const bool ofGate : {true, false}) {
            bench.start("gate", "NaN", "F32→F32");
            const Tensor gate = bench.in(ofGate ? x : y, DType::F32);
            const Tensor up = bench.in(ofGate ? y : x, DType::F32);
            const Tensor out = bench.out(1, 4, DType::F32);
            if (bench.run([&](Commands &c) { c.record(op::Gate{gate, up, act, out}); }))
                expectNaN(out, 2);
        }
        if (act == Activation::ClampedSwiGlu)
            continue;
        bench.start("activate", "NaN", "F32→F32");
        const Tensor in = bench.in(x, DType::F32), out = bench.out(1, 4, DType::F32);
        if (bench.run([&](Commands &c) { c.record(op::Activate{in, act, nullptr, out}); }))
            expectNaN(out, 2);
    }
    const TestWeight &a = bench.weight(DType::F32, 1, 4);
    const std::pair<const char *, std::function<Op(const Tensor &, const Tensor &)>> others[] = {
        {"softcap",
         [](const Tensor &in, const Tensor &out) {
             return op::Softcap{in, 2, out};
         }},
        {"clamp",
         [](const Tensor &in, const Tensor &out) {
             return op::Clamp{in, -1, 1, out};
         }},
        {"decay",
         [&](const Tensor &in, const Tensor &out) {
             return op::Decay{in, *a.weight, nullptr, out};
         }},
        {"activate",
         [](const Tensor &in, const Tensor &out) {
             return op::Activate{in, Activation::XIelu, nullptr, out};
         }},
    };
    for (const auto &[name, made] : others) {
        SCOPED_TRACE(name);
        bench.start(name, "NaN", "F32→F32");
        const Tensor in = bench.in(x, DType::F32), out = bench.out(1, 4, DType::F32);
        const Op op = made(in, out);
        if (bench.run([&](Commands &c) { c.record(op); }))
            expectNaN(out, 2);
    }
}

FIRESIDE_ON_EVERY_DEVICE(ElementwiseTest);

} // namespace
} // namespace fireside::conformance
