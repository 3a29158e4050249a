#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace fireside::test {

/// Types whose golden files follow from the one in F16, e.g. "q4_0"; "f32" is the same widened.
std::vector<std::string> derivedGoldenTypes();

/// The golden file of a derived type, made from f16.gguf the way llama.cpp quantises.
/// std::runtime_error when it is not, bit for bit, the file that llama.cpp wrote.
std::vector<std::byte> goldenAs(const std::string &type, std::span<const std::byte> f16);

} // namespace fireside::test
