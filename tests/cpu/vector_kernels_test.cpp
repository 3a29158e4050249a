#include "engine/cpu/simd/kernels.h"
#include "engine/tensor/half.h"

#include "tests/cpu/isa_test.h"
#include "tests/support/reference_ops.h"

#include <algorithm>
#include <cmath>

namespace fireside {
namespace {

constexpr std::size_t kSizes[] = {0, 1, 3, 7, 8, 15, 16, 17, 31, 33, 64, 100, 257, 1000};

using VectorKernelsTest = IsaTest;
FIRESIDE_EVERY_ISA(VectorKernelsTest);

/// A buffer whose floats start one float after an aligned address, with guards around the used
/// part.
class Guarded
{
public:
    explicit Guarded(std::size_t n, float fill = kNaN)
        : m_values(n + 3, 12345.0f)
        , m_size(n)
    {
        std::fill_n(data(), n, fill);
    }
    float *data() { return m_values.data() + 1; }
    std::span<const float> used() const { return {m_values.data() + 1, m_size}; }
    bool intact() const { return m_values[0] == 12345.0f && m_values[m_size + 1] == 12345.0f; }

private:
    std::vector<float> m_values;
    std::size_t m_size;
};

TEST_P(VectorKernelsTest, DotProducts)
{
    const VectorKernels &vec = vectorKernels();
    ASSERT_EQ(vec.isa, GetParam());
    for (const std::size_t n : kSizes) {
        const std::vector<float> a = randomFloats(n + 1, 1), b = randomFloats(n + 1, 2);
        std::vector<std::uint16_t> half(n + 1);
        for (std::size_t i = 0; i <= n; ++i)
            half[i] = floatToHalf(a[i]);
        double dot = 0, dotHalf = 0, squares = 0, size = 0;
        for (std::size_t i = 1; i <= n; ++i) {
            dot += static_cast<double>(a[i]) * b[i];
            dotHalf += reference::roundToHalf(a[i]) * b[i];
            squares += static_cast<double>(a[i]) * a[i];
            size += std::fabs(a[i] * b[i]);
        }
        const double tolerance = 1e-6 * (size + 1e-3);
        EXPECT_NEAR(vec.dotF32(a.data() + 1, b.data() + 1, n), dot, tolerance) << n;
        EXPECT_NEAR(vec.dotF16(half.data() + 1, b.data() + 1, n), dotHalf, tolerance) << n;
        EXPECT_NEAR(vec.sumSquares(a.data() + 1, n), squares, 1e-6 * squares) << n;
    }
}

TEST_P(VectorKernelsTest, ElementwiseWritesExactlyTheRow)
{
    const VectorKernels &vec = vectorKernels();
    for (const std::size_t n : kSizes) {
        const std::vector<float> x = randomFloats(n, 3), w = randomFloats(n, 4);
        std::vector<std::uint16_t> half(n);
        for (std::size_t i = 0; i < n; ++i)
            half[i] = floatToHalf(x[i]);
        Guarded scaled(n), sum(n, 2.0f), sumHalf(n, 2.0f), widened(n);
        vec.scaleMul(scaled.data(), x.data(), w.data(), 0.7f, n);
        vec.addScaled(sum.data(), x.data(), -1.3f, n);
        vec.addScaledF16(sumHalf.data(), half.data(), -1.3f, n);
        vec.fromHalf(widened.data(), half.data(), n);
        std::vector<double> wantScaled(n), wantSum(n), wantSumHalf(n);
        for (std::size_t i = 0; i < n; ++i) {
            wantScaled[i] = static_cast<double>(x[i]) * 0.7f * w[i];
            wantSum[i] = 2.0 - 1.3f * static_cast<double>(x[i]);
            wantSumHalf[i] = 2.0 - 1.3f * reference::roundToHalf(x[i]);
            ASSERT_EQ(widened.used()[i], static_cast<float>(reference::roundToHalf(x[i])));
        }
        EXPECT_LE(reference::relativeError(scaled.used(), wantScaled), 1e-6) << n;
        EXPECT_LE(reference::relativeError(sum.used(), wantSum), 1e-6) << n;
        EXPECT_LE(reference::relativeError(sumHalf.used(), wantSumHalf), 1e-6) << n;
        vec.scale(sum.data(), 0.5f, n);
        for (double &v : wantSum)
            v *= 0.5;
        EXPECT_LE(reference::relativeError(sum.used(), wantSum), 1e-6) << n;
        EXPECT_TRUE(scaled.intact() && sum.intact() && sumHalf.intact() && widened.intact()) << n;
    }
}

TEST_P(VectorKernelsTest, ExponentialIsAccurateEverywhere)
{
    const VectorKernels &vec = vectorKernels();
    std::vector<float> x;
    for (float v = -87.3f; v < 88.7f; v += 0.00731f)
        x.push_back(v);
    for (const float tiny : {0.0f, -0.0f, 1e-30f, -1e-30f, 1e-7f, -1e-7f, 0.34657f, -0.34657f})
        x.push_back(tiny);
    std::vector<float> e = x;
    vec.expSum(e.data(), 0, e.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double want = std::exp(static_cast<double>(x[i]));
        ASSERT_NEAR(e[i] / want, 1.0, 2.5e-7) << "exp(" << x[i] << ")";
    }
}

TEST_P(VectorKernelsTest, ExponentialAtTheEdges)
{
    const VectorKernels &vec = vectorKernels();
    std::vector<float> x{-kInfinity, -1e30f,    -200.0f, -104.0f, 89.0f,
                         1000.0f,    kInfinity, kNaN,    0.0f};
    x.resize(33, -500.0f); // the same values in vector bodies and tails
    std::rotate(x.begin(), x.begin() + 25, x.end());
    std::vector<float> e = x;
    vec.expSum(e.data(), 0, e.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (std::isnan(x[i])) {
            EXPECT_TRUE(std::isnan(e[i]));
            continue;
        }
        const float most = x[i] >= 89 ? kInfinity : x[i] == 0 ? 1.0f : x[i] < -104 ? 0.0f : 1e-44f;
        const float least = x[i] >= 0 ? most : 0.0f;
        EXPECT_TRUE(least <= e[i] && e[i] <= most) << "exp(" << x[i] << ") = " << e[i];
    }
    std::vector<float> subnormal{-100.0f, -95.0f, -90.0f};
    vec.expSum(subnormal.data(), 0, 3);
    EXPECT_NEAR(subnormal[2] / std::exp(-90.0), 1.0, 1e-3);
    EXPECT_GT(subnormal[0], 0.0f);
}

TEST_P(VectorKernelsTest, ExpSumAndMaximum)
{
    const VectorKernels &vec = vectorKernels();
    for (const std::size_t n : kSizes) {
        std::vector<float> x = randomFloats(n, 5, 4);
        const float largest = vec.maximum(x.data(), n);
        const float want = n == 0 ? -kInfinity : *std::max_element(x.begin(), x.end());
        ASSERT_EQ(largest, want) << n;
        if (n == 0)
            continue;
        double sum = 0;
        for (const float v : x)
            sum += std::exp(static_cast<double>(v) - largest);
        EXPECT_NEAR(vec.expSum(x.data(), largest, n) / sum, 1.0, 1e-6) << n;
    }
}

TEST_P(VectorKernelsTest, MaximumIgnoresNaNWhereverItStands)
{
    const VectorKernels &vec = vectorKernels();
    for (const std::size_t n : {1u, 5u, 16u, 33u, 40u})
        for (std::size_t place = 0; place < n; ++place) {
            std::vector<float> x(n, -7.0f);
            x[place] = kNaN;
            EXPECT_EQ(vec.maximum(x.data(), n), n == 1 ? -kInfinity : -7.0f) << n << " " << place;
            x[(place + 1) % n] = n == 1 ? kNaN : 3.0f;
            EXPECT_EQ(vec.maximum(x.data(), n), n == 1 ? -kInfinity : 3.0f) << n << " " << place;
        }
}

TEST_P(VectorKernelsTest, GatesAndSoftcap)
{
    const VectorKernels &vec = vectorKernels();
    for (const std::size_t n : kSizes) {
        std::vector<float> gate = randomFloats(n, 6, 5);
        const std::vector<float> up = randomFloats(n, 7);
        if (n > 8) {
            gate[0] = -300;
            gate[n - 1] = 300;
            gate[5] = 0;
        }
        Guarded silu(n), sigmoid(n), gelu(n), geluErf(n);
        vec.siluMul(silu.data(), gate.data(), up.data(), n);
        vec.sigmoidMul(sigmoid.data(), gate.data(), up.data(), n);
        vec.geluTanhMul(gelu.data(), gate.data(), up.data(), n);
        vec.geluErfMul(geluErf.data(), gate.data(), up.data(), n);
        std::vector<float> capped = gate;
        vec.softcap(capped.data(), 30.0f, n);
        std::vector<double> wantSilu(n), wantSigmoid(n), wantGelu(n), wantCapped(n);
        std::vector<double> wantGeluErf(n);
        for (std::size_t i = 0; i < n; ++i) {
            wantSilu[i] = reference::silu(gate[i]) * up[i];
            wantSigmoid[i] = up[i] / (1.0 + std::exp(-double{gate[i]}));
            wantGelu[i] = reference::geluTanh(gate[i]) * up[i];
            wantGeluErf[i] = reference::geluErf(gate[i]) * up[i];
            wantCapped[i] = 30 * std::tanh(gate[i] / 30.0);
        }
        EXPECT_LE(reference::relativeError(silu.used(), wantSilu), 1e-6) << n;
        EXPECT_LE(reference::relativeError(sigmoid.used(), wantSigmoid), 1e-6) << n;
        EXPECT_LE(reference::relativeError(gelu.used(), wantGelu), 1e-6) << n;
        EXPECT_LE(reference::relativeError(geluErf.used(), wantGeluErf), 1e-6) << n;
        EXPECT_LE(reference::relativeError(capped, wantCapped), 2e-6) << n;
        EXPECT_TRUE(silu.intact() && sigmoid.intact() && gelu.intact() && geluErf.intact());
    }
}

TEST_P(VectorKernelsTest, GeluKeepsItsTails)
{
    std::vector<float> x, ones, y;
    for (float v = -9; v < 9; v += 0.0137f)
        x.push_back(v);
    for (const float v : {0.0f, 1e-30f, -1e-30f, 1e30f, kInfinity, kNaN})
        x.push_back(v);
    ones.assign(x.size(), 1.0f);
    y.resize(x.size());
    vectorKernels().geluErfMul(y.data(), x.data(), ones.data(), x.size());
    for (std::size_t i = 0; i + 2 < x.size(); ++i) {
        const double expected = 0.5 * double{x[i]} * std::erfc(-double{x[i]} / std::sqrt(2.0));
        EXPECT_NEAR(double{y[i]}, expected, 1e-5 * std::fabs(expected) + 1e-38) << x[i];
    }
    EXPECT_EQ(y[x.size() - 2], kInfinity);
    EXPECT_TRUE(std::isnan(y.back()));
}

TEST_P(VectorKernelsTest, Scans)
{
    const VectorKernels &vec = vectorKernels();
    const float step = 0.3f, decay = 0.8f, input = -1.7f;
    for (const std::size_t n : kSizes) {
        const std::vector<float> before = randomFloats(n, 1), b = randomFloats(n, 2);
        const std::vector<float> c = randomFloats(n, 3), a = randomFloats(n, 4);
        Guarded plain(n), selective(n);
        std::copy(before.begin(), before.end(), plain.data());
        std::copy(before.begin(), before.end(), selective.data());
        std::vector<double> wantPlain(n), wantSelective(n);
        double sum = 0, selectiveSum = 0, size = 1e-3;
        for (std::size_t i = 0; i < n; ++i) {
            const double in = static_cast<double>(input) * b[i];
            wantPlain[i] = static_cast<double>(decay) * before[i] + in;
            wantSelective[i] = std::exp(static_cast<double>(step) * a[i]) * before[i] + in;
            sum += wantPlain[i] * c[i];
            selectiveSum += wantSelective[i] * c[i];
            size += std::fabs(wantPlain[i] * c[i]) + std::fabs(wantSelective[i] * c[i]);
        }
        EXPECT_NEAR(vec.scan(plain.data(), decay, input, b.data(), c.data(), n), sum, 1e-6 * size);
        EXPECT_NEAR(
            vec.selectiveScan(selective.data(), a.data(), step, input, b.data(), c.data(), n),
            selectiveSum, 1e-6 * size);
        EXPECT_LE(reference::relativeError(plain.used(), wantPlain), 1e-6) << n;
        EXPECT_LE(reference::relativeError(selective.used(), wantSelective), 1e-6) << n;
        EXPECT_TRUE(plain.intact() && selective.intact());
    }
}

TEST_P(VectorKernelsTest, DeltaRows)
{
    const VectorKernels &vec = vectorKernels();
    const std::size_t keys = 5;
    const auto key = randomFloats(keys, 1), decay = randomFloats(keys, 2);
    const auto decayedKey = randomFloats(keys, 3), decayedQuery = randomFloats(keys, 4);
    const DeltaRow row{decay.data(),        key.data(), decayedKey.data(),
                       decayedQuery.data(), 0.7f,       1.3f};
    for (const std::size_t n : kSizes) {
        const std::size_t stride = n + 2;
        const auto before = randomFloats(keys * stride, 5), value = randomFloats(n, 6);
        std::vector<float> S = before;
        Guarded out(n);
        vec.deltaRow(S.data(), stride, keys, row, value.data(), out.data(), n);
        std::vector<double> want(n), wantS(before.begin(), before.end());
        for (std::size_t j = 0; j < n; ++j) {
            double seen = 0, asked = 0;
            for (std::size_t i = 0; i < keys; ++i) {
                seen += static_cast<double>(before[i * stride + j]) * decayedKey[i];
                asked += static_cast<double>(before[i * stride + j]) * decayedQuery[i];
            }
            const double delta = static_cast<double>(row.rate) * (value[j] - seen);
            want[j] = asked + static_cast<double>(row.overlap) * delta;
            for (std::size_t i = 0; i < keys; ++i)
                wantS[i * stride + j] = decay[i] * wantS[i * stride + j] + key[i] * delta;
        }
        EXPECT_LE(reference::relativeError(out.used(), want), 1e-6) << n;
        EXPECT_LE(reference::relativeError(S, wantS), 1e-6) << n;
        EXPECT_TRUE(out.intact());
    }
}

TEST_P(VectorKernelsTest, HalvesRoundToNearestEven)
{
    const VectorKernels &vec = vectorKernels();
    // every half, the midpoints to the next one, and points just beside them
    std::vector<float> x;
    for (std::uint32_t h = 0; h < 0x7c00; ++h) {
        const float a = halfToFloat(static_cast<std::uint16_t>(h));
        const float b = h == 0x7bff ? 65536.0f : halfToFloat(static_cast<std::uint16_t>(h + 1));
        const float middle = a + (b - a) / 2;
        for (const float v :
             {a, middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 1e9f)}) {
            x.push_back(v);
            x.push_back(-v);
        }
    }
    x.insert(x.end(), {kInfinity, -kInfinity, 1e20f, 1e-20f, -0.0f});
    std::vector<std::uint16_t> half(x.size());
    vec.toHalf(half.data(), x.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(static_cast<double>(halfToFloat(half[i])), reference::roundToHalf(x[i])) << x[i];
    vec.toHalf(half.data(), &kNaN, 1);
    EXPECT_TRUE(std::isnan(halfToFloat(half[0])));
}

TEST(IsaChoice, FollowsTheOverrideWhenItCan)
{
    const Isa all[] = {Isa::Avx512Vnni, Isa::Avx512, Isa::AvxVnni, Isa::Avx2, Isa::Baseline};
    EXPECT_EQ(chooseIsa("", all).isa, Isa::Avx512Vnni);
    EXPECT_EQ(chooseIsa("baseline", all).isa, Isa::Baseline);
    const Isa withTiles[] = {Isa::Amx, Isa::Avx512Vnni, Isa::Baseline};
    EXPECT_EQ(chooseIsa("", withTiles).isa, Isa::Avx512Vnni) << "tiles only when asked for";
    EXPECT_EQ(chooseIsa("amx", withTiles).isa, Isa::Amx);
    EXPECT_EQ(chooseIsa("AVX2", all).isa, Isa::Avx2);
    EXPECT_EQ(chooseIsa("avx512", all).problem, "");
    EXPECT_EQ(chooseIsa("avxvnni", all).isa, Isa::AvxVnni);
}

TEST(IsaChoice, ReportsAnOverrideItCannotFollow)
{
    const Isa old[] = {Isa::Avx2, Isa::Baseline};
    const IsaChoice unsupported = chooseIsa("avx512", old);
    EXPECT_EQ(unsupported.isa, Isa::Avx2);
    EXPECT_NE(unsupported.problem.find("avx512 is not supported"), std::string::npos);
    const IsaChoice unknown = chooseIsa("mmx", old);
    EXPECT_EQ(unknown.isa, Isa::Avx2);
    EXPECT_NE(unknown.problem.find("mmx is not known"), std::string::npos);
}

TEST(IsaChoice, TablesAreBestFirstAndEndWithBaseline)
{
    const auto tables = availableVectorKernels();
    ASSERT_FALSE(tables.empty());
    EXPECT_EQ(tables.front()->isa, cpuInfo().isa);
    EXPECT_EQ(tables.back()->isa, Isa::Baseline);
    for (std::size_t i = 1; i < tables.size(); ++i)
        EXPECT_LT(tables[i]->isa, tables[i - 1]->isa);
}

} // namespace
} // namespace fireside
