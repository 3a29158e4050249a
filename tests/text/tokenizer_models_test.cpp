// The models besides BPE: WordPiece, Unigram, WordLevel, RWKV's and PLaMo's, and BPE of words.
#include "engine/core/error.h"
#include "tests/support/seed.h"
#include "tests/text/charsmap_builder.h"
#include "tests/text/tokenizer_builder.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace fireside::test {
namespace {

using Json = nlohmann::json;
using Ids = std::vector<TokenId>;

Ids idsOf(const Tokenizer &tokenizer, const std::string &text, bool special = false)
{
    return tokenizer.encode(MarkedText::fromUser(text), special);
}

TEST(WordPiece, TakesTheLongestPieces)
{
    const auto tokenizer = openJson(smallWordPieceJson().dump());
    EXPECT_EQ(tokenizer->kind(), "WordPiece");
    EXPECT_EQ(idsOf(*tokenizer, "The thes  IN."), (Ids{4, 4, 5, 8, 9}));
    EXPECT_EQ(idsOf(*tokenizer, "th\u00E9s"), (Ids{4, 5})); // accents go
    EXPECT_EQ(idsOf(*tokenizer, "in\u4E2Din"), (Ids{8, 11, 8}));
    EXPECT_EQ(idsOf(*tokenizer, "thex tin"), (Ids{0, 10, 12})); // unknown as a whole
    EXPECT_EQ(idsOf(*tokenizer, "theses thesess"), (Ids{4, 5, 7, 0}));
    EXPECT_EQ(idsOf(*tokenizer, "the", true), (Ids{1, 4, 2}));
    EXPECT_EQ(idsOf(*tokenizer, "", true), (Ids{1, 2}));
    EXPECT_EQ(idsOf(*tokenizer, "[SEP]"), (Ids{0, 0, 0})); // three words, none of them control
    EXPECT_EQ(tokenizer->decode(Ids{1, 4, 5, 9, 8, 2}), "thes. in");
    EXPECT_EQ(tokenizer->decode(Ids{1, 4, 2}, true), "[CLS] the [SEP]");
    EXPECT_EQ(tokenizer->bytes(5), "s");
    EXPECT_EQ(tokenizer->bytes(8), " in");
}

TEST(WordPiece, OfGgufMarksBeginningsInsteadOfContinuations)
{
    const auto tokenizer = openGguf(wordPieceGguf());
    EXPECT_EQ(tokenizer->kind(), "WordPiece");
    EXPECT_EQ(idsOf(*tokenizer, "The thes IN.", true), (Ids{1, 4, 4, 5, 8, 9, 2}));
    EXPECT_EQ(idsOf(*tokenizer, "thein s"), (Ids{4, 10, 0})); // "s" only goes on with a word
    EXPECT_EQ(tokenizer->decode(Ids{1, 4, 5, 9, 8, 2}), "thes. in");
    const auto cased =
        openGguf(wordPieceGguf().boolean("tokenizer.ggml.normalizer.lowercase", false));
    EXPECT_EQ(idsOf(*cased, "The the"), (Ids{0, 4}));
}

TEST(WordLevel, KnowsWholeWords)
{
    auto json = smallWordPieceJson();
    json["model"] = {
        {"type", "WordLevel"}, {"unk_token", "[UNK]"}, {"vocab", json["model"]["vocab"]}};
    json["decoder"] = nullptr;
    const auto tokenizer = openJson(json.dump());
    EXPECT_EQ(tokenizer->kind(), "WordLevel");
    EXPECT_EQ(idsOf(*tokenizer, "the thes in"), (Ids{4, 0, 8}));
    EXPECT_EQ(tokenizer->decode(Ids{4, 8}), "the in");
    json["model"].erase("type"); // of before the name was written
    EXPECT_EQ(openJson(json.dump())->kind(), "WordLevel");
    json["model"]["unk_token"] = "<none>";
    EXPECT_EQ(idsOf(*openJson(json.dump()), "the thes in"), (Ids{4, 8}));
}

TEST(Unigram, TakesTheBestPieces)
{
    const auto tokenizer = openJson(smallUnigramJson().dump());
    EXPECT_EQ(tokenizer->kind(), "Unigram");
    EXPECT_EQ(idsOf(*tokenizer, "the"), Ids{7});
    EXPECT_EQ(idsOf(*tokenizer, "in the"), (Ids{1, 8, 7}));
    EXPECT_EQ(idsOf(*tokenizer, "hethe"), (Ids{1, 6, 5, 4}));          // th e before t he
    EXPECT_EQ(idsOf(*tokenizer, "the\u4E2D\u6587in"), (Ids{7, 0, 8})); // one for a run
    EXPECT_EQ(idsOf(*tokenizer, "<unk>"), (Ids{1, 0}));                // not what the text spells
    EXPECT_EQ(tokenizer->decode(Ids{7, 7}), "the the");
    EXPECT_EQ(tokenizer->bytes(7), " the");
}

TEST(Unigram, MakesBytesOfWhatItDoesNotKnow)
{
    auto json = smallUnigramJson();
    static constexpr char digits[] = "0123456789ABCDEF";
    for (unsigned byte = 0; byte < 256; ++byte)
        json["model"]["vocab"].push_back(
            {std::string("<0x") + digits[byte / 16] + digits[byte % 16] + ">", -9});
    json["model"]["byte_fallback"] = true;
    json["decoder"] = Json::parse(R"({"type": "Sequence", "decoders": [
        {"type": "ByteFallback"}, {"type": "Metaspace", "prepend_scheme": "always"}]})");
    const auto tokenizer = openJson(json.dump());
    const std::string text = "the \u4E2Din \xFF";
    const Ids ids = idsOf(*tokenizer, text);
    EXPECT_EQ(ids, (Ids{7, 1, 9 + 0xE4, 9 + 0xB8, 9 + 0xAD, 8, 1, 9 + 0xFF}));
    EXPECT_EQ(tokenizer->decode(ids), "the \u4E2Din \uFFFD");
    std::string bytes;
    for (const TokenId id : ids)
        bytes += tokenizer->bytes(id);
    EXPECT_EQ(bytes, ' ' + text);
}

