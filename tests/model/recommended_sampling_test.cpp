#include "engine/files/model_file.h"
#include "engine/model/recommended_sampling.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/safetensors_builder.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

namespace fireside {
namespace {

class RecommendedSamplingTest : public testing::Test
{
protected:
    RecommendedSampling ofFolder(const std::string &generation)
    {
        test::writeText(m_dir / "config.json", R"({"model_type": "llama"})");
        test::SafetensorsBuilder().zeros("a", "F32", {4}, 16).write(m_dir / "model.safetensors");
        test::writeText(m_dir / "generation_config.json", generation);
        return recommendedSampling(ModelFile::open(m_dir.path()));
    }
    RecommendedSampling ofFile(const test::GgufBuilder &builder)
    {
        builder.write(m_dir / "model.gguf");
        return recommendedSampling(ModelFile::open(m_dir / "model.gguf"));
    }
    test::TempDir m_dir;
};

TEST_F(RecommendedSamplingTest, FoldersSayItInGenerationConfig)
{
    const RecommendedSampling r = ofFolder(
        R"({"do_sample": true, "temperature": 0.6, "top_k": 20, "top_p": 0.95, "min_p": 0.0,
            "repetition_penalty": 1.05, "typical_p": 0.9, "eos_token_id": [1, 2]})");
    EXPECT_EQ(r.temperature, 0.6);
    EXPECT_EQ(r.topK, 20);
    EXPECT_EQ(r.topP, 0.95);
    EXPECT_EQ(r.minP, 0.0);
    EXPECT_EQ(r.typicalP, 0.9);
    EXPECT_EQ(r.repeatPenalty, 1.05);
    EXPECT_FALSE(r.mirostat);
    EXPECT_EQ(ofFolder(R"({"temperature": 1})").temperature, 1.0); // it need not say do_sample
}

TEST_F(RecommendedSamplingTest, WhatCannotBeIsNoRecommendation)
{
    const RecommendedSampling none;
    for (const char *text :
         {"", "[]", "{", "{}", R"({"do_sample": false, "temperature": 0.6})",
          R"({"temperature": "hot", "top_k": 2.5, "top_p": 7, "min_p": -1, "typical_p": null})",
          R"({"temperature": 1e300, "top_k": -3, "repetition_penalty": 0})"})
        EXPECT_EQ(ofFolder(text), none) << text;
    EXPECT_EQ(ofFile(test::GgufBuilder()
                         .string("general.sampling.temp", "hot")
                         .f32("general.sampling.top_p", -1)
                         .f32("general.sampling.top_k", 0.5f)
                         .i32("general.sampling.mirostat", 9)),
              none);
}

TEST_F(RecommendedSamplingTest, FilesSayItInTheirKeys)
{
    const RecommendedSampling r = ofFile(test::GgufBuilder()
                                             .f32("general.sampling.temp", 0.6f)
                                             .i32("general.sampling.top_k", 20)
                                             .f32("general.sampling.top_p", 0.95f)
                                             .f32("general.sampling.min_p", 0.01f)
                                             .f32("general.sampling.penalty_repeat", 1.05f)
                                             .i32("general.sampling.penalty_last_n", -1)
                                             .f32("general.sampling.xtc_probability", 0.5f)
                                             .f32("general.sampling.xtc_threshold", 0.1f)
                                             .i32("general.sampling.mirostat", 2)
                                             .f32("general.sampling.mirostat_tau", 4.5f)
                                             .f32("general.sampling.mirostat_eta", 0.2f));
    EXPECT_EQ(r.temperature, 0.6); // not 0.600000024
    EXPECT_EQ(r.topK, 20);
    EXPECT_EQ(r.topP, 0.95);
    EXPECT_EQ(r.minP, 0.01);
    EXPECT_EQ(r.repeatPenalty, 1.05);
    EXPECT_EQ(r.repeatWindow, 1'000'000);
    EXPECT_EQ(r.xtcProbability, 0.5);
    EXPECT_EQ(r.xtcThreshold, 0.1);
    EXPECT_EQ(r.mirostat, 2);
    EXPECT_EQ(r.mirostatTarget, 4.5);
    EXPECT_EQ(r.mirostatRate, 0.2);
}

} // namespace
} // namespace fireside
