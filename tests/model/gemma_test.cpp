// What Gemma 3n and 4 say of single layers, and their residual streams on several devices.
#include "engine/core/error.h"
#include "engine/files/model_file.h"
#include "engine/model/config.h"
#include "engine/model/describe.h"
#include "tests/support/gguf_from_folder.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/require.h"
#include "tests/support/safetensors_builder.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

namespace fireside {
namespace {

using nlohmann::json;
using test::GoldenLogits;

class GemmaTest : public testing::Test
{
protected:
    /// The golden model with another config.json.
    std::filesystem::path changed(const char *name, const json &patch)
    {
        const std::filesystem::path from = test::goldenFolder(name);
        const std::filesystem::path to = m_dir / std::to_string(m_count++);
        std::filesystem::create_directories(to);
        std::filesystem::copy(from / "model.safetensors", to / "model.safetensors");
        std::ifstream in(from / "config.json");
        json config = json::parse(in);
        for (const auto &[key, value] : patch.items())
            if (value == "absent")
                config.erase(key);
            else
                config[key] = value;
        test::writeText(to / "config.json", config.dump());
        return to;
    }
    Config configOf(const char *name, const json &patch = json::object())
    {
        return readConfig(ModelFile::open(changed(name, patch)));
    }
    std::string problemOf(const char *name, const json &patch)
    {
        return describeModel(changed(name, patch)).problem.value_or("");
    }

