#include "tests/conformance/elements.h"
#include "tests/conformance/products.h"

#include <algorithm>
#include <cmath>
#include <limits>

// Ops that take each element by itself.
namespace fireside::conformance {
namespace {

using ElementwiseTest = OpTest;

enum class Second { Matrix, Row, Number };
enum class Out { Apart, IsFirst, IsSecond };

TEST_P(ElementwiseTest, AddAndMultiply)
{
    for (const bool product : {false, true}) {
        Cases cases(product ? "multiply" : "add");
        const Elements all(bench, cases);
        const auto second = cases.option("b", bench.activations());
        const auto kind =
            cases.option<Second>("b is", {Second::Matrix, Second::Row, Second::Number},
                                 {"a matrix", "a row", "a number"});
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
            const bool whole = pick[kind] == Second::Matrix, one = pick[kind] == Second::Number;
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

TEST_P(ElementwiseTest, Activate)
{
    Cases cases("activate");
    const Places all(bench, cases);
    const auto act =
        cases.option<Activation>("function", {Activation::SiLU, Activation::GeluErf,
                                              Activation::GeluTanh, Activation::ReluSquared});
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
    for (const Activation act :
         {Activation::SiLU, Activation::GeluErf, Activation::GeluTanh, Activation::ReluSquared}) {
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
    const auto act = cases.option<Activation>(
        "function", {Activation::SiLU, Activation::GeluErf, Activation::GeluTanh,
                     Activation::ReluSquared, Activation::ClampedSwiGlu});
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
    for (const Activation act : {Activation::SiLU, Activation::GeluErf, Activation::GeluTanh,
                                 Activation::ReluSquared, Activation::ClampedSwiGlu}) {
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
    bench.start("softcap", "NaN", "F32→F32");
    const Tensor in = bench.in(x, DType::F32), out = bench.out(1, 4, DType::F32);
    if (bench.run([&](Commands &c) { c.record(op::Softcap{in, 2, out}); }))
        expectNaN(out, 2);
}

FIRESIDE_ON_EVERY_DEVICE(ElementwiseTest);

} // namespace
} // namespace fireside::conformance
