#include "engine/core/error.h"
#include "tests/text/tokenizer_builder.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace fireside::test {
namespace {

using Json = nlohmann::json;

void expectRejected(const std::function<void()> &open, const std::string &needle,
                    ErrorKind kind = ErrorKind::BadInput)
{
    try {
        open();
        ADD_FAILURE() << "accepted; expected an error with " << needle;
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        EXPECT_NE(std::string(error.what()).find(needle), std::string::npos) << error.what();
    }
}

void expectJsonRejected(const std::function<void(Json &)> &spoil, const std::string &needle,
                        ErrorKind kind = ErrorKind::BadInput)
{
    Json root = smallTokenizerJson();
    spoil(root);
    expectRejected([&] { openJson(root.dump()); }, needle, kind);
}

TEST(HostileTokenizerJson, TheUnspoiledOneOpens)
{
    const auto tokenizer = openJson(smallTokenizerJson().dump());
    EXPECT_EQ(tokenizer->encode(MarkedText::fromUser("the"), false), std::vector<TokenId>{257});
}

TEST(HostileTokenizerJson, IsRejectedNamingTheKey)
{
    expectRejected([] { openJson("{\"model\": "); }, "JSON");
    expectRejected([] { openJson("[]"); }, "no object");
    expectRejected([] { openJson("{}"); }, "not supported", ErrorKind::Unsupported);
    expectRejected([] { openJson(""); }, "JSON");
    expectRejected([] { openJson(std::string(1'000'000, '[')); }, "deeper");
    expectJsonRejected(
        [](Json &r) {
            for (int i = 0; i < 40; ++i)
                r["normalizer"] = {{"type", "Sequence"}, {"normalizers", {r["normalizer"]}}};
        },
        "deeper");
    const auto vocab = "model.vocab";
    expectJsonRejected([](Json &r) { r["model"]["vocab"]["x1"] = -1; }, vocab);
    expectJsonRejected([](Json &r) { r["model"]["vocab"]["x1"] = 1.5; }, vocab);
    expectJsonRejected([](Json &r) { r["model"]["vocab"]["x1"] = 1ull << 40; }, vocab);
    expectJsonRejected([](Json &r) { r["model"]["vocab"]["x1"] = 2147483648u; }, vocab);
    expectJsonRejected([](Json &r) { r["model"]["vocab"]["x1"] = "7"; }, vocab);
    expectJsonRejected([](Json &r) { r["model"]["vocab"]["x1"] = 257; }, vocab);
    expectJsonRejected([](Json &r) { r["model"]["vocab"] = Json::array(); }, vocab);
    expectJsonRejected([](Json &r) { r["model"].erase("vocab"); }, vocab);
    const auto merges = "model.merges";
    expectJsonRejected([](Json &r) { r["model"]["merges"] = "t h"; }, merges);
    expectJsonRejected([](Json &r) { r["model"]["merges"][1] = Json::array({"zz", "e"}); }, merges);
    expectJsonRejected([](Json &r) { r["model"]["merges"][1] = Json::array({"t", "e"}); }, merges);
    expectJsonRejected([](Json &r) { r["model"]["merges"][1] = Json::array({"t"}); }, merges);
    expectJsonRejected([](Json &r) { r["model"]["merges"][1] = "th"; }, merges);
    expectJsonRejected([](Json &r) { r["model"]["merges"][1] = "t h e"; }, merges);
    expectJsonRejected([](Json &r) { r["model"]["merges"][1] = Json::array({1, 2}); }, merges);
    const auto added = "added_tokens";
    expectJsonRejected([](Json &r) { r["added_tokens"] = 5; }, added);
    expectJsonRejected([](Json &r) { r["added_tokens"][0]["id"] = -5; }, added);
    expectJsonRejected([](Json &r) { r["added_tokens"][0]["id"] = 4000000000u; }, added);
    expectJsonRejected([](Json &r) { r["added_tokens"][0]["id"] = 5; }, added);
    expectJsonRejected([](Json &r) { r["added_tokens"][0].erase("content"); }, added);
    expectJsonRejected([](Json &r) { r["added_tokens"][0]["content"] = "the"; }, added);
    expectJsonRejected([](Json &r) { r["added_tokens"][0]["special"] = 1; }, "special");
    expectJsonRejected([](Json &r) { r["model"]["unk_token"] = "<nope>"; }, "unk_token");
    expectJsonRejected(
        [](Json &r) {
            r["post_processor"] = Json::parse(
                R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>"}}],
                    "special_tokens": {"<s>": {"ids": [999]}}})");
        },
        "post_processor");
    expectJsonRejected(
        [](Json &r) {
            r["post_processor"] = {
                {"type", "BertProcessing"}, {"cls", Json::array({"a", -1})}, {"sep", 3}};
        },
        "post_processor.cls");
}

