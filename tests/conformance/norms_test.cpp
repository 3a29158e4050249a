#include "tests/conformance/bench.h"

#include <cmath>

// Norms of rows.
namespace fireside::conformance {
namespace {

using NormsTest = OpTest;

constexpr std::int64_t kRows[] = {0, 1, 2, 9, 33, 257};
constexpr std::int64_t kCols[] = {1, 3, 31, 32, 33, 96, 256, 257, 2048, 5120};

/// What a row norm computes: for layer norms the mean goes first.
std::vector<double> normalised(const std::vector<double> &x, std::int64_t cols, bool layer,
                               const TestWeight *weight, const TestWeight *bias, double eps)
{
    std::vector<double> out(x.size());
    const auto n = static_cast<std::size_t>(cols);
    for (std::size_t row = 0; row < x.size(); row += n) {
        double mean = 0, square = 0;
        for (std::size_t i = 0; layer && i < n; ++i)
            mean += x[row + i] / static_cast<double>(n);
        for (std::size_t i = 0; i < n; ++i)
            square += (x[row + i] - mean) * (x[row + i] - mean);
        const double divisor = weight ? std::sqrt(square / static_cast<double>(n) + eps)
                                      : std::sqrt(square); // without weights: to length 1
        for (std::size_t i = 0; i < n; ++i)
            out[row + i] = divisor == 0
                               ? 0
                               : (x[row + i] - mean) / divisor * (weight ? weight->values[i] : 1) +
                                     (bias ? bias->values[i] : 0);
    }
    return out;
}

enum class Norm { Rms, AddRms, Layer, AddLayer, L2 };

class NormCases
{
public:
    NormCases(Bench &bench, Norm norm, const char *op)
        : m_bench(bench)
        , m_norm(norm)
        , m_op(op)
    {}
    void all()
    {
        const bool half = m_bench.has(DType::F16), few = !m_bench.target().thorough();
        for (const std::int64_t rows : kRows)
            for (const std::int64_t cols : kCols) {
                if (rows * cols > 150000 || (few && (cols == 31 || cols == 96 || cols == 256 ||
                                                     cols == 33 || cols == 5120)))
                    continue;
                const std::int64_t pick = (rows + cols) % 4;
                m_bench.weight(DType::F32, 1, cols, 1, 1);
                m_bench.weight(DType::F32, 1, cols, 1, 2);
                one(rows, cols, DType::F32, DType::F32, pick == 0, pick % 2 == 0);
                if (!half)
                    continue;
                one(rows, cols, DType::F16, DType::F16, pick == 1, pick % 2 == 1);
                if (few && cols < 1000)
                    continue;
                one(rows, cols, DType::F32, DType::F16, false, pick < 2);
                one(rows, cols, DType::F16, DType::F32, false, pick >= 2);
            }
    }
    void one(std::int64_t rows, std::int64_t cols, DType from, DType to, bool inPlace,
             bool withBias, DType weightType = DType::F32, float size = 1)
    {
        const bool layer = m_norm == Norm::Layer || m_norm == Norm::AddLayer;
        const bool add = m_norm == Norm::AddRms || m_norm == Norm::AddLayer;
        const TestWeight *weight =
            m_norm == Norm::L2 ? nullptr : &m_bench.weight(weightType, 1, cols, 1, 1);
        const TestWeight *bias =
            layer && withBias ? &m_bench.weight(weightType, 1, cols, 1, 2) : nullptr;
        m_bench.start(
            m_op, shapeText(rows, cols) + (inPlace ? " in place" : "") + (bias ? " with bias" : ""),
            typesText({from, to}));
        Matrix x = m_bench.numbers(rows, cols, from, size);
        const DType residualType = rows % 2 == 1 ? DType::F32 : from;
        const Matrix residual = m_bench.numbers(rows, cols, residualType, size);
        const Tensor input = m_bench.in(x, from);
        const Tensor stream = add ? m_bench.in(residual, residualType) : Tensor{};
        const Tensor out = inPlace ? input : m_bench.out(rows, cols, to);
        const float eps = rows % 2 == 0 ? 1e-5f : 1e-6f;
        if (!m_bench.run([&](Commands &c) {
                switch (m_norm) {
                case Norm::Rms:
                    return c.rmsNorm(input, *weight->weight, eps, out);
                case Norm::AddRms:
                    return c.addRmsNorm(stream, input, *weight->weight, eps, out);
                case Norm::Layer:
                    return c.layerNorm(input, *weight->weight, bias ? bias->weight.get() : nullptr,
                                       eps, out);
                case Norm::AddLayer:
                    return c.addLayerNorm(stream, input, *weight->weight,
                                          bias ? bias->weight.get() : nullptr, eps, out);
                case Norm::L2:
                    return c.l2Normalize(input, out);
                }
            }))
            return;
        std::vector<double> values(x.v.begin(), x.v.end());
        for (std::size_t i = 0; add && i < values.size(); ++i)
            values[i] += static_cast<double>(residual.v[i]);
        if (add)
            m_bench.expect(stream, values, m_bench.target().tolerance({residualType}));
        // A row of one number minus its mean is zero: what is left of it is noise.
        std::vector<double> magnitude;
        if (layer && cols <= 3)
            magnitude.assign(values.size(), 1.0);
        m_bench.expect(out, normalised(values, cols, layer, weight, bias, static_cast<double>(eps)),
                       m_bench.target().tolerance({from, to, add ? residualType : from}),
                       std::move(magnitude));
    }

private:
    Bench &m_bench;
    const Norm m_norm;
    const char *const m_op;
};

TEST_P(NormsTest, Rms)
{
    NormCases cases(bench, Norm::Rms, "rmsNorm");
    cases.all();
    for (const DType type : {DType::F16, DType::BF16}) // weights of a file may be stored so
        cases.one(3, 96, DType::F32, DType::F32, false, false, type);
    cases.one(3, 257, DType::F32, DType::F32, false, false, DType::F32, 1e-4f); // eps matters
    cases.one(3, 257, DType::F32, DType::F32, false, false, DType::F32, 1e4f);
}

TEST_P(NormsTest, AddRms)
{
    NormCases(bench, Norm::AddRms, "addRmsNorm").all();
}

TEST_P(NormsTest, Layer)
{
    NormCases(bench, Norm::Layer, "layerNorm").all();
}

TEST_P(NormsTest, AddLayer)
{
    NormCases(bench, Norm::AddLayer, "addLayerNorm").all();
}

TEST_P(NormsTest, L2)
{
    NormCases(bench, Norm::L2, "l2Normalize").all();
    bench.start("l2Normalize", "a row of zeros", "F32→F32");
    Matrix x = bench.numbers(3, 33);
    std::fill_n(x.v.begin() + 33, 33, 0.0f);
    const Tensor input = bench.in(x, DType::F32), out = bench.out(3, 33, DType::F32);
    if (bench.run([&](Commands &c) { c.l2Normalize(input, out); }))
        bench.expect(out, normalised({x.v.begin(), x.v.end()}, 33, false, nullptr, nullptr, 0),
                     1e-5);
}

TEST_P(NormsTest, AFarMeanDoesNotDrownTheVariance)
{
    const std::int64_t cols = 768;
    const TestWeight &weight = bench.weight(DType::F32, 1, cols, 1, 1);
    bench.start("layerNorm", "mean 100, deviation 1", "F32→F32");
    Matrix x = bench.numbers(5, cols);
    for (float &v : x.v)
        v += 100;
    const Tensor input = bench.in(x, DType::F32), out = bench.out(5, cols, DType::F32);
    if (bench.run([&](Commands &c) { c.layerNorm(input, *weight.weight, nullptr, 1e-5f, out); }))
        bench.expect(out, normalised({x.v.begin(), x.v.end()}, cols, true, &weight, nullptr, 1e-5),
                     2e-5); // the mean itself is rounded at 1e-7 of 100
}

TEST_P(NormsTest, InPlaceOnViews)
{
    // q and k parts of one fused product, normalised in place.
    const TestWeight &weight = bench.weight(DType::F32, 1, 64, 1, 3);
    bench.start("rmsNorm", "views of one tensor in place", "F32→F32");
    const Matrix x = bench.numbers(9, 160);
    const Tensor whole = bench.in(x, DType::F32, {3, 7});
    const Tensor part = whole.columns(33, 64).rowRange(2, 5);
    if (!bench.run([&](Commands &c) { c.rmsNorm(part, *weight.weight, 1e-5f, part); }))
        return;
    std::vector<double> values;
    for (std::int64_t r = 2; r < 7; ++r)
        for (std::int64_t i = 33; i < 97; ++i)
            values.push_back(static_cast<double>(x.at(r, i)));
    bench.expect(part, normalised(values, 64, false, &weight, nullptr, 1e-5), 1e-5);
}

FIRESIDE_ON_EVERY_DEVICE(NormsTest);

} // namespace
} // namespace fireside::conformance
