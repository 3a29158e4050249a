#pragma once
#include "engine/files/gguf_writer.h"

#include <cstddef>
#include <filesystem>
#include <vector>

namespace fireside {

/// Writes what a GGUF file says of a tokenizer, tokenizer.ggml.*, after the tokenizer.json of a
/// folder and what stands beside it. `rows` of the embedding are filled with tokens that no text
/// becomes. Error(Unsupported) naming the rule that a GGUF file cannot say: its models "gpt2",
/// "llama", "gemma4", "bert" and "t5" have names for known rules only. Error(BadInput) for a
/// vocabulary of more than `rows`.
void writeTokenizerKeys(const std::filesystem::path &folder, std::size_t rows, GgufWriter &out);
/// Whether there is one.
bool hasTokenizer(const std::filesystem::path &folder);

} // namespace fireside