TEST(HostileTokenizerJson, UnknownRulesAreNamed)
{
    const auto unsupported = ErrorKind::Unsupported;
    expectJsonRejected([](Json &r) { r["model"]["type"] = "Magic"; }, "Magic", unsupported);
    expectJsonRejected(
        [](Json &r) {
            r["normalizer"] = {{"type", "Magic"}};
        },
        "Magic", unsupported);
    expectJsonRejected([](Json &r) { r["pre_tokenizer"]["type"] = "Magic"; }, "Magic", unsupported);
    expectJsonRejected([](Json &r) { r["decoder"]["type"] = "Magic"; }, "Magic", unsupported);
    expectJsonRejected(
        [](Json &r) {
            r["post_processor"] = {{"type", "Magic"}};
        },
        "Magic", unsupported);
    expectJsonRejected([](Json &r) { r["normalizer"] = 7; }, "normalizer");
    expectJsonRejected(
        [](Json &r) {
            r["pre_tokenizer"] = {{"type", "Sequence"}};
        },
        "pretokenizers");
    expectJsonRejected(
        [](Json &r) {
            r["pre_tokenizer"] = {
                {"type", "Split"}, {"pattern", {{"Regex", "(["}}}, {"behavior", "Isolated"}};
        },
        "regular expression");
}

TEST(HostileTokenizerJson, ExplodingPatternEndsInAnError)
{
    Json root = smallTokenizerJson();
    root["pre_tokenizer"] = {
        {"type", "Split"}, {"pattern", {{"Regex", "(?:a|aa|aaa)+$"}}}, {"behavior", "Isolated"}};
    const auto tokenizer = openJson(root.dump());
    expectRejected(
        [&] { tokenizer->encode(MarkedText::fromUser(std::string(200, 'a') + "!"), false); },
        "regular expression");
}

TEST(HostileTokenizerJson, HolesAndEmptyTextsAreHarmless)
{
    Json root = smallTokenizerJson();
    root["model"]["vocab"]["far"] = 5000;
    root["added_tokens"].push_back({{"id", 5001}, {"content", ""}, {"special", true}});
    const auto tokenizer = openJson(root.dump());
    EXPECT_EQ(tokenizer->size(), 5002u);
    for (TokenId id = 0; id < 5002; ++id)
        tokenizer->bytes(id, true);
    EXPECT_EQ(tokenizer->bytes(4000), "");
    EXPECT_FALSE(tokenizer->find("").has_value());
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(MarkedText::trusted("far the"), true)),
              "far the");
}

TEST(HostileTokenizerJson, MissingBytesAreLeftOutNotInvented)
{
    Json root = smallTokenizerJson();
    root["model"]["vocab"].erase("z");
    const auto tokenizer = openJson(root.dump());
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(MarkedText::fromUser("azb"), false)), "ab");
}

