// Replies of a small model whose tokens stand for pieces of text as a test tells.
#include "engine/core/error.h"
#include "engine/generate/generator.h"
#include "engine/text/reply/call_syntaxes.h"
#include "tests/support/draft_folder.h"
#include "tests/support/golden.h"
#include "tests/support/long_rope_model.h"
#include "tests/support/model_fixture.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fireside {
namespace {

using namespace std::string_literals;

/// The n-th token asked for is the n-th piece, whichever its id; behind the last the reply ends.
class ScriptedTokenizer final : public Tokenizer
{
public:
    explicit ScriptedTokenizer(std::vector<std::string> pieces)
        : m_pieces(std::move(pieces))
    {}
    std::vector<TokenId> encode(const MarkedText &, bool) const override { return {7, 8}; }
    std::string bytes(TokenId, bool control) const override
    {
        const std::string piece = m_pieces.at(m_given++);
        return !piece.starts_with("<|") || control ? piece : std::string();
    }
    std::string decode(std::span<const TokenId>, bool) const override { return {}; }
    std::size_t size() const override { return 500; }
    std::optional<TokenId> find(std::string_view) const override { return {}; }
    bool isControl(TokenId) const override { return false; }
    bool isMarker(TokenId) const override
    {
        const std::string &last = m_pieces.at(m_given - 1);
        return last == "<think>" || last == "</think>";
    }
    bool endsGeneration(TokenId) const override { return m_given == m_pieces.size(); }
    std::optional<TokenId> bos() const override { return {}; }
    std::optional<TokenId> eos() const override { return {}; }
    std::string bosText() const override { return {}; }
    std::string eosText() const override { return {}; }

private:
    std::vector<std::string> m_pieces;
    mutable std::size_t m_given = 0;
};

class GeneratorTest : public testing::Test
{
protected:
    GeneratorTest()
    {
        request.prompt = {1, 2, 3};
        request.sampler.temperature = 0;
    }
    /// The shown pieces, each ended by a bar.
    std::string reply(std::vector<std::string> pieces)
    {
        const ScriptedTokenizer tokenizer(std::move(pieces));
        std::string shown;
        GenerateEvents events;
        events.text = [&](std::string_view text, const GenerateStats &) {
            EXPECT_FALSE(text.empty());
            shown.append(text).push_back('|');
        };
        result = generate(*model.session(), tokenizer, request, events);
        return shown;
    }

    /// The parts that are shown: text, thoughts in brackets and calls in parentheses.
    std::string partsOf(std::vector<std::string> pieces)
    {
        const ScriptedTokenizer tokenizer(std::move(pieces));
        std::vector<ReplyPart> parts;
        GenerateEvents events;
        events.text = [](std::string_view, const GenerateStats &) { ADD_FAILURE(); };
        events.parts = [&](std::span<const ReplyDelta> deltas, const GenerateStats &) {
            EXPECT_FALSE(deltas.empty());
            for (const ReplyDelta &delta : deltas)
                append(parts, delta);
        };
        if (!request.format)
            request.format.emplace();
        result = generate(*model.session(), tokenizer, request, events);
        std::string shown;
        for (const ReplyPart &part : parts)
            if (part.call)
                shown += "(" + part.call->name + " " + part.call->arguments + ")";
            else
                shown += part.kind == ReplyPartKind::Reasoning ? "[" + part.text + "]" : part.text;
        return shown;
    }

