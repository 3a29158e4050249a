#include "tests/conformance/bench.h"

#include <cmath>

// Norms of rows.
namespace fireside::conformance {
namespace {

using NormTest = OpTest;

enum class Norm { Rms, AddRms, Layer, AddLayer, L2 };

/// What a row norm computes, of `n` columns at a time: for layer norms the mean goes first.
std::vector<double> normalised(const std::vector<double> &x, std::int64_t cols, Norm norm,
                               const TestWeight *weight, const TestWeight *bias, double eps,
                               std::int64_t groups = 1)
{
    const bool layer = norm == Norm::Layer || norm == Norm::AddLayer;
    std::vector<double> out(x.size());
    const auto n = static_cast<std::size_t>(cols / groups), whole = static_cast<std::size_t>(cols);
    for (std::size_t row = 0; row < x.size(); row += n) {
        double mean = 0, square = 0;
        for (std::size_t i = 0; layer && i < n; ++i)
            mean += x[row + i] / static_cast<double>(n);
        for (std::size_t i = 0; i < n; ++i)
            square += (x[row + i] - mean) * (x[row + i] - mean);
        const double divisor =
            std::sqrt(norm == Norm::L2 ? square + eps : square / static_cast<double>(n) + eps);
        const auto at = [&](const TestWeight &of, std::size_t i) {
            return of.values[row % whole + i];
        };
        for (std::size_t i = 0; i < n; ++i)
            out[row + i] = divisor == 0
                               ? 0
                               : (x[row + i] - mean) / divisor * (weight ? at(*weight, i) : 1) +
                                     (bias ? at(*bias, i) : 0);
    }
    return out;
}

/// A weight or a bias; the seed of its numbers is `salt`.
struct Vector
{
    Vector(Bench &bench, bool there, DType type, std::int64_t cols, int salt)
        : test(there ? &bench.weight(type, 1, cols, 1, salt) : nullptr)
    {}
    const Weight *weight() const { return test != nullptr ? test->weight.get() : nullptr; }
    const TestWeight *test;
};

void normCases(Bench &bench, Norm norm, const char *op)
{
    const bool layer = norm == Norm::Layer || norm == Norm::AddLayer;
    const bool add = norm == Norm::AddRms || norm == Norm::AddLayer, isL2 = norm == Norm::L2;
    const std::vector<DType> types = bench.activations(), none{DType::F32};
    const std::vector<DType> stored{DType::F32, DType::F16, DType::BF16};
    Cases cases(op);
    const auto rows = cases.option<std::int64_t>("rows", {0, 1, 2, 9, 33, 257});
    const auto cols =
        cases.option<std::int64_t>("cols", {1, 3, 31, 32, 33, 96, 256, 257, 2048, 5120});
    const auto from = cases.option("from", types), into = cases.option("into", types);
    const auto stream = cases.option("stream", add ? types : none);
    const auto weightType = cases.option("weight", isL2 ? none : stored);
    const auto biased = cases.option("bias", layer ? std::vector{false, true} : std::vector{false});
    const auto biasType = cases.option("bias's type", layer ? stored : none);
    const auto inPlace = cases.option("in place");
    const auto groups = cases.option<std::int64_t>("groups", {1, 3, 8});
    const auto weighted =
        cases.option("weighted", isL2 ? std::vector{false} : std::vector{true, false});
    const auto eps =
        cases.option<float>("eps", isL2 ? std::vector{0.0f, 1e-6f} : std::vector{1e-5f, 1e-6f});
    // In rows of RMS 1e-3 eps counts.
    const auto size = cases.option<float>("size", {1, 1e-3f, 100});
    cases.without([](std::int64_t r, std::int64_t c) { return r * c > 150000; }, rows, cols);
    cases.without([](bool same, DType a, DType b) { return same && a != b; }, inPlace, from, into);
    cases.without([](std::int64_t n, std::int64_t g) { return n % g != 0; }, cols, groups);
    for (const Pick &pick : bench.draw(cases, 14)) {
        const std::int64_t T = pick[rows], n = pick[cols], parts = pick[groups];
        const Vector weight(bench, pick[weighted], pick[weightType], n, 1);
        const Vector bias(bench, pick[biased], pick[biasType], n, 2);
        bench.start(pick);
        const Matrix x = bench.numbers(T, n, pick[from], pick[size]);
        const Matrix residual = bench.numbers(T, n, pick[stream], pick[size]);
        const Tensor input = bench.in(x, pick[from]);
        const Tensor sum = add ? bench.in(residual, pick[stream]) : Tensor{};
        const Tensor out = pick[inPlace] ? input : bench.out(T, n, pick[into]);
        if (!bench.run([&](Commands &c) {
                switch (norm) {
                case Norm::Rms:
                    return c.record(op::RmsNorm{input, weight.weight(), pick[eps], out, {}, parts});
                case Norm::AddRms:
                    return c.record(
                        op::RmsNorm{input, weight.weight(), pick[eps], out, sum, parts});
                case Norm::Layer:
                    return c.record(op::LayerNorm{
                        input, weight.weight(), bias.weight(), pick[eps], out, {}, parts});
                case Norm::AddLayer:
                    return c.record(op::LayerNorm{input, weight.weight(), bias.weight(), pick[eps],
                                                  out, sum, parts});
                case Norm::L2:
                    return c.record(op::L2Normalize{input, out, pick[eps], parts});
                }
            }))
            continue;
        std::vector<double> values(x.v.begin(), x.v.end());
        for (std::size_t i = 0; add && i < values.size(); ++i)
            values[i] += static_cast<double>(residual.v[i]);
        if (add)
            bench.expect(sum, values, bench.target().tolerance({pick[stream]}));
        // A row of one number minus its mean is zero: what is left of it is noise.
        std::vector<double> magnitude;
        if (layer && n / parts <= 3)
            magnitude.assign(values.size(), 1.0);
        bench.expect(out,
                     normalised(values, n, norm, weight.test, bias.test,
                                static_cast<double>(pick[eps]), parts),
                     bench.target().tolerance({pick[from], pick[into], pick[stream]}),
                     std::move(magnitude));
    }
}

TEST_P(NormTest, Rms)
{
    normCases(bench, Norm::Rms, "rmsNorm");
}

TEST_P(NormTest, AddRms)
{
    normCases(bench, Norm::AddRms, "rmsNorm of a sum");
}

TEST_P(NormTest, Layer)
{
    normCases(bench, Norm::Layer, "layerNorm");
}

TEST_P(NormTest, AddLayer)
{
    normCases(bench, Norm::AddLayer, "layerNorm of a sum");
}

TEST_P(NormTest, L2)
{
    normCases(bench, Norm::L2, "l2Normalize");
    bench.start("l2Normalize", "a row of zeros", "F32→F32");
    Matrix x = bench.numbers(3, 33);
    std::fill_n(x.v.begin() + 33, 33, 0.0f);
    const Tensor input = bench.in(x, DType::F32), out = bench.out(3, 33, DType::F32);
    if (bench.run([&](Commands &c) { c.record(op::L2Normalize{input, out}); }))
        bench.expect(out, normalised({x.v.begin(), x.v.end()}, 33, Norm::L2, nullptr, nullptr, 0),
                     1e-5);
}

TEST_P(NormTest, AFarMeanDoesNotDrownTheVariance)
{
    const std::int64_t cols = 768;
    const TestWeight &weight = bench.weight(DType::F32, 1, cols, 1, 1);
    bench.start("layerNorm", "mean 100, deviation 1", "F32→F32");
    Matrix x = bench.numbers(5, cols);
    for (float &v : x.v)
        v += 100;
    const Tensor input = bench.in(x, DType::F32), out = bench.out(5, cols, DType::F32);
    if (bench.run([&](Commands &c) {
            c.record(op::LayerNorm{input, weight.weight.get(), nullptr, 1e-5f, out});
        }))
        bench.expect(
            out, normalised({x.v.begin(), x.v.end()}, cols, Norm::Layer, &weight, nullptr, 1e-5),
            2e-5); // the mean itself is rounded at 1e-7 of 100
}

TEST_P(NormTest, InPlaceOnViews)
{
    // q and k parts of one fused product, normalised in place.
    const TestWeight &weight = bench.weight(DType::F32, 1, 64, 1, 3);
    bench.start("rmsNorm", "views of one tensor in place", "F32→F32");
    const Matrix x = bench.numbers(9, 160);
    const Tensor whole = bench.in(x, DType::F32, {3, 7});
    const Tensor part = whole.columns(33, 64).rowRange(2, 5);
    if (!bench.run([&](Commands &c) {
            c.record(op::RmsNorm{part, weight.weight.get(), 1e-5f, part});
        }))
        return;
    std::vector<double> values;
    for (std::int64_t r = 2; r < 7; ++r)
        for (std::int64_t i = 33; i < 97; ++i)
            values.push_back(static_cast<double>(x.at(r, i)));
    bench.expect(part, normalised(values, 64, Norm::Rms, &weight, nullptr, 1e-5), 1e-5);
}

TEST_P(NormTest, GaussianSparsify)
{
    Cases cases("gaussianSparsify");
    const auto rows = cases.option<std::int64_t>("rows", {0, 1, 9, 33});
    const auto cols = cases.option<std::int64_t>("cols", {1, 31, 256, 2048, 16384});
    const auto from = cases.option("from", bench.activations());
    const auto into = cases.option("into", bench.activations());
    const auto inPlace = cases.option("in place");
    const auto k = cases.option<float>("k", {1.6448536f, -0.5f});
    const auto mean = cases.option<float>("mean", {0, 10});
    cases.without([](std::int64_t r, std::int64_t c) { return r * c > 150000; }, rows, cols);
    cases.without([](bool same, DType a, DType b) { return same && a != b; }, inPlace, from, into);
    for (const Pick &pick : bench.draw(cases, 8)) {
        const std::int64_t T = pick[rows], n = pick[cols];
        bench.start(pick);
        Matrix x = bench.numbers(T, n, pick[from]);
        for (float &v : x.v)
            v = pick[mean] > 0 ? std::round(8 * v) / 8 + pick[mean] : v; // F16 holds it
        const Tensor input = bench.in(x, pick[from]);
        const Tensor out = pick[inPlace] ? input : bench.out(T, n, pick[into]);
        if (!bench.run([&](Commands &c) { c.record(op::GaussianSparsify{input, pick[k], out}); }))
            continue;
        std::vector<double> reference;
        for (std::int64_t r = 0; r < T; ++r) {
            double sum = 0, squares = 0;
            for (std::int64_t i = 0; i < n; ++i)
                sum += static_cast<double>(x.at(r, i)) / static_cast<double>(n);
            for (std::int64_t i = 0; i < n; ++i)
                squares += std::pow(static_cast<double>(x.at(r, i)) - sum, 2);
            const double cutoff =
                sum + static_cast<double>(pick[k]) * std::sqrt(squares / static_cast<double>(n));
            for (std::int64_t i = 0; i < n; ++i)
                reference.push_back(std::max(static_cast<double>(x.at(r, i)) - cutoff, 0.0));
        }
        // What is left is the difference of larger numbers.
        bench.expect(out, std::move(reference), bench.target().tolerance({pick[from], pick[into]}),
                     std::vector<double>(x.v.size(), 1.0 + static_cast<double>(pick[mean])));
    }
}

TEST_P(NormTest, NaNIsNotSparse)
{
    bench.start("gaussianSparsify", "NaN", "F32→F32");
    Matrix x = bench.numbers(1, 40);
    x.v[7] = NAN;
    const Tensor input = bench.in(x, DType::F32), out = bench.out(1, 40, DType::F32);
    if (!bench.run([&](Commands &c) { c.record(op::GaussianSparsify{input, 1, out}); }))
        return;
    bench.ignore(out);
    bench.finish();
    EXPECT_TRUE(std::isnan(bench.read(out).at(7)));
}

FIRESIDE_ON_EVERY_DEVICE(NormTest);

} // namespace
} // namespace fireside::conformance
