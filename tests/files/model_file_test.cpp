// Folders of Hugging Face models: which files they take, and what they refuse.
#include "engine/core/error.h"
#include "engine/files/json_file.h"
#include "engine/files/model_file.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/safetensors_builder.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>

namespace fireside {
namespace {

namespace fs = std::filesystem;
using test::SafetensorsBuilder;
using test::writeText;

class ModelFileTest : public testing::Test
{
protected:
    void SetUp() override { writeText(m_dir / "config.json", R"({"model_type":"llama"})"); }
    SafetensorsBuilder shard(const std::string &tensor, std::size_t floats)
    {
        return SafetensorsBuilder().zeros(tensor, "F32", {floats}, floats * 4);
    }
    void writeShards(const std::string &map)
    {
        shard("x", 2).write(m_dir / "model-00001-of-00002.safetensors");
        shard("y", 3).write(m_dir / "model-00002-of-00002.safetensors");
        writeText(m_dir / "model.safetensors.index.json", R"({"weight_map":)" + map + "}");
    }
    std::string errorOf(const fs::path &path)
    {
        try {
            ModelFile::open(path);
        } catch (const Error &e) {
            return e.what();
        }
        return "no error";
    }
    void expectRefused(const std::string &needle)
    {
        const std::string error = errorOf(m_dir.path());
        EXPECT_NE(error.find(needle), std::string::npos) << error;
        EXPECT_NE(error.find(m_dir.path().string()), std::string::npos) << error;
    }
    test::TempDir m_dir;
};

constexpr const char *kMap = R"({"x":"model-00001-of-00002.safetensors",
                                 "y":"model-00002-of-00002.safetensors"})";

TEST_F(ModelFileTest, EveryPartOfAFolderOpensIt)
{
    shard("x", 2).write(m_dir / "model.safetensors");
    for (const fs::path &path :
         {m_dir.path(), m_dir / "config.json", m_dir / "model.safetensors"}) {
        const ModelFile file = ModelFile::open(path);
        ASSERT_NE(file.folder(), nullptr);
        EXPECT_EQ(file.gguf(), nullptr);
        EXPECT_EQ(fs::weakly_canonical(file.path()), fs::weakly_canonical(m_dir.path()));
        ASSERT_NE(file.findTensor("x"), nullptr);
        EXPECT_EQ(file.findTensor("x")->shape, (std::vector<std::uint64_t>{2}));
        EXPECT_EQ(file.folder()->config()["model_type"], "llama");
        EXPECT_TRUE(HuggingFaceFolder::isAt(path));
    }
}

TEST_F(ModelFileTest, GgufFilesShowTheirTensorsRowsFirst)
{
    test::GgufBuilder()
        .string("general.architecture", "llama")
        .string("tokenizer.chat_template", "hello")
        .tensor("x", DType::F16, {4, 3})
        .write(m_dir / "m.gguf");
    const ModelFile file = ModelFile::open(m_dir / "m.gguf");
    ASSERT_NE(file.gguf(), nullptr);
    EXPECT_EQ(file.findTensor("x")->shape, (std::vector<std::uint64_t>{3, 4}));
    EXPECT_EQ(file.findTensor("x")->type, "F16");
    EXPECT_EQ(file.findTensor("x")->elements(), 12u);
    EXPECT_EQ(file.chatTemplate(), "hello");
    EXPECT_FALSE(HuggingFaceFolder::isAt(m_dir / "m.gguf"));
}

TEST_F(ModelFileTest, ShardsAreJoined)
{
    writeShards(kMap);
    const ModelFile file = ModelFile::open(m_dir.path());
    EXPECT_EQ(file.tensors().size(), 2u);
    EXPECT_EQ(file.findTensor("x")->bytes.size(), 8u);
    EXPECT_EQ(file.findTensor("y")->bytes.size(), 12u);
    EXPECT_EQ(file.headers().size(), 3u); // config.json and both
    EXPECT_EQ(file.fileBytes(), fs::file_size(m_dir / "model-00001-of-00002.safetensors") +
                                    fs::file_size(m_dir / "model-00002-of-00002.safetensors"));
}

TEST_F(ModelFileTest, TheIndexIsDataFromOutside)
{
    const std::pair<const char *, const char *> cases[]{
        {R"({"x":"../model.safetensors"})", "no .safetensors file of the folder"},
        {R"({"x":"/etc/passwd"})", "no .safetensors file of the folder"},
        {R"({"x":"/tmp/a.safetensors"})", "no .safetensors file of the folder"},
        {R"({"x":"sub/a.safetensors"})", "no .safetensors file of the folder"},
        {R"({"x":"sub\\a.safetensors"})", "no .safetensors file of the folder"},
        {R"({"x":"..safetensors"})", "no .safetensors file of the folder"},
        {R"({"x":"a\u0000.safetensors"})", "no .safetensors file of the folder"},
        {R"({"x":"weights.bin"})", "no .safetensors file of the folder"},
        {R"({"x":""})", "no .safetensors file of the folder"},
        {R"({"x":5})", "no .safetensors file of the folder"},
        {R"({"x":"gone.safetensors"})", "'gone.safetensors' of the model is missing"},
        {R"({"z":"model-00001-of-00002.safetensors"})", "lacks the tensor 'z'"},
        {"{}", "weight_map"},
        {"[]", "weight_map"},
    };
    for (const auto &[map, needle] : cases) {
        writeShards(map);
        expectRefused(needle);
    }
    writeText(m_dir / "model.safetensors.index.json", "[1]");
    expectRefused("weight_map");
    writeText(m_dir / "model.safetensors.index.json", "{");
    expectRefused("no valid JSON");
}