    test::ModelFixture model{test::goldenGguf("f16")};
    GenerateRequest request;
    GenerateResult result;
};

TEST_F(GeneratorTest, TextIsShownAsItComes)
{
    EXPECT_EQ(reply({"One", " two", "", " three"}), "One| two| three|");
    EXPECT_EQ(result.finish, FinishReason::EndOfText);
    EXPECT_EQ(result.tokens.size(), 4u);
    EXPECT_EQ(result.stats.generatedTokens, 4);
    EXPECT_EQ(result.stats.promptTokens, 3);
    EXPECT_EQ(result.stats.reusedTokens, 0);
}

TEST_F(GeneratorTest, AnEndAtOnceIsAnEmptyReply)
{
    EXPECT_EQ(reply({}), "");
    EXPECT_EQ(result.finish, FinishReason::EndOfText);
    EXPECT_TRUE(result.tokens.empty());
}

TEST_F(GeneratorTest, CharactersAreWhole)
{
    EXPECT_EQ(reply({"a\xE2", "\x82", "\xAC", "b"}), "a|€|b|");
    EXPECT_EQ(reply({"a", "\xE2\x82"}), "a|\uFFFD|") << "half a character at the end";
    request.maxTokens = 2;
    EXPECT_EQ(reply({"a", "\xE2\x82", "\xAC"}), "a|\uFFFD|") << "and at a limit";
    EXPECT_EQ(result.finish, FinishReason::MaxTokens);
}

TEST_F(GeneratorTest, WhatMightBeAStopStringIsShownWhenItIsNone)
{
    request.stopStrings = {"\nUser:"};
    EXPECT_EQ(reply({"Hi", "\nUs", "ed"}), "Hi|\nUsed|");
    EXPECT_EQ(reply({"Hi", "\nUs"}), "Hi|\nUs|") << "held back at the end";
    EXPECT_EQ(result.finish, FinishReason::EndOfText);
    EXPECT_EQ(reply({"Hi", "\nUs", "er: what", "more"}), "Hi|");
    EXPECT_EQ(result.finish, FinishReason::StopString);
    EXPECT_EQ(result.tokens.size(), 3u);
}

TEST_F(GeneratorTest, AFormatCutsTheReplyIntoParts)
{
    EXPECT_EQ(partsOf({"<th", "ink>", "a\xE2", "\x82", "\xAC</", "think>\n", "b ", "c\n"}),
              "[a€]b c");
    EXPECT_EQ(partsOf({"<think>", "a"}), "[a]");
    request.inReasoning = true;
    EXPECT_EQ(partsOf({"a", "</think>", "b"}), "[a]b");
    request.stopStrings = {"c</"};
    EXPECT_EQ(partsOf({"a", "</think>", "b", "c<", "/", "d"}), "[a]b");
    EXPECT_EQ(result.finish, FinishReason::StopString);
    EXPECT_EQ(partsOf({"a", "</think>", "bc<", "d"}), "[a]bc<d");
    // They end the answer, not the thoughts before it.
    request.stopStrings = {"th"};
    EXPECT_EQ(partsOf({"a th", "at", "</think>", "b", "t", "he"}), "[a that]b");
    EXPECT_EQ(result.finish, FinishReason::StopString);
}

TEST_F(GeneratorTest, AStopStringIsNoPartOfAMarker)
{
    request.stopStrings = {"th", ">"};
    EXPECT_EQ(partsOf({"<think>", "a", "</think>", "b", "t", "h", "c"}), "[a]b");
    EXPECT_EQ(result.finish, FinishReason::StopString);
    request.stopStrings = {"b<think>"};
    EXPECT_EQ(partsOf({"ab", "<think>", "c"}), "a");
    EXPECT_EQ(result.finish, FinishReason::StopString);
}

TEST_F(GeneratorTest, StopStringsMeanNothingWithinCallsOfTools)
{
    request.format.emplace().calls = {&callSyntax("hermes")};
    request.stopStrings = {"path", "END"};
    const std::string call = "{\"name\":\"f\",\"arguments\":{\"path\":\"END\"}}";
    EXPECT_EQ(partsOf({"<tool", "_call>", "{\"name\":\"f\",\"arguments\":{\"pa", "th\":\"E",
                       "ND\"}}", "</tool_call>"}),
              "(f {\"path\":\"END\"})");
    EXPECT_EQ(result.finish, FinishReason::EndOfText);
    EXPECT_EQ(partsOf({"<tool_call>", call, "</tool_call>", "Done E", "ND", " more"}),
              "(f {\"path\":\"END\"})Done");
    EXPECT_EQ(result.finish, FinishReason::StopString);
}

TEST_F(GeneratorTest, DraftsChangeTheTimeAndNotTheReply)
{
    const test::DraftNames &names = test::draftNames().front();
    const auto golden = test::goldenFolder(names.golden);
    const test::TempDir folder;
    test::writeDraftFolder(golden, names, test::DraftKind::Often, folder / "model");
    const test::ModelFixture drafting(folder / "model", test::WithDrafts());
    const auto plain = drafting.session(), session = drafting.session();
    const std::vector<std::string> pieces(20, "x");
    request.stopStrings = {std::string(17, 'x')};
    for (const int turn : {0, 1, 2}) {
        request.drafts = 0;
        const GenerateResult expected =
            generate(*plain, ScriptedTokenizer(pieces), request, GenerateEvents());
        request.drafts = 3;
        const GenerateResult drafted =
            generate(*session, ScriptedTokenizer(pieces), request, GenerateEvents());
        EXPECT_EQ(drafted.tokens, expected.tokens) << "turn " << turn;
        EXPECT_EQ(drafted.finish, expected.finish);
        EXPECT_GT(drafted.stats.draftedTokens, 0);
        EXPECT_EQ(expected.stats.draftedTokens, 0);
        EXPECT_LE(session->tokens().size(), plain->tokens().size()) << "guesses nobody asked for";
        // The chat goes on, or is told again from its first words.
        if (turn == 0)
            request.prompt.insert(request.prompt.end(), expected.tokens.begin(),
                                  expected.tokens.end());
        request.prompt.back() = 30 + turn;
    }
    request.drafts = 1;
    EXPECT_THROW(reply({"a", "b"}), Error) << "without a head";
    request.sampler.temperature = 1;
    EXPECT_EQ(reply({"a", "b"}), "a|b|") << "tokens are drawn, not guessed";
}

// What LongRoPE asks for is seen: the whole chat is read once more in the middle of the reply.
TEST_F(GeneratorTest, AReplyThatCrossesTheOriginalContextReadsTheChatAgain)
{
    const test::LongRopeModel reference;
    const test::TempDir dir;
    reference.writeFolder(dir / "model");
    const test::ModelFixture longer(dir / "model");
    constexpr std::size_t kLimit = test::LongRopeModel::kLimit;
    request.prompt = reference.text(kLimit - 3);
    request.maxTokens = 8;
    std::vector<std::pair<int, int>> told;
    GenerateEvents events;
    events.prompt = [&](int done, int total) { told.emplace_back(done, total); };
    const auto session = longer.session();
    const GenerateResult reply =
        generate(*session, ScriptedTokenizer(std::vector<std::string>(9, "x")), request, events);
    const int before = static_cast<int>(kLimit) - 3, after = static_cast<int>(kLimit) + 1;
    EXPECT_EQ(told, (std::vector<std::pair<int, int>>{{before, before}, {after, after}}));
    std::vector<TokenId> all = request.prompt;
    for (const TokenId token : reply.tokens) {
        const std::vector<double> row = reference.last(all);
        EXPECT_EQ(token, std::max_element(row.begin(), row.end()) - row.begin()) << all.size();
        all.push_back(token);
    }
    EXPECT_EQ(reply.tokens.size(), 8u);
    // The next turn is longer still: nothing is read again.
    request.prompt = all;
    request.prompt.push_back(3);
    const GenerateResult next =
        generate(*session, ScriptedTokenizer({"x"}), request, GenerateEvents());
    EXPECT_EQ(next.stats.reusedTokens, static_cast<int>(all.size()) - 1);
    // And a new chat is short.
    request.prompt = reference.text(5);
    request.prompt.front() = all.front();
    EXPECT_EQ(
        generate(*session, ScriptedTokenizer({"x"}), request, GenerateEvents()).stats.reusedTokens,
        0);
}

TEST_F(GeneratorTest, ThoughtsEndWhereTheirBudgetDoes)
{
    request.thinkingBudget = 2;
    // The tokens 7 and 8, which end thoughts here, stand for the pieces behind "b".
    EXPECT_EQ(partsOf({"<think>", "a", "b", "</think>", "\n\n", "Yes"}), "[ab]Yes");
    ASSERT_EQ(result.tokens.size(), 6u);
    EXPECT_EQ(result.tokens[3], 7);
    EXPECT_EQ(result.tokens[4], 8);
    EXPECT_EQ(partsOf({"<think>", "a", "b\xE2\x82", "\xAC", "</think>", "\n", "Yes"}), "[ab€]Yes")
        << "not within a character";
    EXPECT_EQ(partsOf({"<think>", "a", "</think>", "b", "c", "d"}), "[a]bcd") << "not reached";
    request.maxTokens = 4;
    EXPECT_EQ(partsOf({"<think>", "a", "b", "</think>", "\n\n", "Yes"}), "[ab]");
    EXPECT_EQ(result.finish, FinishReason::MaxTokens);
    request.maxTokens = 0;
    request.thinkingBudget = 1; // an end that is none is put in only once
    EXPECT_EQ(partsOf({"<think>", "a", "b", "c", "d", "e"}), "[abcde]");
}

TEST_F(GeneratorTest, NoMoreIsTakenOverThanIsWanted)
{
    const auto session = model.session();
    request.prompt = {1, 2, 3, 4, 5, 6};
    for (const auto &[reuse, expected] : {std::pair{std::optional<int>(), 0},
                                          {std::optional<int>(), 5},
                                          {3, 3},
                                          {0, 0},
                                          {-4, 0},
                                          {99, 5}}) {
        request.reuse = reuse;
        const GenerateResult got = generate(*session, ScriptedTokenizer({"a"}), request);
        EXPECT_EQ(got.stats.reusedTokens, expected);
    }
}

TEST_F(GeneratorTest, ThoughtsEndWhenSomebodyWantsIt)
{
    int asked = 0;
    const ScriptedTokenizer tokenizer({"<think>", "a", "b", "c", "</think>", "\n", "Yes"});
    request.format.emplace();
    GenerateEvents events;
    std::string shown;
    events.endThoughts = [&] { return ++asked == 3; };
    events.parts = [&](std::span<const ReplyDelta> deltas, const GenerateStats &) {
        for (const ReplyDelta &delta : deltas)
            if (delta.kind == ReplyPartKind::Text)
                shown += delta.text;
    };
    const GenerateResult ended = generate(*model.session(), tokenizer, request, events);
    EXPECT_EQ(asked, 3) << "and only as long as it thinks";
    EXPECT_EQ(ended.stats.thoughtTokens, 2);
    ASSERT_EQ(ended.tokens.size(), 7u);
    EXPECT_EQ(ended.tokens[3], 7) << "what ends thoughts here";
    EXPECT_EQ(shown, "Yes");
}

TEST_F(GeneratorTest, OnlyWhiteSpaceBeforeTheReplyGoes)
{
    EXPECT_EQ(reply({" \n", " One", " two"}), " \n| One| two|");
    request.trimStart = true;
    EXPECT_EQ(reply({" \n", "\t", " One", " two", "\n"}), "One| two|\n|");
}

TEST_F(GeneratorTest, ControlTokensAreShownWhenAskedFor)
{
    EXPECT_EQ(reply({"<|start|>", "a", "<|end|>"}), "a|");
    EXPECT_EQ(result.tokens.size(), 3u) << "they are tokens all the same";
    request.showControlTokens = true;
    EXPECT_EQ(reply({"<|start|>", "a", "<|end|>"}), "<|start|>|a|<|end|>|");
}

TEST_F(GeneratorTest, ErrorsOfTheEngineAreErrors)
{
    request.prompt = {1, static_cast<TokenId>(model.vocabulary()), 3};
    EXPECT_THROW(reply({"a"}), Error);
    request.prompt = {1, 2};
    request.sampler.topP = 7;
    EXPECT_THROW(reply({"a"}), Error);
}

TEST_F(GeneratorTest, WhatThePromptDoesNotShareIsForgotten)
{
    const auto session = model.session(), fresh = model.session();
    const auto tokens = [&](Session &in, std::vector<TokenId> prompt) {
        request.prompt = std::move(prompt);
        request.maxTokens = 6;
        result = generate(in, ScriptedTokenizer(std::vector<std::string>(9, "x")), request);
        return result.tokens;
    };
    tokens(*session, {1, 2, 3, 4, 5});
    const std::vector<TokenId> other = tokens(*session, {1, 2, 9, 8});
    EXPECT_EQ(result.stats.reusedTokens, 2);
    EXPECT_EQ(other, tokens(*fresh, {1, 2, 9, 8}));
    ASSERT_GE(session->tokens().size(), 4u);
    EXPECT_EQ(std::vector<TokenId>(session->tokens().begin(), session->tokens().begin() + 4),
              (std::vector<TokenId>{1, 2, 9, 8}));
    tokens(*session, {1, 2}); // all of it is there: its last token is computed once more
    EXPECT_EQ(result.stats.reusedTokens, 1);
}

TEST_F(GeneratorTest, ProgressCountsWhatIsReused)
{
    const auto session = model.session();
    const ScriptedTokenizer ends({});
    generate(*session, ends, request);
    request.prompt = {1, 2, 3, 4, 5, 6};
    std::vector<std::pair<int, int>> told;
    GenerateEvents events;
    events.prompt = [&](int done, int total) { told.emplace_back(done, total); };
    generate(*session, ends, request, events);
    EXPECT_EQ(told, (std::vector<std::pair<int, int>>{{6, 6}}));
}

} // namespace
} // namespace fireside
