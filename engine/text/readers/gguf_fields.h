#pragma once
#include "engine/files/gguf.h"
#include "engine/text/tokenizer.h"

#include <optional>
#include <string>
#include <vector>

namespace fireside {

/// Typed access to the keys of a GGUF that describe its tokenizer; errors name file and key.
class GgufFields
{
public:
    explicit GgufFields(const Gguf &gguf)
        : m_gguf(gguf)
    {}

    const Gguf &file() const { return m_gguf; }
    std::string where(const std::string &key) const;

    const std::vector<std::string_view> &requireStrings(const char *key) const;
    /// An array of numbers that goes with the tokens, one each; empty when it is not there.
    std::vector<double> numbersOf(const char *key, std::size_t tokens) const;
    std::vector<double> requireNumbers(const char *key, std::size_t tokens) const;
    /// An array of single bytes; empty when it is not there.
    std::string bytesOf(const char *key) const;
    /// None, one or an array; each below `tokens`.
    std::vector<TokenId> idsUnder(const std::string &key, std::size_t tokens) const;
    bool boolOr(const char *key, bool fallback) const
    {
        return m_gguf.findBool(key).value_or(fallback);
    }

private:
    const Gguf &m_gguf;
};

} // namespace fireside
