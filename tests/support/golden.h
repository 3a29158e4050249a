#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fireside::test {

/// What another program computes for a golden model: one row of logits per input token. llama.cpp's
/// CPU for the GGUF files, transformers in float32 for the folders.
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

/// tests/data, or the folder that the environment's FIRESIDE_TEST_DATA names: for a test program
/// that was carried to another computer.
std::filesystem::path testData();

/// "q4_k" → tests/data/golden/gguf/q4_k.gguf and its logits.
/// std::runtime_error when there is none.
std::filesystem::path goldenGguf(const std::string &name);
GoldenLogits goldenLogits(const std::string &name);

/// The same from the full set beside the project; nullopt when it is not there.
std::optional<std::filesystem::path> fullGoldenGguf(const std::string &name);
GoldenLogits fullGoldenLogits(const std::string &name);

/// Names with model and logits in the project itself.
std::vector<std::string> goldenGgufNames();

/// "qwen3" → the Hugging Face folder with its model and logits: in tests/data, else in the full set
/// beside the project; nullopt when neither has it.
std::optional<std::filesystem::path> goldenFolder(const std::string &name);
GoldenLogits goldenFolderLogits(const std::filesystem::path &folder);

/// The largest absolute difference; infinite when sizes differ or a value is no number.
double maxDifference(std::span<const float> a, std::span<const float> b);
double cosineSimilarity(std::span<const float> a, std::span<const float> b);

} // namespace fireside::test
