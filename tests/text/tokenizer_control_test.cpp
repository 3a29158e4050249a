#include "engine/text/tokenizers/special_tokens.h"
#include "tests/text/tokenizer_builder.h"

#include "engine/text/tokenizers/vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fireside::test {
namespace {

using Ids = std::vector<TokenId>;

std::size_t countControl(const Tokenizer &tokenizer, const Ids &ids)
{
    std::size_t count = 0;
    for (const TokenId id : ids)
        count += tokenizer.isControl(id);
    return count;
}

TEST(ControlTokens, AreFoundOnlyWhereEveryByteIsTrusted)
{
    const auto tokenizer = openJson(smallTokenizerJson().dump());
    const std::string text = "<|im_end|>";
    EXPECT_EQ(tokenizer->encode(MarkedText::trusted(text), false), Ids{259});
    for (std::size_t begin = 0; begin < text.size(); ++begin)
        for (std::size_t end = begin + 1; end <= text.size(); ++end) {
            const Ids ids = tokenizer->encode({text, {{begin, end}}}, false);
            EXPECT_EQ(countControl(*tokenizer, ids), 0u) << begin << ".." << end;
            EXPECT_EQ(tokenizer->decode(ids), text);
        }
}

TEST(ControlTokens, OfTheTemplateSurviveBesideUntrustedOnes)
{
    const auto tokenizer = openJson(smallTokenizerJson().dump());
    const std::string user = "in <|im_end|> the";
    MarkedText text{"<|im_end|>" + user + "<|im_end|>", {{10, 10 + user.size()}}};
    const Ids ids = tokenizer->encode(text, false);
    EXPECT_EQ(ids.front(), 259);
    EXPECT_EQ(ids.back(), 259);
    EXPECT_EQ(countControl(*tokenizer, ids), 2u);
    EXPECT_EQ(tokenizer->decode(ids, true), text.text);
    EXPECT_EQ(tokenizer->decode(ids), user);
}

TEST(ControlTokens, MarkersThatAreNotSpecialAreKeptFromUsersToo)
{
    const auto tokenizer = openJson(smallTokenizerJson().dump());
    EXPECT_EQ(tokenizer->encode(MarkedText::trusted("<think>"), false), Ids{260});
    EXPECT_FALSE(tokenizer->isControl(260));
    EXPECT_EQ(tokenizer->bytes(260), "<think>"); // visible, so that reasoning can be told apart
    const Ids ids = tokenizer->encode(MarkedText::fromUser("<think>"), false);
    EXPECT_EQ(std::count(ids.begin(), ids.end(), 260), 0);
    EXPECT_EQ(tokenizer->decode(ids), "<think>");
    // Ordinary added tokens are words like any other.
    EXPECT_EQ(tokenizer->encode(MarkedText::fromUser("\n\n\n\n"), false), Ids{261});
}

TEST(ControlTokens, CannotBeMergedTogetherFromOrdinaryText)
{
    // Byte level: merges that lead to the control token.
    auto json = smallTokenizerJson();
    json["model"]["vocab"]["<|"] = 262;
    json["added_tokens"].push_back({{"id", 263}, {"content", "<|>"}, {"special", true}});
    json["model"]["vocab"]["<|>"] = 263;
    json["model"]["merges"].push_back({"<", "|"});
    json["model"]["merges"].push_back({"<|", ">"});
    for (const bool wholeWords : {false, true}) {
        json["model"]["ignore_merges"] = wholeWords;
        const auto tokenizer = openJson(json.dump());
        EXPECT_EQ(tokenizer->encode(MarkedText::trusted("<|>"), false), Ids{263});
        EXPECT_EQ(tokenizer->encode(MarkedText::fromUser("<|>"), false), (Ids{262, '>'}));
    }
    // SentencePiece: any two neighbours that spell a token join, except into a control token.
    const SpmPieces pieces;
    const auto spm = openGguf(pieces.builder());
    const Ids ids = spm->encode(MarkedText::fromUser("<s>"), false);
    EXPECT_EQ(countControl(*spm, ids), 0u);
    EXPECT_EQ(spm->decode(ids), "<s>");
    EXPECT_EQ(spm->encode(MarkedText::trusted("<s>"), false), Ids{1});
}

TEST(ControlTokens, TextThatLooksLikeAByteTokenIsNone)
{
    // Every way to "<0x0A>" by merging is there; the byte itself must stay out of reach.
    SpmPieces pieces;
    float score = -100;
    for (const char *text : {"0", "x", "A", "<0", "<0x", "<0x0", "<0x0A"})
        pieces.add(text, score -= 1, 1);
    const auto spm = openGguf(pieces.builder());
    ASSERT_EQ(spm->bytes(4 + 0x0A, false), "\n");
    EXPECT_EQ(spm->decode(spm->encode(MarkedText::fromUser("<0x0A>"), false)), "<0x0A>");
}

TEST(ControlTokens, EndMarkersAreControlWhateverTheFileSays)
{
    BpePieces pieces;
    pieces.types.back() = 1; // <|im_end|> as an ordinary token
    const auto tokenizer = openGguf(pieces.builder());
    EXPECT_TRUE(tokenizer->isControl(258));
    EXPECT_TRUE(tokenizer->endsGeneration(258));
    EXPECT_EQ(tokenizer->encode(MarkedText::trusted("<|im_end|>"), false), Ids{258});
    EXPECT_EQ(
        countControl(*tokenizer, tokenizer->encode(MarkedText::fromUser("<|im_end|>"), false)), 0u);
}

TEST(TokenTexts, BytesAndEndMarkersAreKnown)
{
    EXPECT_EQ(parseByteToken("<0x0A>"), 0x0A);
    EXPECT_EQ(parseByteToken("<0x0a>"), 0x0A);
    EXPECT_EQ(parseByteToken("<0xfF>"), 0xFF);
    for (const char *other : {"<0x0>", "<0x0AB>", "<0x0G>", "<0X0A>", "0x0A>>", ""})
        EXPECT_EQ(parseByteToken(other), std::nullopt) << other;
    for (const char *end : {"<|eot_id|>", "<|eom_id|>", "<|im_end|>", "<|endoftext|>", "<|end|>",
                            "<|return|>", "<end_of_turn>", "<EOT>", "<|END_OF_TURN_TOKEN|>"})
        EXPECT_TRUE(isEndMarkerText(end)) << end;
    for (const char *other : {"<|im_start|>", "<think>", "</s", "end", ""})
        EXPECT_FALSE(isEndMarkerText(other)) << other;
}

TEST(OrdinaryTokens, WholeWordsComeFirstWhereTheFileSaysSo)
{
    auto json = smallTokenizerJson();
    json["model"]["vocab"]["xyz"] = 262; // no merges lead there
    const auto merged = openJson(json.dump());
    EXPECT_EQ(merged->encode(MarkedText::trusted("xyz"), false), (Ids{'x', 'y', 'z'}));
    json["model"]["ignore_merges"] = true;
    const auto whole = openJson(json.dump());
    EXPECT_EQ(whole->encode(MarkedText::trusted("xyz"), false), Ids{262});
    EXPECT_EQ(whole->encode(MarkedText::trusted("the"), false), Ids{257});
    EXPECT_EQ(whole->encode(MarkedText::trusted("xyzz"), false), (Ids{'x', 'y', 'z', 'z'}));
}

TEST(OrdinaryTokens, AddedOnesAreWrittenAsThemselves)
{
    auto json = smallTokenizerJson();
    json["added_tokens"].push_back({{"id", 262}, {"content", "\u00e9\u0120"}, {"special", false}});
    const auto tokenizer = openJson(json.dump());
    const std::string text = "\u00e9\u0120"; // in byte-level characters this is \xE9 and a space
    EXPECT_EQ(tokenizer->encode(MarkedText::fromUser(text), false), Ids{262});
    EXPECT_EQ(tokenizer->bytes(262), text);
    EXPECT_EQ(tokenizer->decode(Ids{262}), text);
}

SpecialTokens::Piece token(std::size_t begin, std::size_t end, TokenId id)
{
    return {{begin, end}, id};
}

void expectPieces(const SpecialTokens &tokens, const std::string &text,
                  const std::vector<SpecialTokens::Piece> &expected)
{
    const auto pieces = tokens.split(MarkedText::trusted(text));
    ASSERT_EQ(pieces.size(), expected.size()) << text;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        EXPECT_EQ(pieces[i].range.begin, expected[i].range.begin) << text << " " << i;
        EXPECT_EQ(pieces[i].range.end, expected[i].range.end) << text << " " << i;
        EXPECT_EQ(pieces[i].token, expected[i].token) << text << " " << i;
    }
}

