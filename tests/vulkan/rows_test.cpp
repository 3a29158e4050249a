#include "tests/support/reference_rows.h"
#include "tests/vulkan/op_pass.h"

#include "engine/core/error.h"

#include <functional>
#include <numeric>

// Row-wise and small ops against double-precision references.
namespace fireside {
namespace {

using test::expectClose;
using test::kLayouts;
using test::kPoison;
using test::Layout;
using test::OpPass;
using test::randomValues;
using test::rounded;

class VulkanRows : public ::testing::Test
{
protected:
    void SetUp() override
    {
        if (test::vulkanDevice() == nullptr)
            GTEST_SKIP() << "needs a Vulkan device (apt install mesa-vulkan-drivers)";
    }
    Device &device() { return *test::vulkanDevice(); }
};

std::string text(std::int64_t rows, std::int64_t cols, const Layout &layout)
{
    return std::to_string(rows) + " x " + std::to_string(cols) + " " + name(layout.dtype) +
           (layout.gap > 0 ? " with gaps" : "");
}

/// Runs `record` for shapes and layouts; x and out are of the same layout or the other type.
struct Shape
{
    std::int64_t rows, cols;
};
constexpr Shape kShapes[] = {{0, 32}, {1, 1}, {3, 3}, {33, 31}, {2, 33}, {3, 257}, {1, 2048}};
const Layout &otherType(const Layout &layout)
{
    return layout.dtype == DType::F32 ? kLayouts[3] : kLayouts[2];
}

TEST_F(VulkanRows, RmsNormAndAddRmsNorm)
{
    for (const Layout &layout : kLayouts)
        for (const auto [rows, cols] : {Shape{0, 32}, {3, 1}, {33, 31}, {2, 260}, {1, 20004}}) {
            const std::string where = text(rows, cols, layout);
            const auto x = rounded(randomValues(rows * cols, 1, 2), layout.dtype);
            const auto y = rounded(randomValues(rows * cols, 2, 2, 1), layout.dtype);
            const auto w = randomValues(cols, 3);
            OpPass pass(device());
            const Weight &weight = pass.weight(w, 1, cols);
            const Tensor a = pass.in(x, rows, cols, layout);
            const Tensor out = pass.out(rows, cols, otherType(layout));
            const Tensor residual = pass.in(y, rows, cols, layout);
            const Tensor inPlace = pass.in(x, rows, cols, layout);
            pass.commands().rmsNorm(a, weight, 1e-5f, out);
            pass.commands().addRmsNorm(residual, inPlace, weight, 1e-6f, inPlace);
            pass.run();
            expectClose(pass.get(out), reference::rmsNorm(x, w, 1e-5f), otherType(layout).dtype,
                        where);
            const auto want = reference::addRmsNorm(y, x, w, 1e-6f);
            expectClose(pass.get(residual), want.residual, layout.dtype, where);
            expectClose(pass.get(inPlace), want.out, layout.dtype, where);
        }
}

TEST_F(VulkanRows, LayerNormAndAddLayerNorm)
{
    for (const Layout &layout : kLayouts)
        for (const auto [rows, cols] : {Shape{0, 32}, {3, 3}, {33, 31}, {2, 260}, {1, 20004}}) {
            const std::string where = text(rows, cols, layout);
            // A mean far from zero: the variance must not come from a difference of large sums.
            const float mean = layout.dtype == DType::F32 ? 300.0f : 3.0f;
            const auto x = rounded(randomValues(rows * cols, 1, 1, mean), layout.dtype);
            const auto y = rounded(randomValues(rows * cols, 2, 2, 1), layout.dtype);
            const auto w = randomValues(cols, 3), b = randomValues(cols, 4);
            OpPass pass(device());
            const Weight &weight = pass.weight(w, 1, cols), &bias = pass.weight(b, 1, cols);
            const Tensor a = pass.in(x, rows, cols, layout);
            const Tensor out = pass.out(rows, cols, otherType(layout));
            const Tensor residual = pass.in(y, rows, cols, layout);
            const Tensor inPlace = pass.in(x, rows, cols, layout);
            pass.commands().layerNorm(a, weight, nullptr, 1e-5f, out);
            pass.commands().addLayerNorm(residual, inPlace, weight, &bias, 1e-6f, inPlace);
            pass.run();
            expectClose(pass.get(out), reference::layerNorm(x, w, {}, 1e-5f),
                        otherType(layout).dtype, where);
            const auto want = reference::addLayerNorm(y, x, w, b, 1e-6f);
            expectClose(pass.get(residual), want.residual, layout.dtype, where);
            expectClose(pass.get(inPlace), want.out, layout.dtype, where);
        }
}

TEST_F(VulkanRows, L2NormalizeKeepsZeroRows)
{
    for (const Layout &layout : kLayouts)
        for (const auto [rows, cols] : kShapes) {
            auto x = rounded(randomValues(rows * cols, 1, 2), layout.dtype);
            if (rows > 1)
                std::fill_n(x.begin() + cols, cols, 0.0f);
            OpPass pass(device());
            const Tensor a = pass.in(x, rows, cols, layout);
            const Tensor out = pass.out(rows, cols, otherType(layout));
            pass.commands().l2Normalize(a, out);
            pass.commands().l2Normalize(a, a);
            pass.run();
            const auto want = reference::l2Normalize(x, static_cast<std::size_t>(cols));
            expectClose(pass.get(out), want, otherType(layout).dtype, text(rows, cols, layout));
            expectClose(pass.get(a), want, layout.dtype, text(rows, cols, layout));
        }
}

TEST_F(VulkanRows, AddAndMultiplyWithMatrixRowAndNumber)
{
    for (const Layout &layout : kLayouts)
        for (const auto [rows, cols] : kShapes)
            for (const Shape &other : {Shape{rows, cols}, Shape{1, cols}, Shape{1, 1}}) {
                const auto x = rounded(randomValues(rows * cols, 1), layout.dtype);
                const Layout &otherLayout = otherType(layout);
                const auto y = rounded(randomValues(other.rows * other.cols, 2), otherLayout.dtype);
                OpPass pass(device());
                const Tensor a = pass.in(x, rows, cols, layout);
                const Tensor b = pass.in(y, other.rows, other.cols, otherLayout);
                const Tensor sum = pass.out(rows, cols, layout);
                pass.commands().add(a, b, sum);
                pass.commands().multiply(a, b, a);
                pass.run();
                const std::string where = text(rows, cols, layout);
                if (rows == 0)
                    continue;
                expectClose(pass.get(sum), reference::add(x, y), layout.dtype, where);
                expectClose(pass.get(a), reference::multiply(x, y), layout.dtype, where);
            }
}

TEST_F(VulkanRows, AddScaledAddBiasAndSoftcap)
{
    for (const Layout &layout : kLayouts)
        for (const auto [rows, cols] : kShapes) {
            const auto x = rounded(randomValues(rows * cols, 1, 20), layout.dtype);
            const auto y = rounded(randomValues(rows * cols, 2), layout.dtype);
            const auto b = randomValues(cols, 3);
            OpPass pass(device());
            const Weight &bias = pass.weight(b, 1, cols);
            const Tensor a = pass.in(x, rows, cols, layout);
            const Tensor scaled = pass.in(y, rows, cols, layout);
            const Tensor residual = pass.in(y, rows, cols, layout);
            const Tensor biased = pass.out(rows, cols, otherType(layout));
            const Tensor both = pass.out(rows, cols, layout);
            const Tensor capped = pass.out(rows, cols, layout);
            pass.commands().addScaled(a, 0.37f, scaled);
            pass.commands().addBias(a, bias, nullptr, biased);
            pass.commands().addBias(a, bias, &residual, both);
            pass.commands().softcap(a, 30.0f, capped);
            pass.run();
            const std::string where = text(rows, cols, layout);
            expectClose(pass.get(scaled), reference::addScaled(x, 0.37f, y), layout.dtype, where);
            expectClose(pass.get(biased), reference::addBias(x, b, {}), otherType(layout).dtype,
                        where);
            expectClose(pass.get(both), reference::addBias(x, b, y), layout.dtype, where);
            expectClose(pass.get(capped), reference::softcap(x, 30.0f), layout.dtype, where);
        }
}

constexpr Activation kActivations[] = {Activation::SiLU, Activation::GeluErf, Activation::GeluTanh,
                                       Activation::ReluSquared, Activation::ClampedSwiGlu};

TEST_F(VulkanRows, ActivateAndGate)
{
    for (const Activation act : kActivations)
        for (const Layout &layout : kLayouts)
            for (const auto [rows, cols] : {Shape{0, 4}, {3, 33}, {2, 64}}) {
                const auto x = rounded(randomValues(rows * cols, 1, 4), layout.dtype);
                const auto y = rounded(randomValues(rows * cols, 2, 4), layout.dtype);
                const auto b = randomValues(cols, 3);
                OpPass pass(device());
                const Weight &bias = pass.weight(b, 1, cols);
                const Tensor a = pass.in(x, rows, cols, layout);
                const Tensor up = pass.in(y, rows, cols, layout);
                const Tensor gated = pass.out(rows, cols, otherType(layout));
                const Tensor plain = pass.out(rows, cols, layout);
                pass.commands().gate(a, up, act, gated);
                if (act != Activation::ClampedSwiGlu) {
                    pass.commands().activate(a, act, nullptr, plain);
                    pass.commands().activate(a, act, &bias, a);
                }
                pass.run();
                const std::string where =
                    std::to_string(static_cast<int>(act)) + " of " + text(rows, cols, layout);
                expectClose(pass.get(gated), reference::gate(x, y, act), otherType(layout).dtype,
                            where);
                if (act == Activation::ClampedSwiGlu)
                    continue;
                expectClose(pass.get(plain), reference::activate(x, act, {}), layout.dtype, where);
                expectClose(pass.get(a), reference::activate(x, act, b), layout.dtype, where);
            }
}

TEST_F(VulkanRows, ActivationsHoldInTheTailsAndFarOut)
{
    std::vector<float> x;
    for (int i = -1290; i <= 400; ++i)
        x.push_back(static_cast<float>(i) * 0.01f);
    const auto near = x.size();
    for (const float far : {1e3f, 1e10f, 1e18f})
        x.insert(x.end(), {far, -far});
    const auto n = static_cast<std::int64_t>(x.size());
    for (const Activation act : {Activation::SiLU, Activation::GeluErf, Activation::GeluTanh}) {
        OpPass pass(device());
        const Tensor a = pass.in(x, 1, n), out = pass.out(1, n);
        pass.commands().activate(a, act, nullptr, out);
        pass.run();
        const auto got = pass.get(out);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double want = i < near ? reference::activation(act, x[i]) : std::max(0.0f, x[i]);
            if (act == Activation::GeluErf)
                EXPECT_LE(std::fabs(got[i] - want), 1e-6 * std::fabs(want)) << x[i];
            else
                EXPECT_LE(std::fabs(got[i] - want), 2e-6 * std::fabs(want) + 1e-10) << x[i];
        }
    }
    const std::vector<float> values{-1e30f, -100, -0.7f, -0.5f, -1e-6f, 0, 1e-6f, 0.3f, 50, 1e30f};
    OpPass pass(device());
    const Tensor a = pass.in(values, 1, 10), out = pass.out(1, 10);
    pass.commands().softcap(a, 1.0f, out);
    pass.run();
    const auto got = pass.get(out);
    for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_LE(std::fabs(got[i] - std::tanh(values[i])), 5e-7f * std::fabs(std::tanh(values[i])))
            << values[i];
}

TEST_F(VulkanRows, GatherAndCopy)
{
    for (const Layout &from : kLayouts)
        for (const Layout &to : kLayouts)
            for (const auto [rows, cols] : {Shape{0, 32}, {3, 1}, {5, 33}, {3, 256}}) {
                const auto x = rounded(randomValues(rows * cols, 1), from.dtype);
                std::vector<std::int32_t> picked;
                for (std::int64_t i = 0; i < 2 * rows; ++i)
                    picked.push_back(static_cast<std::int32_t>(i * 7 % rows));
                OpPass pass(device());
                const Tensor a = pass.in(x, rows, cols, from);
                const Tensor copied = pass.out(rows, cols, to);
                const Tensor gathered = pass.out(2 * rows, cols, to);
                const Tensor indices = pass.integers(picked, 2 * rows, 1);
                pass.commands().copy(a, copied);
                pass.commands().gatherRows(a, indices, gathered);
                pass.run();
                const std::string where = text(rows, cols, from) + " to " + name(to.dtype);
                const auto equals = [&](const std::vector<float> &got,
                                        const std::vector<double> &want) {
                    EXPECT_EQ(std::vector<double>(got.begin(), got.end()), want) << where;
                };
                equals(pass.get(copied), reference::copy(x, to.dtype));
                equals(pass.get(gathered),
                       reference::gatherRows(rounded(x, to.dtype), static_cast<std::size_t>(cols),
                                             picked));
            }
}

TEST_F(VulkanRows, CopyRoundsToNearestEven)
{
    // Between two halves, just beside the middle, subnormal, the largest, beyond it.
    const std::vector<float> x{1.00048828125f, 1.00146484375f, 1.0004883f, 1.0004882f,
                               2.98023224e-8f, 8.9406967e-8f,  3e-8f,      6.0e-5f,
                               65504.0f,       65519.99f,      65520.0f,   -1.00048828125f,
                               -0.0f,          1e30f,          -1e30f,     0.1f};
    OpPass pass(device());
    const Tensor a = pass.in(x, 1, 16), out = pass.out(1, 16, {DType::F16, 0, 0});
    const Tensor single = pass.out(1, 16, {DType::F16, 0, 1});
    pass.commands().copy(a, out);
    pass.commands().copy(a, single);
    pass.run();
    EXPECT_EQ(pass.get(out), rounded(x, DType::F16));
    EXPECT_EQ(pass.get(single), rounded(x, DType::F16));
}

TEST_F(VulkanRows, Argmax)
{
    for (const Layout &layout : kLayouts)
        for (const auto [rows, cols] :
             {Shape{0, 32}, {3, 1}, {5, 31}, {2, 257}, {3, 1024}, {1, 33000}, {2, 152064}}) {
            auto x = rounded(randomValues(rows * cols, 7, 3), layout.dtype);
            const auto at = [&](std::int64_t row, std::int64_t col) -> float & {
                return x[static_cast<std::size_t>(row * cols + col)];
            };
            if (rows > 0 && cols > 3) {
                at(0, cols / 2) = at(0, cols - 1) = 100; // a tie: the first wins
                at(0, cols / 3) = kPoison;
            }
            if (rows > 1 && cols > 3)
                for (std::int64_t c = 0; c < cols; ++c)
                    at(1, c) = c < 2 ? kPoison : -std::numeric_limits<float>::infinity();
            if (rows > 2)
                for (std::int64_t c = 0; c < cols; ++c)
                    at(2, c) = kPoison;
            if (rows > 3)
                for (std::int64_t c = 0; c < cols; ++c)
                    at(3, c) = c == 0 ? -0.0f : 0.0f;
            OpPass pass(device());
            const Tensor a = pass.in(x, rows, cols, layout);
            const Tensor ids = pass.integers({}, rows, 1);
            pass.commands().argmax(a, ids);
            pass.run();
            EXPECT_EQ(pass.getIntegers(ids), reference::argmax(x, static_cast<std::size_t>(cols)))
                << text(rows, cols, layout);
        }
}

TEST_F(VulkanRows, TopK)
{
    for (const Layout &layout : kLayouts)
        for (const auto [rows, cols] : {Shape{0, 32}, {3, 5}, {4, 257}, {1, 33000}, {2, 152064}})
            for (const std::int64_t k : {1, 40, 256}) {
                auto x = rounded(randomValues(rows * cols, 7, 3), layout.dtype);
                for (std::size_t i = 0; i < x.size(); i += 11)
                    x[i] = kPoison;
                if (rows > 1) // one value everywhere: ties alone decide
                    std::fill_n(x.begin() + cols, cols, 1.5f);
                if (rows > 2)
                    std::fill_n(x.begin() + 2 * cols, cols - 2, kPoison);
                if (rows > 3) // few different values
                    for (std::int64_t c = 0; c < cols; ++c)
                        x[static_cast<std::size_t>(3 * cols + c)] = static_cast<float>(c % 5);
                OpPass pass(device());
                const Tensor a = pass.in(x, rows, cols, layout);
                const Tensor values = pass.out(rows, k, {DType::F32, 3, 1});
                const Tensor ids = pass.integers({}, rows, k);
                pass.commands().topK(a, values, ids);
                pass.run();
                const auto want =
                    reference::topK(x, static_cast<std::size_t>(cols), static_cast<std::size_t>(k));
                const std::string where = text(rows, cols, layout) + ", k " + std::to_string(k);
                EXPECT_EQ(pass.getIntegers(ids), want.ids) << where;
                const auto got = pass.get(values);
                EXPECT_EQ(std::vector<double>(got.begin(), got.end()), want.values) << where;
            }
}

TEST_F(VulkanRows, Route)
{
    std::vector<Routing> routings;
    for (const auto score :
         {Routing::Score::SoftmaxAll, Routing::Score::SoftmaxChosen, Routing::Score::Sigmoid})
        for (const bool normalize : {false, true}) {
            Routing routing;
            routing.score = score;
            routing.used = 6;
            routing.normalize = normalize;
            routing.scale = normalize ? 2.5f : 1.0f;
            routings.push_back(routing);
            routing.groups = 4;
            routing.usedGroups = 2;
            routing.groupByBestTwo = normalize;
            routings.push_back(routing);
        }
    for (std::size_t i = 0; i < routings.size(); ++i)
        for (const std::int64_t experts : {16, 60, 256, 1024})
            for (const std::int64_t rows : {0, 1, 33}) {
                const Layout &layout = kLayouts[i % 4];
                Routing routing = routings[i];
                auto x = rounded(randomValues(rows * experts, 5, 2), layout.dtype);
                if (rows > 1) { // ties
                    std::fill_n(x.begin() + experts, experts, 0.25f);
                    for (std::int64_t e = 0; e < experts; ++e)
                        x[static_cast<std::size_t>(2 * experts + e)] = static_cast<float>(e % 3);
                }
                const auto b = randomValues(experts, 6, 0.2f);
                const bool biased = i % 3 == 2;
                OpPass pass(device());
                if (biased)
                    routing.bias = &pass.weight(b, 1, experts);
                const Tensor logits = pass.in(x, rows, experts, layout);
                const Tensor ids = pass.integers({}, rows, routing.used);
                const Tensor weights = pass.out(rows, routing.used, {DType::F32, 3, 1});
                pass.commands().route(logits, routing, ids, weights);
                pass.run();
                const auto want =
                    reference::route(x, static_cast<std::size_t>(experts), routing,
                                     biased ? std::span<const float>(b) : std::span<const float>());
                const std::string where =
                    "routing " + std::to_string(i) + ", " + text(rows, experts, layout);
                EXPECT_EQ(pass.getIntegers(ids), want.ids) << where;
                expectClose(pass.get(weights), want.weights, DType::F32, where);
            }
}

TEST_F(VulkanRows, RouteSurvivesNaN)
{
    const std::vector<float> x(16, kPoison);
    OpPass pass(device());
    Routing routing;
    routing.used = 4;
    const Tensor logits = pass.in(x, 1, 16), weights = pass.out(1, 4);
    const Tensor ids = pass.integers({}, 1, 4);
    pass.commands().route(logits, routing, ids, weights);
    pass.run();
    EXPECT_EQ(pass.getIntegers(ids), (std::vector<std::int32_t>{0, 1, 2, 3}));
}

/// Numbers of rows of the items of a batch.
const std::vector<std::int64_t> kBatches[] = {{1},          {1, 1, 1}, {5, 0, 3},
                                              {1, 100, 33}, {0, 2},    {257}};

std::int64_t sumOf(const std::vector<std::int64_t> &values)
{
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

TEST_F(VulkanRows, ShortConvolution)
{
    for (const auto &items : kBatches)
        for (const std::int64_t taps : {1, 3, 4})
            for (const Layout &layout : {kLayouts[0], kLayouts[3]}) {
                const std::int64_t C = 37, T = sumOf(items);
                const auto count = static_cast<std::int64_t>(items.size());
                const auto x = rounded(randomValues(T * C, 1), layout.dtype);
                const auto w = randomValues(C * taps, 2), b = randomValues(C, 3);
                const auto before = randomValues(count * (taps - 1) * C, 4);
                OpPass pass(device(), items);
                const Weight &weight = pass.weight(w, C, taps), &bias = pass.weight(b, 1, C);
                const Tensor a = pass.in(x, T, C, layout);
                const Tensor state = pass.in(before, count * (taps - 1), C, {DType::F32, 3, 1});
                const Tensor out = pass.out(T, C, layout);
                const bool biased = taps != 3;
                pass.commands().shortConvolution(a, weight, biased ? &bias : nullptr, state, out);
                pass.run();
                std::vector<double> wantState(before.begin(), before.end());
                const auto want = reference::shortConvolution(
                    x, w, biased ? std::span<const float>(b) : std::span<const float>(),
                    static_cast<std::size_t>(C), items, wantState);
                const std::string where = text(T, C, layout) + ", taps " + std::to_string(taps);
                expectClose(pass.get(out), want, layout.dtype, where);
                expectClose(pass.get(state), wantState, DType::F32, where);
            }
}

TEST_F(VulkanRows, GatedDeltaRule)
{
    for (const auto &items : kBatches)
        for (const Shape &head : {Shape{3, 5}, Shape{64, 40}})
            for (const Layout &layout : {kLayouts[0], kLayouts[3]}) {
                const std::int64_t H = 3, Dk = head.rows, Dv = head.cols, T = sumOf(items);
                const auto count = static_cast<std::int64_t>(items.size());
                const auto spread = 1 / std::sqrt(static_cast<float>(Dk));
                const auto q = rounded(randomValues(T * H * Dk, 1, spread), layout.dtype);
                const auto k = rounded(randomValues(T * H * Dk, 2, spread), layout.dtype);
                const auto v = rounded(randomValues(T * H * Dv, 3), layout.dtype);
                auto g = rounded(randomValues(T * H, 4), layout.dtype);
                auto beta = rounded(randomValues(T * H, 5), layout.dtype);
                for (float &value : g)
                    value = -std::fabs(value);
                for (float &value : beta)
                    value = std::min(std::fabs(value), 1.0f);
                const auto before = randomValues(count * H * Dk * Dv, 6);
                OpPass pass(device(), items);
                const Tensor state = pass.in(before, count * H * Dk, Dv, {DType::F32, 3, 1});
                const Tensor out = pass.out(T, H * Dv, layout);
                const Tensor tq = pass.in(q, T, H * Dk, layout), tk = pass.in(k, T, H * Dk, layout);
                const Tensor tv = pass.in(v, T, H * Dv, layout), tg = pass.in(g, T, H, layout);
                const Tensor tb = pass.in(beta, T, H, layout);
                pass.commands().gatedDeltaRule(tq, tk, tv, tg, tb, H, state, out);
                pass.run();
                std::vector<double> wantState(before.begin(), before.end());
                const auto want = reference::gatedDeltaRule(
                    q, k, v, g, beta, static_cast<std::size_t>(H), items, wantState);
                const std::string where = text(T, Dk, layout);
                expectClose(pass.get(out), want, layout.dtype, where);
                expectClose(pass.get(state), wantState, DType::F32, where);
            }
}

TEST_F(VulkanRows, PadUnpadPool)
{
    for (const auto &items : kBatches)
        for (const std::int64_t cols : {1, 33, 64})
            for (const Layout &layout : kLayouts) {
                const auto count = static_cast<std::int64_t>(items.size());
                const std::int64_t T = sumOf(items);
                const std::int64_t longest = *std::max_element(items.begin(), items.end()) + 2;
                const auto x = rounded(randomValues(T * cols, 1), layout.dtype);
                const auto p = rounded(randomValues(count * longest * cols, 2), layout.dtype);
                OpPass pass(device(), items);
                const Tensor a = pass.in(x, T, cols, layout);
                const Tensor padded = pass.out(count * longest, cols, layout);
                const Tensor b = pass.in(p, count * longest, cols, layout);
                const Tensor unpadded = pass.out(T, cols, otherType(layout));
                const Tensor first = pass.out(count, cols, layout);
                const Tensor mean = pass.out(count, cols, otherType(layout));
                const Tensor last = pass.out(count, cols, layout);
                pass.commands().pad(a, padded);
                pass.commands().unpad(b, unpadded);
                pass.commands().pool(a, Pooling::First, first);
                pass.commands().pool(a, Pooling::Mean, mean);
                pass.commands().pool(a, Pooling::Last, last);
                pass.run();
                const auto n = static_cast<std::size_t>(cols);
                const auto most = static_cast<std::size_t>(longest);
                const std::string where = text(T, cols, layout);
                const auto got = pass.get(padded);
                EXPECT_EQ(std::vector<double>(got.begin(), got.end()),
                          reference::pad(x, n, items, most))
                    << where;
                expectClose(pass.get(unpadded), reference::unpad(p, n, items, most),
                            otherType(layout).dtype, where);
                expectClose(pass.get(first), reference::pool(x, n, items, Pooling::First),
                            layout.dtype, where);
                expectClose(pass.get(mean), reference::pool(x, n, items, Pooling::Mean),
                            otherType(layout).dtype, where);
                expectClose(pass.get(last), reference::pool(x, n, items, Pooling::Last),
                            layout.dtype, where);
            }
}

/// The text of the Error(Internal) that recording throws.
std::string refusal(const std::function<void()> &record)
{
    try {
        record();
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), ErrorKind::Internal) << error.what();
        return error.what();
    }
    return "nothing was thrown";
}

