#include "engine/cpu/linear/blas.h"

#include "engine/core/thread_pool.h"
#include "engine/cpu/linear/blas_choice.h"
#include "engine/cpu/linear/linear_kernels.h"
#include "engine/cpu/simd/kernels.h"
#include "tests/support/require.h"
#include "tests/support/seed.h"
#include "tests/support/weight_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace fireside::cpu {
namespace {

constexpr float kPoison = std::numeric_limits<float>::quiet_NaN();
constexpr const char *kMissing[] = {"libfireside-has-no-such-blas.so.0"};

/// A product with everything that can go wrong about addresses: weights at an odd address when
/// asked, rows that are longer than the numbers in them, and values before and beside the result.
struct Case
{
    std::size_t rows, cols, T, misalign, xStride, outStride;
    std::vector<std::byte> bytes;
    std::vector<double> weights;
    std::vector<float> x, bias, before;
    WeightMatrix view;

    Case(DType type, std::size_t rowCount, std::size_t colCount, std::size_t tokens,
         std::size_t offset, std::mt19937 &random)
        : rows(rowCount)
        , cols(colCount)
        , T(tokens)
        , misalign(offset)
        , xStride(colCount + 5)
        , outStride(rowCount + 3)
        , bytes(offset + rowCount * rowBytes(type, colCount))
        , weights(rowCount * colCount)
        , x(tokens * xStride)
        , bias(rowCount)
        , before(tokens * outStride)
        , view{bytes.data() + offset, type, rowCount, colCount}
    {
        for (std::size_t r = 0; r < rows; ++r) {
            const auto row = test::randomRow(type, cols, random);
            std::copy(row.begin(), row.end(), bytes.begin() + misalign + r * row.size());
            for (std::size_t k = 0; k < cols; ++k)
                weights[r * cols + k] = test::weightAt(type, row.data(), k);
        }
        std::normal_distribution<float> normal;
        for (auto *values : {&x, &bias, &before})
            for (float &v : *values)
                v = normal(random);
    }

    /// ‖out − reference‖ over the norm that the products have when they do not happen to cancel.
    double error(const std::vector<float> &out, bool added) const
    {
        double difference = 0, norm = 0;
        for (std::size_t t = 0; t < T; ++t)
            for (std::size_t r = 0; r < rows; ++r) {
                double want = 0, spread = 0;
                for (std::size_t k = 0; k < cols; ++k) {
                    const double term = weights[r * cols + k] * x[t * xStride + k];
                    want += term;
                    spread += term * term;
                }
                if (added)
                    want += static_cast<double>(bias[r]) + before[t * outStride + r];
                const double d = out[t * outStride + r] - want;
                difference += d * d;
                norm += std::max(spread, want * want);
            }
        return std::sqrt(difference / norm);
    }

    bool besideUntouched(const std::vector<float> &out, const std::vector<float> &was) const
    {
        for (std::size_t t = 0; t < T; ++t)
            for (std::size_t at = t * outStride + rows; at < (t + 1) * outStride; ++at)
                if (out[at] != was[at] && !(std::isnan(out[at]) && std::isnan(was[at])))
                    return false;
        return true;
    }
};

class BlasTest : public testing::TestWithParam<std::tuple<const LinearKernels *, DType>>
{
protected:
    void SetUp() override
    {
        if (!blas().usable())
            FIRESIDE_SKIP("OpenBLAS: " + blas().description());
        ASSERT_EQ(blasFor(FloatProducts::Blas, kernels().isa, 9, 2), &blas());
    }
    const LinearKernels &kernels() const { return *std::get<0>(GetParam()); }
    DType type() const { return std::get<1>(GetParam()); }

