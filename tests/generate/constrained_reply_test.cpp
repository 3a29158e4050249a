// Replies of the starter model that must have a form, in every way of drawing.
#include "engine/constrain/constraint.h"
#include "engine/constrain/gbnf_reader.h"
#include "engine/constrain/regex_reader.h"
#include "engine/constrain/schema_reader.h"
#include "engine/core/error.h"
#include "engine/engine.h"
#include "engine/generate/scheduler.h"
#include "engine/model/config.h"
#include "tests/support/starter_fixture.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <regex>

namespace fireside {
namespace {

constexpr const char *kSchema =
    R"({"type":"object","properties":{"description":{"type":"string","maxLength":16},
        "amount":{"type":"integer","minimum":1,"maximum":99},"kind":{"enum":["small","large"]}},
        "required":["description","amount","kind"],"additionalProperties":false})";

class ConstrainedReplyTest : public test::StarterModelTest
{
protected:
    GenerateRequest request(const constrain::Grammar &grammar) const
    {
        GenerateRequest r;
        r.prompt = model().chatTokens({{"user", "What is Fireside?"}});
        r.sampler.temperature = 0;
        r.maxTokens = 400; // what is drawn may be long
        r.grammar = model().constrained(grammar);
        return r;
    }
    GenerateResult reply(const GenerateRequest &request)
    {
        text.clear();
        thoughts.clear();
        GenerateEvents events;
        events.text = [&](std::string_view piece, const GenerateStats &) { text += piece; };
        events.parts = [&](std::span<const ReplyDelta> parts, const GenerateStats &) {
            for (const ReplyDelta &part : parts)
                (part.kind == ReplyPartKind::Text ? text : thoughts) += part.text;
        };
        const auto session = model().newSession();
        return generate(*session, model().tokenizer(), request, events);
    }

    std::string text, thoughts;
};

TEST_F(ConstrainedReplyTest, EveryWayOfDrawingKeepsTheForm)
{
    SamplerSettings greedy{.temperature = 0}, all{.temperature = 1.5f, .topK = 0, .minP = 0},
        few{.temperature = 1.2f, .topK = 3, .minP = 0}, usual{}, penalised{.repeatPenalty = 1.3f};
    int forced = 0;
    for (SamplerSettings settings : {greedy, all, few, usual, penalised}) {
        const bool anyOrder = settings.repeatPenalty == 1;
        GenerateRequest r = request(constrain::readJsonSchema(kSchema, {.anyOrder = anyOrder}));
        r.sampler = settings;
        r.sampler.seed = 3;
        const GenerateResult result = reply(r);
        EXPECT_EQ(result.finish, FinishReason::EndOfText);
        const auto value = nlohmann::json::parse(text, nullptr, false);
        ASSERT_TRUE(value.is_object()) << text;
        EXPECT_EQ(value.size(), 3u);
        EXPECT_TRUE(value["description"].is_string());
        EXPECT_TRUE(value["amount"] >= 1 && value["amount"] <= 99) << text;
        EXPECT_TRUE(value["kind"] == "small" || value["kind"] == "large");
        forced += result.stats.forcedTokens;
    }
    EXPECT_GT(forced, 8);
}

// Token for token what masked logits give, step by step, whatever left the device.
TEST_F(ConstrainedReplyTest, GreedyTokensAreTheBestAllowedOnes)
{
    for (const char *source : {"root ::= [0-9]{3,8} \" \" [b-z]{12,30} \"!\"",
                               "root ::= \"Fire\" .{9,60} \"#\" [^a-z]{2,9}"}) {
        GenerateRequest r = request(constrain::readGbnf(source));
        const GenerateResult result = reply(r);
        constrain::Constraint constraint(r.grammar);
        const auto session = model().newSession();
        std::vector<TokenId> pending = r.prompt;
        std::vector<float> logits(static_cast<std::size_t>(model().model().config().vocabulary));
        for (std::size_t at = 0; at < result.tokens.size();) {
            std::vector<TokenId> expected;
            if (at > 0)
                expected = constraint.forced(model().tokenizer());
            if (expected.empty()) {
                session->append(pending, logits);
                pending.clear();
                TokenId best = -1;
                for (TokenId id = 0; id < static_cast<TokenId>(logits.size()); ++id)
                    if (constraint.allows(id) &&
                        (best < 0 || logits[static_cast<std::size_t>(id)] >
                                         logits[static_cast<std::size_t>(best)]))
                        best = id;
                expected = {best};
            }
            for (const TokenId id : expected) {
                ASSERT_LT(at, result.tokens.size());
                ASSERT_EQ(result.tokens[at++], id) << source << " after " << at;
                constraint.accept(id);
                pending.push_back(id);
            }
        }
    }
}