TEST(HostileGguf, GoodOnesOpen)
{
    const auto bpe = openGguf(BpePieces().builder());
    EXPECT_EQ(bpe->encode(MarkedText::fromUser("the"), true), std::vector<TokenId>{257});
    const auto spm = openGguf(SpmPieces().builder());
    const auto ids = spm->encode(MarkedText::fromUser("the the"), true);
    const TokenId the = *spm->find("\xE2\x96\x81the");
    EXPECT_EQ(ids, (std::vector<TokenId>{1, the, the}));
    EXPECT_EQ(spm->decode(ids), "the the");
}

void expectBpeRejected(const std::function<void(BpePieces &)> &spoil, const std::string &needle)
{
    BpePieces pieces;
    spoil(pieces);
    expectRejected([&] { openGguf(pieces.builder()); }, needle);
}

TEST(HostileGguf, ArraysThatDoNotFitTheTokensAreRejected)
{
    expectBpeRejected([](BpePieces &p) { p.types.pop_back(); }, "token_type");
    expectBpeRejected([](BpePieces &p) { p.types.push_back(1); }, "token_type");
    expectBpeRejected([](BpePieces &p) { p.types[3] = 77; }, "token_type");
    expectBpeRejected([](BpePieces &p) { p.types[3] = -1; }, "token_type");
    expectBpeRejected([](BpePieces &p) { p.texts[3] = p.texts[4]; }, "tokens");
    expectBpeRejected([](BpePieces &p) { p.texts.clear(), p.types.clear(); }, "tokens");
    SpmPieces pieces;
    pieces.scores.pop_back();
    expectRejected([&] { openGguf(pieces.builder()); }, "scores");
    pieces = {};
    pieces.scores[9] = std::numeric_limits<float>::quiet_NaN();
    expectRejected([&] { openGguf(pieces.builder()); }, "scores");
}

TEST(HostileGguf, BadMergesAreRejected)
{
    for (const char *merge : {"nothing", "", " ", "t", "zz h", "t zz", "t e"})
        expectBpeRejected([merge](BpePieces &p) { p.merges.push_back(merge); }, "merges");
    BpePieces pieces;
    GgufBuilder file;
    file.string("tokenizer.ggml.model", "gpt2").strings("tokenizer.ggml.tokens", pieces.texts);
    expectRejected([&] { openGguf(file); }, "merges");
    file.u32("tokenizer.ggml.merges", 5);
    expectRejected([&] { openGguf(file); }, "merges");
}

TEST(HostileGguf, BadIdsAreRejected)
{
    for (const std::string key : {"bos", "eos", "eot", "eom", "unknown"}) {
        const std::string name = "tokenizer.ggml." + key + "_token_id";
        if (key == "bos" || key == "eos") { // the others are ignored
            expectRejected([&] { openGguf(BpePieces().builder().u32(name, 259)); }, name);
            expectRejected([&] { openGguf(BpePieces().builder().i32(name, -2)); }, name);
        }
        expectRejected([&] { openGguf(BpePieces().builder().string(name, "x")); }, name);
    }
}

TEST(HostileGguf, UnknownKindsAreNamed)
{
    GgufBuilder file;
    file.string("tokenizer.ggml.model", "t6");
    expectRejected([&] { openGguf(file); }, "'t6'", ErrorKind::Unsupported);
    expectRejected([] { openGguf(GgufBuilder().string("tokenizer.ggml.model", "none")); },
                   "holds no vocabulary");
    expectRejected([] { openGguf(GgufBuilder()); }, "tokenizer.ggml.model");
}

TEST(HostileGguf, WithoutAKnownRuleTheOldestOneCuts)
{
    const std::string text = "the 12345 a+b";
    BpePieces pieces;
    pieces.pre = "default";
    const std::vector<TokenId> wanted =
        openGguf(pieces.builder())->encode(MarkedText::trusted(text), false);
    for (const char *rule : {"", "no-such-rule"}) {
        pieces.pre = rule;
        EXPECT_EQ(openGguf(pieces.builder())->encode(MarkedText::trusted(text), false), wanted)
            << rule;
    }
}

