// Settings of a folder in the GGUF file that is made of it: the same, or refused by name. Values of
// any other type are errors that name their key.
#include "engine/convert/quantize_file.h"
#include "engine/core/error.h"
#include "engine/files/gguf.h"
#include "engine/files/model_file.h"
#include "engine/model/config.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/require.h"
#include "tests/support/safetensors_builder.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <functional>

namespace fireside {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A golden folder with another config.json.
class FolderToGgufTest : public testing::Test
{
protected:
    std::string made(const fs::path &folder, const json &config)
    {
        fs::remove_all(m_dir / "model");
        fs::create_directory(m_dir / "model");
        fs::create_symlink(folder / "model.safetensors", m_dir / "model/model.safetensors");
        test::writeText(m_dir / "model/config.json", config.dump());
        try {
            quantizeFile(
                {.source = m_dir / "model", .target = m_dir / "made.gguf", .replace = true}, {},
                {});
        } catch (const Error &e) {
            return e.what();
        }
        return "made";
    }
    static json configOf(const fs::path &folder)
    {
        return json::parse(std::ifstream(folder / "config.json"));
    }
    std::uint64_t number(const char *key)
    {
        return Gguf::open(m_dir / "made.gguf").requireUnsigned(key);
    }
    /// The largest difference of logits of the folder and of the file made of it.
    double difference(std::size_t tokens)
    {
        std::vector<TokenId> ids;
        for (std::size_t i = 0; i < tokens; ++i)
            ids.push_back(static_cast<TokenId>(3 + i * 7 % 50));
        const test::ModelFixture folder(m_dir / "model"), file(m_dir / "made.gguf");
        return test::maxDifference(test::allLogits(*folder.session(256), ids),
                                   test::allLogits(*file.session(256), ids));
    }
    test::TempDir m_dir;
};

TEST_F(FolderToGgufTest, TheOriginalContextOfLongRopeWhereverItStands)
{
    const auto folder = fs::path(FIRESIDE_SHARED_DATA) / "golden/models3/phi3-longrope-long";
    if (!fs::exists(folder))
        FIRESIDE_SKIP("the full set of golden data is not here: " FIRESIDE_SHARED_DATA);
    const json whole = configOf(folder);
    const char *const key = "original_max_position_embeddings";
    const json original = whole.contains(key) ? whole[key] : whole["rope_parameters"][key];
    for (const bool inside : {true, false})
        for (const bool above : {true, false}) {
            if (!inside && !above)
                continue;
            json config = whole;
            config.erase(key);
            config["rope_parameters"].erase(key);
            if (inside)
                config["rope_parameters"][key] = original;
            if (above)
                config[key] = original;
            ASSERT_EQ(made(folder, config), "made") << inside << above;
            EXPECT_EQ(json(number("phi3.rope.scaling.original_context_length")), original);
            EXPECT_LE(difference(100), 1e-5) << inside << above;
        }
}

TEST_F(FolderToGgufTest, RopesOfGemmasKindsOfLayers)
{
    const auto folder = test::goldenFolder("gemma3");
    json config = configOf(folder);
    config["rope_parameters"]["sliding_attention"] = nullptr; // then all have that of the others
    const std::string result = made(folder, config);
    EXPECT_EQ(result, "made");
    if (result == "made") {
        EXPECT_LE(difference(40), 1e-4);
    }
}

/// Alpha goes into the base; layers that share keys may be twice as wide.
TEST_F(FolderToGgufTest, NumbersThatAreCalculated)
{
    for (const char *name : {"hunyuan-dense-alpha", "gemma4-double-wide"}) {
        const auto folder = fs::path(FIRESIDE_SHARED_DATA) / "golden/models3" / name;
        if (!fs::exists(folder))
            FIRESIDE_SKIP("the full set of golden data is not here: " FIRESIDE_SHARED_DATA);
        ASSERT_EQ(made(folder, configOf(folder)), "made") << name;
        EXPECT_LE(difference(40), 1e-4) << name;
    }
}

/// Factors in the weights, and a scale that no setting names.
TEST_F(FolderToGgufTest, ScalesOfAttentionAreNotRefusedWhereTheyAreSaid)
{
    for (const char *name : {"falcon-h1", "minicpm3"}) {
        const auto folder = test::goldenFolder(name);
        ASSERT_EQ(made(folder, configOf(folder)), "made") << name;
        EXPECT_LE(difference(40), 1e-4) << name;
    }
}

TEST_F(FolderToGgufTest, YarnOfDeepSeekScalesTheScores)
{
    for (const char *name : {"deepseek-v2", "deepseek-v3"})
        for (const double scale : {0.707, 1.0}) {
            const auto folder = test::goldenFolder(name);
            json config = configOf(folder);
            config["max_position_embeddings"] = 256;
            config["rope_parameters"] = {
                {"rope_type", "yarn"}, {"rope_theta", 10000.0},
                {"factor", 8.0},       {"original_max_position_embeddings", 32},
                {"beta_fast", 32},     {"beta_slow", 1},
                {"mscale", scale},     {"mscale_all_dim", scale}};
            ASSERT_EQ(made(folder, config), "made") << name;
            EXPECT_LE(difference(100), 1e-4) << name;
        }
}

TEST_F(FolderToGgufTest, TheWidthOfFeedForwardLayersIsCalculated)
{
    const auto folder = test::goldenFolder("lfm2");
    json config = configOf(folder);
    const int width = config["intermediate_size"];
    config["block_auto_adjust_ff_dim"] = true;
    config["block_ffn_dim_multiplier"] = 1.0;
    config["block_multiple_of"] = 1;
    for (const char *key : {"intermediate_size", "block_ff_dim"}) {
        config["intermediate_size"] = width * 3 / 2;
        config[key] = width * 3 / 2;
        ASSERT_EQ(made(folder, config), "made") << key;
        EXPECT_EQ(number("lfm2.feed_forward_length"), static_cast<std::uint64_t>(width)) << key;
        EXPECT_LE(difference(40), 1e-4) << key;
    }
}

TEST_F(FolderToGgufTest, WhatTheFormatCannotSayIsRefusedByName)
{
    const auto folder = test::goldenFolder("llama-yarn");
    json config = configOf(folder);
    config["rope_parameters"]["truncate"] = false;
    const std::string result = made(folder, config);
    EXPECT_NE(result.find("in a GGUF file"), std::string::npos) << result;
    EXPECT_NE(result.find("rotary embedding"), std::string::npos) << result;
    EXPECT_FALSE(fs::exists(m_dir / "made.gguf"));
}

/// Every object and list inside, and every key.
void forEachValue(json &value, const std::function<void(json &)> &body)
{
    if (value.is_structured())
        for (json &child : value) {
            body(child);
            forEachValue(child, body);
        }
}

TEST_F(FolderToGgufTest, ValuesOfAnotherTypeAreErrorsOfOurs)
{
    std::vector<fs::path> folders;
    for (const std::string &name : test::goldenFolderNames())
        folders.push_back(test::goldenFolder(name));
    const std::vector<json> odd{nullptr, -1, "x", true, 2.5, json::array(), json::object(), 1e300};
    std::size_t start = 0;
    for (const fs::path &folder : folders) {
        const json whole = configOf(folder);
        json counted = whole;
        std::size_t values = 0;
        forEachValue(counted, [&](json &) { ++values; });
        // A third of each folder's, another one in the next: families share most of their keys.
        for (std::size_t i = start++ % 3; i < values; i += 3) {
            json config = whole;
            std::size_t at = 0;
            json *chosen = nullptr;
            forEachValue(config, [&](json &value) {
                if (at++ == i)
                    chosen = &value;
            });
            const json &other = odd[(i / 3 + start) % odd.size()];
            *chosen = other;
            const std::string result = made(folder, config);
            EXPECT_EQ(result.find("json.exception"), std::string::npos) << folder << result;
        }
    }
}

} // namespace
} // namespace fireside
