#pragma once
#include "tests/support/gguf_builder.h"

#include <filesystem>
#include <string>
#include <vector>

namespace fireside::test {

/// The parts of a GGUF file as llama.cpp's gguf-split makes them: all keys in the first, tensors
/// shared out in their order. `emptyFirst`: the first part has keys only.
std::vector<GgufBuilder> splitGguf(const std::filesystem::path &gguf, std::size_t parts,
                                   bool emptyFirst = false);

/// "stem-00002-of-00003.gguf"
std::string splitName(const std::string &stem, std::size_t number, std::size_t count);

} // namespace fireside::test
