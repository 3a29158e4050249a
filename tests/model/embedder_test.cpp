// Embeddings: what is refused and in which words, what files say of themselves.
#include "engine/core/error.h"
#include "engine/files/model_file.h"
#include "engine/generate/embedder.h"
#include "engine/model/describe.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>

namespace fireside {
namespace {

using test::GgufBuilder;

constexpr std::uint64_t kBertWidth = 32, kBertWords = 16, kBertPlaces = 8;

/// A BERT of one layer whose weights are all zero: every row is the bias of its last norm.
GgufBuilder tinyBert()
{
    GgufBuilder b;
    b.string("general.architecture", "bert").u32("bert.block_count", 1);
    b.u32("bert.embedding_length", kBertWidth).u32("bert.attention.head_count", 4);
    b.u32("bert.feed_forward_length", 64).u32("bert.context_length", kBertPlaces);
    b.f32("bert.attention.layer_norm_epsilon", 1e-12f);
    const auto tensor = [&](const std::string &name, std::vector<std::uint64_t> dims) {
        b.tensor(name, DType::F32, std::move(dims));
    };
    const auto norm = [&](const std::string &name) {
        tensor(name + ".weight", {kBertWidth});
        tensor(name + ".bias", {kBertWidth});
    };
    const auto product = [&](const std::string &name, std::uint64_t in, std::uint64_t out) {
        tensor(name + ".weight", {in, out});
        tensor(name + ".bias", {out});
    };
    tensor("token_embd.weight", {kBertWidth, kBertWords});
    tensor("position_embd.weight", {kBertWidth, kBertPlaces});
    tensor("token_types.weight", {kBertWidth, 2});
    norm("token_embd_norm");
    for (const char *name : {"q", "k", "v", "output"})
        product(std::string("blk.0.attn_") + name, kBertWidth, kBertWidth);
    product("blk.0.ffn_up", kBertWidth, 64);
    product("blk.0.ffn_down", 64, kBertWidth);
    norm("blk.0.attn_output_norm");
    norm("blk.0.layer_output_norm");
    return b;
}

std::string errorOf(const std::function<void()> &act)
{
    try {
        act();
    } catch (const Error &error) {
        return error.what();
    }
    return "no error";
}

class EmbedderTest : public testing::Test
{
protected:
    void load(const GgufBuilder &b)
    {
        b.write(m_path);
        m_model = std::make_unique<test::ModelFixture>(m_path);
        m_embedder = std::make_unique<Embedder>(m_model->model(), 100);
    }
    std::string refusal(const std::vector<std::vector<TokenId>> &sequences,
                        EmbeddingForm form = EmbeddingForm::Mean)
    {
        return errorOf([&] { m_embedder->embed(sequences, form); });
    }
    std::string problem(const GgufBuilder &b)
    {
        b.write(m_path);
        return describeModel(m_path).problem.value_or("no problem");
    }