TEST(OrdinaryTokens, UnknownCharactersInARowMakeOneTokenWhereTheFileSaysSo)
{
    for (const bool fuse : {false, true}) {
        auto root = smallTokenizerJson();
        root["added_tokens"] = nlohmann::json::array();
        root["pre_tokenizer"] = nullptr;
        root["decoder"] = nullptr;
        root["model"]["vocab"] = {{"<unk>", 0}, {"a", 1}};
        root["model"]["merges"] = nlohmann::json::array();
        root["model"]["unk_token"] = "<unk>";
        root["model"]["fuse_unk"] = fuse;
        const auto tokenizer = openJson(root.dump());
        EXPECT_EQ(tokenizer->encode(MarkedText::trusted("axyax"), false),
                  fuse ? (Ids{1, 0, 1, 0}) : (Ids{1, 0, 0, 1, 0}));
    }
}

TEST(SpecialTokens, LongestAtTheLeftmostPlaceWins)
{
    const SpecialTokens tokens({{1, "<a"}, {2, "<a>"}, {3, "a>b"}});
    expectPieces(tokens, "x<a>b", {{{0, 1}, {}}, token(1, 4, 2), {{4, 5}, {}}});
    expectPieces(tokens, "<a<a>", {token(0, 2, 1), token(2, 5, 2)});
    expectPieces(tokens, "", {});
}

TEST(SpecialTokens, StripFlagsTakeWhiteSpaceAlong)
{
    AddedToken left{1, "<l>"}, right{2, "<r>"};
    left.leftStrip = true;
    right.rightStrip = true;
    const SpecialTokens tokens({left, right});
    expectPieces(tokens, "a \u3000<l> b", {{{0, 1}, {}}, token(1, 8, 1), {{8, 10}, {}}});
    expectPieces(tokens, "a <r> \n\u00A0b", {{{0, 2}, {}}, token(2, 9, 2), {{9, 10}, {}}});
    expectPieces(tokens, "<r> <l>", {token(0, 4, 2), token(4, 7, 1)});
}

TEST(SpecialTokens, SingleWordNeedsBordersAndNormalizedComesSecond)
{
    AddedToken word{1, "cat"}, late{2, "<x"};
    word.singleWord = true;
    late.normalized = true;
    const SpecialTokens tokens({word, late, {3, "x>"}});
    expectPieces(tokens, "cats cat", {{{0, 5}, {}}, token(5, 8, 1)});
    expectPieces(tokens, "<x>", {{{0, 1}, {}}, token(1, 3, 3)});
    expectPieces(tokens, "a<x b", {{{0, 1}, {}}, token(1, 3, 2), {{3, 5}, {}}});
}

} // namespace
} // namespace fireside::test
