// Properties that hold for every text, and comparisons with plain reference algorithms.
#include "engine/text/rules/pre_tokenizer.h"
#include "engine/text/tokenizers/bpe_merge.h"
#include "tests/text/tokenizer_builder.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace fireside::test {
namespace {

namespace fs = std::filesystem;
using Ids = std::vector<TokenId>;

const fs::path kGoldenTokenizers = fs::path(FIRESIDE_TEST_DATA) / "golden" / "tokenizers";

std::string randomText(std::mt19937 &random)
{
    static const std::vector<std::string> common{
        "the ",   "Hello", "'s", " ",       "  ", "\n",         "\r\n", "\t",
        "123",    "4",     "é",  "中文",    "한", "<|im_end|>", "<s>",  "<0x41>",
        "\u2581", "Ġ",     "😀",  "e\u0301", ".",  "!!",         "_"};
    std::string text;
    for (auto parts = random() % 20; parts > 0; --parts) {
        if (random() % 2) {
            text += common[random() % common.size()];
            continue;
        }
        const auto c = static_cast<char32_t>(random() % (random() % 3 ? 0x250 : 0x110000));
        if (c < 0xD800 || c > 0xDFFF)
            appendUtf8(text, c);
    }
    return text;
}

class RoundTrip : public testing::TestWithParam<const char *>
{};

TEST_P(RoundTrip, DecodingReturnsAnyText)
{
    const auto tokenizer = Tokenizer::open(kGoldenTokenizers / GetParam());
    std::mt19937 random(42);
    for (int round = 0; round < 2000; ++round) {
        const std::string text = randomText(random);
        const Ids ids = tokenizer->encode(MarkedText::fromUser(text), false);
        ASSERT_EQ(tokenizer->decode(ids), text);
        ASSERT_EQ(tokenizer->decode(tokenizer->encode(MarkedText::trusted(text), false), true),
                  text);
        for (const TokenId id : ids)
            ASSERT_FALSE(tokenizer->isControl(id));
    }
}

// qwen2 is missing because its normaliser composes characters (NFC).
INSTANTIATE_TEST_SUITE_P(ByteLevel, RoundTrip,
                         testing::Values("llama3", "gpt2", "starcoder", "deepseek", "tekken",
                                         "o200k"));

/// Merging as it is defined: again and again the best pair, found by looking at all.
std::vector<TokenId> mergeSlowly(std::vector<TokenId> symbols,
                                 const std::map<std::pair<TokenId, TokenId>, Merge> &merges)
{
    while (true) {
        std::size_t best = symbols.size();
        Merge chosen{UINT32_MAX, -1};
        for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
            const auto found = merges.find({symbols[i], symbols[i + 1]});
            if (found != merges.end() && found->second.rank < chosen.rank) {
                chosen = found->second;
                best = i;
            }
        }
        if (best == symbols.size())
            return symbols;
        symbols[best] = chosen.id;
        symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
}

TEST(Merging, GivesWhatTheDefinitionGives)
{
    std::mt19937 random(3);
    for (int round = 0; round < 300; ++round) {
        std::map<std::pair<TokenId, TokenId>, Merge> merges;
        std::vector<MergePair> listed;
        const int letters = 3;
        TokenId next = letters;
        for (std::uint32_t rank = 0; rank < 25; ++rank) {
            const auto left = static_cast<TokenId>(random() % static_cast<unsigned>(next));
            const auto right = static_cast<TokenId>(random() % static_cast<unsigned>(next));
            const Merge merge{rank, next};
            merges.try_emplace({left, right}, merge);
            listed.push_back({left, right, merge});
            ++next;
        }
        const MergeTable table(std::move(listed));
        ASSERT_EQ(table.size(), merges.size());
        MergeWorker worker;
        for (int word = 0; word < 20; ++word) {
            std::vector<TokenId> symbols;
            worker.clear();
            const auto length = static_cast<std::uint32_t>(1 + random() % 40);
            for (std::uint32_t i = 0; i < length; ++i) {
                symbols.push_back(static_cast<TokenId>(random() % letters));
                worker.push(i, 1, symbols.back());
            }
            worker.run([&](const MergeSymbol &left, const MergeSymbol &right) {
                const Merge *merge = table.find(left.id, right.id);
                return merge ? std::optional<Merge>(*merge) : std::nullopt;
            });
            std::vector<TokenId> merged;
            for (std::int32_t i = 0; i >= 0; i = worker.symbols()[static_cast<std::size_t>(i)].next)
                merged.push_back(worker.symbols()[static_cast<std::size_t>(i)].id);
            ASSERT_EQ(merged, mergeSlowly(symbols, merges));
        }
    }
}

TEST(Merging, OfAMegabyteWithoutSpacesIsNotQuadratic)
{
    // A quadratic algorithm would need days here, whatever the machine.
    const std::string text(1'000'000, 'a');
    for (const char *family : {"llama3", "llama2-spm"}) {
        const auto tokenizer = Tokenizer::open(kGoldenTokenizers / family);
        EXPECT_EQ(tokenizer->decode(tokenizer->encode(MarkedText::fromUser(text), false)), text);
    }
}

TEST(Merging, WordsCutAtSpacesGiveTheSameAsTheWholeText)
{
    // "e▁" followed by more is a token, so the text must not be cut between e and ▁.
    SpmPieces pieces;
    pieces.add("e\xE2\x96\x81", 50, 1);
    const auto tokenizer = openGguf(pieces.builder());
    const Ids ids = tokenizer->encode(MarkedText::fromUser("he in"), false);
    std::vector<std::string> texts;
    for (const TokenId id : ids)
        texts.push_back(tokenizer->bytes(id));
    EXPECT_EQ(texts, (std::vector<std::string>{" ", "h", "e ", "in"}));
}

std::vector<std::string> pieces(const PreTokenizer &rules, const std::string &text)
{
    const PreTokenizer::Words words = rules.split(text, true, true);
    std::vector<std::string> out;
    for (const TextRange piece : words.pieces)
        out.push_back(words.text.substr(piece.begin, piece.size()));
    return out;
}

using Texts = std::vector<std::string>;

TEST(PreTokenizer, NamedRulesSplitAsTheirFamiliesDo)
{
    const std::string text = "I'M  you're 12345\n\n x!!\n";
    EXPECT_EQ(pieces(PreTokenizer::named("llama-bpe"), text),
              (Texts{"I", "'M", " ", " you", "'re", " ", "123", "45", "\n\n", " x", "!!\n"}));
    EXPECT_EQ(pieces(PreTokenizer::named("qwen2"), "a 123"), (Texts{"a", " ", "1", "2", "3"}));
    EXPECT_EQ(pieces(PreTokenizer::named("gpt-2"), text),
              (Texts{"I", "'", "M", " ", " you", "'re", " 12345", "\n\n", " x", "!!", "\n"}));
    EXPECT_EQ(pieces(PreTokenizer::named("starcoder"), "a 123"), (Texts{"a", " ", "1", "2", "3"}));
    EXPECT_EQ(pieces(PreTokenizer::named("gpt-4o"), "CamelCaseHTTP don't"),
              (Texts{"Camel", "Case", "HTTP", " don't"}));
    EXPECT_EQ(pieces(PreTokenizer::named("tekken"), "camelCase 12"),
              (Texts{"camel", "Case", " ", "1", "2"}));
    EXPECT_EQ(pieces(PreTokenizer::named("deepseek-v3"), "价格12345元.Net"),
              (Texts{"价格", "123", "45", "元", ".Net"}));
    EXPECT_EQ(pieces(PreTokenizer::named("falcon"), "a+b 12345"),
              (Texts{"a", "+", "b", " ", "123", "45"}));
    EXPECT_EQ(pieces(PreTokenizer::named("superbpe"), "x 1234567 y"),
              (Texts{"x ", "1", "234", "567", " y"}));
    EXPECT_EQ(pieces(PreTokenizer::named("kimi-k2"), "中文abc"), (Texts{"中文", "abc"}));
}

TEST(PreTokenizer, EveryNameCompilesAndLosesNothing)
{
    const std::string text = "Ünï 'S 12345 中文 кот\t\n\r\n  x=[1]; 😀e\u0301 \u180E\u0085 ";
    for (const char *name :
         {"default",      "llama3",       "dbrx",           "glm4",        "gpt-2",     "mpt",
          "jina-v2-code", "smollm",       "refact",         "qwen2",       "qwen35",    "tekken",
          "llama4",       "deepseek-llm", "deepseek-coder", "deepseek-v3", "falcon",    "bloom",
          "viking",       "superbpe",     "bailingmoe",     "seed-coder",  "kimi-k2",   "tiny_aya",
          "minicpm5",     "ufakzeka",     "laguna",         "jais-2",      "exaone-moe"}) {
        std::string joined;
        for (const std::string &piece : pieces(PreTokenizer::named(name), text))
            joined += piece;
        EXPECT_EQ(joined, text) << name;
    }
}

TEST(PreTokenizer, BehavioursFollowTheSpecification)
{
    const auto split = [](PreTokenizer::Behavior behavior, bool invert = false) {
        PreTokenizer rules;
        rules.add(PreTokenizer::Split{Regex("-", "test"), behavior, invert});
        return pieces(rules, "the-final--countdown");
    };
    using Behavior = PreTokenizer::Behavior;
    EXPECT_EQ(split(Behavior::Removed), (Texts{"the", "final", "countdown"}));
    EXPECT_EQ(split(Behavior::Isolated), (Texts{"the", "-", "final", "-", "-", "countdown"}));
    EXPECT_EQ(split(Behavior::MergedWithPrevious), (Texts{"the-", "final-", "-", "countdown"}));
    EXPECT_EQ(split(Behavior::MergedWithNext), (Texts{"the", "-final", "-", "-countdown"}));
    EXPECT_EQ(split(Behavior::Contiguous), (Texts{"the", "-", "final", "--", "countdown"}));
    EXPECT_EQ(split(Behavior::Removed, true), (Texts{"-", "-", "-"}));
}

TEST(PreTokenizer, RulesBehindByteLevelSeeItsCharacters)
{
    // "²" is the character of byte 0xB2 and counts as a digit: Falcon's files rely on this order.
    PreTokenizer rules;
    rules.add(PreTokenizer::MapBytes{});
    rules.setBytesOut(true);
    rules.add(PreTokenizer::Split{Regex("\\p{N}", "test")});
    EXPECT_EQ(pieces(rules, "aβb"), (Texts{"a\xCE", "\xB2", "b"}));
}

TEST(PreTokenizer, MetaspacePrependsByItsScheme)
{
    using Prepend = PreTokenizer::Prepend;
    const auto split = [](Prepend prepend, bool atStart, bool first) {
        PreTokenizer rules;
        rules.add(PreTokenizer::Metaspace{"_", prepend});
        return rules.split("a b", atStart, first).text;
    };
    EXPECT_EQ(split(Prepend::Always, true, false), "_a_b");
    EXPECT_EQ(split(Prepend::Always, false, false), "a_b");
    EXPECT_EQ(split(Prepend::First, true, true), "_a_b");
    EXPECT_EQ(split(Prepend::First, true, false), "a_b");
    EXPECT_EQ(split(Prepend::Never, true, true), "a_b");
}

TEST(PreTokenizer, OnlyTheFirstPieceGetsTheMarkOfFirst)
{
    PreTokenizer rules;
    rules.add(PreTokenizer::Split{Regex("-", "test")});
    rules.add(PreTokenizer::Metaspace{"_", PreTokenizer::Prepend::First});
    EXPECT_EQ(rules.split("a-b", true, true).text, "_a-b");
}

TEST(PreTokenizer, PrefixSpaceGoesBeforePiecesWithoutOne)
{
    PreTokenizer rules;
    rules.add(PreTokenizer::PrefixSpace{});
    EXPECT_EQ(rules.split("a", true, true).text, " a");
    EXPECT_EQ(rules.split(" a", true, true).text, " a");
    EXPECT_EQ(rules.split("a", false, false).text, "a");
}

} // namespace
} // namespace fireside::test
