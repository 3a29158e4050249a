#include "tests/support/reference_rows.h"
#include "tests/vulkan/op_pass.h"

// Norms, elementwise ops and moves of rows against double-precision references.
namespace fireside {
namespace {

using test::expectClose;
using test::kLayouts;
using test::kShapes;
using test::Layout;
using test::OpPass;
using test::otherType;
using test::randomValues;
using test::rounded;
using test::Shape;
using test::text;

using VulkanRows = test::OnVulkan;

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
            pass.commands().record(op::RmsNorm{a, &weight, 1e-5f, out});
            pass.commands().record(op::RmsNorm{inPlace, &weight, 1e-6f, inPlace, residual});
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
            const float mean = layout.dtype == DType::F32 ? 3000.0f : 3.0f;
            const auto x = rounded(randomValues(rows * cols, 1, 1, mean), layout.dtype);
            const auto added = rounded(randomValues(rows * cols, 5), layout.dtype);
            const auto y = rounded(randomValues(rows * cols, 2, 2, 10), layout.dtype);
            const auto w = randomValues(cols, 3), b = randomValues(cols, 4);
            OpPass pass(device());
            const Weight &weight = pass.weight(w, 1, cols), &bias = pass.weight(b, 1, cols);
            const Tensor a = pass.in(x, rows, cols, layout);
            const Tensor out = pass.out(rows, cols, otherType(layout));
            const Tensor residual = pass.in(y, rows, cols, layout);
            const Tensor inPlace = pass.in(added, rows, cols, layout);
            pass.commands().record(op::LayerNorm{a, &weight, nullptr, 1e-5f, out});
            pass.commands().record(
                op::LayerNorm{inPlace, &weight, &bias, 1e-6f, inPlace, residual});
            pass.run();
            expectClose(pass.get(out), reference::layerNorm(x, w, {}, 1e-5f),
                        otherType(layout).dtype, where);
            const auto want = reference::addLayerNorm(y, added, w, b, 1e-6f);
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
            pass.commands().record(op::L2Normalize{a, out});
            pass.commands().record(op::L2Normalize{a, a});
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
                pass.commands().record(op::Add{a, b, sum});
                pass.commands().record(op::Multiply{a, b, a});
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
            pass.commands().record(op::AddScaled{a, 0.37f, scaled});
            pass.commands().record(op::AddBias{a, bias, {}, biased});
            pass.commands().record(op::AddBias{a, bias, residual, both});
            pass.commands().record(op::Softcap{a, 30.0f, capped});
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
                pass.commands().record(op::Gate{a, up, act, gated});
                if (act != Activation::ClampedSwiGlu) {
                    pass.commands().record(op::Activate{a, act, nullptr, plain});
                    pass.commands().record(op::Activate{a, act, &bias, a});
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
        pass.commands().record(op::Activate{a, act, nullptr, out});
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
    pass.commands().record(op::Softcap{a, 1.0f, out});
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
                pass.commands().record(op::Copy{a, copied});
                pass.commands().record(op::GatherRows{a, indices, gathered});
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
    pass.commands().record(op::Copy{a, out});
    pass.commands().record(op::Copy{a, single});
    pass.run();
    EXPECT_EQ(pass.get(out), rounded(x, DType::F16));
    EXPECT_EQ(pass.get(single), rounded(x, DType::F16));
}

} // namespace
} // namespace fireside
