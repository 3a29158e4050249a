#pragma once
#include <filesystem>

namespace fireside::test {

/// Writes the GGUF file that llama.cpp's converter would make of a golden Hugging Face folder; the
/// tensors keep type and values, small ones become F32 as is usual. Rules of a family are in
/// gguf_rules*.cpp. std::runtime_error for a family that has no GGUF form.
void writeGgufOf(const std::filesystem::path &folder, const std::filesystem::path &gguf);

} // namespace fireside::test
