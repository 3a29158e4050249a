#include "engine/vulkan/ops/matmul/gemm_tile.h"
#include "engine/vulkan/ops/matmul/gemv_shape.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/weights/weight_shader.h"
#include "tests/conformance/draw.h"
#include "tests/support/reference_ops.h"
#include "tests/support/require.h"
#include "tests/support/weight_reference.h"
#include "tests/vulkan/emulation_report.h"
#include "tests/vulkan/matrix_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

// Mixtures of experts: ids that name no expert, and the tiles of the kernel on cooperative
// matrices. The conformance tests compare the rest with references.
namespace fireside::vulkan {
namespace {

constexpr std::int64_t kExperts = 5;

/// What the two ops are asked for.
struct Mixture
{
    DType gate = DType::Q8_0, down = DType::Q8_0; // weights
    std::int64_t in = 64, ffn = 96;
    Activation act = Activation::SiLU;
    bool gateBiases = false, bias = true, add = true;
    DType x = DType::F32, middle = DType::F32, out = DType::F32;
};

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
            FIRESIDE_SKIP("needs lavapipe (apt install mesa-vulkan-drivers)");
    }
    /// Both ops over T tokens with two experts each, some of which are none.
    void run(Recorder &recorder, std::int64_t T, double tolerance, const Mixture &m = {});
    test::RecorderDevice device;
    std::mt19937 generator{7};
};

void ExpertsTest::run(Recorder &recorder, std::int64_t T, double tolerance, const Mixture &m)
{
    const std::int64_t kIn = m.in, kFfn = m.ffn;
    const ExpertWeight gate(device.device(), m.gate, kFfn, kIn, generator);
    const ExpertWeight up(device.device(), m.gate, kFfn, kIn, generator);
    const ExpertWeight down(device.device(), m.down, kIn, kFfn, generator);
    const ExpertWeight bias(device.device(), DType::F32, 1, kIn, generator);
    const ExpertWeight gateBias(device.device(), DType::F32, 1, kFfn, generator);
    const ExpertWeight upBias(device.device(), DType::F32, 1, kFfn, generator);
    constexpr std::int64_t k = 2;
    std::vector<std::int32_t> ids;
    for (std::int64_t t = 0; t < T; ++t)
        for (const std::int64_t e : {t % 3, kExperts - 1 - t % 2})
            ids.push_back(static_cast<std::int32_t>(e));
    ids[0] = -1;
    ids[3] = kExperts;
    if (T > 4)
        ids[9] = std::numeric_limits<std::int32_t>::min();
    const auto rounded = [](std::vector<float> values, DType type) {
        if (type == DType::F16)
            for (float &v : values)
                v = halfToFloat(floatToHalf(v));
        return values;
    };
    const auto scaled = [&](std::int64_t count, float factor) {
        std::vector<float> values = random(count, generator);
        for (float &v : values)
            v *= factor;
        return values;
    };
    // Products of a size that F16 holds.
    const auto x = rounded(scaled(T * kIn, test::scaleFor(2, gate.values, kIn)), m.x);
    const auto hidden =
        rounded(scaled(T * k * kFfn, test::scaleFor(2, down.values, kFfn)), m.middle);
    const auto shares = random(T * k, generator);
    const auto before = rounded(random(T * kIn, generator), m.out);

    device.begin(T);
    const Tensor which = device.put(ids, T, k);
    const Tensor weights = device.put(shares, T, k, DType::F32, k);
    const Tensor input = device.put(x, T, kIn, m.x, kIn + 1);
    const Tensor middle =
        device.put(std::vector<float>(hidden.size(), NAN), T * k, kFfn, m.middle, kFfn);
    const Tensor second = device.put(hidden, T * k, kFfn, m.middle, kFfn);
    const Tensor out =
        device.put(m.add ? before : std::vector<float>(before.size(), NAN), T, kIn, m.out, kIn);
    GatedWeights gated{gate.weight.get(), up.weight.get()};
    if (m.gateBiases)
        gated = {gate.weight.get(), up.weight.get(), gateBias.weight.get(), upBias.weight.get()};
    vulkan::run(recorder, op::ExpertGatedLinear{input, which, gated, m.act, middle});
    vulkan::run(recorder,
                op::ExpertLinear{second, which, weights, *down.weight,
                                 m.bias ? bias.weight.get() : nullptr, out,
                                 m.add ? Accumulate::AddToOutput : Accumulate::Overwrite});
    device.recorder().sync();

    std::vector<double> expectedMiddle, expected;
    const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
    for (std::int64_t i = 0; i < T * k; ++i)
        for (std::int64_t f = 0; f < kFfn; ++f) {
            const std::int32_t e = ids[at(i)];
            const float *const row = x.data() + i / k * kIn;
            double value = 0;
            if (e >= 0 && e < kExperts) {
                const bool biased = m.gateBiases;
                value = test::activated(
                    m.act,
                    gate.product(row, e, f) + (biased ? gateBias.values[at(e * kFfn + f)] : 0),
                    up.product(row, e, f) + (biased ? upBias.values[at(e * kFfn + f)] : 0));
            }
            expectedMiddle.push_back(value);
        }
    for (std::int64_t t = 0; t < T; ++t)
        for (std::int64_t n = 0; n < kIn; ++n) {
            double sum = m.add ? static_cast<double>(before[at(t * kIn + n)]) : 0;
            for (std::int64_t i = t * k; i < (t + 1) * k; ++i)
                if (const std::int32_t e = ids[at(i)]; e >= 0 && e < kExperts)
                    sum += static_cast<double>(shares[at(i)]) *
                           (down.product(hidden.data() + i * kFfn, e, n) +
                            (m.bias ? bias.values[at(e * kIn + n)] : 0));
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
        std::int64_t rowsPerDispatch(const Work &, std::int64_t,
                                     std::int64_t multiple) const override
        {
            return multiple;
        }
    };
    Slow recorder(device.recorder());
    run(recorder, 2, device.recorder().capabilities().integerDot ? 1e-4 : 1e-5);
    const auto isProduct = [](const std::string &name) { return name.starts_with("gemv"); };
    EXPECT_EQ(std::count_if(recorder.dispatched.begin(), recorder.dispatched.end(), isProduct), 4);
}

