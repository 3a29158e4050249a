// Embeddings: what is refused and in which words, what files say of themselves.
#include "engine/core/error.h"
#include "engine/files/model_file.h"
#include "engine/generate/embedder.h"
#include "engine/model/describe.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/safetensors_builder.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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
    std::filesystem::copy(test::goldenFolder("qwen3"), folder);
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
    for (const char *text : {R"([{"type": "x.Dense"}])", R"([{"type": "x.Dense", "path": ".."}])",
                             R"([{"type": "x.Dense", "path": "a/b"}])",
                             R"([{"type": "x.Dense", "path": "2_Dense"}])"}) {
        const std::string error = formWith(modules, text);
        EXPECT_NE(error.find("ense"), std::string::npos) << text << ": " << error;
    }
}

/// Dense layers behind the pooling, of given sizes, with weights that count up.
class DenseTest : public EmbedderTest
{
protected:
    static constexpr std::size_t kHidden = 64; // of the golden model
    struct Layer
    {
        std::size_t in, out;
        bool tanh, bias;
    };
    static float weight(std::size_t i) { return 0.02f * static_cast<float>(i * 37 % 23) - 0.2f; }

    void write(const std::vector<Layer> &layers)
    {
        std::filesystem::copy(test::goldenFolder("qwen3"), m_dense,
                              std::filesystem::copy_options::recursive);
        std::filesystem::permissions(m_dense, std::filesystem::perms::owner_all);
        std::string modules;
        for (const Layer &layer : layers) {
            const std::string name = std::to_string(modules.size()) + "_Dense";
            modules += (modules.empty() ? R"([{"type": "s.Dense", "path": ")"
                                        : R"(, {"type": "s.Dense", "path": ")") +
                       name + "\"}";
            std::filesystem::create_directories(m_dense / name);
            test::writeText(
                m_dense / name / "config.json",
                "{\"in_features\": " + std::to_string(layer.in) + ", \"out_features\": " +
                    std::to_string(layer.out) + ", \"bias\": " + (layer.bias ? "true" : "false") +
                    ", \"activation_function\": \"torch.nn." +
                    (layer.tanh ? "modules.activation.Tanh" : "modules.linear.Identity") + "\"}");
            std::vector<float> values(layer.in * layer.out);
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = weight(i);
            test::SafetensorsBuilder b;
            b.tensor("linear.weight", "F32", {layer.out, layer.in},
                     std::as_bytes(std::span(values)));
            if (layer.bias)
                b.tensor("linear.bias", "F32", {layer.out},
                         std::as_bytes(std::span(values).first(layer.out)));
            b.write(m_dense / name / "model.safetensors");
        }
        test::writeText(m_dense / "modules.json", modules + "]");
    }
    std::filesystem::path m_dense = m_folder / "dense";
};

TEST_F(DenseTest, LayersFollowThePooling)
{
    const std::vector<Layer> layers{{kHidden, 96, true, true}, {96, 24, false, false}};
    write(layers);
    const test::ModelFixture model(m_dense);
    const test::ModelFixture plain(test::goldenFolder("qwen3"));
    const std::vector<std::vector<TokenId>> sequences{{5, 17, 40}, {9}};
    const auto made = Embedder(model.model(), 16).embed(sequences, EmbeddingForm::Mean);
    const auto pooled = Embedder(plain.model(), 16).embed(sequences, EmbeddingForm::Mean);
    for (std::size_t s = 0; s < sequences.size(); ++s) {
        std::vector<double> x(pooled[s].begin(), pooled[s].end());
        for (const Layer &layer : layers) {
            std::vector<double> y(layer.out);
            for (std::size_t i = 0; i < layer.out; ++i) {
                y[i] = layer.bias ? double{weight(i)} : 0.0;
                for (std::size_t j = 0; j < layer.in; ++j)
                    y[i] += double{weight(i * layer.in + j)} * x[j];
                y[i] = layer.tanh ? std::tanh(y[i]) : y[i];
            }
            x = y;
        }
        ASSERT_EQ(made[s].size(), 24u);
        for (std::size_t i = 0; i < x.size(); ++i)
            EXPECT_NEAR(double{made[s][i]}, x[i], 1e-5);
    }
    EXPECT_EQ(Embedder(model.model(), 16).embed(sequences, EmbeddingForm::Rows),
              Embedder(plain.model(), 16).embed(sequences, EmbeddingForm::Rows));
}

TEST_F(DenseTest, LayersThatDoNotFitAreNamed)
{
    write({{kHidden, 96, true, true}, {95, 24, false, false}});
    const test::ModelFixture model(m_dense);
    const std::string error = errorOf([&] { Embedder(model.model(), 16).formFor(std::nullopt); });
    EXPECT_NE(error.find("'in_features' is 95, what comes before it gives 96"), std::string::npos)
        << error;
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
    const test::ModelFixture model(test::goldenFolder("qwen3"));
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
