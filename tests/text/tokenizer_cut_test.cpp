// Long texts are cut where no token reaches over, and repeated pieces are remembered: the tokens
// stay those of the definition.
#include "tests/support/seed.h"
#include "tests/text/tokenizer_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace fireside::test {
namespace {

using Ids = std::vector<TokenId>;

/// SentencePiece's merging as it is defined: the neighbours that make the token of the best score,
/// the leftmost of equals, again and again.
Ids mergeSlowly(std::string text, const SpmPieces &pieces)
{
    std::map<std::string, TokenId> ids;
    for (std::size_t i = 0; i < pieces.texts.size(); ++i)
        if (pieces.types[i] == 1)
            ids[pieces.texts[i]] = static_cast<TokenId>(i);
    std::vector<std::string> symbols{"\u2581"};
    for (const char c : text)
        symbols.push_back(c == ' ' ? "\u2581" : std::string(1, c));
    while (true) {
        std::size_t best = symbols.size();
        float score = -1e30f;
        for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
            const auto found = ids.find(symbols[i] + symbols[i + 1]);
            if (found == ids.end())
                continue;
            const float own = pieces.scores[static_cast<std::size_t>(found->second)];
            if (own > score) {
                score = own;
                best = i;
            }
        }
        if (best == symbols.size())
            break;
        symbols[best] += symbols[best + 1];
        symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
    Ids result;
    for (const std::string &symbol : symbols)
        result.push_back(ids.at(symbol));
    return result;
}

TEST(CutTexts, GiveWhatTheDefinitionGives)
{
    std::mt19937 random = test::generator();
    for (int round = 0; round < 60; ++round) {
        SpmPieces pieces;
        pieces.texts.resize(4 + 256);
        pieces.scores.resize(pieces.texts.size());
        pieces.types.resize(pieces.texts.size());
        std::vector<std::string> words{"a", "b", "c", "d", "e", "f", "\u2581"};
        for (const std::string &letter : words)
            pieces.add(letter, -1000, 1);
        for (int i = 0; i < 14; ++i) { // tokens of tokens, "▁" anywhere in them
            const std::string text =
                words[random() % words.size()] + words[random() % words.size()];
            if (std::find(words.begin(), words.end(), text) != words.end())
                continue;
            words.push_back(text);
            pieces.add(text, -static_cast<float>(random() % 9), 1);
        }
        const auto tokenizer = openGguf(pieces.builder());
        for (int text = 0; text < 20; ++text) {
            std::string input;
            for (auto length = 1 + random() % 60; length > 0; --length)
                input += "abcdef "[random() % 7];
            ASSERT_EQ(tokenizer->encode(MarkedText::trusted(input), false),
                      mergeSlowly(input, pieces))
                << input;
        }
    }
}

/// A run of characters without a token is one unknown token, wherever a text may be cut.
TEST(CutTexts, RunsOfUnknownCharactersStayTogether)
{
    auto json = nlohmann::json::parse(R"({"added_tokens": [], "normalizer": null,
        "pre_tokenizer": null, "post_processor": null, "decoder": null,
        "model": {"type": "BPE", "unk_token": "<unk>", "byte_fallback": false, "fuse_unk": true,
                  "vocab": {"<unk>": 0, "a": 1, "b": 2, "ab": 3}, "merges": ["a b"]}})");
    EXPECT_EQ(openJson(json.dump())->encode(MarkedText::trusted("abxyzab?b"), false),
              (Ids{3, 0, 3, 0, 2}));
    json["model"]["fuse_unk"] = false;
    EXPECT_EQ(openJson(json.dump())->encode(MarkedText::trusted("abxyzab?b"), false),
              (Ids{3, 0, 0, 0, 3, 0, 2}));
}

/// Between special tokens repeated pieces come from a memory: alone and in company they must be
/// the same, and the first of a text, which some families treat apart, is not remembered.
TEST(CutTexts, RepeatedPiecesBetweenSpecialTokensAreTheSame)
{
    const SpmPieces spm;
    const BpePieces bpe;
    for (const bool isSpm : {true, false}) {
        const auto tokenizer = openGguf(isSpm ? spm.builder() : bpe.builder());
        const auto control = tokenizer->find("<|im_end|>");
        ASSERT_TRUE(control);
        const auto behind = [&](const std::string &word) {
            Ids ids = tokenizer->encode(MarkedText::trusted("<|im_end|>" + word), false);
            EXPECT_EQ(ids.front(), *control);
            return Ids(ids.begin() + 1, ids.end());
        };
        Ids expected = tokenizer->encode(MarkedText::trusted("the"), false);
        std::string text = "the";
        for (int i = 0; i < 50; ++i) {
            const std::string word = i % 3 == 0 ? "the" : i % 3 == 1 ? " in the" : "\xff\n";
            text += "<|im_end|>" + word;
            expected.push_back(*control);
            const Ids ids = behind(word);
            expected.insert(expected.end(), ids.begin(), ids.end());
        }
        EXPECT_EQ(tokenizer->encode(MarkedText::trusted(text), false), expected);
    }
}

/// Where only the start of a text gets a "▁", its first piece is no example for later ones.
TEST(CutTexts, TheFirstPieceIsNotRemembered)
{
    const auto tokenizer =
        openJson(R"({"added_tokens": [{"id": 3, "content": "<s>", "special": true}],
        "normalizer": null, "post_processor": null, "decoder": null,
        "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first",
                          "split": false},
        "model": {"type": "BPE", "unk_token": null, "byte_fallback": false,
                  "vocab": {"\u2581": 0, "a": 1, "\u2581a": 2}, "merges": ["\u2581 a"]}})");
    EXPECT_EQ(tokenizer->encode(MarkedText::trusted("a<s>a<s>a"), false), (Ids{2, 3, 1, 3, 1}));
}

} // namespace
} // namespace fireside::test
