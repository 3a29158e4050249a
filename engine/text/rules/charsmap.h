#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fireside {

/// SentencePiece's compiled table of character sequences and what they become: the size of a trie
/// in bytes, the trie as a double array of 32-bit units (little-endian; Darts-clone's layout), and
/// the replacements, each ended by a zero.
class Charsmap
{
public:
    /// Throws Error(BadInput) naming `where`: parts that lie outside the table. What is broken
    /// inside of the trie matches nothing.
    Charsmap(std::string_view table, const std::string &where);

    struct Match
    {
        std::size_t length; // bytes of the text
        std::string_view replacement;
    };
    /// The sequences that `text` begins with: the shortest, or the longest of them.
    std::optional<Match> shortest(std::string_view text) const { return find(text, false); }
    std::optional<Match> longest(std::string_view text) const { return find(text, true); }

private:
    std::optional<Match> find(std::string_view text, bool goOn) const;

    std::vector<std::uint32_t> m_units;
    std::string m_replacements; // ends with a zero
};

} // namespace fireside