TEST(Unigram, OfGgufNormalisesAsSentencePieceDoes)
{
    const auto tokenizer = openGguf(unigramGguf());
    EXPECT_EQ(tokenizer->kind(), "Unigram");
    EXPECT_EQ(idsOf(*tokenizer, "  the  in ", true), (Ids{8, 3, 9, 1}));
    EXPECT_EQ(idsOf(*tokenizer, "the zz the"), (Ids{8, 3, 2, 8}));
    EXPECT_EQ(tokenizer->decode(Ids{8, 3, 9, 1}), "the in");
    const auto apart = openGguf(unigramGguf(false));
    EXPECT_EQ(idsOf(*apart, " the "), (Ids{3, 8, 3}));
    // A map of characters comes first, here to what the vocabulary has.
    const std::string map = charsmapOf({{"\u00C9", "e"}, {"\t", " "}});
    ByteWriter bytes;
    bytes.put(std::uint32_t{0}).put(std::uint64_t{map.size()}).raw(map);
    const auto mapped =
        openGguf(unigramGguf().value("tokenizer.ggml.precompiled_charsmap", 9, bytes));
    EXPECT_EQ(idsOf(*mapped, "th\u00C9\tin"), (Ids{8, 3, 9}));
}

/// The best sum of scores by trying all ways.
double bestSum(const std::string &text, std::size_t at, const std::map<std::string, double> &scores,
               double unknown)
{
    if (at == text.size())
        return 0;
    double best = scores.count(text.substr(at, 1)) > 0
                      ? -1e300
                      : unknown + bestSum(text, at + 1, scores, unknown);
    for (std::size_t length = 1; length <= text.size() - at; ++length)
        if (const auto it = scores.find(text.substr(at, length)); it != scores.end())
            best = std::max(best, it->second + bestSum(text, at + length, scores, unknown));
    return best;
}