    std::mt19937 m_random = test::generator();
};

TEST_P(BlasTest, MatchesDoubleReference)
{
    ThreadPool pool(3);
    LinearScratch scratch(kernels(), FloatProducts::Blas);
    for (const std::size_t rows : {1, 17, 129, 300})
        for (const std::size_t T : {9, 16, 33}) {
            const Case c(type(), rows, 1 + 77 * ((rows + T) % 5), T, T % 4, m_random);
            std::vector<float> out(c.before.size(), kPoison);
            const auto was = out;
            LinearJob job{c.view, out.data(), c.outStride};
            linear(pool, scratch, c.x.data(), c.xStride, T, c.cols, {&job, 1});
            EXPECT_LE(c.error(out, false), 1e-5) << rows << " rows, " << T << " tokens";
            EXPECT_TRUE(c.besideUntouched(out, was)) << rows << " rows, " << T << " tokens";

            out = c.before;
            job.bias = c.bias.data();
            job.accumulate = true;
            linear(pool, scratch, c.x.data(), c.xStride, T, c.cols, {&job, 1});
            EXPECT_LE(c.error(out, true), 1e-5) << rows << " rows, " << T << " tokens, added";
            EXPECT_TRUE(c.besideUntouched(out, c.before)) << "added";
        }
}

// More columns than one panel holds, more tokens than one block.
TEST_P(BlasTest, LongRowsAndManyTokens)
{
    ThreadPool pool(2);
    LinearScratch scratch(kernels(), FloatProducts::Blas);
    for (const auto &[cols, T] : {std::pair<std::size_t, std::size_t>{8192 + 77, 10}, {70, 530}}) {
        const Case c(type(), 21, cols, T, 1, m_random);
        std::vector<float> out(c.before);
        const LinearJob job{c.view, out.data(), c.outStride, c.bias.data(), true};
        linear(pool, scratch, c.x.data(), c.xStride, T, cols, {&job, 1});
        EXPECT_LE(c.error(out, true), 1e-5) << cols << " columns, " << T << " tokens";
    }
}

void sum(float *out, const float *gate, const float *up, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        out[i] = gate[i] + 2.0f * up[i];
}

TEST_P(BlasTest, GatedProductEvenBesideQuantisedWeights)
{
    ThreadPool pool(2);
    LinearScratch scratch(kernels(), FloatProducts::Blas), own(kernels(), FloatProducts::Own);
    const Case gate(type(), 150, 256, 20, 1, m_random);
    for (const DType upType : {type(), DType::Q8_0}) {
        const Case up(upType, 150, 256, 20, 0, m_random);
        std::vector<float> out(20 * 150, kPoison), want(20 * 150, kPoison);
        gatedLinear(pool, scratch, gate.x.data(), gate.xStride, 20, gate.view, up.view, sum,
                    out.data(), 150);
        gatedLinear(pool, own, gate.x.data(), gate.xStride, 20, gate.view, up.view, sum,
                    want.data(), 150);
        double difference = 0, norm = 0;
        for (std::size_t i = 0; i < out.size(); ++i) {
            difference += std::pow(out[i] - want[i], 2);
            norm += std::pow(want[i], 2);
        }
        EXPECT_LE(std::sqrt(difference / norm), 1e-5) << name(upType);
    }
}

// Several engines in one process, each with threads of its own.
TEST_P(BlasTest, SeveralPoolsAtOnce)
{
    std::vector<Case> cases;
    for (std::size_t i = 0; i < 4; ++i)
        cases.emplace_back(type(), 200 + i, 300, 40, i, m_random);
    std::vector<std::vector<float>> outs(cases.size());
    std::vector<int> wrong(cases.size(), 0);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < cases.size(); ++i)
        threads.emplace_back([&, i] {
            const Case &c = cases[i];
            ThreadPool pool(2);
            LinearScratch scratch(kernels(), FloatProducts::Blas);
            for (int repeat = 0; repeat < 20; ++repeat) {
                std::vector<float> out(c.before);
                const LinearJob job{c.view, out.data(), c.outStride, c.bias.data(), true};
                linear(pool, scratch, c.x.data(), c.xStride, c.T, c.cols, {&job, 1});
                if (repeat == 0)
                    outs[i] = out;
                wrong[i] += out != outs[i];
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    for (std::size_t i = 0; i < cases.size(); ++i) {
        EXPECT_LE(cases[i].error(outs[i], true), 1e-5);
        EXPECT_EQ(wrong[i], 0) << "the same product came out differently";
    }
}

std::string caseName(const testing::TestParamInfo<BlasTest::ParamType> &param)
{
    return std::string(isaWord(std::get<0>(param.param)->isa)) + "_" +
           name(std::get<1>(param.param));
}

INSTANTIATE_TEST_SUITE_P(All, BlasTest,
                         testing::Combine(testing::ValuesIn(availableLinearKernels().begin(),
                                                            availableLinearKernels().end()),
                                          testing::Values(DType::F32, DType::F16, DType::BF16)),
                         caseName);

std::ptrdiff_t threadCount()
{
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
}

TEST(BlasLibrary, StartsNoThreads)
{
#if defined(FIRESIDE_THREAD_SANITIZER)
    FIRESIDE_SKIP("the thread sanitizer starts a thread of its own");
#endif
    const std::ptrdiff_t before = threadCount();
    if (!blas().usable())
        FIRESIDE_SKIP("OpenBLAS: " + blas().description());
    std::vector<float> x(64 * 64, 1.0f), out(64 * 64, kPoison);
    blas().multiply({x.data(), 64, 64, x.data(), 64, 64, 64, out.data(), 64, false});
    EXPECT_EQ(out, std::vector<float>(64 * 64, 64.0f));
    // The joined thread that loaded the library can stay listed for a moment.
    for (int waited = 0; threadCount() > before && waited < 1000; ++waited)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(threadCount(), before);
    EXPECT_EQ(blas().description().rfind("libopenblas ", 0), 0u) << blas().description();
    EXPECT_GE(blas().maxCallers(), 1u);
}

TEST(BlasLibrary, AMissingOneIsNoError)
{
    const Blas missing = Blas::open(kMissing);
    EXPECT_FALSE(missing.usable());
    EXPECT_NE(missing.description().find("not found"), std::string::npos) << missing.description();
    EXPECT_NE(describeBlas(missing, {}, Isa::Avx2).find("own kernels are used"), std::string::npos);
    EXPECT_FALSE(Blas::open({}).usable());
}

TEST(BlasLibrary, AnotherLibraryIsRefused)
{
    const char *const names[] = {"libm.so.6", kMissing[0]};
    const Blas other = Blas::open(names);
    EXPECT_FALSE(other.usable());
    EXPECT_NE(other.description().find("libm.so.6 lacks"), std::string::npos)
        << other.description();
}

TEST(BlasChoice, FollowsTheTable)
{
    EXPECT_EQ(blasRule(Isa::Avx512, BlasKernels::Fma256), nullptr);
    EXPECT_EQ(blasRule(Isa::Avx2, BlasKernels::Narrow), nullptr);
    for (const Isa isa :
         {Isa::Baseline, Isa::Sse41, Isa::Avx2, Isa::AvxVnni, Isa::Avx512, Isa::Avx512Vnni})
        EXPECT_NE(blasRule(isa, BlasKernels::Wide512), nullptr);
    ASSERT_NE(blasRule(Isa::Avx2, BlasKernels::Fma256), nullptr);
    EXPECT_EQ(blasKernels("Haswell"), BlasKernels::Fma256);
    EXPECT_EQ(blasKernels("SkylakeX"), BlasKernels::Wide512);
    EXPECT_EQ(blasKernels("Prescott"), BlasKernels::Narrow);
    EXPECT_EQ(blasKernels(""), BlasKernels::Narrow);

    for (const LinearKernels *table : availableLinearKernels()) {
        const BlasRule *rule = blasRule(table->isa, blas().kernels());
        const std::size_t many = 512;
        const Blas *used = blasFor(FloatProducts::Measured, table->isa, many, 1);
        EXPECT_EQ(used != nullptr, blas().usable() && rule && rule->fromTokens <= many);
        if (rule) {
            const std::size_t few = rule->fromTokens - 1;
            EXPECT_EQ(blasFor(FloatProducts::Measured, table->isa, few, 1), nullptr);
        }
        EXPECT_EQ(blasFor(FloatProducts::Own, table->isa, many, 1), nullptr);
        EXPECT_EQ(blasFor(FloatProducts::Blas, table->isa, many, 1 << 20), nullptr)
            << "more callers than the library has room for";
    }
}

TEST(BlasChoice, TheEnvironmentIsRead)
{
    EXPECT_EQ(parseFloatProducts("").asked, FloatProducts::Measured);
    EXPECT_EQ(parseFloatProducts("off").asked, FloatProducts::Own);
    EXPECT_EQ(parseFloatProducts("on").asked, FloatProducts::Blas);
    const FloatProductsChoice strange = parseFloatProducts("maybe");
    EXPECT_EQ(strange.asked, FloatProducts::Measured);
    EXPECT_NE(strange.problem.find("maybe"), std::string::npos);
    EXPECT_NE(describeBlas(Blas::none("gone"), strange, Isa::Avx2).find("maybe"),
              std::string::npos);
    EXPECT_EQ(describeBlas(Blas::none("gone"), {}, Isa::Avx2), "gone: own kernels are used");
}

// Run once more by CTest with FIRESIDE_BLAS=off, see CMakeLists.txt.
TEST(BlasEnvironment, OffLeavesTheLibraryAlone)
{
    if (floatProductsAsked().asked != FloatProducts::Own)
        FIRESIDE_SKIP("FIRESIDE_BLAS is not off");
    EXPECT_FALSE(blas().usable());
    EXPECT_NE(blas().description().find("FIRESIDE_BLAS=off"), std::string::npos);
    std::mt19937 random = test::generator();
    const Case c(DType::F16, 33, 100, 300, 0, random);
    ThreadPool pool(2);
    LinearScratch scratch;
    std::vector<float> out(c.before);
    const LinearJob job{c.view, out.data(), c.outStride, c.bias.data(), true};
    linear(pool, scratch, c.x.data(), c.xStride, c.T, c.cols, {&job, 1});
    EXPECT_LE(c.error(out, true), 1e-5);
}

} // namespace
} // namespace fireside::cpu
