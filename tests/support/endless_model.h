#pragma once
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace fireside::test {

/// With so many tokens of context the model below talks for many seconds.
inline constexpr int kEndlessContext = 1 << 17;

/// Writes a copy of the tiny random model that claims a context of 2^20 tokens, so that a reply can
/// be interrupted however fast the computer is.
inline void writeEndlessModel(const std::string &path)
{
    std::ifstream original(FIRESIDE_TEST_DATA "/golden/gguf/q4_k.gguf", std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(original), {}};
    const std::string key = "llama.context_length";
    const std::size_t at = bytes.find(key);
    if (at == std::string::npos)
        throw std::runtime_error("the tiny model has no context length");
    // Behind the key stands the value's type, then the value: u32.
    bytes.replace(at + key.size() + 4, 4, std::string("\x00\x00\x10\x00", 4));
    std::ofstream(path, std::ios::binary) << bytes;
}

} // namespace fireside::test
