// Recurrent states that are kept with a chat: a prompt that comes again, with another end or
// another middle, or in a larger context, is mostly taken over and gives the same logits.
#include "engine/generate/scheduler.h"
#include "tests/constrain/listed_tokenizer.h"
#include "tests/generate/kept_chat.h"
#include "tests/support/golden.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"

#include <algorithm>

namespace fireside {
namespace {

using namespace test;

constexpr std::size_t kPrompt = 2200, kReply = 6;
constexpr int kCapacity = 2400;

/// Families with recurrent states, with and without attention beside them.
std::vector<std::string> recurrentFamilies()
{
    return {"mamba", "mamba2",     "qwen3-next",     "qwen3.5",     "falcon-h1",  "lfm2",
            "jamba", "nemotron-h", "granite-hybrid", "kimi-linear", "olmo-hybrid"};
}

/// A prompt that was changed, and what has to be taken over of it at least.
struct Variant
{
    const char *what;
    std::vector<TokenId> prompt;
    std::size_t common; // tokens that it begins with as the first one does
    int capacity = kCapacity;
};

class PrefixStatesTest : public testing::Test
{
protected:
    static std::vector<Variant> variantsOf(const std::vector<TokenId> &prompt)
    {
        const auto changedAt = [&](std::size_t at) {
            std::vector<TokenId> changed = prompt;
            for (std::size_t i = at; i < changed.size(); i += 7)
                changed[i] ^= 1;
            return changed;
        };
        return {{"again", prompt, prompt.size() - 1},
                {"the end changed", changedAt(prompt.size() - 29), prompt.size() - 29},
                {"the middle changed", changedAt(prompt.size() / 2), prompt.size() / 2},
                {"a larger context", prompt, prompt.size() - 1, 2 * kCapacity}};
    }
    /// A long prompt, then a reply token by token.
    static std::unique_ptr<Session> talked(const ModelFixture &model,
                                           std::span<const TokenId> prompt)
    {
        auto session = model.session(kCapacity, DType::F16);
        logitsAfter(*session, prompt);
        for (TokenId id = 1; id <= static_cast<TokenId>(kReply); ++id)
            logitsAfter(*session, std::span(&id, 1));
        return session;
    }
    /// What is taken over, and that the rest gives the logits of a session that computes all.
    static std::size_t takenOver(PrefixCache &cache, const ModelFixture &model,
                                 const Variant &variant)
    {
        const auto session = model.session(variant.capacity, DType::F16);
        const std::size_t count = cache.restore(*session, "key", variant.prompt);
        EXPECT_LE(count, variant.common);
        const auto whole = model.session(variant.capacity, DType::F16);
        EXPECT_EQ(logitsAfter(*session, std::span(variant.prompt).subspan(count)),
                  logitsAfter(*whole, variant.prompt));
        return count;
    }

