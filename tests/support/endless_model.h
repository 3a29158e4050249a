#pragma once
#include "engine/files/gguf.h"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace fireside::test {

/// With so many tokens of context the model below talks for many seconds.
inline constexpr int kEndlessContext = 1 << 17;

/// Writes a copy of the tiny random model that claims a context of 2^20 tokens, so that a reply can
/// be interrupted. The special tokens have logits of 0, which are never the largest: a greedy reply
/// goes on however fast the computer is. (Its words hang on the last bits of sums, so that two of
/// its replies may differ.)
inline void writeEndlessModel(const std::string &path)
{
    const std::string source = FIRESIDE_TEST_DATA "/golden/gguf/q4_k.gguf";
    std::ifstream original(source, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(original), {}};
    const Gguf gguf = Gguf::open(source);
    const GgufTensor *output = gguf.findTensor("token_embd.weight"); // serves as output, too
    if (!output)
        throw std::runtime_error("the tiny model has no output matrix");
    // The special tokens are the last ones; their logits are 0 from here on.
    const std::size_t rowBytes = output->bytes.size() / output->dims[1];
    const auto first = gguf.requireUnsigned("tokenizer.ggml.bos_token_id");
    const auto rows = output->bytes.subspan(first * rowBytes);
    const std::string special(reinterpret_cast<const char *>(rows.data()), rows.size());
    bytes.replace(bytes.find(special), special.size(), std::string(special.size(), '\0'));
    const std::string key = "llama.context_length";
    const std::size_t at = bytes.find(key);
    if (at == std::string::npos)
        throw std::runtime_error("the tiny model has no context length");
    // Behind the key stands the value's type, then the value: u32.
    bytes.replace(at + key.size() + 4, 4, std::string("\x00\x00\x10\x00", 4));
    std::ofstream(path, std::ios::binary) << bytes;
}

} // namespace fireside::test
