#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace fireside::test {

/// Types whose golden files are made, e.g. "q4_0"; "f32" is the F16 one widened.
std::vector<std::string> derivedGoldenTypes();

/// The golden file of such a type: the header with the type's ids, and GoldenWeights quantised the
/// way llama.cpp does it.
/// std::runtime_error when it is not, bit for bit, what llama.cpp makes of the F16 file.
std::vector<std::byte> goldenAs(const std::string &type, std::span<const std::byte> header);

} // namespace fireside::test
