// Hyperparameters and weight tables of hostile or odd files.
#include "engine/core/error.h"
#include "engine/files/model_file.h"
#include "engine/model/config.h"
#include "engine/model/describe.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>

namespace fireside {
namespace {

using test::GgufBuilder;

struct Numbers
{
    std::string architecture = "llama";
    std::uint32_t layers = 1, hidden = 32, heads = 4, kvHeads = 2, ffn = 64, vocabulary = 16,
                  context = 128, headDim = 8;
    float eps = 1e-5f;
};

GgufBuilder tinyModel(const Numbers &n = {}, const std::string &without = {},
                      DType type = DType::F32)
{
    GgufBuilder b;
    b.string("general.architecture", n.architecture);
    const auto number = [&](const std::string &key, std::uint32_t value) {
        if (key != without)
            b.u32(n.architecture + '.' + key, value);
    };
    number("block_count", n.layers);
    number("embedding_length", n.hidden);
    number("attention.head_count", n.heads);
    number("attention.head_count_kv", n.kvHeads);
    number("attention.key_length", n.headDim);
    number("feed_forward_length", n.ffn);
    number("context_length", n.context);
    b.f32(n.architecture + ".attention.layer_norm_rms_epsilon", n.eps);
    const auto tensor = [&](const std::string &name, std::vector<std::uint64_t> dims) {
        if (name != without)
            b.tensor(name, dims.size() == 1 ? DType::F32 : type, dims);
    };
    tensor("token_embd.weight", {32, 16});
    const std::string p = "blk.0.";
    tensor(p + "attn_norm.weight", {32});
    tensor(p + "attn_q.weight", {32, 32});
    tensor(p + "attn_k.weight", {32, 16});
    tensor(p + "attn_v.weight", {32, 16});
    tensor(p + "attn_output.weight", {32, 32});
    tensor(p + "ffn_norm.weight", {32});
    tensor(p + "ffn_gate.weight", {32, 64});
    tensor(p + "ffn_up.weight", {32, 64});
    tensor(p + "ffn_down.weight", {64, 32});
    tensor("output_norm.weight", {32});
    return b;
}

class ConfigTest : public testing::Test
{
protected:
    std::filesystem::path write(const GgufBuilder &b)
    {
        b.write(m_path);
        return m_path;
    }

