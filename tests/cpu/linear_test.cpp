#include "engine/cpu/linear/linear.h"

#include "engine/core/error.h"
#include "engine/cpu/linear/linear_kernels.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/tensor/blocks.h"
#include "tests/support/seed.h"
#include "tests/support/weight_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace fireside::cpu {
#if defined(__x86_64__)
extern const LinearKernels kEmulatedAvxVnni;
extern const LinearKernels kEmulatedAmx;
#endif
namespace {

/// Those that this processor can run, and, where it has no AVX-VNNI or AMX, the kernels for them
/// with their instructions emulated.
std::vector<const LinearKernels *> testedKernels()
{
    const auto available = availableLinearKernels();
    std::vector<const LinearKernels *> tested(available.begin(), available.end());
#if defined(__x86_64__)
    const auto has = [&](Isa isa) {
        return std::any_of(tested.begin(), tested.end(),
                           [isa](const LinearKernels *table) { return table->isa == isa; });
    };
    if (has(Isa::Avx2) && !has(Isa::AvxVnni))
        tested.push_back(&kEmulatedAvxVnni);
    if (has(Isa::Avx512Vnni) && !has(Isa::Amx))
        tested.push_back(&kEmulatedAmx);
#endif
    return tested;
}

constexpr float kPoison = std::numeric_limits<float>::quiet_NaN();

/// A weight matrix in an exact-sized allocation (so that sanitizers see a read past its end), at an
/// odd address when asked, with its values as doubles.
struct Weights
{
    std::vector<std::byte> bytes;
    std::vector<double> values; // [rows, cols]
    WeightMatrix view;