    TempDir folder;
};

TEST_F(PrefixStatesTest, MostOfAChangedPromptIsTakenOverFromFiles)
{
    for (const std::string &name : recurrentFamilies()) {
        SCOPED_TRACE(name);
        const auto path = goldenFolder(name);
        const ModelFixture model(path);
        const auto prompt = chatIds(model, kPrompt, 0);
        {
            PrefixCache cache({.folder = folder.path() / name});
            cache.keep(*talked(model, prompt), "key", kSlow);
            cache.waitUntilWritten();
            EXPECT_EQ(cache.usage().problem, "");
        }
        PrefixCache cache({.folder = folder.path() / name});
        for (const Variant &variant : variantsOf(prompt)) {
            SCOPED_TRACE(variant.what);
            EXPECT_GE(takenOver(cache, model, variant) * 10, variant.common * 9);
        }
    }
}

TEST_F(PrefixStatesTest, ASessionGoesBackOnlyToItsStates)
{
    const auto path = goldenFolder("mamba2");
    const ModelFixture model(path);
    const auto prompt = chatIds(model, kPrompt, 0);
    const auto first = talked(model, prompt);
    const std::size_t all = kPrompt + kReply;
    EXPECT_EQ(first->reusable(all), all);
    EXPECT_EQ(first->reusable(all + 9), all);
    const std::size_t middle = first->reusable(kPrompt / 2);
    EXPECT_EQ(middle, 1024U) << "two passes of 512 tokens";
    EXPECT_EQ(first->reusable(500), 0U);

    const auto second = model.session(kCapacity, DType::F16);
    logitsAfter(*second, std::span(prompt).first(77)); // another chat, which goes
    second->become(*first, kPrompt / 2);
    ASSERT_EQ(second->tokens().size(), middle);
    const auto rest = std::span(prompt).subspan(middle);
    const auto whole = model.session(kCapacity, DType::F16);
    EXPECT_EQ(logitsAfter(*second, rest), logitsAfter(*whole, prompt));
    second->truncate(middle + 1);
    EXPECT_EQ(second->tokens().size(), middle) << "its first copy";
    EXPECT_EQ(first->tokens().size(), all);

    second->become(*first, all);
    EXPECT_EQ(second->tokens().size(), all);
    const TokenId more = 3;
    EXPECT_EQ(logitsAfter(*second, std::span(&more, 1)), logitsAfter(*first, std::span(&more, 1)));
    second->become(*first, 0);
    EXPECT_TRUE(second->tokens().empty());
    EXPECT_EQ(logitsAfter(*second, std::span(prompt).first(50)),
              logitsAfter(*model.session(kCapacity, DType::F16), std::span(prompt).first(50)));
}

/// In a server there are sessions only.
TEST_F(PrefixStatesTest, ASchedulersSessionsServeChangedPrompts)
{
    const auto path = goldenFolder("mamba2");
    const ModelFixture model(path);
    std::vector<std::string> words(model.vocabulary(), "x");
    const test::ListedTokenizer tokenizer(words);
    const auto prompt = chatIds(model, kPrompt, 0);
    for (const Variant &variant : variantsOf(prompt)) {
        SCOPED_TRACE(variant.what);
        Scheduler scheduler(model.model(), tokenizer,
                            {.context = kCapacity, .contextBytes = 1'000'000});
        const auto reused = [&](const std::vector<TokenId> &ids) {
            ScheduledRequest request;
            request.request.prompt = ids;
            request.request.maxTokens = kReply;
            request.request.sampler.temperature = 0;
            int taken = -1;
            request.finished = [&](const GenerateResult &r) { taken = r.stats.reusedTokens; };
            scheduler.submit(std::move(request));
            while (scheduler.step()) {
            }
            return static_cast<std::size_t>(taken);
        };
        EXPECT_EQ(reused(prompt), 0U);
        EXPECT_GE(reused(variant.prompt) * 10, variant.common * 9);
        // What was there for the first chat is not lost by it, nor by a question between.
        EXPECT_GE(reused(prompt) * 10, (kPrompt - 1) * 9);
        scheduler.logitsAfter(std::span(prompt).first(kPrompt - 100), {});
        EXPECT_GE(reused(prompt) * 10, (kPrompt - 1) * 9);
    }
}

TEST_F(PrefixStatesTest, AChatEditedInItsMiddleIsTakenOverWhereTheSessionHasLess)
{
    const auto path = goldenFolder("mamba");
    const ModelFixture model(path);
    const auto prompt = chatIds(model, kPrompt, 0);
    PrefixCache cache({});
    cache.keep(*talked(model, prompt), "key", kSlow);
    // It has the same tokens, but no states between its beginning and its end.
    const auto session = model.session(kCapacity, DType::F16);
    ASSERT_GT(cache.restore(*session, "key", prompt), 0U);
    auto changed = prompt;
    changed[1200] ^= 1;
    EXPECT_EQ(session->reusable(1200), 0U);
    EXPECT_EQ(cache.restore(*session, "key", changed), 1024U);
    EXPECT_EQ(session->tokens().size(), 1024U);
}

/// States of many bytes are kept only where computing takes longer than reading them, and all
/// together take a share of the limits.
TEST_F(PrefixStatesTest, StatesAreWorthTheirBytes)
{
    const auto path = goldenFolder("mamba2");
    const ModelFixture model(path);
    const auto prompt = chatIds(model, kPrompt, 0);
    const auto session = talked(model, prompt);
    const auto statesKept = [&](PrefixCache::Options options, double rate) {
        PrefixCache cache(options);
        cache.keep(*session, "key", rate);
        const std::uint64_t states =
            cache.usage().memoryBytes - cache.usage().tokens * session->keptTokenBytes();
        EXPECT_EQ(states % session->keptStateBytes(), 0U);
        return states / session->keptStateBytes();
    };
    const std::uint64_t one = session->keptStateBytes();
    EXPECT_EQ(statesKept({}, kSlow), 7U) << "after 512, 1024, 1536, 2048, before the last pass, "
                                            "after the prompt and after the reply";
    EXPECT_EQ(statesKept({.memoryLimit = 4 * 5 * one}, kSlow), 5U);
    EXPECT_EQ(statesKept({.memoryLimit = 4 * one + 100'000}, kSlow), 3U) << "at least";
    // 1000 tokens take as long as reading two states, at 1e9 bytes a second.
    const double rate = 500.0 * 1e9 / static_cast<double>(one);
    EXPECT_EQ(statesKept({.always = true}, rate), 3U) << "after 1024, 2048 and the reply";
}

} // namespace
} // namespace fireside