TEST_F(VulkanRows, WrongShapesAreRefused)
{
    OpPass pass(device());
    Commands &c = pass.commands();
    const Weight &w = pass.weight(randomValues(8, 1), 1, 8);
    const Tensor a = pass.out(3, 8), narrow = pass.out(3, 7), few = pass.out(2, 8);
    const Tensor ids = pass.integers({}, 3, 1), many = pass.integers({}, 3, 9);
    Routing routing;
    routing.used = 9;
    const std::pair<const char *, std::function<void()>> cases[] = {
        {"gatherRows", [&] { c.gatherRows(a, ids, few); }},
        {"copy", [&] { c.copy(a, narrow); }},
        {"copy", [&] { c.copy(a, few); }},
        {"copy", [&] { c.copy(ids, few.columns(0, 1)); }},
        {"rmsNorm", [&] { c.rmsNorm(narrow, w, 0, narrow); }},
        {"rmsNorm", [&] { c.rmsNorm(a, w, 0, few); }},
        {"addRmsNorm", [&] { c.addRmsNorm(few, a, w, 0, a); }},
        {"layerNorm", [&] { c.layerNorm(narrow, w, nullptr, 0, narrow); }},
        {"addLayerNorm", [&] { c.addLayerNorm(few, a, w, &w, 0, a); }},
        {"l2Normalize", [&] { c.l2Normalize(a, few); }},
        {"add", [&] { c.add(a, few, a); }},
        {"multiply", [&] { c.multiply(a, narrow, a); }},
        {"addScaled", [&] { c.addScaled(a, 1, few); }},
        {"addBias", [&] { c.addBias(narrow, w, nullptr, narrow); }},
        {"addBias", [&] { c.addBias(a, w, &few, a); }},
        {"activate", [&] { c.activate(narrow, Activation::SiLU, &w, narrow); }},
        {"gate", [&] { c.gate(a, few, Activation::SiLU, a); }},
        {"gate", [&] { c.gate(ids, ids, Activation::SiLU, ids); }},
        {"softcap", [&] { c.softcap(a, 1, narrow); }},
        {"route", [&] { c.route(a, routing, many, few); }},
        {"argmax", [&] { c.argmax(a, many); }},
        {"topK", [&] { c.topK(a, narrow, many); }},
        {"pad", [&] { c.pad(a, a); }},
        {"unpad", [&] { c.unpad(a, a); }},
        {"pool", [&] { c.pool(a, Pooling::Mean, a); }},
        {"shortConvolution", [&] { c.shortConvolution(a, w, nullptr, a, a); }},
        {"gatedDeltaRule", [&] { c.gatedDeltaRule(a, a, a, a, a, 2, a, a); }},
    };
    for (const auto &[op, record] : cases) {
        const std::string text = refusal(record);
        EXPECT_EQ(text.rfind(op, 0), 0U) << op << ": " << text;
    }
}

} // namespace
} // namespace fireside