TEST(HostileGguf, TokensThatAreNoUtf8DecodeToReplacements)
{
    BpePieces pieces;
    pieces.add("\xFF\xFE", 1);
    pieces.add("\xE2\x82", 4);
    const auto tokenizer = openGguf(pieces.builder());
    EXPECT_EQ(tokenizer->decode(std::vector<TokenId>{259, 260}), "\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(MarkedText::fromUser("the \xE2\x82"), false)),
              "the \uFFFD");

    SpmPieces spm;
    spm.add("\xFF\xE2\x96", -99, 1);
    spm.add("<0xZZ>", -99, 6);
    const auto other = openGguf(spm.builder());
    EXPECT_EQ(other->decode(std::vector<TokenId>{*other->find("\xFF\xE2\x96")}), "\uFFFD\uFFFD");
    EXPECT_EQ(other->bytes(*other->find("<0xZZ>")), "\uFFFD");
}

TEST(HostileTokenizerJson, BadRulesAreNamed)
{
    const auto rejected = [](const char *part, const char *rule, const char *needle) {
        Json root = smallTokenizerJson();
        root[part] = Json::parse(rule);
        expectRejected([&] { openJson(root.dump()); }, needle);
    };
    rejected("normalizer", R"({"type": "Precompiled"})", "precompiled_charsmap");
    rejected("normalizer", R"({"type": "Precompiled", "precompiled_charsmap": "*"})", "base64");
    rejected("normalizer", R"({"type": "Precompiled", "precompiled_charsmap": "AAAA"})",
             "map of 3");
    rejected("normalizer", R"({"type": "Precompiled", "precompiled_charsmap": "/////w=="})",
             "trie");
    rejected("normalizer", R"({"type": "BertNormalizer", "lowercase": 3})", "lowercase");
    rejected("pre_tokenizer", R"({"type": "FixedLength", "length": 0})", "length 0");
    rejected("pre_tokenizer", R"({"type": "FixedLength", "length": -1})", "length");
    rejected("pre_tokenizer", R"({"type": "CharDelimiterSplit"})", "delimiter");
    rejected("pre_tokenizer", R"({"type": "CharDelimiterSplit", "delimiter": "ab"})", "delimiter");
    rejected("pre_tokenizer", R"({"type": "Metaspace", "replacement": ""})", "replacement");
    rejected("decoder", R"({"type": "Strip", "content": "ab"})", "content");
    rejected("decoder", R"({"type": "Strip", "content": " ", "start": -2})", "start");
    rejected("decoder", R"({"type": "Replace", "content": ""})", "pattern");
    for (const char *part : {"normalizer", "pre_tokenizer", "decoder"}) {
        Json root = smallTokenizerJson();
        const char *list = part == std::string("normalizer") ? "normalizers"
                           : part == std::string("decoder")  ? "decoders"
                                                             : "pretokenizers";
        const Json one = part == std::string("normalizer") ? Json{{"type", "NFC"}}
                         : part == std::string("decoder")  ? Json{{"type", "Fuse"}}
                                                           : Json{{"type", "Whitespace"}};
        root[part] = {{"type", "Sequence"}, {list, std::vector<Json>(1100, one)}};
        expectRejected([&] { openJson(root.dump()); }, "more than 1000 rules");
    }
}

