#pragma once
#include <filesystem>

namespace fireside::test {

/// Writes the GGUF version of a golden Hugging Face folder of the architectures llama, qwen3 and
/// qwen3moe: GGUF names and keys, experts joined, and for llama the rows of q and k sorted for
/// interleaved rotary pairs. The tensors keep type and values, norms become F32 as is usual.
void writeGgufOf(const std::filesystem::path &folder, const std::filesystem::path &gguf);

} // namespace fireside::test