// The cache of Hugging Face: folders of links to files that are named by their hash. Links are made
// by whoever owns the folder, so they may lead anywhere; names that an index gives may not.
TEST_F(ModelFileTest, LinksOfTheHuggingFaceCacheAreFollowed)
{
    const fs::path repository = m_dir / "models--maker--model";
    const fs::path blobs = repository / "blobs", snapshot = repository / "snapshots/0123abcd";
    fs::create_directories(blobs);
    fs::create_directories(snapshot);
    writeShards(kMap);
    int number = 0;
    for (const char *name :
         {"config.json", "model.safetensors.index.json", "model-00001-of-00002.safetensors",
          "model-00002-of-00002.safetensors"}) {
        const std::string hash = "hash" + std::to_string(++number);
        fs::rename(m_dir / name, blobs / hash);
        fs::create_symlink(fs::path("../../blobs") / hash, snapshot / name);
    }
    for (const fs::path &path : {snapshot, snapshot / "model-00002-of-00002.safetensors"}) {
        EXPECT_TRUE(HuggingFaceFolder::isAt(path));
        const ModelFile file = ModelFile::open(path);
        EXPECT_EQ(file.tensors().size(), 2u);
        EXPECT_EQ(file.findTensor("y")->bytes.size(), 12u);
    }
    // A download that was broken off leaves a link to nothing.
    fs::remove(blobs / "hash4");
    EXPECT_NE(errorOf(snapshot).find("'model-00002-of-00002.safetensors' of the model is missing"),
              std::string::npos);
    fs::remove(snapshot / "model-00002-of-00002.safetensors");
    fs::create_symlink("/dev/zero", snapshot / "model-00002-of-00002.safetensors");
    EXPECT_NE(errorOf(snapshot).find("'model-00002-of-00002.safetensors' of the model is missing"),
              std::string::npos);
}

TEST_F(ModelFileTest, WhatIsMissingIsNamed)
{
    expectRefused("holds neither model.safetensors nor");
    EXPECT_FALSE(HuggingFaceFolder::isAt(m_dir.path()));
    shard("x", 2).write(m_dir / "model.safetensors");
    writeText(m_dir / "config.json", "[]");
    expectRefused("no JSON object");
    writeText(m_dir / "config.json", std::string(100'000, '['));
    expectRefused("nest deeper");
    fs::remove(m_dir / "config.json");
    expectRefused("config.json");
    EXPECT_NE(errorOf(m_dir / "model.safetensors").find("config.json"), std::string::npos);
    EXPECT_NE(errorOf(m_dir / "nowhere").find("nowhere"), std::string::npos);
}

TEST_F(ModelFileTest, ChatTemplatesAreFound)
{
    shard("x", 2).write(m_dir / "model.safetensors");
    const auto found = [&] { return ModelFile::open(m_dir.path()).chatTemplate(); };
    EXPECT_EQ(found(), std::nullopt);
    writeText(m_dir / "tokenizer_config.json", R"({"chat_template":"one"})");
    EXPECT_EQ(found(), "one");
    writeText(m_dir / "tokenizer_config.json",
              R"({"chat_template":[{"name":"tool_use","template":"t"},
                                   {"name":"default","template":"two"}, 7]})");
    EXPECT_EQ(found(), "two");
    writeText(m_dir / "tokenizer_config.json", R"({"chat_template":7})");
    EXPECT_EQ(found(), std::nullopt);
    writeText(m_dir / "chat_template.jinja", "three");
    EXPECT_EQ(found(), "three");
}

TEST_F(ModelFileTest, AChangeOfAnyFileIsNoticed)
{
    for (const char *name :
         {"config.json", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"}) {
        writeShards(kMap);
        writeText(m_dir / "config.json", "{}");
        const ModelFile file = ModelFile::open(m_dir.path());
        EXPECT_NO_THROW(file.requireUnchanged());
        fs::resize_file(m_dir / name, 1);
        EXPECT_THROW(file.requireUnchanged(), Error) << name;
    }
}

TEST(JsonFile, TakesPythonsInfinity)
{
    const test::TempDir dir;
    test::writeText(dir / "config.json",
                    R"({"limits": [0.0, Infinity, -Infinity], "text": "Infinity \"Infinity"})");
    const nlohmann::json json = readJsonFile(dir / "config.json", 1000);
    EXPECT_GT(json["limits"][1].get<double>(), 1e308);
    EXPECT_LT(json["limits"][2].get<double>(), -1e308);
    EXPECT_EQ(json["text"], "Infinity \"Infinity");
}

} // namespace
} // namespace fireside
