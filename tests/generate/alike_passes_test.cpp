// Passes of chats with rows behind them that are nobody's give what they give without.
#include "engine/generate/sampler.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/require.h"
#include "tests/vulkan/lavapipe_device.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fireside {
namespace {

using namespace test;

struct Chats
{
    std::vector<std::unique_ptr<Session>> sessions;
    std::vector<std::unique_ptr<Sampler>> samplers;
    std::vector<TokenId> tokens;

    Chats(const ModelFixture &model, std::size_t count)
    {
        for (std::size_t i = 0; i < count; ++i) {
            const std::vector<TokenId> prompt(3 + i, static_cast<TokenId>(7 + 11 * i));
            sessions.push_back(model.session(80, DType::F16));
            tokens.push_back(sessions.back()->appendGreedy(prompt));
            samplers.push_back(std::make_unique<Sampler>(SamplerSettings{
                .temperature = 0.9f, .topK = 5, .seed = static_cast<unsigned>(i + 1)}));
        }
    }
    /// A token of each chat; passes that follow may run ahead.
    void step(bool greedy, std::int64_t ahead)
    {
        std::vector<BatchPart> parts;
        for (std::size_t i = 0; i < sessions.size(); ++i)
            parts.push_back({sessions[i].get(), std::span(&tokens[i], 1)});
        if (greedy) {
            const Session::Next next{{}, ahead};
            tokens = appendBatchGreedy(parts, {}, &next);
            return;
        }
        constexpr std::size_t kPasses = 4;
        std::vector<float> draws(kPasses * sessions.size()), own(kPasses);
        for (std::size_t i = 0; i < sessions.size(); ++i) {
            samplers[i]->upcoming(own);
            for (std::size_t pass = 0; pass < kPasses; ++pass)
                draws[pass * sessions.size() + i] = own[pass];
        }
        Session::Next next{samplers[0]->ahead(), ahead};
        next.choice.draws = draws;
        const auto best = appendBatchTop(parts, 5, {}, &next);
        for (std::size_t i = 0; i < sessions.size(); ++i)
            tokens[i] = samplers[i]->sample(std::span<const Candidate>(best[i]));
    }
};

TEST(AlikePassesTest, RowsThatAreNobodysChangeNothing)
{
    LavapipeDevice plain, alike({.alikePasses = true, .throughput = 1});
    if (!plain || !alike)
        FIRESIDE_SKIP("needs lavapipe (apt install mesa-vulkan-drivers)");
    const std::shared_ptr<Device> devices[] = {std::move(plain.device), std::move(alike.device)};
    const ModelFixture exact(goldenGguf("f16"), [&] { return devices[0]; });
    const ModelFixture padded(goldenGguf("f16"), [&] { return devices[1]; });
    for (const bool greedy : {true, false}) {
        Chats expected(exact, 7), chats(padded, 7);
        std::int64_t followed = 0;
        for (int i = 0; i < 24; ++i) {
            if (i == 16) { // one leaves, and its place is nobody's
                for (Chats *each : {&expected, &chats}) {
                    each->sessions.erase(each->sessions.begin() + 2);
                    each->samplers.erase(each->samplers.begin() + 2);
                    each->tokens.erase(each->tokens.begin() + 2);
                }
                padded.model().settle();
            }
            const std::uint64_t before = padded.model().memoryInUse();
            expected.step(greedy, 0);
            chats.step(greedy, 2);
            ASSERT_EQ(chats.tokens, expected.tokens) << i;
            followed += padded.model().passesAhead() > 0;
            if (i > 0) {
                EXPECT_EQ(padded.model().memoryInUse(), before) << "one memory for all of them";
            }
        }
        EXPECT_GE(followed, 12) << "their tokens are not waited for";
    }
}

/// The device goes no further than a chat's memory reaches: what lies behind it is another head's.
TEST(AlikePassesTest, PassesAheadEndWithTheCache)
{
    LavapipeDevice opened({.throughput = 1});
    if (!opened)
        FIRESIDE_SKIP("needs lavapipe (apt install mesa-vulkan-drivers)");
    const std::shared_ptr<Device> device = std::move(opened.device);
    const ModelFixture model(goldenGguf("f16"), [&] { return device; });
    constexpr std::size_t kCapacity = 24;
    int followed = 0;
    const auto rowsOf = [&](std::int64_t most) {
        const auto session = model.session(static_cast<int>(kCapacity), DType::F16);
        const std::vector<TokenId> prompt{3, 14, 15, 9};
        TokenId token = session->appendGreedy(prompt);
        while (session->tokens().size() < kCapacity) {
            const Session::Next next{{}, most};
            token = session->appendGreedy(std::span(&token, 1), {}, {}, &next);
            followed += most > 0 && model.model().passesAhead() > 0;
            const std::size_t room = kCapacity - session->tokens().size();
            EXPECT_LE(model.model().passesAhead(), static_cast<std::int64_t>(room));
        }
        return session->keep(0, kCapacity, {}).rows;
    };
    const auto alone = rowsOf(0), ahead = rowsOf(100);
    EXPECT_GE(followed, 8) << "there are passes ahead";
    EXPECT_EQ(ahead, alone);
}

TEST(AlikePassesTest, OnlyChatsArePadded)
{
    LavapipeDevice opened({.alikePasses = true, .throughput = 1});
    if (!opened)
        FIRESIDE_SKIP("needs lavapipe (apt install mesa-vulkan-drivers)");
    const auto commands = opened.device->commands(1 << 20, 128);
    for (const auto &[rows, alike] :
         {std::pair{1, 1}, {4, 4}, {5, 8}, {8, 8}, {31, 32}, {57, 64}, {65, 65}})
        EXPECT_EQ(commands->alikeRows(rows), alike) << rows;
    // A prompt beside chats, and logits: as they are.
    const std::shared_ptr<Device> device = std::move(opened.device);
    const ModelFixture model(goldenGguf("f16"), [&] { return device; });
    Chats chats(model, 6);
    std::vector<BatchPart> parts;
    const std::vector<TokenId> prompt(9, 3);
    for (std::size_t i = 0; i < 5; ++i)
        parts.push_back({chats.sessions[i].get(), std::span(&chats.tokens[i], 1)});
    parts.push_back({chats.sessions[5].get(), prompt});
    std::vector<std::vector<float>> logits;
    appendBatch(parts, logits);
    for (const auto &row : logits)
        EXPECT_EQ(row.size(), model.vocabulary());
}

} // namespace
} // namespace fireside
