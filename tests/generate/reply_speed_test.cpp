// What replies say of a model's speed.
#include "engine/generate/reply_speed.h"

#include "engine/movable_model.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <functional>

namespace fireside {
namespace {

GenerateResult goodReply()
{
    GenerateResult result;
    result.stats.promptTokens = 300;
    result.stats.reusedTokens = 44;
    result.stats.promptSeconds = 2;
    result.stats.generatedTokens = 41;
    result.stats.generateSeconds = 4;
    return result;
}

TEST(ReplySpeed, IsThatOfTokensComputedAlone)
{
    const auto speed = speedOf(goodReply());
    ASSERT_TRUE(speed);
    EXPECT_EQ(speed->generate, 10); // the first came with the prompt
    EXPECT_EQ(speed->prompt, 128);  // what was reused was not read
}

TEST(ReplySpeed, RepliesThatSayNothing)
{
    using Change = std::function<void(GenerateResult &)>;
    const std::pair<const char *, Change> rows[] = {
        {"stopped", [](GenerateResult &r) { r.finish = FinishReason::Stopped; }},
        {"too brief", [](GenerateResult &r) { r.stats.generatedTokens = 31; }},
        {"drafted", [](GenerateResult &r) { r.stats.draftedTokens = 1; }},
        {"without a choice", [](GenerateResult &r) { r.stats.forcedTokens = 1; }},
        {"a long chat", [](GenerateResult &r) { r.stats.promptTokens = 4056; }},
        {"no time", [](GenerateResult &r) { r.stats.generateSeconds = 0; }},
    };
    for (const auto &[name, change] : rows) {
        GenerateResult result = goodReply();
        change(result);
        EXPECT_FALSE(speedOf(result)) << name;
    }
    GenerateResult edge = goodReply();
    edge.stats.generatedTokens = 32;
    edge.stats.promptTokens = 4096 - 32;
    EXPECT_TRUE(speedOf(edge));
    GenerateResult reused = goodReply();
    reused.stats.reusedTokens = 45; // 255 were read
    ASSERT_TRUE(speedOf(reused));
    EXPECT_EQ(speedOf(reused)->prompt, 0);
}

TEST(ReplySpeed, TheNextChoiceKnowsIt)
{
    const std::filesystem::path starter =
        FIRESIDE_SOURCE_DIR "/resources/models/fireside-starter-29m-q5_k_m.gguf";
    const test::TempDir folder;
    const LoadOptions options{.backend = BackendKind::Cpu, .context = 512, .threads = 2};
    const auto measured = [&] {
        const auto choice = Engine({.cacheFolder = folder.path()}).choose(starter, options);
        return choice.selection.options.back().measured;
    };
    const auto reply = [&](int tokens, bool stopped = false) {
        Engine engine({.cacheFolder = folder.path()});
        MovableModel loaded(engine);
        loaded.load(starter, options);
        GenerateRequest request;
        request.prompt = loaded.model()->chatTokens({{"user", "Count to a hundred."}});
        request.maxTokens = tokens;
        const Tokenizer &tokenizer = loaded.model()->tokenizer();
        for (TokenId id = 0; id < static_cast<TokenId>(tokenizer.size()); ++id)
            if (tokenizer.endsGeneration(id)) // it does not come to an end by itself
                request.sampler.logitBias.emplace_back(id, -100.0f);
        std::stop_source stop;
        GenerateEvents events;
        events.text = [&](std::string_view, const GenerateStats &stats) {
            if (stopped && stats.generatedTokens >= 35)
                stop.request_stop();
        };
        return loaded.reply(request, events, stop.get_token()).stats;
    };
    GenerateStats stats;
    for (int i = 0; i < 3; ++i) {
        reply(8);        // too brief
        reply(40, true); // stopped
        EXPECT_FALSE(measured()) << i;
        stats = reply(40);
    }
    ASSERT_TRUE(measured());
    EXPECT_GT(measured()->generate, 0);
    EXPECT_EQ(stats.generatedTokens, 40);
}

} // namespace
} // namespace fireside
