#include "engine/vulkan/ops.h"
#include "tests/support/reference_ops.h"
#include "tests/support/weight_reference.h"
#include "tests/vulkan/emulated_matrices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

// Mixtures of experts: ids that name no expert, and the tiles of the kernel on cooperative
// matrices. The conformance tests compare the rest with references.
namespace fireside::vulkan {
namespace {

constexpr std::int64_t kExperts = 5, kIn = 64, kFfn = 96;

std::vector<float> random(std::int64_t count, std::mt19937 &generator)
{
    std::normal_distribution<float> values;
    std::vector<float> out(static_cast<std::size_t>(count));
    for (float &v : out)
        v = values(generator);
    return out;
}

/// A weight of random bytes and its values.
struct ExpertWeight
{
    ExpertWeight(Device &device, DType type, std::int64_t rows, std::int64_t cols,
                 std::mt19937 &generator)
    {
        for (std::int64_t r = 0; r < rows * kExperts; ++r) {
            const auto row = test::randomRow(type, static_cast<std::size_t>(cols), generator);
            for (std::int64_t c = 0; c < cols; ++c)
                values.push_back(test::weightAt(type, row.data(), static_cast<std::size_t>(c)));
            bytes.insert(bytes.end(), row.begin(), row.end());
        }
        WeightSource source;
        source.name = "experts";
        source.dtype = type;
        source.rows = rows;
        source.cols = cols;
        source.depth = kExperts;
        source.bytes = bytes;
        weight = device.addWeight(source);
        device.finishWeights();
    }
    /// x · row of an expert's matrix.
    double product(const float *x, std::int64_t expert, std::int64_t row) const
    {
        double sum = 0;
        const std::int64_t cols = weight->cols;
        for (std::int64_t c = 0; c < cols; ++c)
            sum += static_cast<double>(x[c]) *
                   values[static_cast<std::size_t>((expert * weight->rows + row) * cols + c)];
        return sum;
    }
    std::vector<std::byte> bytes;
    std::vector<double> values;
    std::unique_ptr<Weight> weight;
};

class ExpertsTest : public testing::Test
{
protected:
    void SetUp() override
    {
        if (!device)
            GTEST_SKIP() << "needs lavapipe (apt install mesa-vulkan-drivers)";
    }
    /// Both ops over T tokens with two experts each, some of which are none.
    void run(Recorder &recorder, std::int64_t T, double tolerance);
    test::RecorderDevice device;
    std::mt19937 generator{7};
};

void ExpertsTest::run(Recorder &recorder, std::int64_t T, double tolerance)
{
    const ExpertWeight gate(device.device(), DType::Q8_0, kFfn, kIn, generator);
    const ExpertWeight up(device.device(), DType::Q8_0, kFfn, kIn, generator);
    const ExpertWeight down(device.device(), DType::Q8_0, kIn, kFfn, generator);
    const ExpertWeight bias(device.device(), DType::F32, 1, kIn, generator);
    constexpr std::int64_t k = 2;
    std::vector<std::int32_t> ids;
    for (std::int64_t t = 0; t < T; ++t)
        for (const std::int64_t e : {t % 3, kExperts - 1 - t % 2})
            ids.push_back(static_cast<std::int32_t>(e));
    ids[0] = -1;
    ids[3] = kExperts;
    if (T > 4)
        ids[9] = std::numeric_limits<std::int32_t>::min();
    const auto x = random(T * kIn, generator), shares = random(T * k, generator);
    const auto hidden = random(T * k * kFfn, generator);

    device.begin(T);
    const Tensor which = device.put(ids, T, k);
    const Tensor weights = device.put(shares, T, k, DType::F32, k);
    const Tensor input = device.put(x, T, kIn, DType::F32, kIn + 1);
    const Tensor middle =
        device.put(std::vector<float>(hidden.size(), NAN), T * k, kFfn, DType::F32, kFfn);
    const Tensor second = device.put(hidden, T * k, kFfn, DType::F32, kFfn);
    const Tensor out = device.put(x, T, kIn, DType::F32, kIn);
    expertGatedLinear(recorder, input, which, {gate.weight.get(), up.weight.get()},
                      Activation::SiLU, middle);
    expertLinear(recorder, second, which, weights, *down.weight, bias.weight.get(), out,
                 Accumulate::AddToOutput);
    device.recorder().sync();

    std::vector<double> expectedMiddle, expected;
    const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
    for (std::int64_t i = 0; i < T * k; ++i)
        for (std::int64_t f = 0; f < kFfn; ++f) {
            const std::int32_t e = ids[at(i)];
            const float *const row = x.data() + i / k * kIn;
            expectedMiddle.push_back(e < 0 || e >= kExperts
                                         ? 0
                                         : reference::silu(gate.product(row, e, f)) *
                                               up.product(row, e, f));
        }
    for (std::int64_t t = 0; t < T; ++t)
        for (std::int64_t n = 0; n < kIn; ++n) {
            double sum = static_cast<double>(x[at(t * kIn + n)]);
            for (std::int64_t i = t * k; i < (t + 1) * k; ++i)
                if (const std::int32_t e = ids[at(i)]; e >= 0 && e < kExperts)
                    sum += static_cast<double>(shares[at(i)]) *
                           (down.product(hidden.data() + i * kFfn, e, n) +
                            bias.values[at(e * kIn + n)]);
            expected.push_back(sum);
        }
    EXPECT_LE(reference::relativeError(device.get(middle), expectedMiddle), tolerance);
    EXPECT_LE(reference::relativeError(device.get(out), expected), tolerance);
}

TEST_F(ExpertsTest, IdsOfNoExpertOneByOne)
{
    // Rows one by one go through as whole numbers where the device multiplies those.
    run(device.recorder(), 2, device.recorder().capabilities().integerDot ? 1e-4 : 1e-5);
}

TEST_F(ExpertsTest, OneByOneInPartsOfATokenEach)
{
    /// The device itself, which takes one token at a time.
    class Slow final : public test::EmulatedMatrices
    {
    public:
        explicit Slow(Recorder &real)
            : EmulatedMatrices(real)
        {
            device = real.capabilities();
        }
        std::int64_t rowsPerLaunch(const Work &, std::int64_t, std::int64_t multiple) const override
        {
            return multiple;
        }
    };
    Slow recorder(device.recorder());
    run(recorder, 2, device.recorder().capabilities().integerDot ? 1e-4 : 1e-5);
    const auto isProduct = [](const std::string &name) { return name.starts_with("matvec"); };
    EXPECT_EQ(std::count_if(recorder.launched.begin(), recorder.launched.end(), isProduct), 4);
}

TEST_F(ExpertsTest, OneRowEachOfNoWholeGroupsIsRefused)
{
    // They lie close together, as biases do; columns that fill groups of 32 are no trouble.
    for (const std::int64_t cols : {33, 64}) {
        const ExpertWeight one(device.device(), DType::F32, 1, cols, generator);
        device.begin(1);
        Recorder &r = device.recorder();
        const std::vector<float> values = random(kExperts * cols, generator);
        const Tensor x = device.put(values, 1, kExperts * cols, DType::F32, kExperts * cols);
        const Tensor out =
            device.put(std::vector<float>(kExperts, NAN), 1, kExperts, DType::F32, kExperts);
        if (cols == 64)
            headLinear(r, x, *one.weight, out);
        else
            EXPECT_THROW(headLinear(r, x, *one.weight, out), Error);
        device.recorder().sync();
        const std::vector<float> sums = device.get(out);
        for (std::int64_t e = 0; cols == 64 && e < kExperts; ++e)
            EXPECT_NEAR(sums[static_cast<std::size_t>(e)],
                        one.product(values.data() + e * cols, e, 0), 1e-4);
    }
}

TEST_F(ExpertsTest, IdsOfNoExpertInTiles)
{
    run(device.recorder(), 40, 1e-5);
}

TEST_F(ExpertsTest, OnEmulatedMatrices)
{
    test::EmulatedMatrices recorder(device.recorder());
    run(recorder, 100, 2e-3);
    EXPECT_EQ(std::count(recorder.launched.begin(), recorder.launched.end(), "expert_tiles"), 2);
    EXPECT_NE(std::find(recorder.launched.begin(), recorder.launched.end(), "gemm_matrix_q8_0"),
              recorder.launched.end());
}

} // namespace
} // namespace fireside::vulkan
