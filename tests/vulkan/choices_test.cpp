#include "tests/support/reference_rows.h"
#include "tests/vulkan/op_pass.h"

// Argmax, topK and route against plain references.
namespace fireside {
namespace {

using test::expectClose;
using test::kLayouts;
using test::kPoison;
using test::Layout;
using test::OpPass;
using test::randomValues;
using test::rounded;
using test::Shape;
using test::text;

using VulkanChoices = test::OnVulkan;

TEST_F(VulkanChoices, Argmax)
{
    for (const Layout &layout : kLayouts)
        for (const auto [rows, cols] :
             {Shape{0, 32}, {3, 1}, {5, 31}, {2, 257}, {3, 1024}, {1, 33000}, {2, 152064}}) {
            auto x = rounded(randomValues(rows * cols, 7, 3), layout.dtype);
            const auto at = [&](std::int64_t row, std::int64_t col) -> float & {
                return x[static_cast<std::size_t>(row * cols + col)];
            };
            if (rows > 0 && cols > 3)
                at(0, cols / 2) = at(0, cols - 1) = 100; // a tie: the first wins
            if (rows > 1 && cols > 3)
                at(1, cols / 3) = layout.gap == 0 ? kPoison : -INFINITY;
            if (rows > 2)
                at(2, cols - 1) = INFINITY;
            if (rows > 3)
                for (std::int64_t c = 0; c < cols; ++c)
                    at(3, c) = c == 0 ? -0.0f : 0.0f;
            OpPass pass(device());
            const Tensor a = pass.in(x, rows, cols, layout);
            const Tensor ids = pass.integers({}, rows, 1);
            pass.commands().record(op::Argmax{a, ids});
            pass.run();
            EXPECT_EQ(pass.getIntegers(ids), reference::argmax(x, static_cast<std::size_t>(cols)))
                << text(rows, cols, layout);
        }
}

TEST_F(VulkanChoices, TopK)
{
    for (const Layout &layout : kLayouts)
        for (const auto [rows, cols] : {Shape{0, 32}, {3, 5}, {4, 257}, {1, 33000}, {2, 152064}})
            for (const std::int64_t k : {1, 40, 256}) {
                auto x = rounded(randomValues(rows * cols, 7, 3), layout.dtype);
                if (rows > 1) // one value everywhere: ties alone decide
                    std::fill_n(x.begin() + cols, cols, 1.5f);
                if (rows > 2)
                    x[static_cast<std::size_t>(3 * cols - 1)] = k % 2 == 0 ? kPoison : -INFINITY;
                if (rows > 3) // few different values
                    for (std::int64_t c = 0; c < cols; ++c)
                        x[static_cast<std::size_t>(3 * cols + c)] = static_cast<float>(c % 5);
                OpPass pass(device());
                const Tensor a = pass.in(x, rows, cols, layout);
                const Tensor values = pass.out(rows, k, {DType::F32, 3, 1});
                const Tensor ids = pass.integers({}, rows, k);
                pass.commands().record(op::TopK{a, values, ids});
                pass.run();
                const auto want =
                    reference::topK(x, static_cast<std::size_t>(cols), static_cast<std::size_t>(k));
                const std::string where = text(rows, cols, layout) + ", k " + std::to_string(k);
                EXPECT_EQ(pass.getIntegers(ids), want.ids) << where;
                const auto got = pass.get(values);
                EXPECT_EQ(std::vector<double>(got.begin(), got.end()), want.values) << where;
            }
}

TEST_F(VulkanChoices, Route)
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
                pass.commands().record(op::Route{logits, routing, ids, weights});
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

TEST_F(VulkanChoices, RouteSurvivesNaN)
{
    const std::vector<float> x(16, kPoison);
    OpPass pass(device());
    Routing routing;
    routing.used = 4;
    const Tensor logits = pass.in(x, 1, 16), weights = pass.out(1, 4);
    const Tensor ids = pass.integers({}, 1, 4);
    pass.commands().record(op::Route{logits, routing, ids, weights});
    pass.run();
    EXPECT_EQ(pass.getIntegers(ids), (std::vector<std::int32_t>{0, 1, 2, 3}));
}

} // namespace
} // namespace fireside