/// The models that are not BPE, each with what it cannot do without.
TEST(HostileTokenizerJson, BadModelsAreNamed)
{
    const auto rejected = [](const char *model, const char *needle) {
        Json root = smallTokenizerJson();
        root["added_tokens"] = Json::array();
        root["model"] = Json::parse(model);
        expectRejected([&] { openJson(root.dump()); }, needle);
    };
    rejected(R"({"type": "Unigram"})", "model.vocab");
    rejected(R"({"type": "Unigram", "vocab": []})", "empty");
    rejected(R"({"type": "Unigram", "vocab": [["a"]]})", "model.vocab[0]");
    rejected(R"({"type": "Unigram", "vocab": [["a", -1], ["b", null]]})", "model.vocab[1]");
    rejected(R"({"type": "Unigram", "vocab": [[3, -1]]})", "model.vocab[0]");
    rejected(R"({"type": "Unigram", "vocab": [["a", -1], ["a", -2]]})", "same text");
    rejected(R"({"type": "Unigram", "vocab": [["a", -1]], "unk_id": 1})", "unk_id");
    rejected(R"({"type": "Unigram", "vocab": [["a", -1]], "unk_id": -1})", "unk_id");
    rejected(R"({"type": "WordPiece", "vocab": {}})", "empty");
    rejected(R"({"type": "WordPiece", "vocab": [["a", 1]]})", "model.vocab");
    rejected(R"({"type": "WordPiece", "vocab": {"a": 0}, "max_input_chars_per_word": -1})",
             "max_input");
    rejected(R"({"type": "WordLevel", "vocab": {"a": 0, "b": 0}})", "same id");
    rejected(R"({"type": "WordLevel", "vocab": {"a": 0}, "unk_token": 7})", "unk_token");
}

/// Opens, and if that works uses, a file that may be damaged anywhere. Anything but an Error or a
/// working tokenizer ends the test program.
bool openAndUse(const std::filesystem::path &path)
{
    try {
        const auto tokenizer = Tokenizer::open(path);
        const MarkedText text{"the <|im_end|> in\xFF caf\u00E9 \n<s>", {{3, 12}}};
        const auto ids = tokenizer->encode(text, true);
        EXPECT_TRUE(isValidUtf8(tokenizer->decode(ids, true)));
        for (TokenId id = -1; id < 400; ++id) {
            tokenizer->bytes(id, true);
            tokenizer->endsGeneration(id);
        }
        tokenizer->bosText();
        tokenizer->eosText();
        return true;
    } catch (const Error &error) {
        EXPECT_NE(error.kind(), ErrorKind::Internal) << error.what();
        return false;
    }
}

TEST(HostileTokenizer, RandomDamageIsAnErrorOrHarmless)
{
    std::mt19937 random(11);
    const auto bytesOf = [](const GgufBuilder &file) {
        const auto bytes = file.build();
        return std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    };
    const std::string tokenizerJson = smallTokenizerJson().dump();
    const std::vector<std::string> originals{tokenizerJson,
                                             bytesOf(BpePieces().builder()),
                                             bytesOf(SpmPieces().builder()),
                                             smallWordPieceJson().dump(),
                                             smallUnigramJson().dump(),
                                             bytesOf(wordPieceGguf()),
                                             bytesOf(unigramGguf()),
                                             bytesOf(plamoGguf()),
                                             bytesOf(rwkvGguf())};
    const TempDir folder;
    int opened = 0;
    for (int round = 0; round < 3600; ++round) {
        std::string bytes = originals[static_cast<std::size_t>(round) % originals.size()];
        for (auto changes = 1 + random() % 4; changes > 0; --changes) {
            // Digits and brackets do more harm to JSON than arbitrary bytes.
            static constexpr std::string_view harmful = "0123456789-[]{}\"\\,:. \0\xFF";
            bytes[random() % bytes.size()] = random() % 2 ? harmful[random() % harmful.size()]
                                                          : static_cast<char>(random() % 256);
        }
        if (random() % 8 == 0)
            bytes.resize(random() % bytes.size());
        std::ofstream(folder / "damaged", std::ios::binary) << bytes;
        opened += openAndUse(folder / "damaged");
    }
    EXPECT_GT(opened, 100); // the damage must often be deep enough to matter, but not always
    EXPECT_LT(opened, 3400);
}

TEST(TokenizerOpen, SaysWhatIsMissing)
{
    const TempDir folder;
    expectRejected([&] { Tokenizer::open(folder.path()); }, "neither");
    expectRejected([&] { Tokenizer::open(folder / "absent.json"); }, "absent.json", ErrorKind::Io);
}

} // namespace
} // namespace fireside::test
