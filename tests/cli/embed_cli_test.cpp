// fireside-cli embed: forms of output, and what it refuses.
#include "tests/cli/cli_process.h"
#include "tests/support/golden.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>

namespace fireside {
namespace {

using nlohmann::json;
using Rows = std::vector<std::vector<float>>;

class EmbedCliTest : public testing::Test
{
protected:
    /// Standard output and error together, and the status.
    std::pair<std::string, int> embed(const std::filesystem::path &model,
                                      const std::string &options)
    {
        return test::runCli("embed '" + model.string() + "' " + options +
                            " --backend cpu --threads 1");
    }
    json result(const std::filesystem::path &model, const std::string &options)
    {
        auto [out, code] = embed(model, options);
        EXPECT_EQ(code, 0) << out;
        while (out.starts_with("Note: ")) // of standard error
            out.erase(0, out.find('\n') + 1);
        return json::parse(out);
    }
    void expectRefused(const std::filesystem::path &model, const std::string &options, int code,
                       const std::string &part)
    {
        const auto [out, own] = embed(model, options);
        EXPECT_EQ(own, code) << out;
        EXPECT_NE(out.find(part), std::string::npos) << out;
    }
    test::TempDir m_folder;
};

TEST_F(EmbedCliTest, APoolingThatNoFileNamesIsSaid)
{
    const std::filesystem::path model = test::goldenFolder("qwen3");
    const auto says = [&](const std::string &options) {
        return embed(model, "--tokens 1,2,3 " + options).first.find("do not name the pooling") !=
               std::string::npos;
    };
    EXPECT_TRUE(says(""));
    EXPECT_FALSE(says("--pooling mean"));
    EXPECT_FALSE(says("--pooling last"));
    std::filesystem::create_directories(m_folder / "named/1_Pooling");
    for (const char *file : {"config.json", "model.safetensors"})
        std::filesystem::copy_file(model / file, m_folder / "named" / file);
    std::ofstream(m_folder / "named/1_Pooling/config.json") << R"({"pooling_mode": "mean"})";
    const std::string out = embed(m_folder / "named", "--tokens 1,2,3").first;
    EXPECT_EQ(out.find("pooling"), std::string::npos) << out;
}

TEST_F(EmbedCliTest, VectorsAndRowsOfAChatModel)
{
    const std::filesystem::path model = test::goldenFolder("qwen3");
    const Rows rows = result(model, "--tokens 1,2,3 --pooling none")["hidden"].get<Rows>();
    ASSERT_EQ(rows.size(), 3u);
    const auto vector = [&](const std::string &options) {
        return result(model, "--tokens 1,2,3 " + options)["embedding"].get<std::vector<float>>();
    };
    EXPECT_EQ(vector("--pooling cls"), rows[0]);
    EXPECT_EQ(vector("--pooling last"), rows[2]);
    std::vector<float> mean(rows[0].size());
    for (std::size_t i = 0; i < mean.size(); ++i)
        mean[i] = (rows[0][i] + rows[1][i] + rows[2][i]) / 3;
    EXPECT_LE(test::maxDifference(vector(""), mean), 1e-5);
    float squares = 0;
    for (const float v : vector("--normalize"))
        squares += v * v;
    EXPECT_NEAR(squares, 1, 1e-5);
    const json two = result(model, "--tokens 1,2,3 --tokens 4 --pooling last");
    ASSERT_EQ(two.size(), 2u);
    EXPECT_EQ(two[0]["embedding"].get<std::vector<float>>(), rows[2]);
    std::ofstream(m_folder / "in.json") << "[[1, 2, 3]]";
    const json one =
        result(model, "--json '" + (m_folder / "in.json").string() + "' --pooling last");
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0]["embedding"].get<std::vector<float>>(), rows[2]);
}

TEST_F(EmbedCliTest, WhatIsRefused)
{
    const std::filesystem::path model = test::goldenFolder("qwen3");
    expectRefused(model, "--tokens 99999", 1, "token 99999 is outside the vocabulary");
    expectRefused(model, "--tokens 1 --pooling max", 1, "'max' is none of mean");
    expectRefused(model, "--tokens 1 --pooling rank", 1, "no reranker");
    expectRefused(model, "--tokens 1 --text a", 2, "--tokens,--text,--json");
    expectRefused(model, "", 2, "--tokens,--text,--json");
    for (const char *content : {"{}", "[1]", "[[-1]]", "[[1.5]]", "[[\"a\"]]", "[[3000000000]]"}) {
        std::ofstream(m_folder / "in.json") << content;
        expectRefused(model, "--json '" + (m_folder / "in.json").string() + "'", 1, "in.json");
    }
    std::ofstream(m_folder / "in.json") << "[[]]";
    expectRefused(model, "--json '" + (m_folder / "in.json").string() + "'", 1,
                  "sequence 1 of 1 is empty");
}

TEST_F(EmbedCliTest, ScoresOfAReranker)
{
    const auto model = test::goldenFolder("reranker-xlm-roberta");
    const auto sequences = test::goldenSequences(model);
    json input = json::array();
    for (const test::GoldenSequence &s : sequences)
        input.push_back(s.ids);
    std::ofstream(m_folder / "in.json") << input;
    const json scores = result(model, "--json '" + (m_folder / "in.json").string() + "'");
    ASSERT_EQ(scores.size(), sequences.size());
    for (std::size_t i = 0; i < sequences.size(); ++i)
        EXPECT_NEAR(scores[i]["score"].get<float>(), sequences[i].score.value(), 2e-4);
    expectRefused(model, "--text hello", 1, "tokenizer");
}

} // namespace
} // namespace fireside