TEST(Unigram, FindsWhatTryingAllWaysFinds)
{
    std::mt19937 random = test::generator();
    for (int round = 0; round < 100; ++round) {
        Json vocab = Json::array({Json::array({"<unk>", -12})});
        std::map<std::string, double> scores;
        for (int i = 0; i < 12; ++i) {
            std::string text;
            for (auto length = 1 + random() % 3; length > 0; --length)
                text += "abc"[random() % 3];
            if (scores.try_emplace(text, -static_cast<double>(random() % 1000) / 128).second)
                vocab.push_back(Json::array({text, scores[text]}));
        }
        const Json json{{"model", {{"type", "Unigram"}, {"unk_id", 0}, {"vocab", vocab}}}};
        const auto tokenizer = openJson(json.dump());
        for (int word = 0; word < 20; ++word) {
            std::string text;
            for (auto length = 1 + random() % 9; length > 0; --length)
                text += "abcd"[random() % 4];
            const double unknown = -22; // ten below the lowest
            double sum = 0;
            std::size_t covered = 0, unknowns = 0;
            for (const TokenId id : idsOf(*tokenizer, text)) {
                const std::string own = vocab[static_cast<std::size_t>(id)][0];
                unknowns += id == 0;
                sum += id == 0 ? 0 : scores[own];
                covered += id == 0 ? 0 : own.size();
            }
            sum += unknown * static_cast<double>(text.size() - covered);
            EXPECT_EQ(unknowns > 0, covered < text.size()) << text;
            EXPECT_EQ(sum, bestSum(text, 0, scores, unknown)) << text;
        }
    }
}

TEST(Rwkv, TakesTheLongestPiecesOfBytes)
{
    const auto tokenizer = openGguf(rwkvGguf());
    EXPECT_EQ(tokenizer->kind(), "RWKV");
    const TokenId the = 258;
    EXPECT_EQ(idsOf(*tokenizer, "the the the thx"),
              (Ids{the + 1, ' ' + 1, the, ' ' + 1, the - 1, 'x' + 1}));
    EXPECT_EQ(idsOf(*tokenizer, "\u00E9\n\n\n\\"), (Ids{260, 261, '\n' + 1, '\\' + 1}));
    EXPECT_EQ(idsOf(*tokenizer, "\xC3\xFF"), (Ids{0xC3 + 1, 0xFF + 1}));
    EXPECT_EQ(tokenizer->bytes(0xFF + 1), "\xFF");
    EXPECT_EQ(idsOf(*tokenizer, "<s>"), (Ids{'<' + 1, 's' + 1, '>' + 1}));
}

TEST(Plamo, TakesTheBestPieces)
{
    const auto tokenizer = openGguf(plamoGguf());
    EXPECT_EQ(tokenizer->kind(), "PLaMo 2");
    const auto id = [&](const char *text) { return *tokenizer->find(text); };
    // the in costs 20, t, hein 2 + 3.
    EXPECT_EQ(idsOf(*tokenizer, "thein"), (Ids{id("t"), id("hein")}));
    EXPECT_EQ(idsOf(*tokenizer, "the in"), Ids{id("the in")}); // a space is 1000 as bytes
    EXPECT_EQ(idsOf(*tokenizer, "\u00E9"), (Ids{id("<0xC3>"), id("<0xA9>")}));
    EXPECT_EQ(idsOf(*tokenizer, "\xFF"), Ids{id("<0xFF>")});
    EXPECT_EQ(tokenizer->decode(idsOf(*tokenizer, "th\u00E9 in")), "th\u00E9 in");
    // Every byte needs a token.
    EXPECT_THROW(openGguf(piecesGguf("plamo2", {"a"}, {1})
                              .f32Array("tokenizer.ggml.scores", std::vector<float>{0})),
                 Error);
}

