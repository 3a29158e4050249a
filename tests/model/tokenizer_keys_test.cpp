// Tokenizers of folders in GGUF files: the same ids as before, or a refusal that names the reason.
#include "engine/convert/merge_order.h"
#include "engine/convert/tokenizer_keys.h"
#include "engine/core/error.h"
#include "engine/files/gguf.h"
#include "engine/files/gguf_writer.h"
#include "engine/files/new_file.h"
#include "engine/text/tokenizer.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/golden.h"
#include "tests/support/seed.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <random>
#include <string>

namespace fireside {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json readJson(const fs::path &path)
{
    std::ifstream file(path);
    return json::parse(file);
}

fs::path goldenTokenizer(const std::string &name)
{
    return test::testData() / "golden" / "tokenizers" / name;
}

/// The tokenizer of a folder as a GGUF file has it.
fs::path written(const fs::path &folder, const fs::path &to, std::size_t rows = 4096)
{
    GgufWriter out;
    out.string("general.architecture", "llama");
    writeTokenizerKeys(folder, rows, out);
    NewFile file(to, NewFile::Existing::Replace);
    out.writeHeader(file);
    file.keep();
    return to;
}

/// What a GGUF file has no words for: composed characters before byte-level models, and words
/// that are too long for BERT.
bool isBeyondGguf(const std::string &model, const std::string &pre, const std::string &text)
{
    const bool combining = text.find("\u0301") != std::string::npos;
    return (pre == "qwen2" && combining) ||
           (model == "bert" && text.find(std::string(101, 'x')) != std::string::npos);
}

struct Written
{
    const char *name, *model, *pre;
};

class GoldenTokenizerKeysTest : public testing::TestWithParam<Written>
{};

TEST_P(GoldenTokenizerKeysTest, IdsStay)
{
    const test::TempDir dir;
    const fs::path folder = goldenTokenizer(GetParam().name);
    const fs::path path = written(folder, dir / "model.gguf");
    const Gguf gguf = Gguf::open(path);
    EXPECT_EQ(gguf.requireString("tokenizer.ggml.model"), GetParam().model);
    EXPECT_EQ(gguf.findString("tokenizer.ggml.pre").value_or(""), GetParam().pre);
    EXPECT_EQ(gguf.findArray("tokenizer.ggml.tokens")->size(), 4096u);
    const auto before = Tokenizer::open(folder), after = Tokenizer::open(path);
    EXPECT_EQ(after->bosText(), before->bosText());
    EXPECT_EQ(after->eosText(), before->eosText());
    for (const json &vector : readJson(folder / "vectors.json")) {
        const std::string text = vector["text"];
        if (isBeyondGguf(GetParam().model, GetParam().pre, text))
            continue;
        SCOPED_TRACE(json(text).dump());
        const auto ids = vector["ids"].get<std::vector<TokenId>>();
        EXPECT_EQ(after->encode(MarkedText::trusted(text), false), ids);
        EXPECT_EQ(after->encode(MarkedText::trusted(text), true),
                  vector["ids_special"].get<std::vector<TokenId>>());
        EXPECT_EQ(after->encode(MarkedText::fromUser(text), false),
                  before->encode(MarkedText::fromUser(text), false));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Families, GoldenTokenizerKeysTest,
    testing::Values(Written{"llama3", "gpt2", "llama-bpe"}, Written{"gpt2", "gpt2", "gpt-2"},
                    Written{"qwen2", "gpt2", "qwen2"}, Written{"starcoder", "gpt2", "starcoder"},
                    Written{"tekken", "gpt2", "tekken"}, Written{"o200k", "gpt2", "gpt-4o"},
                    Written{"bert-cased", "bert", ""}, Written{"bert-uncased", "bert", ""}),
    [](const auto &test) {
        std::string name = test.param.name;
        std::replace(name.begin(), name.end(), '-', '_');
        return name;
    });

const std::string kMark = "\u2581";

/// A tokenizer.json without byte-level rules: `model` and what is done to texts before.
void writeFolder(const fs::path &folder, json model, json normalizer, json preTokenizer)
{
    fs::create_directories(folder);
    json added = json::array();
    for (int id = 0; id < 3; ++id)
        added.push_back(
            {{"id", id},
             {"content", std::array{"<unk>", "<s>", "</s>"}[static_cast<std::size_t>(id)]},
             {"special", true}});
    const json root{{"added_tokens", added},
                    {"normalizer", std::move(normalizer)},
                    {"pre_tokenizer", std::move(preTokenizer)},
                    {"model", std::move(model)}};
    std::ofstream(folder / "tokenizer.json") << root.dump();
}

/// Pieces of which every pair that makes another is a merge, as SentencePiece's are.
struct Pieces
{
    explicit Pieces(std::mt19937_64 &random)
        : texts{"<unk>", "<s>", "</s>", kMark, "a", "b", "c", "\u00e9"}
    {
        while (texts.size() < 60) {
            const auto any = [&] { return texts[3 + random() % (texts.size() - 3)]; };
            std::string made = any() + any();
            if (made.size() < 14 && std::find(texts.begin(), texts.end(), made) == texts.end())
                texts.push_back(std::move(made));
        }
        const auto isPiece = [&](const std::string &text) {
            return std::find(texts.begin() + 3, texts.end(), text) != texts.end();
        };
        for (std::size_t i = 8; i < texts.size(); ++i)
            for (std::size_t cut = 1; cut < texts[i].size(); ++cut)
                if (isPiece(texts[i].substr(0, cut)) && isPiece(texts[i].substr(cut)))
                    merges.push_back(json::array({texts[i].substr(0, cut), texts[i].substr(cut)}));
    }
    json model() const
    {
        json vocabulary = json::object();
        for (std::size_t i = 0; i < texts.size(); ++i)
            vocabulary[texts[i]] = i;
        return {{"type", "BPE"},         {"unk_token", "<unk>"}, {"fuse_unk", true},
                {"byte_fallback", true}, {"vocab", vocabulary},  {"merges", merges}};
    }
    std::vector<std::string> texts;
    json merges = json::array();
};

/// The same ids for texts of the pieces' characters.
void expectSame(const fs::path &folder, const char *model, std::mt19937_64 &random)
{
    const fs::path path = written(folder, folder / "model.gguf", 70);
    EXPECT_EQ(Gguf::open(path).requireString("tokenizer.ggml.model"), model);
    const auto before = Tokenizer::open(folder / "tokenizer.json"), after = Tokenizer::open(path);
    const std::array<std::string, 6> parts{"a", "b", "c", "\u00e9", " ", "</s>"};
    for (int i = 0; i < 300; ++i) {
        std::string text;
        for (std::uint64_t n = random() % 30; n > 0; --n)
            text += parts[random() % (i % 3 == 0 ? 6 : 5)];
        EXPECT_EQ(after->encode(MarkedText::trusted(text), true),
                  before->encode(MarkedText::trusted(text), true))
            << text;
    }
}

json replaceSpaces()
{
    return {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", kMark}};
}

TEST(TokenizerKeys, PiecesOfSentencePieceHaveScores)
{
    std::mt19937_64 random(test::seed());
    for (const bool prepend : {false, true}) {
        const test::TempDir dir;
        json rules = json::array();
        if (prepend)
            rules.push_back({{"type", "Prepend"}, {"prepend", kMark}});
        rules.push_back(replaceSpaces());
        writeFolder(dir / "f", Pieces(random).model(),
                    {{"type", "Sequence"}, {"normalizers", rules}}, nullptr);
        expectSame(dir / "f", "llama", random);
    }
}

TEST(TokenizerKeys, OtherMergesStayMerges)
{
    std::mt19937_64 random(test::seed());
    for (const bool missing : {false, true}) {
        const test::TempDir dir;
        Pieces pieces(random);
        if (missing) // one of several ways to a token
            pieces.merges.erase(pieces.merges.begin());
        else // or in another order
            std::swap(pieces.merges.front(), pieces.merges.back());
        writeFolder(dir / "f", pieces.model(), replaceSpaces(), nullptr);
        const auto madeBy = [](const json &merge) {
            return merge[0].get<std::string>() + merge[1].get<std::string>();
        };
        const auto ways = [&](const json &moved) {
            return std::count_if(pieces.merges.begin(), pieces.merges.end(),
                                 [&](const json &merge) { return madeBy(merge) == madeBy(moved); });
        };
        const bool torn = ways(pieces.merges.front()) > 1 || ways(pieces.merges.back()) > 1;
        expectSame(dir / "f", missing || torn ? "gemma4" : "llama", random);
    }
}

TEST(TokenizerKeys, UnigramsKeepTheirScores)
{
    std::mt19937_64 random(test::seed());
    for (const bool merge : {false, true}) {
        const test::TempDir dir;
        const Pieces pieces(random);
        json vocabulary = json::array();
        for (const std::string &text : pieces.texts) {
            if (text.find(kMark, 1) != std::string::npos) // "▁" begins words
                continue;
            const double score = -1.0 - static_cast<double>(random() % 1000) / 64;
            vocabulary.push_back({text, vocabulary.size() < 3 ? 0.0 : score});
        }
        const json spaces{{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", " "}};
        writeFolder(dir / "f", {{"type", "Unigram"}, {"unk_id", 0}, {"vocab", vocabulary}},
                    merge ? spaces : json(),
                    {{"type", "Metaspace"}, {"replacement", kMark}, {"prepend_scheme", "always"}});
        const fs::path path = written(dir / "f", dir / "model.gguf", 70);
        EXPECT_EQ(Gguf::open(path).findBool("tokenizer.ggml.remove_extra_whitespaces"), merge);
        const auto before = Tokenizer::open(dir / "f"), after = Tokenizer::open(path);
        for (const char *text : {"abc", "a b c", "cab\u00e9 abab", "aaaa bb cccc\u00e9\u00e9"})
            EXPECT_EQ(after->encode(MarkedText::trusted(text), true),
                      before->encode(MarkedText::trusted(text), true))
                << text;
    }
}

std::string refusalOf(const fs::path &folder, std::size_t rows = 4096)
{
    const test::TempDir dir;
    try {
        written(folder, dir / "model.gguf", rows);
    } catch (const Error &e) {
        EXPECT_FALSE(fs::exists(dir / "model.gguf"));
        return e.what();
    }
    return "no error";
}

TEST(TokenizerKeys, WhatGgufCannotSayIsNamed)
{
    EXPECT_NE(refusalOf(goldenTokenizer("deepseek")).find("splitting rules that have no name"),
              std::string::npos);
    EXPECT_NE(refusalOf(goldenTokenizer("metaspace-unigram")).find("the normalizer \"NFKC\""),
              std::string::npos)
        << refusalOf(goldenTokenizer("metaspace-unigram"));
    for (const char *merged : {"llama2-spm", "gemma"}) // trained as merges, over ends of lines
        EXPECT_NE(refusalOf(goldenTokenizer(merged)).find("no scores of tokens"),
                  std::string::npos);
    EXPECT_NE(refusalOf(goldenTokenizer("gpt2"), 100).find("the model's embedding has 100"),
              std::string::npos);
}

} // namespace
} // namespace fireside
