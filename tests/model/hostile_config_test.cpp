// Numbers of a GGUF that would be read past: refused with key and number.
#include "engine/core/error.h"
#include "engine/files/model_file.h"
#include "engine/model/describe.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace fireside {
namespace {

using test::GgufBuilder;

GgufBuilder tiny()
{
    GgufBuilder b;
    b.string("general.architecture", "llama").u32("llama.block_count", 1);
    b.u32("llama.embedding_length", 32).u32("llama.attention.head_count", 4);
    b.u32("llama.feed_forward_length", 64).u32("llama.context_length", 128);
    const auto tensor = [&](const char *name, std::vector<std::uint64_t> dims) {
        b.tensor(name, DType::F32, std::move(dims));
    };
    tensor("token_embd.weight", {32, 16});
    tensor("output_norm.weight", {32});
    tensor("blk.0.attn_norm.weight", {32});
    tensor("blk.0.ffn_norm.weight", {32});
    for (const char *name : {"q", "k", "v", "output"})
        tensor((std::string("blk.0.attn_") + name + ".weight").c_str(), {32, 32});
    for (const char *name : {"gate", "up"})
        tensor((std::string("blk.0.ffn_") + name + ".weight").c_str(), {32, 64});
    tensor("blk.0.ffn_down.weight", {64, 32});
    return b;
}

class HostileConfigTest : public testing::Test
{
protected:
    std::string problemOf(const GgufBuilder &b)
    {
        const auto path = m_folder / "model.gguf";
        b.write(path);
        try {
            return describeModel(path).problem.value_or("no problem");
        } catch (const Error &e) {
            return e.what();
        }
    }
    void expectProblem(const GgufBuilder &b, const std::string &key, const std::string &number)
    {
        const std::string problem = problemOf(b);
        EXPECT_NE(problem.find('\'' + key + '\''), std::string::npos) << problem;
        EXPECT_NE(problem.find(number), std::string::npos) << problem;
    }
    test::TempDir m_folder;
};

TEST_F(HostileConfigTest, TheUnspoiledOneIsFine)
{
    EXPECT_EQ(problemOf(tiny()), "no problem");
    EXPECT_EQ(problemOf(tiny().u32("llama.rope.dimension_count", 6)), "no problem");
    EXPECT_EQ(problemOf(tiny().u32("llama.vocab_size", 16)), "no problem");
}

TEST_F(HostileConfigTest, OddRotaryCounts)
{
    for (const std::uint32_t odd : {3u, 5u, 7u})
        expectProblem(tiny().u32("llama.rope.dimension_count", odd), "llama.rope.dimension_count",
                      std::to_string(odd) + ", expected an even number");
    for (const std::uint32_t bad : {0u, 1u, 9u, 10u, 0xffffffffu})
        expectProblem(tiny().u32("llama.rope.dimension_count", bad), "llama.rope.dimension_count",
                      std::to_string(bad));
}

TEST_F(HostileConfigTest, VocabularySizesOfTheWrongType)
{
    const std::string key = "llama.vocab_size";
    expectProblem(tiny().string(key, "sixteen"), key, "'sixteen'");
    expectProblem(tiny().f32(key, 16.0f), key, "16.0");
    expectProblem(tiny().i32(key, -16), key, "-16");
    expectProblem(tiny().boolean(key, true), key, "true");
    expectProblem(tiny().u32Array(key, std::vector<std::uint32_t>{16}), key, "array");
    expectProblem(tiny().u32(key, 0), key, "0");
    expectProblem(tiny().u64(key, std::uint64_t{1} << 60), key, "1152921504606846976");
}

TEST_F(HostileConfigTest, RotaryDivisorsThatAreNone)
{
    constexpr float kInfinite = std::numeric_limits<float>::infinity();
    for (const float bad :
         {0.0f, -1.0f, kInfinite, -kInfinite, std::numeric_limits<float>::quiet_NaN()}) {
        const std::vector<float> divisors{1, 1, bad, 1};
        const std::string problem = problemOf(tiny().tensor("rope_freqs.weight", DType::F32, {4},
                                                            std::as_bytes(std::span(divisors))));
        EXPECT_NE(problem.find("'rope_freqs.weight' holds"), std::string::npos) << problem;
    }
    const std::vector<float> good{1, 2, 3, 4};
    EXPECT_EQ(problemOf(tiny().tensor("rope_freqs.weight", DType::F32, {4},
                                      std::as_bytes(std::span(good)))),
              "no problem");
}

/// A file cut between opening and describing it.
TEST_F(HostileConfigTest, AFileCutBeforeItIsDescribed)
{
    const auto path = m_folder / "model.gguf";
    tiny().string("general.description", std::string(100'000, 'x')).write(path);
    const ModelFile file = ModelFile::open(path);
    std::filesystem::resize_file(path, 4096);
    try {
        const ModelSummary summary = describeModel(file);
        FAIL() << summary.problem.value_or("no problem");
    } catch (const Error &e) {
        EXPECT_EQ(e.kind(), ErrorKind::Io);
        EXPECT_EQ(e.what(), "the model file changed on disk: " + path.string());
    }
}

} // namespace
} // namespace fireside