TEST_F(ExpertsTest, RowsTooLongForOneGroupWithBiases)
{
    /// The device itself, which says what it runs.
    class Told final : public test::EmulatedMatrices
    {
    public:
        explicit Told(Recorder &real)
            : EmulatedMatrices(real)
        {
            device = real.capabilities();
        }
    };
    Told recorder(device.recorder());
    Mixture m;
    m.gate = m.down = DType::F32;
    m.in = 32 * (maxTeam(device.recorder().capabilities()) + 1);
    m.ffn = 32;
    m.gateBiases = true;
    run(recorder, 2, 1e-4, m);
    const auto isFallback = [](const std::string &name) { return name.starts_with("expert_rows"); };
    EXPECT_TRUE(std::any_of(recorder.dispatched.begin(), recorder.dispatched.end(), isFallback));
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
            vulkan::run(r, op::HeadLinear{x, *one.weight, out});
        else
            EXPECT_THROW(requireSupported(r, op::HeadLinear{x, *one.weight, out}), Error);
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

TEST_F(ExpertsTest, EveryTypeOnEmulatedMatrices)
{
    conformance::Cases cases("experts in tiles");
    const std::vector<DType> types(std::begin(test::kMatrixTypes), std::end(test::kMatrixTypes));
    const auto tokens = cases.option<std::int64_t>("tokens", {40, 100}); // tiles of 32 and of 64
    const auto act = cases.option<Activation>("act", {Activation::SiLU, Activation::GeluErf});
    const auto gateBiases = cases.option("gate's biases"), bias = cases.option("bias");
    const auto add = cases.option("added");
    const auto x = cases.option("x", std::vector{DType::F32, DType::F16});
    const auto middle = cases.option("middle", std::vector{DType::F32, DType::F16});
    const auto out = cases.option("out", std::vector{DType::F32, DType::F16});
    test::EmulationReport report("gemm_matrix, experts", "the same");
    std::mt19937 draw(4);
    std::vector<conformance::Pick> picks;
    while (picks.size() < types.size())
        for (conformance::Pick &pick : cases.allPairs(draw))
            picks.push_back(std::move(pick));
    for (std::size_t i = 0; i < types.size(); ++i) {
        const conformance::Pick &pick = picks[i];
        Mixture m;
        m.gate = types[i];
        m.down = types[(i * 7 + 3) % types.size()]; // each once, too
        const auto width = [](DType type, std::int64_t small) {
            const std::int64_t block = info(type).blockElements;
            return (small + block - 1) / block * block;
        };
        m.in = width(m.gate, 64);
        m.ffn = width(m.down, 96);
        m.act = pick[act];
        m.gateBiases = pick[gateBiases];
        m.bias = pick[bias];
        m.add = pick[add];
        m.x = pick[x];
        m.middle = pick[middle];
        m.out = pick[out];
        test::EmulatedMatrices recorder(device.recorder());
        run(recorder, pick[tokens], 1e-3, m);
        for (const DType type : {m.gate, m.down})
            EXPECT_GT(std::count(recorder.dispatched.begin(), recorder.dispatched.end(),
                                 weightShader("gemm_matrix", type)),
                      0)
                << pick.text();
        EXPECT_EQ(
            std::count(recorder.dispatched.begin(), recorder.dispatched.end(), "expert_tiles"), 2);
        report.met(m.down, cases.pairsOf(pick), HasFailure() ? 2 : 0);
    }
    report.expectAll(types.size(), cases.pairs());
}

} // namespace
} // namespace fireside::vulkan
