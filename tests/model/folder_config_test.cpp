// config.json in its older and newer forms, and numbers that cannot be.
#include "engine/core/error.h"
#include "engine/files/model_file.h"
#include "engine/model/architectures.h"
#include "engine/model/config.h"
#include "engine/model/describe.h"
#include "engine/model/rope_frequencies.h"
#include "engine/model/weights.h"
#include "tests/support/safetensors_builder.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <functional>

namespace fireside {
namespace {

using nlohmann::json;
using test::SafetensorsBuilder;

/// 2 layers of width 32 with 4 heads of 8, 2 kv heads, a vocabulary of 16.
json llamaConfig()
{
    return json::parse(R"({
        "architectures": ["LlamaForCausalLM"], "model_type": "llama",
        "num_hidden_layers": 2, "hidden_size": 32, "num_attention_heads": 4,
        "num_key_value_heads": 2, "intermediate_size": 64, "max_position_embeddings": 128,
        "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "vocab_size": 16, "torch_dtype": "float32",
        "tie_word_embeddings": true})");
}

json qwen3Moe()
{
    json c = llamaConfig();
    c.update(json::parse(R"({"architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe",
        "head_dim": 8, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24})"));
    return c;
}

class FolderConfigTest : public testing::Test
{
protected:
    ModelFile open(const json &config)
    {
        test::writeText(m_dir / "config.json", config.dump());
        m_weights.write(m_dir / "model.safetensors");
        return ModelFile::open(m_dir.path());
    }
    Config read(const json &config) { return readConfig(open(config)); }
    Config readWith(const json &changes)
    {
        json config = llamaConfig();
        config.update(changes);
        return read(config);
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
    /// A frequency as a share of the unscaled one.
    static double shareOf(const Config &c, std::size_t pair, double base = 10000)
    {
        const double plain =
            std::pow(base, -2.0 * static_cast<double>(pair) / static_cast<double>(c.headDim));
        return static_cast<double>(c.rope.inverseFrequencies.at(pair)) / plain;
    }

    SafetensorsBuilder m_weights =
        SafetensorsBuilder().zeros("model.embed_tokens.weight", "F32", {16, 32}, 2048);
    test::TempDir m_dir;
};

TEST_F(FolderConfigTest, ThePlainForm)
{
    const Config c = read(llamaConfig());
    EXPECT_EQ(c.architecture, "llama");
    EXPECT_EQ(c.layers, 2);
    EXPECT_EQ(c.hidden, 32);
    EXPECT_EQ(c.heads, 4);
    EXPECT_EQ(c.kvHeads, 2);
    EXPECT_EQ(c.headDim, 8); // the width divided by the heads
    EXPECT_EQ(c.ffn, 64);
    EXPECT_EQ(c.vocabulary, 16);
    EXPECT_EQ(c.contextTrained, 128);
    EXPECT_FLOAT_EQ(c.normEps, 1e-5f);
    EXPECT_TRUE(c.tiedOutput);
    EXPECT_EQ(c.headNorm, HeadNorm::None);
    EXPECT_FALSE(c.attentionBias);
    EXPECT_EQ(c.experts.count, 0);
    EXPECT_EQ(c.rope.pairing, RopePairing::HalfSplit);
    EXPECT_EQ(c.rope.inverseFrequencies.size(), 4u);
    EXPECT_EQ(c.attention(0).window, 0);
}

TEST_F(FolderConfigTest, WhatMayBeMissing)
{
    json config = llamaConfig();
    for (const char *key :
         {"num_key_value_heads", "rms_norm_eps", "rope_theta", "vocab_size", "tie_word_embeddings"})
        config.erase(key);
    config["head_dim"] = nullptr;
    config["rope_scaling"] = nullptr;
    config["sliding_window"] = nullptr;
    const Config c = read(config);
    EXPECT_EQ(c.kvHeads, 4);
    EXPECT_EQ(c.headDim, 8);
    EXPECT_TRUE(c.tiedOutput); // no lm_head.weight is there
    EXPECT_EQ(readWith({{"head_dim", 16}}).headDim, 16);
    EXPECT_EQ(readWith({{"architectures", {"Qwen3ForCausalLM"}}}).headDim, 128) << "its class's";
    EXPECT_FALSE(readWith({{"tie_word_embeddings", false}}).tiedOutput);
    EXPECT_TRUE(readWith({{"attention_bias", true}}).attentionBias);
    EXPECT_TRUE(readWith({{"mlp_bias", true}}).ffnBias);
    EXPECT_EQ(readWith({{"hidden_act", "gelu_pytorch_tanh"}}).activation, Activation::GeluTanh);
}

TEST_F(FolderConfigTest, RotarySettingsInBothForms)
{
    const json forms[]{
        {{"rope_theta", 500000.0}, {"rope_scaling", {{"type", "linear"}, {"factor", 4.0}}}},
        {{"rope_theta", 500000.0}, {"rope_scaling", {{"rope_type", "linear"}, {"factor", 4}}}},
        {{"rope_theta", nullptr},
         {"rope_parameters", {{"rope_type", "linear"}, {"factor", 4.0}, {"rope_theta", 500000.0}}}},
    };
    for (const json &form : forms) {
        const Config c = readWith(form);
        for (std::size_t i = 0; i < 4; ++i)
            EXPECT_NEAR(shareOf(c, i, 500000), 0.25, 1e-6) << form.dump();
    }
    // A dynamic scaling begins beyond the trained context, which is never used.
    EXPECT_NEAR(shareOf(readWith({{"rope_scaling", {{"type", "dynamic"}, {"factor", 2.0}}}}), 3), 1,
                1e-6);
    EXPECT_NEAR(shareOf(readWith({{"rope_parameters", {{"rope_type", "default"}}}}), 3), 1, 1e-6);
}

TEST_F(FolderConfigTest, YarnInItsVariants)
{
    const auto yarn = [&](json more) {
        more.update(
            {{"rope_type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 32}});
        return readWith({{"head_dim", 64}, {"rope_scaling", more}}).rope;
    };
    const auto scale = [](double factor, double mscale) {
        return static_cast<float>(0.1 * mscale * std::log(factor) + 1);
    };
    EXPECT_FLOAT_EQ(yarn(json::object()).attentionFactor, scale(4, 1));
    EXPECT_FLOAT_EQ(yarn({{"attention_factor", 1.5}}).attentionFactor, 1.5f);
    EXPECT_FLOAT_EQ(yarn({{"mscale", 0.7}, {"mscale_all_dim", 1.0}}).attentionFactor,
                    scale(4, 0.7) / scale(4, 1));
    EXPECT_FLOAT_EQ(yarn({{"mscale", 0.7}}).attentionFactor, scale(4, 1)); // one alone is not used
    EXPECT_NE(yarn({{"truncate", false}}).inverseFrequencies,
              yarn(json::object()).inverseFrequencies);
    // Without a factor it is how much longer the context became: 128 / 32.
    const Config c =
        readWith({{"rope_scaling", {{"type", "yarn"}, {"original_max_position_embeddings", 32}}}});
    EXPECT_FLOAT_EQ(c.rope.attentionFactor, scale(4, 1));
}

TEST_F(FolderConfigTest, YarnReadsItsRamp)
{
    RopeSettings s;
    s.headDim = s.rotary = 64;
    s.base = 10000;
    s.contextTrained = 4096;
    s.originalContext = 1024;
    s.scaling = RopeSettings::Scaling::Yarn;
    s.factor = 4;
    s.betaFast = 16;
    s.betaSlow = 2;
    const json ramp{{"rope_type", "yarn"},
                    {"factor", 4.0},
                    {"beta_fast", 16.0},
                    {"beta_slow", 2.0},
                    {"original_max_position_embeddings", 1024}};
    const json model{{"head_dim", 64}, {"max_position_embeddings", 4096}, {"rope_scaling", ramp}};
    EXPECT_EQ(readWith(model).rope.inverseFrequencies,
              makeRope(s, RopePairing::HalfSplit).inverseFrequencies);
    // Some files have the original context outside.
    json outside = model;
    outside["rope_scaling"].erase("original_max_position_embeddings");
    outside["original_max_position_embeddings"] = 1024;
    EXPECT_EQ(readWith(outside).rope.inverseFrequencies, readWith(model).rope.inverseFrequencies);
}

TEST_F(FolderConfigTest, ActivationsByTheirNames)
{
    const auto named = [&](const char *name) {
        return readWith({{"hidden_act", name}}).activation;
    };
    EXPECT_EQ(named("silu"), Activation::SiLU);
    EXPECT_EQ(named("gelu"), Activation::GeluErf);
    EXPECT_EQ(named("gelu_new"), Activation::GeluTanh);
}

TEST_F(FolderConfigTest, ExpertsOfOneMatrixHaveOneType)
{
    m_weights.zeros("model.layers.0.mlp.experts.0.up_proj.weight", "BF16", {6, 8}, 96)
        .zeros("model.layers.0.mlp.experts.1.up_proj.weight", "F32", {6, 8}, 192);
    const ModelFile file = open(qwen3Moe());
    const Config config;
    const std::string error =
        errorOf([&] { WeightTable(file, config).matrix("blk.0.ffn_up_exps.weight", 6, 8, 2); });
    EXPECT_NE(error.find("experts.1.up_proj"), std::string::npos) << error;
    EXPECT_NE(error.find("unlike the first"), std::string::npos) << error;
}

TEST_F(FolderConfigTest, NormsStoredByHeadAreJoined)
{
    std::vector<float> values{0, 1, 2, 3, 4, 5, 6, 7};
    const auto bytes = std::as_bytes(std::span(values));
    for (int head = 0; head < 2; ++head)
        m_weights.tensor("model.layers.0.self_attn.q_layernorm.norms." + std::to_string(head) +
                             ".weight",
                         "F32", {4}, bytes.subspan(static_cast<std::size_t>(head) * 16, 16));
    json changed = llamaConfig();
    changed["architectures"] = {"StableLmForCausalLM"};
    const ModelFile file = open(changed);
    const Config config;
    const WeightTable table(file, config);
    const std::string name = "blk.0.attn_q_norm.weight";
    const WeightSource joined = table.vector(name, 8);
    ASSERT_EQ(joined.bytes.size(), bytes.size());
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), joined.bytes.begin()));
    EXPECT_NE(errorOf([&] { table.vector(name, 12); }).find("expected [1, 12]"), std::string::npos);
    EXPECT_NE(errorOf([&] { table.vector("blk.1.attn_q_norm.weight", 8); }).find("norms.0"),
              std::string::npos);
}

TEST_F(FolderConfigTest, LongRopeTakesTheLongDivisors)
{
    json scaling = json::parse(R"({"type": "longrope", "short_factor": [1, 1, 1, 1],
        "long_factor": [1, 2, 4, 8], "original_max_position_embeddings": 32})");
    const Config c = readWith({{"rope_scaling", scaling}});
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(shareOf(c, i), 1.0 / std::pow(2.0, static_cast<double>(i)), 1e-6);
    EXPECT_FLOAT_EQ(c.rope.attentionFactor,
                    static_cast<float>(std::sqrt(1 + std::log(4.0) / std::log(32.0))));
    EXPECT_EQ(c.shortContext, 32);
    EXPECT_EQ(c.shortRope.inverseFrequencies[3], 8 * c.rope.inverseFrequencies[3]);
    EXPECT_FALSE(c.needsLongContext(32));
    EXPECT_TRUE(c.needsLongContext(33));
    scaling["original_max_position_embeddings"] = 128;
    EXPECT_NEAR(shareOf(readWith({{"rope_scaling", scaling}}), 3), 1, 1e-6);
    scaling["long_factor"] = {1, 2};
    const std::string error = errorOf([&] { readWith({{"rope_scaling", scaling}}); });
    EXPECT_NE(error.find("rope_scaling.long_factor"), std::string::npos) << error;
    EXPECT_NE(error.find("a list of 4 numbers"), std::string::npos) << error;
}

TEST_F(FolderConfigTest, MixturesInBothNames)
{
    const Config c = read(qwen3Moe());
    EXPECT_EQ(c.architecture, "qwen3moe");
    EXPECT_EQ(c.headNorm, HeadNorm::Each);
    EXPECT_EQ(c.experts.count, 4);
    EXPECT_EQ(c.experts.used, 2);
    EXPECT_EQ(c.experts.ffn, 24);
    EXPECT_FALSE(c.experts.normalize);
    EXPECT_TRUE(c.sparse(0) && c.sparse(1));
    json other = qwen3Moe();
    other.erase("num_experts");
    other["num_local_experts"] = 8;
    other["norm_topk_prob"] = true;
    other["decoder_sparse_step"] = 2;
    const Config o = read(other);
    EXPECT_EQ(o.experts.count, 8);
    EXPECT_TRUE(o.experts.normalize);
    EXPECT_FALSE(o.sparse(0));
    EXPECT_TRUE(o.sparse(1));
    other["mlp_only_layers"] = {1};
    EXPECT_FALSE(read(other).sparse(1));
}

TEST_F(FolderConfigTest, SlidingWindows)
{
    json config = llamaConfig();
    config["sliding_window"] = 7;
    EXPECT_NE(errorOf([&] { read(config); }).find("'sliding_window': not supported"),
              std::string::npos); // Llama has none
    config["model_type"] = "mistral";
    config["architectures"] = {"MistralForCausalLM"};
    EXPECT_EQ(read(config).attention(0).window, 7);
    config["sliding_window"] = nullptr;
    EXPECT_EQ(read(config).attention(0).window, 0);
    config.erase("sliding_window");
    EXPECT_EQ(read(config).attention(0).window, 4096);
    config["sliding_window"] = 7;
    config["model_type"] = "qwen3";
    config["architectures"] = {"Qwen3ForCausalLM"};
    config["head_dim"] = 8;
    config["max_window_layers"] = 1;
    EXPECT_EQ(read(config).attention(1).window, 0); // only when asked for
    config["use_sliding_window"] = true;
    EXPECT_EQ(read(config).attention(0).window, 0);
    EXPECT_EQ(read(config).attention(1).window, 7);
    config["layer_types"] = {"sliding_attention", "full_attention"};
    EXPECT_EQ(read(config).attention(0).window, 7);
    EXPECT_EQ(read(config).attention(1).window, 0);
}

TEST_F(FolderConfigTest, BadValuesAreNamedWithTheirKey)
{
    const std::pair<json, std::vector<const char *>> cases[]{
        {{{"num_hidden_layers", 0}}, {"num_hidden_layers", "0"}},
        {{{"num_hidden_layers", 1000000000}}, {"num_hidden_layers", "1000000000"}},
        {{{"num_hidden_layers", "two"}}, {"num_hidden_layers", "two"}},
        {{{"num_hidden_layers", 2.5}}, {"num_hidden_layers", "2.5"}},
        {{{"num_hidden_layers", nullptr}}, {"num_hidden_layers"}},
        {{{"hidden_size", -32}}, {"hidden_size", "-32"}},
        {{{"hidden_size", 18446744073709551615u}}, {"hidden_size", "18446744073709551615"}},
        {{{"num_attention_heads", 6}}, {"num_attention_heads", "6 heads"}},
        {{{"num_key_value_heads", 3}}, {"num_key_value_heads", "3 groups"}},
        {{{"num_key_value_heads", 8}}, {"num_key_value_heads", "8"}},
        {{{"head_dim", 3}}, {"head_dim", "3"}},
        {{{"head_dim", 5000}}, {"head_dim", "5000"}},
        {{{"intermediate_size", 0}}, {"intermediate_size", "0"}},
        {{{"max_position_embeddings", 0}}, {"max_position_embeddings", "0"}},
        {{{"rms_norm_eps", -1.0}}, {"rms_norm_eps", "-1.0"}},
        {{{"rms_norm_eps", {1}}}, {"rms_norm_eps", "a list"}},
        {{{"rope_theta", 0}}, {"rope_theta", "0"}},
        {{{"rope_scaling", "linear"}}, {"rope_scaling", "linear"}},
        {{{"rope_scaling", {{"type", "linear"}}}}, {"rope_scaling.factor"}},
        {{{"rope_scaling", {{"type", "linear"}, {"factor", 0}}}}, {"rope_scaling.factor", "0"}},
        {{{"rope_scaling", {{"type", "magic"}, {"factor", 2}}}}, {"rope_scaling.type", "magic"}},
        {{{"rope_parameters", {{"far_attention", {{"rope_type", "default"}}}}}},
         {"rope_parameters.far_attention", "not supported"}},
        {{{"rope_parameters",
           {{"full_attention", {{"rope_type", "default"}}},
            {"far_attention", {{"rope_type", "default"}}}}}},
         {"rope_parameters.far_attention", "not supported"}},
        {{{"rope_scaling",
           {{"rope_type", "llama3"},
            {"factor", 8},
            {"low_freq_factor", 4},
            {"high_freq_factor", 1},
            {"original_max_position_embeddings", 32}}}},
         {"rope_scaling.high_freq_factor", "low_freq_factor"}},
        {{{"partial_rotary_factor", 0.1}}, {"partial_rotary_factor", "0.1"}},
        {{{"partial_rotary_factor", 0.4}}, {"partial_rotary_factor", "3 of 8 channels"}},
        {{{"vocab_size", 17}}, {"vocab_size", "17", "16"}},
        {{{"tie_word_embeddings", 1}}, {"tie_word_embeddings", "true or false"}},
        {{{"hidden_act", "mish"}}, {"hidden_act", "mish"}},
        {{{"quantization_config", {{"quant_method", "bitsandbytes"}}}}, {"bitsandbytes"}},
        {{{"architectures", json::array()}}, {"architectures"}},
    };
    for (const auto &[changes, needles] : cases) {
        json config = llamaConfig();
        config.update(changes);
        const ModelFile file = open(config);
        const std::string error = errorOf([&] { readConfig(file); });
        EXPECT_NE(error.find("config.json"), std::string::npos) << error;
        for (const char *needle : needles)
            EXPECT_NE(error.find(needle), std::string::npos) << changes.dump() << "\n" << error;
    }
    const std::pair<json, const char *> experts[]{
        {{{"num_experts", 0}}, "num_experts"},
        {{{"num_experts_per_tok", 5}}, "num_experts_per_tok"},
        {{{"moe_intermediate_size", nullptr}}, "moe_intermediate_size"},
        {{{"mlp_only_layers", {2}}}, "mlp_only_layers"},
        {{{"mlp_only_layers", {-1}}}, "mlp_only_layers"},
        {{{"decoder_sparse_step", 0}}, "decoder_sparse_step"},
    };
    for (const auto &[changes, needle] : experts) {
        json config = qwen3Moe();
        config.update(changes);
        const std::string error = errorOf([&] { read(config); });
        EXPECT_NE(error.find(needle), std::string::npos) << changes.dump() << "\n" << error;
    }
}

TEST_F(FolderConfigTest, UnknownClassesAndTypesAreToldBeforeLoading)
{
    json config = llamaConfig();
    config["architectures"] = {"Rwkv7ForCausalLM"};
    ModelSummary s = describeModel(open(config));
    EXPECT_EQ(s.problem, "not supported: architecture 'Rwkv7ForCausalLM'");
    EXPECT_EQ(s.layers, 2);
    EXPECT_EQ(s.vocabulary, 16);
    EXPECT_EQ(s.name, m_dir.path().filename().string());

    m_weights.zeros("x", "F8_E4M3", {2}, 2);
    s = describeModel(open(llamaConfig()));
    EXPECT_NE(s.problem.value_or("").find("F8_E4M3"), std::string::npos) << *s.problem;
    EXPECT_NE(supportedArchitectures().find("qwen3moe"), std::string::npos);
}

TEST_F(FolderConfigTest, SummariesCountWhatOneTokenUses)
{
    for (const char *matrix : {"gate_proj", "up_proj", "down_proj"})
        for (int e = 0; e < 4; ++e)
            m_weights.zeros("model.layers.0.mlp.experts." + std::to_string(e) + '.' + matrix +
                                ".weight",
                            "BF16", {24, 32}, 24 * 32 * 2);
    const ModelSummary s = describeModel(open(qwen3Moe()));
    EXPECT_NE(s.problem.value_or("").find("lacks the tensor"), std::string::npos);
    EXPECT_FALSE(s.plan) << "of what cannot be loaded";
    EXPECT_EQ(s.parameters, 16u * 32 + 12 * 24 * 32);
    EXPECT_EQ(s.activeParameters, 16u * 32 + 6 * 24 * 32);
    EXPECT_EQ(s.quantisation, "BF16");

    ModelSummary large;
    large.parameters = 30'600'000'000;
    large.activeParameters = 3'300'000'000;
    EXPECT_EQ(parametersText(large), "31B, 3.3B active");
    large.activeParameters = large.parameters;
    EXPECT_EQ(parametersText(large), "31B");
    large.parameters = large.activeParameters = 999'900'000;
    EXPECT_EQ(parametersText(large), "1.0B");
}

TEST_F(FolderConfigTest, ExpertsAreFoundApartAndPacked)
{
    std::vector<float> values(4 * 6 * 8);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(i);
    const auto bytes = std::as_bytes(std::span(values));
    m_weights.tensor("model.layers.0.mlp.experts.gate_up_proj", "F32", {4, 6, 8}, bytes)
        .tensor("model.layers.0.mlp.experts.down_proj", "F32", {4, 6, 8}, bytes);
    for (int e = 0; e < 4; ++e)
        m_weights.tensor("model.layers.1.mlp.experts." + std::to_string(e) + ".up_proj.weight",
                         "F32", {6, 8}, bytes.subspan(static_cast<std::size_t>(e) * 192, 192));
    const ModelFile file = open(qwen3Moe());
    const Config config;
    const WeightTable table(file, config);
    const auto firstOf = [](const WeightSource &s, std::int64_t expert) {
        float value = 0;
        std::memcpy(&value, s.matrixBytes(expert).data(), 4);
        return value;
    };
    const WeightSource gate = table.matrix("blk.0.ffn_gate_exps.weight", 3, 8, 4);
    const WeightSource up = table.matrix("blk.0.ffn_up_exps.weight", 3, 8, 4);
    const WeightSource down = table.matrix("blk.0.ffn_down_exps.weight", 6, 8, 4);
    const WeightSource apart = table.matrix("blk.1.ffn_up_exps.weight", 6, 8, 4);
    for (int e = 0; e < 4; ++e) {
        EXPECT_EQ(firstOf(gate, e), static_cast<float>(48 * e));
        EXPECT_EQ(firstOf(up, e), static_cast<float>(48 * e + 24));
        EXPECT_EQ(firstOf(down, e), static_cast<float>(48 * e));
        EXPECT_EQ(firstOf(apart, e), static_cast<float>(48 * e));
        EXPECT_EQ(gate.matrixBytes(e).size(), 3u * 8 * 4);
        EXPECT_EQ(apart.matrixBytes(e).size(), 6u * 8 * 4);
    }
    const std::string missing = errorOf([&] { table.matrix("blk.1.ffn_up_exps.weight", 6, 8, 5); });
    EXPECT_NE(missing.find("experts.4.up_proj"), std::string::npos) << missing;
    const std::string shape = errorOf([&] { table.matrix("blk.0.ffn_up_exps.weight", 4, 8, 4); });
    EXPECT_NE(shape.find("[4, 6, 8], expected [4, 8, 8]"), std::string::npos) << shape;
}

} // namespace
} // namespace fireside
