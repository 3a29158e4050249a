#pragma once
#include "engine/text/rules/regex.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fireside {

class Vocabulary;

/// The pairs of characters that stand side by side inside some token. Between two characters that
/// never do, no merge reaches over the border: a long text can be cut there without changing its
/// tokens. A set of hashes: a pair may seem to be in it without having been added, which costs a
/// cut and nothing else.
class JoinedPairs
{
public:
    /// The pairs in all tokens that ordinary text may become.
    void addTexts(const Vocabulary &vocabulary);
    /// Cuts pieces of a text of valid UTF-8 between characters that are no pair; unless `anywhere`,
    /// only before "▁".
    std::vector<TextRange> cut(std::string_view text, const std::vector<TextRange> &pieces,
                               bool anywhere) const;

    void add(char32_t left, char32_t right) { m_bits[wordOf(left, right)] |= bitOf(left, right); }
    bool mayContain(char32_t left, char32_t right) const
    {
        return (m_bits[wordOf(left, right)] & bitOf(left, right)) != 0;
    }

private:
    static constexpr int kLogWords = 15; // 256 KiB: big vocabularies have some 200,000 pairs

    static std::uint64_t hashOf(char32_t left, char32_t right)
    {
        return (std::uint64_t{left} << 32 | right) * 0x9E3779B97F4A7C15u;
    }
    static std::size_t wordOf(char32_t left, char32_t right)
    {
        return static_cast<std::size_t>(hashOf(left, right) >> (64 - kLogWords));
    }
    static std::uint64_t bitOf(char32_t left, char32_t right)
    {
        return std::uint64_t{1} << (hashOf(left, right) >> (58 - kLogWords) & 63);
    }

    std::vector<std::uint64_t> m_bits = std::vector<std::uint64_t>(std::size_t{1} << kLogWords);
};

} // namespace fireside