    Weights(DType type, std::size_t rows, std::size_t cols, std::size_t misalign,
            std::mt19937 &random)
        : bytes(misalign + rows * rowBytes(type, cols))
        , values(rows * cols)
        , view{bytes.data() + misalign, type, rows, cols}
    {
        for (std::size_t r = 0; r < rows; ++r) {
            const auto row = test::randomRow(type, cols, random);
            std::copy(row.begin(), row.end(), bytes.begin() + misalign + r * row.size());
            for (std::size_t k = 0; k < cols; ++k)
                values[r * cols + k] = test::weightAt(type, row.data(), k);
        }
    }
};

std::vector<float> randomFloats(std::size_t n, std::mt19937 &random)
{
    std::normal_distribution<float> normal;
    std::vector<float> out(n);
    for (float &v : out)
        v = normal(random);
    return out;
}

/// The nearest value of bfloat16, 8 bits.
double asBfloat16(double value)
{
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    return std::isfinite(value) ? std::ldexp(std::nearbyint(std::ldexp(fraction, 8)), exponent - 8)
                                : value;
}

/// Whether quantised weights meet so many rows as matrices of bfloat16.
bool asMatrices(const LinearKernels &kernels, DType type, std::size_t rows)
{
    return kernels.matrixFor(rows) && !isFloatType(type);
}

struct Product
{
    double value = 0;
    double spread = 0; // Σ (w·x)², the expected square of a sum of such terms with random signs
};

Product product(const Weights &w, std::size_t row, const float *x, bool rounded = false)
{
    Product p;
    for (std::size_t k = 0; k < w.view.cols; ++k) {
        const double value = w.values[row * w.view.cols + k];
        const double term = (rounded ? asBfloat16(value) : value) * x[k];
        p.value += term;
        p.spread += term * term;
    }
    return p;
}

/// Bound against the true product, with activations rounded to bytes for quantised weights.
double tolerance(DType type)
{
    return isFloatType(type) ? 1e-5 : 1e-2;
}

/// A block's numbers in a tile with block scales: of each 32, 127ths of the next 32767th of the
/// largest of all that is not below them.
void roundBlock(float *x, std::size_t n)
{
    const auto topOf = [](const float *from, std::size_t count) {
        float top = 0;
        for (std::size_t k = 0; k < count; ++k)
            top = std::max(top, std::fabs(from[k]));
        return top;
    };
    const float top = topOf(x, n);
    if (top == 0.0f)
        return;
    for (std::size_t i = 0; i < n; i += 32) {
        const std::size_t count = std::min<std::size_t>(32, n - i);
        const float parts = std::ceil(topOf(x + i, count) * (32767.0f / top));
        const float factor = std::clamp(parts, 1.0f, 32767.0f);
        const float steps = 127.0f / top * (32767.0f / factor);
        for (std::size_t k = i; k < i + count; ++k)
            x[k] = std::nearbyint(x[k] * steps) / steps;
    }
}

/// What the engine documents that it multiplies with: for quantised weights, activations rounded to
/// multiples of a 127th of the largest of each 32, or of each 256 for few rows and weights of three
/// values; in tile registers, both rounded to bfloat16; else see roundBlock(). Against it the
/// products are nearly exact, so that a small fault cannot hide behind the rounding.
std::vector<float> asMultiplied(const LinearKernels &kernels, DType type, std::vector<float> x,
                                std::size_t stride, std::size_t cols, std::size_t rows)
{
    if (isFloatType(type))
        return x;
    if (asMatrices(kernels, type, rows)) {
        for (float &value : x)
            value = static_cast<float>(asBfloat16(value));
        return x;
    }
    if (kernels.blockScales && rows > kernels.fewRows) {
        for (std::size_t row = 0; row + cols <= x.size(); row += stride)
            for (std::size_t i = 0; i < cols; i += kByteBlock)
                roundBlock(&x[row + i], std::min(kByteBlock, cols - i));
        return x;
    }
    const bool ternary = type == DType::TQ1_0 || type == DType::TQ2_0;
    const std::size_t span = ternary && rows <= kernels.fewRows ? 256 : 32;
    for (std::size_t row = 0; row + cols <= x.size(); row += stride)
        for (std::size_t i = row; i < row + cols; i += span) {
            float top = 0;
            for (std::size_t k = i; k < i + span; ++k)
                top = std::max(top, std::fabs(x[k]));
            for (std::size_t k = i; top > 0 && k < i + span; ++k)
                x[k] = std::nearbyint(x[k] * (127.0f / top)) * (top / 127.0f);
        }
    return x;
}
constexpr double kNearlyExact = 1e-4;

/// ‖got − want‖ over the norm that want has when its terms do not happen to cancel, so that the
/// bound holds for single numbers too. NaN when anything is.
class RelativeError
{
public:
    void add(double got, const Product &want)
    {
        m_difference += (got - want.value) * (got - want.value);
        m_norm += std::max(want.spread, want.value * want.value);
    }
    double value() const { return std::sqrt(m_difference / m_norm); }

private:
    double m_difference = 0, m_norm = 0;
};

class LinearTest : public testing::TestWithParam<std::tuple<const LinearKernels *, DType>>
{
protected:
    const LinearKernels &kernels() const { return *std::get<0>(GetParam()); }
    DType type() const { return std::get<1>(GetParam()); }
    std::size_t blockCols() const { return std::max<std::size_t>(info(type()).blockElements, 1); }
    /// A number of columns that ends inside a chunk where the type allows it.
    std::size_t oddCols(std::size_t chunks) const
    {
        constexpr std::size_t kPart = 160; // rounded up to whole blocks
        return blockCols() == 1 ? 256 * (chunks - 1) + 77
                                : 256 * (chunks - 1) + roundUp(kPart, blockCols());
    }

