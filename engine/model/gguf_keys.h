#pragma once
#include "engine/backend/ops/route.h"
#include "engine/files/gguf.h"
#include "engine/model/rope_frequencies.h"

#include <cstdint>
#include <optional>
#include <set>
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
    bool has(const char *key) const { return m_gguf.find(read(key)) != nullptr; }
    bool isArray(const char *key) const;
    /// One number per layer: a list of `count`, or one number for all; empty: the key is absent.
    std::vector<std::int64_t> perLayer(const char *key, std::int64_t count, std::int64_t low,
                                       std::int64_t high) const;

    /// Numbers of each layer under a key without the architecture; they must be there.
    std::vector<float> realsOfLayers(const char *key, std::int64_t count, double low,
                                     double high) const;

    /// Whether anything asked for the key.
    bool wasRead(const std::string &key) const { return m_read.contains(m_prefix + key); }
    /// "llama."
    const std::string &prefix() const { return m_prefix; }

    /// A list of `count` numbers, infinities included; empty: the key is absent.
    std::vector<double> reals(const char *key, std::size_t count) const;

    std::string where(const char *key) const; // "FILE: 'llama.key'"
    const Gguf &gguf() const { return m_gguf; }

private:
    std::string read(const char *key) const; // its whole name
    std::int64_t checked(const char *key, std::uint64_t value, std::int64_t low,
                         std::int64_t high) const;

    const Gguf &m_gguf;
    std::string m_prefix;
    mutable std::set<std::string> m_read;
};

struct Config;

/// The rotary embedding of the file's keys and tensors.
RopeSettings readGgufRope(const GgufKeys &keys, const Config &config);
/// Granite: without "rope.scaling.finetuned" there are no positions.
void readRopeSwitch(const GgufKeys &keys, Config &config);
/// Error(Unsupported) where the file names another way from logits to experts than the only one
/// that its family has.
void requireGating(const GgufKeys &keys, const Config &config, Routing::Score only);

} // namespace fireside
