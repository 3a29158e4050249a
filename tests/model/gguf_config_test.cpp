// What keys of GGUF files mean to each family, where the golden models do not show it, and what is
// refused because it would have to be guessed.
#include "engine/core/error.h"
#include "engine/files/model_file.h"
#include "engine/model/config.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace fireside {
namespace {

using test::GgufBuilder;

class GgufConfigTest : public testing::Test
{
protected:
    /// Four layers of width 32 with four heads, and what a test adds.
    Config read(const std::string &architecture, const std::function<void(GgufBuilder &)> &add = {})
    {
        GgufBuilder b;
        b.string("general.architecture", architecture);
        const std::string p = architecture + '.';
        b.u32(p + "block_count", 4).u32(p + "embedding_length", 32);
        b.u32(p + "attention.head_count", 4).u32(p + "attention.head_count_kv", 4);
        b.u32(p + "feed_forward_length", 64).u32(p + "context_length", 256);
        b.tensor("token_embd.weight", DType::F32, {32, 16});
        if (add)
            add(b);
        const auto path = m_folder / "model.gguf";
        b.write(path);
        return readConfig(ModelFile::open(path));
    }
    /// The same of a mixture of eight experts.
    Config readMixture(const std::string &architecture,
                       const std::function<void(GgufBuilder &)> &add = {})
    {
        return read(architecture, [&](GgufBuilder &b) {
            const std::string p = architecture + '.';
            b.u32(p + "expert_count", 8).u32(p + "expert_used_count", 1);
            b.u32(p + "expert_feed_forward_length", 48);
            if (architecture == "llama4" || architecture == "ernie4_5-moe")
                b.u32(p + "interleave_moe_layer_step", 1);
            if (add)
                add(b);
        });
    }
    static std::string unsupported(const std::function<void()> &body)
    {
        try {
            body();
        } catch (const Error &e) {
            return e.kind() == ErrorKind::Unsupported ? e.what()
                                                      : std::string("other: ") + e.what();
        }
        return "no error";
    }
    test::TempDir m_folder;
};

TEST_F(GgufConfigTest, WhatAFamilyDoesNotHaveIsRefusedByItsKey)
{
    struct Case
    {
        const char *architecture, *key;
        std::function<void(GgufBuilder &, const std::string &)> add;
    };
    const auto real = [](float value) {
        return [value](GgufBuilder &b, const std::string &key) { b.f32(key, value); };
    };
    const auto number = [](std::uint32_t value) {
        return [value](GgufBuilder &b, const std::string &key) { b.u32(key, value); };
    };
    const Case cases[]{
        {"llama", "logit_scale", real(0.5f)},
        {"qwen2", "attention.temperature_scale", real(0.1f)},
        {"phi3", "interleave_moe_layer_step", number(2)},
        {"gemma2", "attention.shared_kv_layers", number(2)},
        {"bitnet", "hidden_activation",
         [](GgufBuilder &b, const std::string &key) { b.string(key, "gelu"); }},
    };
    for (const Case &c : cases) {
        const std::string key = std::string(c.architecture) + '.' + c.key;
        const std::string error =
            unsupported([&] { read(c.architecture, [&](GgufBuilder &b) { c.add(b, key); }); });
        EXPECT_NE(error.find(": '" + key + "': not supported"), std::string::npos) << error;
    }
}

// llama.cpp takes the same numbers.
TEST_F(GgufConfigTest, TheFirstFilesOfGemma2DoNotSayThatLogitsAreCapped)
{
    const Config first = read("gemma2");
    EXPECT_EQ(first.attentionSoftcap, 50);
    EXPECT_EQ(first.logitSoftcap, 30);
    const Config none = read("gemma2", [](GgufBuilder &b) {
        b.f32("gemma2.attn_logit_softcapping", 0).f32("gemma2.final_logit_softcapping", 0);
    });
    EXPECT_EQ(none.attentionSoftcap, 0);
    EXPECT_EQ(none.logitSoftcap, 0);
}

TEST_F(GgufConfigTest, GatingThatAFamilyDoesNotHaveIsRefused)
{
    const auto errorOf = [&](const std::string &architecture, std::uint32_t function) {
        const std::string key = architecture + ".expert_gating_func";
        return unsupported(
            [&] { readMixture(architecture, [&](GgufBuilder &b) { b.u32(key, function); }); });
    };
    for (const char *architecture : {"qwen3moe", "glm4moe", "ernie4_5-moe"})
        EXPECT_NE(errorOf(architecture, 4).find("expert_gating_func': not supported: 4"),
                  std::string::npos)
            << architecture;
    EXPECT_NE(errorOf("llama4", 1).find("expert_gating_func': not supported"), std::string::npos);
    EXPECT_NE(errorOf("gpt-oss", 2).find("expert_gating_func': not supported"), std::string::npos);
}

TEST_F(GgufConfigTest, MatricesWithFactorsAreRefused)
{
    const std::string error = unsupported([&] {
        read("bitnet", [](GgufBuilder &b) { b.tensor("blk.0.attn_q.scale", DType::F32, {1}); });
    });
    EXPECT_NE(error.find("blk.0.attn_q.scale"), std::string::npos) << error;
}

TEST_F(GgufConfigTest, FamiliesWithoutAFormAreRefused)
{
    for (const char *architecture : {"opt", "nanochat"}) {
        const std::string error = unsupported([&] { read(architecture); });
        EXPECT_NE(error.find("in a GGUF file"), std::string::npos) << error;
    }
}

TEST_F(GgufConfigTest, TheActivationOfBitNetIsWhatTheFileSays)
{
    EXPECT_EQ(read("bitnet").activation, Activation::SiLU);
    const auto relu = [](GgufBuilder &b) { b.string("bitnet.hidden_activation", "relu2"); };
    EXPECT_EQ(read("bitnet", relu).activation, Activation::ReluSquared);
}

TEST_F(GgufConfigTest, GraniteHasPositionsUnlessTheFileSaysNo)
{
    EXPECT_EQ(read("granite").layer(0).rope, RopeUse::Main);
    const auto off = [](GgufBuilder &b) { b.boolean("granite.rope.scaling.finetuned", false); };
    EXPECT_EQ(read("granite", off).layer(0).rope, RopeUse::None);
}

TEST_F(GgufConfigTest, Llama4WithoutAWindowHasNoChunks)
{
    const Config chunks = readMixture("llama4");
    EXPECT_EQ(chunks.layer(0).chunk, 8192);
    EXPECT_EQ(chunks.layer(3).chunk, 0);
    EXPECT_EQ(chunks.layer(3).rope, RopeUse::None);
    EXPECT_EQ(chunks.temperature.period, 8192);
    const Config whole =
        readMixture("llama4", [](GgufBuilder &b) { b.u32("llama4.attention.sliding_window", 0); });
    EXPECT_EQ(whole.layer(0).chunk, 0);
    EXPECT_EQ(whole.layer(3).rope, RopeUse::Main);
    EXPECT_EQ(whole.temperature.scale, 0);
}

TEST_F(GgufConfigTest, Olmo3ScalesOnlyLayersWithoutAWindow)
{
    const Config c = read("olmo2", [](GgufBuilder &b) {
        b.u32("olmo2.attention.sliding_window", 8).string("olmo2.rope.scaling.type", "yarn");
        b.f32("olmo2.rope.scaling.factor", 8);
        b.u32("olmo2.rope.scaling.original_context_length", 32);
    });
    EXPECT_EQ(c.layer(0).rope, RopeUse::Local);
    EXPECT_EQ(c.layer(3).rope, RopeUse::Main);
    EXPECT_EQ(c.localRope.attentionFactor, 1);
    EXPECT_NE(c.rope.attentionFactor, 1);
    EXPECT_GT(c.localRope.inverseFrequencies.back(), c.rope.inverseFrequencies.back());
}

TEST_F(GgufConfigTest, YarnMagnitudesAreThoseOfTheMakers)
{
    const auto factorOf = [&](const std::function<void(GgufBuilder &)> &add) {
        return read("llama",
                    [&](GgufBuilder &b) {
                        b.string("llama.rope.scaling.type", "yarn");
                        b.f32("llama.rope.scaling.factor", 16);
                        add(b);
                    })
            .rope.attentionFactor;
    };
    EXPECT_FLOAT_EQ(factorOf([](GgufBuilder &) {}), 1 + 0.1f * std::log(16.0f));
    EXPECT_FLOAT_EQ(
        factorOf([](GgufBuilder &b) { b.f32("llama.rope.scaling.yarn_log_multiplier", 1); }), 1);
    EXPECT_FLOAT_EQ(
        factorOf([](GgufBuilder &b) { b.f32("llama.rope.scaling.yarn_attn_factor", 1.5f); }), 1.5f);
    const std::string error = unsupported([&] {
        factorOf([](GgufBuilder &b) { b.f32("llama.rope.scaling.yarn_ext_factor", 0.5f); });
    });
    EXPECT_NE(error.find("yarn_ext_factor"), std::string::npos) << error;
}

/// Sizes of DeepSeek's heads, as older files have them.
void addLatent(GgufBuilder &b)
{
    b.u32("deepseek2.attention.key_length", 12).u32("deepseek2.attention.value_length", 10);
    b.u32("deepseek2.attention.kv_lora_rank", 16).u32("deepseek2.rope.dimension_count", 4);
}

TEST_F(GgufConfigTest, DeepSeekScalesScoresByItsMultiplier)
{
    const auto config = [&](float log) {
        return read("deepseek2", [&](GgufBuilder &b) {
            addLatent(b);
            b.string("deepseek2.rope.scaling.type", "yarn");
            b.f32("deepseek2.rope.scaling.factor", 40);
            if (log > 0)
                b.f32("deepseek2.rope.scaling.yarn_log_multiplier", log);
        });
    };
    const Config plain = config(0), scaled = config(0.0707f);
    EXPECT_EQ(plain.latent.plainDim, 8);
    EXPECT_EQ(plain.latent.valueDim, 10);
    EXPECT_FLOAT_EQ(plain.attentionScale, 1 / std::sqrt(12.0f));
    EXPECT_FLOAT_EQ(plain.rope.attentionFactor, 1 + 0.1f * std::log(40.0f));
    const float factor = 1 + 0.0707f * std::log(40.0f);
    EXPECT_FLOAT_EQ(scaled.attentionScale, factor * factor / std::sqrt(12.0f));
    EXPECT_EQ(scaled.rope.attentionFactor, 1);
}

TEST_F(GgufConfigTest, DeepSeekWithoutAGatingFunctionHasTheOneOfItsBias)
{
    const auto score = [&](bool biased) {
        return readMixture("deepseek2",
                           [&](GgufBuilder &b) {
                               addLatent(b);
                               if (biased)
                                   b.tensor("blk.1.exp_probs_b.bias", DType::F32, {8});
                           })
            .experts.score;
    };
    EXPECT_EQ(score(false), Routing::Score::SoftmaxAll);
    EXPECT_EQ(score(true), Routing::Score::Sigmoid);
}

} // namespace
} // namespace fireside