/// The older kind of BPE: marks within words or at their ends.
TEST(BpeOfWords, MarksTheirParts)
{
    auto json = Json::parse(R"({"pre_tokenizer": {"type": "WhitespaceSplit"},
        "decoder": {"type": "BPEDecoder", "suffix": "</w>"},
        "model": {"type": "BPE", "unk_token": null, "end_of_word_suffix": "</w>",
                  "vocab": {"a": 0, "b": 1, "a</w>": 2, "b</w>": 3, "ab": 4, "ab</w>": 5},
                  "merges": ["a b", "a b</w>"]}})");
    const auto ends = openJson(json.dump());
    EXPECT_EQ(idsOf(*ends, "ab aba a"), (Ids{5, 4, 2, 2}));
    EXPECT_EQ(ends->decode(Ids{5, 4, 2, 2}), "ab aba a");
    json["model"] = Json::parse(R"({"type": "BPE", "unk_token": "?", "fuse_unk": true,
                  "continuing_subword_prefix": "@@",
                  "vocab": {"?": 0, "a": 1, "b": 2, "@@a": 3, "@@b": 4, "ab": 5, "@@ab": 6},
                  "merges": [["a", "@@b"], ["@@a", "@@b"]]})");
    const auto parts = openJson(json.dump());
    EXPECT_EQ(idsOf(*parts, "ab abab baab"), (Ids{5, 5, 6, 2, 3, 6}));
    EXPECT_EQ(idsOf(*parts, "axxb"), (Ids{1, 0, 4}));
}

/// What no token stands for is left out, and what is beside it joins.
TEST(BpeOfWords, JoinOverWhatIsLeftOut)
{
    const auto tokenizer = openJson(R"({"model": {"type": "BPE", "unk_token": null,
        "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}})");
    EXPECT_EQ(idsOf(*tokenizer, "axb xab"), (Ids{2, 2}));
}

/// Tokens of GGUF files in which merging works on characters.
TEST(BpeOfCharacters, IsWhatSomeNamesOfRulesMean)
{
    BpePieces pieces;
    pieces.texts = {"<pad>", "<bos>",     "\u2581", "t",    "h",      "e",     "th",
                    "the",   "\u2581the", "\n",     "\n\n", "<0xC3>", "<0xA9>"};
    pieces.types = {3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 6, 6};
    pieces.merges = {"t h", "th e", "\u2581 the"};
    pieces.pre = "gemma4";
    const auto tokenizer = openGguf(pieces.builder().u32("tokenizer.ggml.bos_token_id", 1));
    EXPECT_EQ(tokenizer->kind(), "BPE of characters");
    EXPECT_EQ(idsOf(*tokenizer, "the the\n\nth\u00E9", true), (Ids{1, 7, 8, 10, 6, 11, 12}));
    EXPECT_EQ(tokenizer->decode(Ids{1, 7, 8, 10, 6, 11, 12}), "the the\n\nth\u00E9");
    pieces.pre = "whitespace";
    EXPECT_EQ(idsOf(*openGguf(pieces.builder()), "the \n the"), (Ids{7, 7}));
}

/// A quadratic way would need days here, whatever the machine.
TEST(LongTexts, OfOneLetterAreNotQuadratic)
{
    const std::string text(1'000'000, 'a');
    const auto golden = std::filesystem::path(FIRESIDE_TEST_DATA) / "golden" / "tokenizers";
    for (const char *family : {"bert-cased", "metaspace-unigram", "gemma", "o200k", "tekken"})
        EXPECT_FALSE(idsOf(*Tokenizer::open(golden / family), text).empty()) << family;
    auto wordPiece = smallWordPieceJson();
    wordPiece["model"]["max_input_chars_per_word"] = 100'000'000;
    wordPiece["model"]["vocab"]["a"] = 13;
    wordPiece["model"]["vocab"]["##a"] = 14;
    EXPECT_EQ(idsOf(*openJson(wordPiece.dump()), text).size(), text.size());
    EXPECT_EQ(idsOf(*openGguf(wordPieceGguf()), text), Ids{0});
    EXPECT_EQ(idsOf(*openGguf(unigramGguf()), text), (Ids{3, 2}));
    EXPECT_EQ(idsOf(*openGguf(rwkvGguf()), text).size(), text.size());
    EXPECT_EQ(idsOf(*openGguf(plamoGguf()), text).size(), text.size());
    auto scripts = smallUnigramJson();
    scripts["pre_tokenizer"] = {{"type", "UnicodeScripts"}};
    EXPECT_EQ(idsOf(*openJson(scripts.dump()), text), Ids{0});
}

} // namespace
} // namespace fireside::test