TEST_F(ConstrainedReplyTest, ThoughtsAreFree)
{
    GenerateRequest r = request(constrain::readRegexGrammar("(yes|no), [0-9]{4}"));
    r.format.emplace();
    r.format->reasons = true;
    r.inReasoning = true;
    r.thinkingBudget = 12;
    reply(r);
    EXPECT_FALSE(thoughts.empty());
    EXPECT_FALSE(std::regex_match(thoughts, std::regex("(yes|no).*")));
    EXPECT_TRUE(std::regex_match(text, std::regex("(yes|no), [0-9]{4}"))) << text;
}

TEST_F(ConstrainedReplyTest, ReplyWithoutAChannelKeepsTheForm)
{
    GenerateRequest r = request(constrain::readRegexGrammar("(yes|no), [0-9]{4}"));
    r.format.emplace();
    r.format->channels = r.format->reasons = true;
    reply(r);
    EXPECT_TRUE(std::regex_match(text, std::regex("(yes|no), [0-9]{4}"))) << text;
    EXPECT_TRUE(thoughts.empty()) << thoughts;
}

TEST_F(ConstrainedReplyTest, EndsAtTheLimitLikeAnyOther)
{
    GenerateRequest r = request(constrain::readGbnf("root ::= \"The quick brown fox \"{20}"));
    r.maxTokens = 7;
    const GenerateResult result = reply(r);
    EXPECT_EQ(result.finish, FinishReason::MaxTokens);
    EXPECT_EQ(result.tokens.size(), 7u);
    EXPECT_TRUE(text.starts_with("The quick"));
}

// Constrained and free replies in the same passes.
TEST_F(ConstrainedReplyTest, ManyRepliesAtOnceKeepTheirForms)
{
    struct Heard
    {
        std::string text, error;
        bool ended = false;
    };
    const std::array<const char *, 3> patterns{"(yes|no), [0-9]{4}", "", "[A-Z][a-z ]{4,9}[.]"};
    std::array<Heard, 3> heard;
    Scheduler scheduler(model().model(), model().tokenizer(), {.context = 128});
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        ScheduledRequest asked;
        asked.request = request(constrain::readRegexGrammar(*patterns[i] ? patterns[i] : "a"));
        asked.request.maxTokens = 24;
        if (!*patterns[i])
            asked.request.grammar = nullptr;
        asked.events.text = [&, i](std::string_view piece, const GenerateStats &) {
            heard[i].text += piece;
        };
        asked.finished = [&, i](const GenerateResult &) { heard[i].ended = true; };
        asked.failed = [&, i](const Error &error) { heard[i].error = error.what(); };
        scheduler.submit(std::move(asked));
    }
    while (scheduler.step()) {
    }
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        EXPECT_TRUE(heard[i].ended) << heard[i].error;
        EXPECT_EQ(std::regex_match(heard[i].text, std::regex(patterns[i])), *patterns[i] != '\0')
            << heard[i].text;
    }
}

TEST_F(ConstrainedReplyTest, AnotherVocabularyIsRefused)
{
    const auto other = Tokenizer::open(FIRESIDE_TEST_DATA "/golden/tokenizers/gpt2");
    GenerateRequest r = request(constrain::readGbnf("root ::= \"a\""));
    r.grammar = std::make_shared<const constrain::TokenGrammar>(
        constrain::readGbnf("root ::= \"a\""),
        std::make_shared<const constrain::VocabularyTrie>(*other));
    EXPECT_THROW(reply(r), Error);
}

TEST(ConstrainedSampling, CandidatesAreEnoughWhereTheOthersCannotMatter)
{
    const std::vector<Candidate> two{{4, 3.0f}, {2, 1.0f}};
    Sampler greedy({.temperature = 0}), usual({.temperature = 1, .topK = 40, .minP = 0.05f}),
        open({.temperature = 1, .topK = 40, .minP = 0}),
        pair({.temperature = 1, .topK = 2, .minP = 0});
    EXPECT_TRUE(greedy.isEnough(two, 0.9f));
    EXPECT_FALSE(greedy.isEnough({}, 0.9f));
    EXPECT_TRUE(pair.isEnough(two, 0.9f));
    EXPECT_FALSE(open.isEnough(two, 0.9f));
    EXPECT_TRUE(open.isEnough(two, -INFINITY)) << "there are no others";
    EXPECT_FALSE(usual.isEnough(two, 0.9f));
    EXPECT_TRUE(usual.isEnough(two, -0.1f)) << "min-p drops what is below 3 + ln 0.05";
}

} // namespace
} // namespace fireside
