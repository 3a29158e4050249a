#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace fireside::test {

/// Golden models of which it is known what llama.cpp's converter makes of them.
const std::vector<std::string> &goldenConvertedNames();

/// The GGUF file that llama.cpp's converter makes of goldenFolder(name): its header, with tensors
/// from the engine's converter whose bytes have the hashes of those that the other wrote.
/// std::runtime_error when a tensor is missing or has other bytes.
std::filesystem::path goldenConverted(const std::string &name);

} // namespace fireside::test