    std::string errorOf(const std::function<void()> &body)
    {
        try {
            body();
        } catch (const Error &e) {
            return e.what();
        }
        return "no error";
    }
    const test::TempDir m_folder;
    const std::filesystem::path m_path = m_folder / "model.gguf";
};

TEST_F(ConfigTest, ATinyModelRuns)
{
    const test::ModelFixture model(write(tinyModel()));
    const Config &c = model.model().config();
    EXPECT_EQ(c.layers, 1);
    EXPECT_EQ(c.headDim, 8);
    EXPECT_EQ(c.vocabulary, 16);
    EXPECT_TRUE(c.tiedOutput);
    EXPECT_EQ(c.rope.pairing, RopePairing::Interleaved);
    std::vector<float> row(16, std::numeric_limits<float>::quiet_NaN());
    const std::vector<TokenId> ids{1, 2, 3};
    model.session()->append(ids, row);
    EXPECT_EQ(row, std::vector<float>(16, 0.0f)); // all weights are zero
}

TEST_F(ConfigTest, AbsurdNumbersAreRejectedByName)
{
    struct Case
    {
        const char *key;
        std::function<void(Numbers &)> change;
    };
    const Case cases[]{
        {"block_count", [](Numbers &n) { n.layers = 0; }},
        {"block_count", [](Numbers &n) { n.layers = 1'000'000'000; }},
        {"embedding_length", [](Numbers &n) { n.hidden = 0; }},
        {"embedding_length", [](Numbers &n) { n.hidden = 0xffffffffu; }},
        {"head_count", [](Numbers &n) { n.heads = 0; }},
        {"head_count_kv", [](Numbers &n) { n.kvHeads = 3; }},
        {"head_count_kv", [](Numbers &n) { n.kvHeads = 0; }},
        {"head_count_kv", [](Numbers &n) { n.kvHeads = 8; }},
        {"key_length", [](Numbers &n) { n.headDim = 3; }},
        {"key_length", [](Numbers &n) { n.headDim = 5000; }},
        {"feed_forward_length", [](Numbers &n) { n.ffn = 0; }},
        {"context_length", [](Numbers &n) { n.context = 0; }},
        {"rms_epsilon", [](Numbers &n) { n.eps = -1; }},
        {"rms_epsilon", [](Numbers &n) { n.eps = std::numeric_limits<float>::quiet_NaN(); }},
    };
    for (const Case &c : cases) {
        Numbers n;
        c.change(n);
        const ModelFile file = ModelFile::open(write(tinyModel(n)));
        const std::string error = errorOf([&] { readConfig(file); });
        EXPECT_NE(error.find(c.key), std::string::npos) << error;
        EXPECT_NE(error.find(m_path.filename().string()), std::string::npos) << error;
        const std::string problem = describeModel(file).problem.value_or("");
        EXPECT_NE(problem.find(c.key), std::string::npos) << problem;
        EXPECT_EQ(problem.find(m_path.string()), std::string::npos) << problem; // the caller's part
    }
}

TEST_F(ConfigTest, MissingKeysAndTensorsAreNamed)
{
    for (const char *key : {"block_count", "embedding_length", "attention.head_count",
                            "feed_forward_length", "context_length", "token_embd.weight",
                            "blk.0.attn_q.weight", "blk.0.ffn_down.weight", "output_norm.weight"}) {
        write(tinyModel({}, key));
        const std::string error = errorOf([&] { test::ModelFixture model(m_path); });
        EXPECT_NE(error.find(key), std::string::npos) << error;
    }
}

TEST_F(ConfigTest, AShapeMismatchPrintsBoth)
{
    Numbers n;
    n.ffn = 96; // the tensors have 64
    write(tinyModel(n));
    const std::string error = errorOf([&] { test::ModelFixture model(m_path); });
    EXPECT_NE(error.find("ffn_gate"), std::string::npos) << error;
    EXPECT_NE(error.find("[64, 32]"), std::string::npos) << error;
    EXPECT_NE(error.find("[96, 32]"), std::string::npos) << error;
}

TEST_F(ConfigTest, UnsupportedThingsAreNamedBeforeLoading)
{
    Numbers rwkv;
    rwkv.architecture = "rwkv7";
    EXPECT_EQ(describeModel(write(tinyModel(rwkv))).problem.value_or(""),
              "not supported: architecture 'rwkv7'");

    Numbers projector;
    projector.architecture = "clip";
    EXPECT_NE(describeModel(write(tinyModel(projector))).problem.value_or("").find("mmproj"),
              std::string::npos);
    EXPECT_NE(describeModel(write(tinyModel().string("general.type", "adapter")))
                  .problem.value_or("")
                  .find("LoRA"),
              std::string::npos);

    GgufBuilder oddType = tinyModel();
    oddType.rawTensor("extra.weight", {256, 1}, 15, 292); // Q8_K
    EXPECT_NE(describeModel(write(oddType)).problem.value_or("").find("Q8_K"), std::string::npos);

    GgufBuilder unknownType = tinyModel();
    unknownType.rawTensor("extra.weight", {32, 1}, 77, 64);
    EXPECT_NE(describeModel(write(unknownType)).problem.value_or("").find("type 77"),
              std::string::npos);

    // A part of the network that is not there, and one that nothing uses.
    EXPECT_NE(describeModel(
                  write(tinyModel().u32("llama.expert_count", 8).u32("llama.expert_used_count", 2)))
                  .problem.value_or("")
                  .find("lacks the tensor 'blk.0.ffn_gate_inp.weight'"),
              std::string::npos);
    EXPECT_NE(describeModel(write(tinyModel().tensor("blk.0.ffn_extra.weight", DType::F32, {32})))
                  .problem.value_or("")
                  .find("not supported: the tensor 'blk.0.ffn_extra.weight'"),
              std::string::npos);
    // What reads pictures or drafts has names of its own; a part of a name does not say so.
    for (const char *name : {"blk.0.ffn_audio.weight", "blk.0.nextn.eh_proj.weight"})
        EXPECT_NE(describeModel(write(tinyModel().tensor(name, DType::F32, {32})))
                      .problem.value_or("")
                      .find("not supported: the tensor '" + std::string(name)),
                  std::string::npos);
    Numbers eagle;
    eagle.architecture = "eagle3";
    GgufBuilder head;
    head.string("general.architecture", "llama")
        .tensor("blk.9.nextn.enorm.weight", DType::F32, {32});
    for (const GgufBuilder &drafts : {head, tinyModel(eagle)})
        EXPECT_NE(
            describeModel(write(drafts)).problem.value_or("").find("drafts for another model"),
            std::string::npos);
    EXPECT_NE(describeModel(write(tinyModel().string("llama.rope.scaling.type", "magic")))
                  .problem.value_or("")
                  .find("magic"),
              std::string::npos);
}

TEST_F(ConfigTest, RotarySettingsOfTheFileAreUsed)
{
    const auto frequencies = [&](const GgufBuilder &b) {
        return readConfig(ModelFile::open(write(b))).rope.inverseFrequencies;
    };
    const auto expect = [&](const std::vector<float> &found, double base, double divisor) {
        ASSERT_EQ(found.size(), 4u);
        for (std::size_t i = 0; i < 4; ++i)
            EXPECT_FLOAT_EQ(
                found[i], static_cast<float>(std::pow(base, -static_cast<double>(i) / 4) / divisor))
                << i;
    };
    expect(frequencies(tinyModel()), 10000, 1);
    expect(frequencies(tinyModel().f32("llama.rope.freq_base", 5e5f)), 5e5, 1);
    expect(frequencies(tinyModel().f32("llama.rope.scale_linear", 4)), 10000, 4);
    expect(frequencies(tinyModel()
                           .string("llama.rope.scaling.type", "linear")
                           .f32("llama.rope.scaling.factor", 2)),
           10000, 2);
    expect(frequencies(tinyModel()
                           .string("llama.rope.scaling.type", "none")
                           .f32("llama.rope.scaling.factor", 2)),
           10000, 1);
    const std::vector<float> divisors{8, 8, 8, 8};
    const auto withDivisors = [&](std::size_t count) {
        return tinyModel().tensor("rope_freqs.weight", DType::F32, {count},
                                  std::as_bytes(std::span(divisors).first(count)));
    };
    expect(frequencies(withDivisors(4)), 10000, 8);
    EXPECT_NE(errorOf([&] { frequencies(withDivisors(3)); }).find("rope_freqs.weight"),
              std::string::npos);
    const Config yarn =
        readConfig(ModelFile::open(write(tinyModel()
                                             .string("llama.rope.scaling.type", "yarn")
                                             .f32("llama.rope.scaling.factor", 4)
                                             .u32("llama.rope.scaling.original_context_length", 32)
                                             .f32("llama.rope.scaling.attn_factor", 0.5f))));
    EXPECT_FLOAT_EQ(yarn.rope.attentionFactor, static_cast<float>(0.5 * (0.1 * std::log(4.0) + 1)));
}

TEST_F(ConfigTest, NumbersOfTheFileAreUsed)
{
    Numbers n;
    n.eps = 3e-4f;
    n.context = 99;
    const Config c = readConfig(ModelFile::open(write(tinyModel(n))));
    EXPECT_FLOAT_EQ(c.normEps, 3e-4f);
    EXPECT_EQ(c.contextTrained, 99);
    EXPECT_EQ(c.attention(0).window, 0);
    EXPECT_FLOAT_EQ(c.attention(0).scale, 1 / std::sqrt(8.0f));
    const std::string error = errorOf([&] {
        readConfig(ModelFile::open(write(tinyModel().u32("llama.attention.value_length", 4))));
    });
    EXPECT_NE(error.find("keys and values of different size"), std::string::npos) << error;
}

TEST_F(ConfigTest, ThePlanCountsEveryTensorOnce)
{
    write(tinyModel());
    const ModelSummary s = describeModel(m_path, 100, DType::F16);
    ASSERT_TRUE(s.plan.has_value()) << s.problem.value_or("");
    const ModelFile file = ModelFile::open(m_path);
    std::uint64_t bytes = 0, elements = 0;
    for (const ModelTensor &t : file.tensors()) {
        bytes += t.bytes.size();
        elements += t.bytes.size() / 4;
    }
    EXPECT_EQ(s.plan->weights(), bytes);
    EXPECT_EQ(s.parameters, elements);
    EXPECT_EQ(s.plan->kv(), 2u /*K, V*/ * 2 /*heads*/ * 8 /*D*/ * 2 /*bytes*/ * 100);
    EXPECT_EQ(s.plan->context, 100);
    EXPECT_EQ(describeModel(m_path).plan->context, 128);          // the trained one
    EXPECT_EQ(describeModel(m_path, 100'000).plan->context, 128); // and never more
}

TEST_F(ConfigTest, TheFingerprintFollowsTheContent)
{
    const std::string first = describeModel(write(tinyModel())).fingerprint;
    EXPECT_EQ(describeModel(write(tinyModel())).fingerprint, first);
    EXPECT_NE(describeModel(write(tinyModel().string("general.name", "other"))).fingerprint, first);
}

TEST_F(ConfigTest, QuantisationLabels)
{
    EXPECT_EQ(describeModel(write(tinyModel().u32("general.file_type", 15))).quantisation,
              "Q4_K_M");
    EXPECT_EQ(describeModel(write(tinyModel())).quantisation, "F32"); // what most weights have
    EXPECT_EQ(describeModel(write(tinyModel().u32("general.file_type", 29))).quantisation, "IQ2_M");
    EXPECT_EQ(describeModel(test::goldenGguf("q5_1")).quantisation, "Q5_1");
    EXPECT_EQ(describeModel(test::goldenGguf("q4_k")).quantisationHint,
              "about 4 bits: good balance of size and quality");
}

} // namespace
} // namespace fireside
