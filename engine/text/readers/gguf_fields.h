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
    /// The same without those that are no tokens: -1 (also as 4294967295) and other ids outside.
    std::vector<TokenId> idsWithin(const std::string &key, std::size_t tokens) const;
    /// The key's ids that are outside the vocabulary, as the file has them, without -1.
    std::vector<std::string> idsOutside(const std::string &key, std::size_t tokens) const;
    /// Whether an id there stands for none: -1, also as 4294967295.
    bool saysNone(const std::string &key) const;
    bool boolOr(const char *key, bool fallback) const
    {
        return m_gguf.findBool(key).value_or(fallback);
    }

private:
    struct FileId
    {
        bool negative = false;
        std::uint64_t id = 0; // of a negative one its absolute value
        bool isNone() const { return negative ? id == 1 : id == 0xFFFFFFFF; }
        bool isWithin(std::size_t tokens) const { return !negative && id < tokens; }
        std::string text() const { return (negative ? "-" : "") + std::to_string(id); }
    };
    std::vector<FileId> fileIds(const std::string &key) const;

    const Gguf &m_gguf;
};

} // namespace fireside
