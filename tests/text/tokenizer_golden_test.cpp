#include "engine/text/tokenizer.h"
#include "tests/support/require.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

namespace fireside::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Ids = std::vector<TokenId>;

const fs::path kGolden = fs::path(FIRESIDE_TEST_DATA) / "golden" / "tokenizers";

Json readJson(const fs::path &path)
{
    std::ifstream file(path);
    return Json::parse(file);
}

class GoldenTokenizer : public testing::TestWithParam<const char *>
{};

TEST_P(GoldenTokenizer, MatchesHuggingFaceOnEveryString)
{
    const fs::path folder = kGolden / GetParam();
    const auto tokenizer = Tokenizer::open(folder);
    const Json vectors = readJson(folder / "vectors.json");
    ASSERT_EQ(vectors.size(), 71u);
    for (const Json &vector : vectors) {
        const std::string text = vector["text"];
        SCOPED_TRACE(Json(text).dump());
        const Ids ids = vector["ids"];
        EXPECT_EQ(tokenizer->encode(MarkedText::trusted(text), false), ids);
        EXPECT_EQ(tokenizer->encode(MarkedText::trusted(text), true),
                  vector["ids_special"].get<Ids>());
        EXPECT_EQ(tokenizer->decode(ids, true), vector["decoded"].get<std::string>());
    }
}

TEST_P(GoldenTokenizer, UntrustedTextNeverBecomesAControlToken)
{
    const fs::path folder = kGolden / GetParam();
    const auto tokenizer = Tokenizer::open(folder);
    for (const Json &vector : readJson(folder / "vectors.json")) {
        const std::string text = vector["text"];
        SCOPED_TRACE(Json(text).dump());
        for (const TokenId id : tokenizer->encode(MarkedText::fromUser(text), false))
            EXPECT_FALSE(tokenizer->isControl(id) && id != tokenizer->unknown()) << id;
    }
}

TEST_P(GoldenTokenizer, EncodesAnyBytes)
{
    const auto tokenizer = Tokenizer::open(kGolden / GetParam());
    if (tokenizer->kind() == "WordPiece" || tokenizer->kind() == "Unigram")
        return; // no tokens for bytes: see BytesWithoutTokens
    const std::string broken = "caf\xC3 \xFF\xFE ok \xE2\x82 \xF0\x9F\x98";
    const Ids ids = tokenizer->encode(MarkedText::fromUser(broken), false);
    std::string joined;
    for (const TokenId id : ids)
        joined += tokenizer->bytes(id);
    EXPECT_NE(joined.find(broken), std::string::npos) << Json(ids).dump();
    EXPECT_EQ(tokenizer->decode(ids), "caf\uFFFD \uFFFD\uFFFD ok \uFFFD \uFFFD");
    EXPECT_EQ(tokenizer->bytes(-1), "\uFFFD");
    EXPECT_EQ(tokenizer->bytes(static_cast<TokenId>(tokenizer->size())), "\uFFFD");
    EXPECT_EQ(tokenizer->decode(Ids{INT32_MAX, INT32_MIN}), "\uFFFD\uFFFD");
}

INSTANTIATE_TEST_SUITE_P(Families, GoldenTokenizer,
                         testing::Values("llama3", "gpt2", "qwen2", "starcoder", "deepseek",
                                         "tekken", "o200k", "llama2-spm", "gemma", "bert-cased",
                                         "bert-uncased", "metaspace-unigram"),
                         [](const auto &family) {
                             std::string name = family.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

/// What is no UTF-8 is U+FFFD, which BERT drops and a unigram model does not know.
TEST(BytesWithoutTokens, AreReplaced)
{
    const std::string broken = "caf\xC3 \xFF\xFE ok \xE2\x82";
    const auto bert = Tokenizer::open(kGolden / "bert-cased");
    EXPECT_EQ(bert->encode(MarkedText::fromUser(broken), false),
              bert->encode(MarkedText::fromUser("caf  ok "), false));
    const auto unigram = Tokenizer::open(kGolden / "metaspace-unigram");
    EXPECT_EQ(unigram->encode(MarkedText::fromUser(broken), false),
              unigram->encode(MarkedText::fromUser("caf\uFFFD \uFFFD\uFFFD ok \uFFFD"), false));
    for (const auto *tokenizer : {bert.get(), unigram.get()}) {
        EXPECT_EQ(tokenizer->bytes(-1), "\uFFFD");
        EXPECT_EQ(tokenizer->decode(Ids{INT32_MAX, INT32_MIN}).substr(0, 3), "\uFFFD");
    }
}

TEST(StarterModel, TokenizesItsPrompts)
{
    const auto tokenizer = Tokenizer::open(fs::path(FIRESIDE_SOURCE_DIR) /
                                           "resources/models/fireside-starter-29m-q5_k_m.gguf");
    // The training run's own ids for the beginning of every chat.
    const std::string prompt = "<|im_start|>user\nWho are you?<|im_end|>\n<|im_start|>assistant\n";
    const Ids ids{1, 5613, 201, 4985, 387, 307, 33, 2, 201, 1, 593, 1783, 201};
    EXPECT_EQ(tokenizer->encode(MarkedText::trusted(prompt), true), ids);
    EXPECT_EQ(tokenizer->decode(ids, true), prompt);
    EXPECT_EQ(tokenizer->decode(ids), "user\nWho are you?\nassistant\n");
    EXPECT_TRUE(tokenizer->endsGeneration(2));
    EXPECT_TRUE(tokenizer->endsGeneration(0)); // <|endoftext|>
    EXPECT_FALSE(tokenizer->endsGeneration(1));
    EXPECT_EQ(tokenizer->bosText(), "<|endoftext|>");
    EXPECT_EQ(tokenizer->eosText(), "<|im_end|>");
    EXPECT_EQ(tokenizer->find("<|im_end|>"), 2);
}

class GgufVocabulary : public testing::TestWithParam<const char *>
{};

TEST_P(GgufVocabulary, MatchesLlamaCppOnEveryString)
{
    const fs::path base = fs::path(FIRESIDE_SHARED_DATA) / "golden/gguf-vocab" /
                          (std::string("ggml-vocab-") + GetParam() + ".gguf");
    if (!fs::exists(base))
        FIRESIDE_SKIP("the full set of golden data is not here: " + base.string());
    const auto tokenizer = Tokenizer::open(base);
    std::ifstream input(base.string() + ".inp"), expected(base.string() + ".out");
    std::stringstream all;
    all << input.rdbuf();
    const std::string texts = all.str(), separator = "\n__ggml_vocab_test__\n";
    std::string line;
    std::size_t at = 0;
    int compared = 0;
    while (std::getline(expected, line)) {
        const std::size_t end = std::min(texts.find(separator, at), texts.size());
        const std::string text = texts.substr(at, end - at);
        SCOPED_TRACE(Json(text).dump());
        std::istringstream numbers(line);
        const Ids ids(std::istream_iterator<TokenId>(numbers), {});
        EXPECT_EQ(tokenizer->encode(MarkedText::trusted(text), false), ids);
        if (tokenizer->kind() != "WordPiece") { // which takes spaces and accents away
            EXPECT_EQ(tokenizer->decode(ids), text);
        }
        ++compared;
        if (end == texts.size())
            break;
        at = end + separator.size();
    }
    EXPECT_EQ(compared, 46);
}

INSTANTIATE_TEST_SUITE_P(Files, GgufVocabulary,
                         testing::Values("gpt-2", "llama-spm", "phi-3", "bert-bge"));

} // namespace
} // namespace fireside::test
