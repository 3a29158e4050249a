#pragma once
#include <filesystem>

namespace fireside::test {

/// Writes the GGUF version of a golden folder of Gemma 3n or 4, with the names, keys and orders
/// that llama.cpp's converter uses for them: AltUp's matrices joined, rotary divisors of Gemma 4.
/// The tensors keep their type, vectors become F32.
void writeGgufOfGemma(const std::filesystem::path &folder, const std::filesystem::path &gguf);

} // namespace fireside::test
