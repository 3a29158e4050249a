#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fireside::test {

/// What another program computes for a golden model: one row of logits per input token. For the
/// GGUF files llama.cpp's CPU on the same weights widened to F32, for the folders transformers in
/// float32.
struct GoldenLogits
{
    std::vector<std::int32_t> ids;    // [T]
    std::vector<std::int32_t> greedy; // what follows them greedily; folders only
    std::int64_t vocab = 0;
    std::vector<float> logits; // [T, vocab]

    std::span<const float> row(std::size_t t) const
    {
        return std::span(logits).subspan(t * static_cast<std::size_t>(vocab),
                                         static_cast<std::size_t>(vocab));
    }
};

/// The unpacked test data (tests/data), or the folder that the environment's FIRESIDE_TEST_DATA
/// names: for a test program that was carried to another computer.
std::filesystem::path testData();

/// "q4_k" → the file of this weight type, golden/gguf/q4_k.gguf of the test data, of the full set
/// beside the project or made in a folder of its own (golden_types.h), and its logits.
/// std::runtime_error when there is none.
std::filesystem::path goldenGguf(const std::string &name);
GoldenLogits goldenLogits(const std::string &name);

/// All there are: every weight type that the engine computes with, where the full set is there.
std::vector<std::string> goldenGgufNames();

/// "qwen3" → the Hugging Face folder of a golden model, golden/models/qwen3 of the test data; its
/// weights are made when they are first needed (golden_recipe.h).
/// std::runtime_error when there is none.
std::filesystem::path goldenFolder(const std::string &name);
GoldenLogits goldenFolderLogits(const std::filesystem::path &folder);
/// All golden models that generate.
std::vector<std::string> goldenFolderNames();

/// What transformers computes for a sequence with an encoder, in float32, or with a reranker.
struct GoldenSequence
{
    std::vector<std::int32_t> ids;        // [T]
    std::vector<float> rows, mean, first; // [T, hidden], [hidden] ×2; or
    std::optional<float> score;
};
/// All golden encoders and rerankers.
std::vector<std::string> goldenEncoderNames();
std::vector<GoldenSequence> goldenSequences(const std::filesystem::path &folder);
/// The largest absolute difference; infinite when sizes differ or a value is no number.
double maxDifference(std::span<const float> a, std::span<const float> b);
double cosineSimilarity(std::span<const float> a, std::span<const float> b);

} // namespace fireside::test