    ThreadPool m_pool{2};
    std::mt19937 m_random = test::generator();
};

/// Kernels that round activations only; those for matrices round weights as well.
class RoundedActivationsTest : public LinearTest
{};
class IntegerLinearTest : public LinearTest
{};

TEST_P(LinearTest, MatchesDoubleReference)
{
    LinearScratch scratch(kernels(), FloatProducts::Own);
    const std::size_t sizes[] = {1, 3, 17, 33, 257};
    for (const std::size_t rows : sizes)
        for (const std::size_t T : {1, 2, 3, 5, 7, 16, 33, 77}) {
            const std::size_t cols = oddCols(1 + (rows + T) % 3);
            const std::size_t xStride = cols + 5, outStride = rows + 3;
            const Weights w(type(), rows, cols, 1 + T % 2, m_random);
            const auto x = randomFloats(T * xStride, m_random);
            std::vector<float> out(T * outStride, kPoison);
            const LinearJob job{w.view, out.data(), outStride};
            linear(m_pool, scratch, x.data(), xStride, T, cols, {&job, 1});
            const auto rounded = asMultiplied(kernels(), type(), x, xStride, cols, T);
            RelativeError error;
            for (std::size_t t = 0; t < T; ++t) {
                for (std::size_t r = 0; r < rows; ++r)
                    error.add(out[t * outStride + r], product(w, r, &rounded[t * xStride],
                                                              asMatrices(kernels(), type(), T)));
                for (std::size_t r = rows; r < outStride; ++r)
                    ASSERT_TRUE(std::isnan(out[t * outStride + r])) << "wrote beside its rows";
            }
            ASSERT_LE(error.value(), std::min(tolerance(type()), kNearlyExact))
                << rows << " rows, " << cols << " columns, " << T << " tokens";
        }
}

TEST_P(LinearTest, ABrokenActivationReachesItsRowAlone)
{
    LinearScratch scratch(kernels(), FloatProducts::Own);
    const std::size_t cols = oddCols(2), rows = 17;
    const Weights w(type(), rows, cols, 0, m_random);
    for (const float broken : {kPoison, -kPoison, HUGE_VALF, -HUGE_VALF})
        for (const std::size_t T : {1, 3, 20, 65})
            for (const std::size_t at : {std::size_t{0}, std::size_t{37}, cols - 1}) {
                auto x = randomFloats(T * cols, m_random);
                x[(T - 1) * cols + at] = broken;
                std::vector<float> out(T * rows);
                const LinearJob job{w.view, out.data(), rows};
                linear(m_pool, scratch, x.data(), cols, T, cols, {&job, 1});
                for (std::size_t i = 0; i < out.size(); ++i)
                    ASSERT_EQ(std::isfinite(out[i]), i / rows != T - 1)
                        << broken << " at " << at << ", " << T << " tokens";
            }
}

TEST_P(LinearTest, LongRowsAndManyTokens)
{
    LinearScratch scratch(kernels(), FloatProducts::Own);
    const std::size_t cols = blockCols() == 1 ? 4099 : roundUp(4128, blockCols());
    const Weights w(type(), 37, cols, 0, m_random);
    for (const std::size_t T : {1, 3, 7, 130, 600}) { // 600: more than one block of tokens
        const auto x = randomFloats(T * cols, m_random);
        std::vector<float> out(T * 37, kPoison);
        const LinearJob job{w.view, out.data(), 37};
        linear(m_pool, scratch, x.data(), cols, T, cols, {&job, 1});
        RelativeError error;
        for (std::size_t t = 0; t<T; t += T> 100 ? 29 : 1)
            for (std::size_t r = 0; r < 37; ++r)
                error.add(out[t * 37 + r], product(w, r, &x[t * cols]));
        ASSERT_LE(error.value(), tolerance(type())) << T << " tokens";
        for (const float v : out)
            ASSERT_FALSE(std::isnan(v));
    }
}

constexpr std::size_t kTileRows = 20;

TEST_P(RoundedActivationsTest, ALargeOneLeavesTheOthersTheirPrecision)
{
    const std::size_t cols = oddCols(3), rows = 21, T = kTileRows, at = 40;
    LinearScratch scratch(kernels(), FloatProducts::Own);
    const Weights w(type(), rows, cols, 0, m_random);
    const float large = 500.0f;
    auto x = randomFloats(T * cols, m_random);
    for (std::size_t t = 0; t < T; ++t)
        std::fill_n(&x[t * cols + 32], 32, 0.0f); // these share its scale
    auto with = x;
    for (std::size_t t = 0; t < T; ++t)
        with[t * cols + at] = large;
    std::vector<float> out(T * rows);
    const LinearJob job{w.view, out.data(), rows};
    linear(m_pool, scratch, with.data(), cols, T, cols, {&job, 1});
    RelativeError error;
    for (std::size_t t = 0; t < T; ++t)
        for (std::size_t r = 0; r < rows; ++r)
            error.add(out[t * rows + r] - large * w.values[r * cols + at],
                      product(w, r, &x[t * cols]));
    ASSERT_LE(error.value(), isFloatType(type()) ? 1e-3 : tolerance(type()));
}

TEST_P(LinearTest, BiasAccumulateAndSeveralJobs)
{
    LinearScratch scratch(kernels(), FloatProducts::Own);
    const std::size_t cols = 512, rowCounts[] = {130, 33, 1};
    const DType types[] = {type(), DType::Q8_0, DType::F16};
    for (const std::size_t T : {1, 4, 19, 70}) {
        const auto x = randomFloats(T * cols, m_random);
        std::vector<Weights> weights;
        std::vector<std::vector<float>> biases, before, outs;
        std::vector<LinearJob> jobs;
        for (std::size_t j = 0; j < 3; ++j) {
            weights.emplace_back(types[j], rowCounts[j], cols, j, m_random);
            biases.push_back(randomFloats(rowCounts[j], m_random));
            before.push_back(randomFloats(T * rowCounts[j], m_random));
        }
        outs = before;
        std::fill(outs[1].begin(), outs[1].end(), kPoison);
        for (std::size_t j = 0; j < 3; ++j)
            jobs.push_back({weights[j].view, outs[j].data(), rowCounts[j],
                            j == 2 ? nullptr : biases[j].data(), j != 1});
        linear(m_pool, scratch, x.data(), cols, T, cols, jobs);
        for (std::size_t j = 0; j < 3; ++j) {
            const auto rounded = asMultiplied(kernels(), types[j], x, cols, cols, T);
            RelativeError error;
            for (std::size_t t = 0; t < T; ++t)
                for (std::size_t r = 0; r < rowCounts[j]; ++r) {
                    const double added = (j == 2 ? 0 : biases[j][r]) +
                                         (j == 1 ? 0 : before[j][t * rowCounts[j] + r]);
                    error.add(outs[j][t * rowCounts[j] + r] - added,
                              product(weights[j], r, &rounded[t * cols],
                                      asMatrices(kernels(), types[j], T)));
                }
            ASSERT_LE(error.value(), kNearlyExact) << "job " << j << ", T " << T;
        }
    }
}

void gateTimesUpPlusOne(float *out, const float *gate, const float *up, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        out[i] = gate[i] * (up[i] + 1.0f);
}

TEST_P(LinearTest, GatedProduct)
{
    LinearScratch scratch(kernels(), FloatProducts::Own);
    const std::size_t cols = oddCols(2), rows = 133, outStride = rows + 2;
    const Weights gate(type(), rows, cols, 1, m_random);
    const Weights up(isFloatType(type()) && cols % 256 == 0 ? DType::Q4_K : type(), rows, cols, 3,
                     m_random);
    for (const std::size_t T : {1, 3, 25, 64}) {
        const auto x = randomFloats(T * cols, m_random);
        std::vector<float> out(T * outStride, kPoison);
        gatedLinear(m_pool, scratch, x.data(), cols, T, gate.view, up.view, gateTimesUpPlusOne,
                    out.data(), outStride);
        const auto gateX = asMultiplied(kernels(), type(), x, cols, cols, T);
        const auto upX = asMultiplied(kernels(), up.view.dtype, x, cols, cols, T);
        RelativeError error;
        for (std::size_t t = 0; t < T; ++t)
            for (std::size_t r = 0; r < rows; ++r) {
                const Product g = product(gate, r, &gateX[t * cols],
                                          asMatrices(kernels(), type(), T)),
                              u = product(up, r, &upX[t * cols],
                                          asMatrices(kernels(), up.view.dtype, T));
                const double gSize = std::max(g.spread, g.value * g.value);
                const double uSize = std::max(u.spread, u.value * u.value) + 1.0;
                error.add(out[t * outStride + r], {g.value * (u.value + 1.0), gSize * uSize});
            }
        ASSERT_LE(error.value(), kNearlyExact) << T << " tokens";
    }
}

// Values where 16-bit intermediate sums would overflow: the largest quants against the largest
// bytes.
TEST_P(IntegerLinearTest, ExtremeQuantsDoNotSaturate)
{
    LinearScratch scratch(kernels(), FloatProducts::Own);
    const std::size_t cols = 512, rows = 20;
    for (const unsigned fill : {0xffu, 0x00u, 0x80u, 0x7fu}) {
        Weights w(type(), rows, cols, 0, m_random);
        const DTypeInfo &format = info(type());
        for (std::size_t r = 0; r < rows; ++r) {
            // Keep the sane scales of the random rows, set everything that can be quants.
            const auto sane = test::randomRow(type(), cols, m_random);
            std::byte *row = w.bytes.data() + r * sane.size();
            std::copy(sane.begin(), sane.end(), row);
            const BlockFactor factor = factorsOf(type()).scale;
            const bool factorAtEnd =
                type() == DType::IQ1_M || type() == DType::TQ1_0 || type() == DType::TQ2_0;
            const std::size_t from = type() == DType::Q8_0 || type() == DType::Q4_0 ? 2
                                     : type() == DType::Q6_K                        ? 0
                                     : type() == DType::Q2_K                        ? 16
                                     : type() == DType::Q3_K || factorAtEnd         ? 0
                                     : format.blockElements == 32 ? format.blockBytes - 16
                                                                  : 16;
            const std::size_t to = factorAtEnd             ? std::size_t{factor.at}
                                   : type() == DType::Q6_K ? 192
                                   : type() == DType::Q2_K ? 80
                                   : type() == DType::Q3_K ? 96
                                                           : format.blockBytes;
            for (std::size_t b = 0; b < sane.size(); b += format.blockBytes)
                std::fill(row + b + from, row + b + to, static_cast<std::byte>(fill));
            for (std::size_t k = 0; k < cols; ++k)
                w.values[r * cols + k] = test::weightAt(type(), row, k);
        }
        for (const std::size_t T : {1, 14, 66}) {
            std::vector<float> x(T * cols);
            for (std::size_t i = 0; i < x.size(); ++i)
                x[i] = i / cols % 2 ? -1.0f : 1.0f; // every quantised byte is ±127
            std::vector<float> out(T * rows, kPoison);
            const LinearJob job{w.view, out.data(), rows};
            linear(m_pool, scratch, x.data(), cols, T, cols, {&job, 1});
            for (std::size_t t = 0; t < T; ++t)
                for (std::size_t r = 0; r < rows; ++r) {
                    double magnitude = 0;
                    for (std::size_t k = 0; k < cols; ++k)
                        magnitude += std::fabs(w.values[r * cols + k]);
                    ASSERT_NEAR(out[t * rows + r],
                                product(w, r, &x[t * cols], asMatrices(kernels(), type(), T)).value,
                                1e-4 * magnitude + 1e-3)
                        << "fill " << fill << ", T " << T << ", row " << r;
                }
        }
    }
}

std::string caseName(const testing::TestParamInfo<LinearTest::ParamType> &param)
{
    std::string text =
        std::string(isaName(std::get<0>(param.param)->isa)) + "_" + name(std::get<1>(param.param));
    std::replace_if(
        text.begin(), text.end(),
        [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
    return text;
}

template <typename Wanted>
std::vector<std::tuple<const LinearKernels *, DType>> casesWhere(Wanted wanted)
{
    std::vector<std::tuple<const LinearKernels *, DType>> cases;
    for (const LinearKernels *const kernels : testedKernels())
        for (const DType type : kWeightTypes)
            if (wanted(*kernels, type))
                cases.emplace_back(kernels, type);
    return cases;
}

INSTANTIATE_TEST_SUITE_P(All, LinearTest,
                         testing::ValuesIn(casesWhere([](const auto &, DType) { return true; })),
                         caseName);
INSTANTIATE_TEST_SUITE_P(All, RoundedActivationsTest,
                         testing::ValuesIn(casesWhere([](const LinearKernels &k, DType type) {
                             return !asMatrices(k, type, kTileRows);
                         })),
                         caseName);
INSTANTIATE_TEST_SUITE_P(All, IntegerLinearTest,
                         testing::ValuesIn(casesWhere([](const auto &, DType type) {
                             return !isFloatType(type);
                         })),
                         caseName);

class DequantizeTest : public testing::TestWithParam<DType>
{};

TEST_P(DequantizeTest, MatchesIndependentReader)
{
    std::mt19937 random = test::generator();
    const std::size_t block = info(GetParam()).blockElements;
    for (const std::size_t cols : {block, 256 * std::size_t{3}, block == 256 ? 512 : 256 + block}) {
        const auto row = test::randomRow(GetParam(), cols, random);
        std::vector<std::byte> shifted(row.size() + 1);
        std::copy(row.begin(), row.end(), shifted.begin() + 1);
        std::vector<float> out(cols + 1, kPoison);
        dequantizeRow(GetParam(), shifted.data() + 1, out.data(), cols);
        for (std::size_t k = 0; k < cols; ++k) {
            const double want = test::weightAt(GetParam(), row.data(), k);
            ASSERT_NEAR(out[k], want, 1e-5 * (std::fabs(want) + 0.1)) << "element " << k;
        }
        ASSERT_TRUE(std::isnan(out[cols]));
    }
}

INSTANTIATE_TEST_SUITE_P(All, DequantizeTest, testing::ValuesIn(kWeightTypes),
                         [](const auto &param) { return std::string(name(param.param)); });

TEST(LinearErrors, ShapesAndTypesAreNamed)
{
    ThreadPool pool(1);
    LinearScratch scratch;
    std::vector<std::byte> bytes(4096);
    std::vector<float> x(256), out(8);
    LinearJob job{{bytes.data(), DType::Q4_K, 1, 256}, out.data(), 8};
    try {
        linear(pool, scratch, x.data(), 128, 2, 128, {&job, 1});
        FAIL() << "a product that does not fit was computed";
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), ErrorKind::BadInput);
        EXPECT_NE(std::string(error.what()).find("[2, 128]"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("Q4_K [1, 256]"), std::string::npos)
            << error.what();
    }
    job.weight.dtype = DType::I32;
    EXPECT_THROW(linear(pool, scratch, x.data(), 256, 1, 256, {&job, 1}), Error);
    EXPECT_THROW(dequantizeRow(DType::I32, bytes.data(), out.data(), 8), Error);
    const WeightMatrix gate{bytes.data(), DType::F16, 2, 64}, up{bytes.data(), DType::F16, 3, 64};
    EXPECT_THROW(
        gatedLinear(pool, scratch, x.data(), 64, 1, gate, up, gateTimesUpPlusOne, out.data(), 8),
        Error);
}

TEST(LinearErrors, NothingToDoIsFine)
{
    ThreadPool pool(2);
    LinearScratch scratch;
    std::vector<std::byte> bytes(4096);
    std::vector<float> x(256), out(8, 7.0f);
    LinearJob job{{bytes.data(), DType::Q4_K, 1, 256}, out.data(), 8};
    linear(pool, scratch, x.data(), 256, 0, 256, {&job, 1});
    linear(pool, scratch, x.data(), 256, 1, 256, {});
    job.weight.rows = 0;
    linear(pool, scratch, x.data(), 256, 1, 256, {&job, 1});
    linear(pool, scratch, x.data(), 256, 20, 256, {&job, 1});
    EXPECT_EQ(out, std::vector<float>(8, 7.0f));
}

TEST(QuantizeRowLinearTest, WhatFollowsTheRowDoesNotCount)
{
    for (const LinearKernels *own : availableLinearKernels())
        for (const std::size_t n : {1u, 15u, 16u, 17u, 20u, 31u, 32u, 33u, 52u, 256u}) {
            SCOPED_TRACE(std::to_string(static_cast<int>(own->isa)) + ": " + std::to_string(n));
            std::vector<float> x(n, 1.0f);
            for (std::size_t i = 0; i < n; i += 32)
                x[i] = 127; // the scale of these 32 is 1
            x.insert(x.end(), 64, 1000.0f);
            std::vector<std::int8_t> q(kChunk, 99);
            std::vector<float> scale(kGroups, kPoison), sum(kGroups, kPoison);
            own->quantizeRow(x.data(), n, 32, q.data(), scale.data(), sum.data());
            std::vector<float> sums(kGroups);
            for (std::size_t i = 0; i < kChunk; ++i) {
                const int expected = i >= n ? 0 : i % 32 == 0 ? 127 : 1;
                ASSERT_EQ(static_cast<int>(q[own->columnPlace ? own->columnPlace(i) : i]), expected)
                    << i;
                sums[i / 16] += static_cast<float>(expected);
            }
            for (std::size_t g = 0; g < kGroups; ++g) {
                const std::size_t place = own->groupPlace[g];
                EXPECT_FLOAT_EQ(scale[place], g / 2 * 32 < n ? 1.0f : 0.0f) << g;
                EXPECT_FLOAT_EQ(sum[place], sums[g]) << g;
            }
        }
}

TEST(QuantizeRowLinearTest, AWholeChunkHasOneScale)
{
    for (const LinearKernels *own : availableLinearKernels())
        for (const std::size_t at : {0u, 40u, 255u, 300u, 511u}) {
            SCOPED_TRACE(std::to_string(static_cast<int>(own->isa)) + ": " + std::to_string(at));
            std::vector<float> x(2 * kChunk, 2.0f);
            x[at] = -254; // the scale of its chunk is 2
            std::vector<std::int8_t> q(x.size(), 99);
            std::vector<float> scale(2 * kGroups, kPoison), sum(2 * kGroups, kPoison);
            own->quantizeRow(x.data(), x.size(), kChunk, q.data(), scale.data(), sum.data());
            for (std::size_t i = 0; i < x.size(); ++i) {
                const bool same = i / kChunk == at / kChunk;
                ASSERT_EQ(static_cast<int>(q[i]), i == at ? -127 : same ? 1 : 127) << i;
            }
            for (std::size_t g = 0; g < 2 * kGroups; ++g) {
                const std::size_t chunk = g / kGroups;
                const std::size_t place = chunk * kGroups + own->groupPlace[g % kGroups];
                const bool same = chunk == at / kChunk;
                EXPECT_FLOAT_EQ(scale[place], same ? 2.0f : 2.0f / 127) << g;
                EXPECT_FLOAT_EQ(sum[place], g == at / 16 ? 2.0f * (15 - 127) : 32.0f) << g;
            }
        }
}

TEST(LinearKernelChoice, BaselineIsLastAndSelectionIsFollowed)
{
    const auto tables = availableLinearKernels();
    ASSERT_FALSE(tables.empty());
    EXPECT_EQ(tables.back()->isa, Isa::Baseline);
    for (std::size_t i = 1; i < tables.size(); ++i)
        EXPECT_GT(tables[i - 1]->isa, tables[i]->isa);
    EXPECT_EQ(linearKernels().isa, selectedIsa());
}

} // namespace
} // namespace fireside::cpu