    test::TempDir m_dir;
    int m_count = 0;
};

std::vector<std::int64_t> ofEach(const Config &c, std::int64_t LayerConfig::*member)
{
    std::vector<std::int64_t> values;
    for (const LayerConfig &l : c.each)
        values.push_back(l.*member);
    return values;
}

using PerLayer = std::vector<std::int64_t>;

TEST_F(GemmaTest, LayersDifferAsTheFileSays)
{
    const Config c = configOf("gemma4");
    EXPECT_EQ(ofEach(c, &LayerConfig::headDim), (PerLayer{32, 32, 64, 32, 32, 64}));
    EXPECT_EQ(ofEach(c, &LayerConfig::window), (PerLayer{8, 8, 0, 8, 8, 0}));
    EXPECT_EQ(ofEach(c, &LayerConfig::kvFrom), (PerLayer{-1, -1, -1, -1, 3, 2}));
    EXPECT_EQ(c.streamWidth(), 64 + 6 * 16);
    ASSERT_EQ(c.rope.inverseFrequencies.size(), 32u);
    for (std::size_t i = 0; i < 32; ++i) // a quarter of the pairs turn, as in the whole head
        EXPECT_NEAR(c.rope.inverseFrequencies[i],
                    i < 8 ? std::pow(1e6, -static_cast<double>(i) / 32) : 0.0, 1e-7)
            << i;
    EXPECT_EQ(c.localRope.inverseFrequencies.size(), 16u);
}

TEST_F(GemmaTest, LayersDifferAsTheClassSays)
{
    json patch{
        {"per_layer_config", "absent"}, {"global_head_dim", 64}, {"num_global_key_value_heads", 1}};
    EXPECT_EQ(ofEach(configOf("gemma4-moe", patch), &LayerConfig::kvHeads),
              (PerLayer{2, 2, 1, 2, 2, 1}));
    // The count of heads is for layers whose values are their keys.
    EXPECT_EQ(ofEach(configOf("gemma4", patch), &LayerConfig::kvHeads),
              (PerLayer{2, 2, 2, 2, 2, 2}));
    patch["global_head_dim"] = "absent";
    patch["layer_types"] = nullptr;
    patch["rope_parameters"] = nullptr;
    patch["num_kv_shared_layers"] = 0;
    const Config c = configOf("gemma4", patch);
    EXPECT_EQ(ofEach(c, &LayerConfig::headDim), (PerLayer{32, 32, 32, 32, 32, 512}));
    EXPECT_EQ(ofEach(configOf("gemma4", {{"use_double_wide_mlp", true}}), &LayerConfig::ffn),
              (PerLayer{160, 160, 160, 160, 320, 320}));
    EXPECT_FLOAT_EQ(c.rope.inverseFrequencies[1], static_cast<float>(std::pow(1e6, -1.0 / 256)));
    EXPECT_EQ(c.rope.inverseFrequencies[64], 0);
}

TEST_F(GemmaTest, SparsityByLayer)
{
    const Config c =
        configOf("gemma3n", {{"activation_sparsity_pattern", {0.95, 0.5, 0.1, 0, 0, 0}},
                             {"intermediate_size", {160, 96, 160, 160, 160, 160}}});
    EXPECT_NEAR(c.layer(0).sparsity.value(), 1.6448536, 1e-6);
    EXPECT_NEAR(c.layer(1).sparsity.value(), 0, 1e-6);
    EXPECT_NEAR(c.layer(2).sparsity.value(), -1.2815516, 1e-6);
    EXPECT_FALSE(c.layer(3).sparsity);
    EXPECT_EQ(c.layer(1).ffn, 96);
    EXPECT_FALSE(configOf("gemma3n", {{"activation_sparsity_pattern", nullptr}}).layer(0).sparsity);
}

TEST_F(GemmaTest, WhatDoesNotFitIsToldByKey)
{
    const auto names = [&](const char *model, const json &patch, const char *mention) {
        const std::string problem = problemOf(model, patch);
        EXPECT_NE(problem.find(mention), std::string::npos) << patch << ": " << problem;
    };
    const auto layer = [](const char *number, const json &value) {
        return json{{"per_layer_config", {{number, value}}}};
    };
    names("gemma4", layer("6", {{"head_dim", 64}}), "per_layer_config.6");
    names("gemma4", layer("-1", {{"head_dim", 64}}), "per_layer_config.-1");
    names("gemma4", layer("2x", {{"head_dim", 64}}), "per_layer_config.2x");
    names("gemma4", layer("2", {{"sliding_window", 4}}), "per_layer_config.2.sliding_window");
    names("gemma4", layer("2", {{"head_dim", 7}}), "layer 2 has a head size of 7");
    names("gemma4", {{"num_kv_shared_layers", 6}}, "num_kv_shared_layers");
    names("gemma4", {{"num_kv_shared_layers", 4}}, "num_kv_shared_layers");
    names("gemma4", {{"use_bidirectional_attention", "all"}}, "use_bidirectional_attention");
    names("gemma3n", {{"intermediate_size", {160, 160}}}, "intermediate_size");
    names("gemma3n", {{"intermediate_size", {160, 160, 160, 160, 160, "a"}}}, "intermediate_size");
    names("gemma3n", {{"activation_sparsity_pattern", {0.5}}}, "activation_sparsity_pattern");
    names("gemma3n", {{"altup_active_idx", 4}}, "altup_active_idx");
}

// Who reads a file without the key takes 30.
TEST_F(GemmaTest, FilesSayWhetherLogitsAreCapped)
{
    const auto cap = [&](const std::filesystem::path &folder) {
        const std::filesystem::path path = m_dir / std::to_string(m_count++);
        test::writeGgufOf(folder, path);
        return Gguf::open(path).findFloat("gemma4.final_logit_softcapping");
    };
    EXPECT_EQ(cap(test::goldenFolder("gemma4")), 0);
    EXPECT_EQ(cap(test::goldenFolder("gemma4-moe")), 0);
    EXPECT_EQ(cap(changed("gemma4", {{"final_logit_softcapping", 12.5}})), 12.5);
}

TEST_F(GemmaTest, StreamsGoFromDeviceToDevice)
{
    for (const char *name : {"gemma3n", "gemma4"}) {
        const std::filesystem::path folder = test::goldenFolder(name);
        const GoldenLogits golden = test::goldenFolderLogits(folder);
        const test::ModelFixture model(folder, {0, 0, 1, 1, 1, 1});
        const auto session = model.session();
        EXPECT_LE(test::maxDifference(test::allLogits(*session, golden.ids), golden.logits), 2e-4)
            << name;
        // The last two layers read what the two before them keep.
        EXPECT_THROW(test::ModelFixture(folder, {0, 0, 0, 0, 1, 1}), Error) << name;
        EXPECT_EQ(describeModel(folder).plan.value().together, 2u) << name;
        EXPECT_GT(describeModel(folder).plan.value().embeddingWeights, 320u * 6 * 16 * 2)
            << name << ": with the inputs of layers";
    }
}

} // namespace
} // namespace fireside
