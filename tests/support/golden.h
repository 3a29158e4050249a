#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace fireside::test {

/// What llama.cpp's CPU computes for a golden model: one row of logits per input token.
struct GoldenLogits
{
    std::vector<std::int32_t> ids; // [T]
    std::int64_t vocab = 0;
    std::vector<float> logits; // [T, vocab]

    std::span<const float> row(std::size_t t) const
    {
        return std::span(logits).subspan(t * static_cast<std::size_t>(vocab),
                                         static_cast<std::size_t>(vocab));
    }
};

/// "q4_k" → tests/data/golden/gguf/q4_k.gguf and its logits.
/// std::runtime_error when there is none.
std::filesystem::path goldenGguf(const std::string &name);
GoldenLogits goldenLogits(const std::string &name);

/// Names with model and logits in the project itself.
std::vector<std::string> goldenGgufNames();

double cosineSimilarity(std::span<const float> a, std::span<const float> b);

} // namespace fireside::test
