// Folders of ModelOpt whose config.json does not say that they are quantised: hf_quant_config.json
// beside it does.
#include "engine/core/error.h"
#include "engine/files/json_file.h"
#include "engine/files/model_file.h"
#include "engine/model/describe.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/packed_folder.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace fireside {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class ModelOptTest : public testing::Test
{
protected:
    static test::PackedKind kind(const std::string &name)
    {
        const std::vector<test::PackedKind> kinds = test::packedKinds();
        return *std::find_if(kinds.begin(), kinds.end(),
                             [&](const test::PackedKind &k) { return k.name == name; });
    }
    /// The folder with what it says of its quantisation in the file of its own.
    void moveQuantisation(const json &quantisation)
    {
        const fs::path path = m_dir / "packed" / "config.json";
        json config = readJsonFile(path, 1 << 20);
        config.erase("quantization_config");
        test::writeText(path, config.dump());
        write(json{{"producer", {{"name", "modelopt"}, {"version", "0.29.0"}}},
                   {"quantization", quantisation}}
                  .dump());
    }
    void write(const std::string &text) const
    {
        test::writeText(m_dir / "packed" / "hf_quant_config.json", text);
    }
    std::string errorOf() const
    {
        try {
            const ModelFile file = ModelFile::open(m_dir / "packed");
            return file.problem().value_or("none");
        } catch (const Error &e) {
            EXPECT_EQ(e.kind(), ErrorKind::BadInput) << e.what();
            return e.what();
        }
    }

    test::TempDir m_dir;
};

TEST_F(ModelOptTest, TheFileBesideSaysHowWeightsAreQuantised)
{
    const json layers{{"model.layers.0.mlp.up_proj", {{"quant_algo", "NVFP4"}, {"group_size", 16}}},
                      {"model.layers.1.mlp.up_proj", {{"quant_algo", "FP8"}}}};
    const std::pair<const char *, json> cases[] = {
        {"Nvfp4ModelOpt",
         {{"quant_algo", "NVFP4"},
          {"kv_cache_quant_algo", "FP8"},
          {"group_size", 16},
          {"exclude_modules", {"lm_head"}}}},
        {"Nvfp4ModelOpt", {{"quant_algo", "MIXED_PRECISION"}, {"quantized_layers", layers}}},
        {"Fp8Whole", {{"quant_algo", "FP8"}, {"kv_cache_quant_algo", nullptr}}}};
    for (const auto &[name, quantisation] : cases) {
        const auto golden = test::goldenFolder(kind(name).model);
        SCOPED_TRACE(quantisation.dump());
        test::writePackedFolder(kind(name), golden, m_dir / "packed", m_dir / "plain");
        const std::vector<TokenId> ids = test::goldenFolderLogits(golden).ids;
        const auto logits = [&](const char *folder) {
            const test::ModelFixture model(m_dir / folder);
            return test::allLogits(*model.session(), ids);
        };
        const std::vector<float> before = logits("packed");
        moveQuantisation(quantisation);
        EXPECT_EQ(logits("packed"), before);
        const ModelSummary summary = describeModel(m_dir / "packed");
        EXPECT_EQ(summary.problem, std::nullopt);
        const bool cache = std::any_of(
            summary.remarks.begin(), summary.remarks.end(), [](const std::string &remark) {
                return remark.find("keys and values in FP8") != std::string::npos;
            });
        EXPECT_EQ(cache, quantisation.value("kv_cache_quant_algo", json()).is_string());
    }
}

TEST_F(ModelOptTest, OtherFilesAreRefusedByName)
{
    const test::PackedKind fp8 = kind("Fp8Whole");
    const auto golden = test::goldenFolder(fp8.model);
    test::writePackedFolder(fp8, golden, m_dir / "packed", m_dir / "plain");
    moveQuantisation({{"quant_algo", "W4A16_AWQ"}, {"pre_quant_scale", true}});
    EXPECT_EQ(errorOf(), "quantisation 'modelopt' by 'W4A16_AWQ'");
    moveQuantisation({{"quant_algo", "MIXED_PRECISION"},
                      {"quantized_layers", {{"a", {{"quant_algo", "FP8"}}}, {"b", 4}}}});
    EXPECT_EQ(errorOf(), "quantisation 'modelopt' by 'unknown'");
    moveQuantisation({{"quant_algo", "MIXED_PRECISION"}});
    EXPECT_EQ(errorOf(), "quantisation 'modelopt' by 'MIXED_PRECISION'");
    const std::pair<const char *, const char *> broken[] = {
        {"{", "hf_quant_config.json"},
        {"[]", "lacks the object 'quantization'"},
        {R"({"quantization": 4})", "lacks the object 'quantization'"},
        {R"({"quantization": {}})", "'quantization.quant_algo' is missing or no text"},
        {R"({"quantization": {"quant_algo": 8}})", "'quantization.quant_algo' is missing"},
    };
    for (const auto &[text, needle] : broken) {
        write(text);
        const std::string error = errorOf();
        EXPECT_TRUE(error.starts_with((m_dir / "packed" / "hf_quant_config.json").string()))
            << error;
        EXPECT_NE(error.find(needle), std::string::npos) << error;
    }
    // config.json has the last word.
    test::writePackedFolder(fp8, golden, m_dir / "packed", m_dir / "plain");
    EXPECT_EQ(errorOf(), "none");
    // Only the cache was quantised: weights are what they are.
    test::writePackedFolder(fp8, golden, m_dir / "packed", m_dir / "plain");
    fs::remove_all(m_dir / "packed");
    fs::rename(m_dir / "plain", m_dir / "packed");
    write(R"({"quantization": {"quant_algo": null, "kv_cache_quant_algo": "FP8"}})");
    EXPECT_EQ(errorOf(), "none");
}

} // namespace
} // namespace fireside
