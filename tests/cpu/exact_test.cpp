#include "engine/backend/backend.h"
#include "engine/backend/op.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

// Small passes whose results can be told by hand.
namespace fireside {
namespace {

TEST(CpuExactTest, EmbeddingsAreScaledBeforeTheyAreAdded)
{
    const auto device = openCpu({2});
    const std::vector<float> rows{1, 2, 3, 10, 20, 30};
    const auto table =
        device->addWeight({"w", DType::F32, 2, 3, 1, std::as_bytes(std::span(rows))});
    const std::vector<std::int32_t> ids{1, 0}, positions{0, 1};
    const BatchItem item{{}, 0, 2, 0};
    const auto c = device->commands(1 << 16, 2);
    c->begin({ids, positions, {&item, 1}});
    const Tensor out = c->scratch(2, 3);
    c->upload(std::vector<float>{100, 200, 300, 400, 500, 600}, out);
    c->record(op::Embed{*table, c->ids(), 0.5f, out, Accumulate::AddToOutput});
    std::vector<float> values(6);
    c->read(out, values);
    EXPECT_EQ(values, (std::vector<float>{105, 210, 315, 400.5f, 501, 601.5f}));
}

TEST(CpuExactTest, RotationsOfOnePassDoNotMix)
{
    const auto device = openCpu({2});
    const std::vector<std::int32_t> ids{0}, positions{2};
    const BatchItem item{{}, 0, 1, 0};
    const auto c = device->commands(1 << 16, 1);
    c->begin({ids, positions, {&item, 1}});
    const Tensor x = c->scratch(1, 4);
    c->upload(std::vector<float>{1, 0, 0, 0}, x);
    const auto turned = [&](float frequency, float factor) {
        Rope rope;
        rope.inverseFrequencies = {frequency, 0};
        rope.attentionFactor = factor;
        const Tensor out = c->scratch(1, 4);
        c->record(op::TransformHeads{x, {.headDim = 4, .rope = rope}, HeadOrder::TokenMajor, out});
        std::vector<float> values(4);
        c->read(out, values);
        return values;
    };
    const auto expectNear = [](const std::vector<float> &got, const std::vector<float> &want) {
        for (std::size_t i = 0; i < want.size(); ++i)
            EXPECT_NEAR(got[i], want[i], 1e-6f) << i;
    };
    constexpr float kEighth = std::numbers::pi_v<float> / 4; // of a turn, for each position
    expectNear(turned(0, 1), {1, 0, 0, 0});
    expectNear(turned(kEighth, 1), {0, 0, 1, 0});
    expectNear(turned(-kEighth, 1), {0, 0, -1, 0});
    expectNear(turned(kEighth, 2), {0, 0, 2, 0});
    expectNear(turned(0, 1), {1, 0, 0, 0});
}

} // namespace
} // namespace fireside
