#pragma once
#include "engine/files/gguf.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fireside {

/// The keys of one architecture of a GGUF file ("llama.block_count"), each checked for its type and
/// bounds. Errors name the file, the key and the value.
class GgufKeys
{
public:
    GgufKeys(const Gguf &gguf, std::string architecture)
        : m_gguf(gguf)
        , m_prefix(std::move(architecture) + '.')
    {}

    std::int64_t require(const char *key, std::int64_t low, std::int64_t high) const;
    std::int64_t optional(const char *key, std::int64_t fallback, std::int64_t low,
                          std::int64_t high) const;
    double real(const char *key, double fallback, double low, double high) const;
    bool flag(const char *key, bool fallback) const;
    std::string text(const char *key) const;
    bool has(const char *key) const { return m_gguf.find(m_prefix + key) != nullptr; }
    bool isArray(const char *key) const;
    /// One number per layer: a list of `count`, or one number for all; empty: the key is absent.
    std::vector<std::int64_t> perLayer(const char *key, std::int64_t count, std::int64_t low,
                                       std::int64_t high) const;

    std::string where(const char *key) const; // "FILE: 'llama.key'"
    const Gguf &gguf() const { return m_gguf; }

private:
    std::int64_t checked(const char *key, std::uint64_t value, std::int64_t low,
                         std::int64_t high) const;

    const Gguf &m_gguf;
    std::string m_prefix;
};

} // namespace fireside
