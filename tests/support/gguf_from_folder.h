#pragma once
#include <filesystem>

namespace fireside::test {

/// Writes the GGUF file of a golden Hugging Face folder with the engine's converter; the tensors
/// keep their types, small ones become F32.
void writeGgufOf(const std::filesystem::path &folder, const std::filesystem::path &gguf);

} // namespace fireside::test