    test::TempDir m_folder;
    std::filesystem::path m_path = m_folder / "model.gguf";
    std::unique_ptr<test::ModelFixture> m_model;
    std::unique_ptr<Embedder> m_embedder;
};

TEST_F(EmbedderTest, BadSequencesAreNamed)
{
    load(tinyBert());
    EXPECT_EQ(m_embedder->mostTokens(), std::int64_t{kBertPlaces});
    EXPECT_EQ(refusal({{1, 2}, {}}), "sequence 2 of 2 is empty");
    EXPECT_EQ(refusal({{1, 16}}), "sequence 1 of 1: token 16 is outside the vocabulary of 16");
    EXPECT_EQ(refusal({{-1}}), "sequence 1 of 1: token -1 is outside the vocabulary of 16");
    EXPECT_EQ(refusal({{1, 2, 3, 4, 5, 6, 7, 8, 9}}),
              "sequence 1 of 1 has 9 tokens, more than the 8 that fit");
    EXPECT_EQ(refusal({{1, 2, 3, 4, 5, 6, 7, 8}}), "no error");
    EXPECT_TRUE(m_embedder->embed({}, EmbeddingForm::Mean).empty());
}

TEST_F(EmbedderTest, MoreSequencesThanAPassTakes)
{
    load(tinyBert());
    const std::vector<std::vector<TokenId>> sequences(600, {1, 2, 3});
    const auto results = m_embedder->embed(sequences, EmbeddingForm::Rows);
    ASSERT_EQ(results.size(), sequences.size());
    for (const std::vector<float> &rows : results)
        EXPECT_EQ(rows, std::vector<float>(3 * kBertWidth, 0.0f));
}

TEST_F(EmbedderTest, AnEncoderCannotChatAndIsNoReranker)
{
    load(tinyBert());
    EXPECT_EQ(errorOf([&] { m_model->session(); }),
              "the model is an embedding model: it cannot chat");
    EXPECT_EQ(refusal({{1}}, EmbeddingForm::Score),
              "the model has no head that scores: it is no reranker");
    const ModelSummary summary = describeModel(m_path);
    EXPECT_TRUE(summary.encoder);
    EXPECT_EQ(summary.problem.value_or("none"), "none");
    EXPECT_EQ(summary.plan.value().kv(), 0u);
}

TEST_F(EmbedderTest, FilesSayWhatEmbeddingsAre)
{
    load(tinyBert());
    EXPECT_EQ(m_embedder->formFor(std::nullopt), EmbeddingForm::Mean);
    EXPECT_EQ(m_embedder->formFor(EmbeddingForm::Last), EmbeddingForm::Last);
    GgufBuilder first = tinyBert();
    load(first.u32("bert.pooling_type", 2));
    EXPECT_EQ(m_embedder->formFor(std::nullopt), EmbeddingForm::First);
    GgufBuilder unknown = tinyBert();
    load(unknown.u32("bert.pooling_type", 9));
    const std::string error = errorOf([&] { m_embedder->formFor(std::nullopt); });
    EXPECT_NE(error.find("'bert.pooling_type' is 9"), std::string::npos) << error;
    EXPECT_EQ(m_embedder->formFor(EmbeddingForm::Mean), EmbeddingForm::Mean);
}

TEST_F(EmbedderTest, ATensorThatNothingReadsIsNamed)
{
    GgufBuilder b = tinyBert();
    b.tensor("blk.0.attn_gate.weight", DType::F32, {kBertWidth, kBertWidth});
    EXPECT_NE(problem(b).find("not supported: the tensor 'blk.0.attn_gate.weight'"),
              std::string::npos)
        << problem(b);
}

TEST_F(EmbedderTest, FoldersSayWhatEmbeddingsAre)
{
    const std::filesystem::path folder = m_folder / "model";
    std::filesystem::copy(test::goldenFolder("qwen3").value(), folder);
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
    const auto formWith = [&](const char *name, const std::string &text) {
        const std::filesystem::path path = folder / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text;
        const test::ModelFixture model(folder);
        std::string form;
        const std::string error =
            errorOf([&] { form = toString(Embedder(model.model(), 8).formFor(std::nullopt)); });
        return form.empty() ? error : form;
    };
    const char *const pooling = "1_Pooling/config.json";
    EXPECT_EQ(formWith(pooling, R"({"pooling_mode_lasttoken": true})"), "last");
    EXPECT_EQ(formWith(pooling, R"({"pooling_mode_cls_token": true})"), "cls");
    EXPECT_EQ(formWith(pooling, R"({"pooling_mode": "mean"})"), "mean");
    for (const char *text : {R"({"pooling_mode_max_tokens": true})", R"({"pooling_mode": "max"})",
                             "[]", "{", R"({"pooling_mode": 1})"}) {
        const std::string error = formWith(pooling, text);
        EXPECT_NE(error.find("1_Pooling"), std::string::npos) << text << ": " << error;
    }
    formWith(pooling, R"({"pooling_mode_lasttoken": true})");
    const char *const modules = "modules.json";
    EXPECT_EQ(formWith(modules, R"([{"type": "sentence_transformers.models.Pooling"}, 1])"),
              "last");
    const std::string dense =
        formWith(modules, R"([{"type": "sentence_transformers.models.Dense"}])");
    EXPECT_NE(dense.find("a dense layer behind the pooling"), std::string::npos) << dense;
}

TEST_F(EmbedderTest, ATableOfPositionNumbersIsNoWeight)
{
    GgufBuilder b = tinyBert();
    b.tensor("embeddings.position_ids", DType::I32, {kBertPlaces});
    EXPECT_EQ(problem(b), "no problem");
    b.tensor("blk.0.other.weight", DType::I32, {kBertPlaces});
    EXPECT_NE(problem(b).find("weight type I32"), std::string::npos) << problem(b);
}

TEST_F(EmbedderTest, ADecodersRowsDoNotDependOnChunks)
{
    const test::ModelFixture model(test::goldenFolder("qwen3").value());
    std::vector<TokenId> ids;
    for (int i = 0; i < 300; ++i) // more than a chunk
        ids.push_back(1 + i % 50);
    const Embedder embedder(model.model(), 400);
    const std::vector<std::vector<TokenId>> whole{ids}, part{{ids.begin(), ids.begin() + 30}};
    const auto rows = embedder.embed(whole, EmbeddingForm::Rows).front();
    const auto shorter = embedder.embed(part, EmbeddingForm::Rows).front();
    const auto hidden = static_cast<std::size_t>(model.model().config().hidden);
    ASSERT_EQ(rows.size(), ids.size() * hidden);
    EXPECT_LE(test::maxDifference(shorter, std::span(rows).first(shorter.size())), 1e-3);
    const auto last = embedder.embed(whole, EmbeddingForm::Last).front();
    EXPECT_LE(test::maxDifference(last, std::span(rows).last(hidden)), 1e-6);
    std::vector<float> mean(hidden);
    for (std::size_t i = 0; i < rows.size(); ++i)
        mean[i % hidden] += rows[i] / 300;
    EXPECT_LE(test::maxDifference(embedder.embed(whole, EmbeddingForm::Mean).front(), mean), 1e-4);
    const std::vector<std::vector<TokenId>> tooLong{std::vector<TokenId>(401, 1)};
    EXPECT_EQ(errorOf([&] { embedder.embed(tooLong, EmbeddingForm::Mean); }),
              "sequence 1 of 1 has 401 tokens, more than the 400 that fit");
}

TEST(NormalizeLength, GivesLengthOneAndKeepsZeros)
{
    std::vector<float> values{3, 0, -4}, zeros(3);
    normalizeLength(values);
    EXPECT_LE(test::maxDifference(values, std::vector<float>{0.6f, 0, -0.8f}), 1e-7);
    normalizeLength(zeros);
    EXPECT_EQ(zeros, std::vector<float>(3));
}

TEST(EmbeddingForms, HaveWordsBothWays)
{
    for (const char *word : {"mean", "cls", "last", "none", "rank"})
        EXPECT_STREQ(toString(embeddingForm(word).value()), word);
    EXPECT_EQ(embeddingForm("max"), std::nullopt);
}

} // namespace
} // namespace fireside
