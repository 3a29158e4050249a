#pragma once
#include "engine/text/tokenizer.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace fireside::constrain {

/// A bit for each token.
using TokenBits = std::vector<std::uint64_t>;
inline void setBit(TokenBits &bits, TokenId id)
{
    bits[static_cast<std::size_t>(id) / 64] |= std::uint64_t{1} << (static_cast<unsigned>(id) % 64);
}
inline bool hasBit(std::span<const std::uint64_t> bits, TokenId id)
{
    const auto at = static_cast<std::size_t>(id);
    return id >= 0 && at / 64 < bits.size() && (bits[at / 64] >> (at % 64) & 1) != 0;
}

/// The bytes of a vocabulary's ordinary tokens as a tree. Markers and tokens without bytes are not
/// in it. Immutable.
class VocabularyTrie
{
public:
    explicit VocabularyTrie(const Tokenizer &tokenizer);

    /// Each node directly before its descendants, siblings by rising byte.
    struct Node
    {
        std::uint32_t end = 0;        // after the last descendant
        std::uint32_t firstToken = 0; // of tokens(): those that end here
        std::uint32_t tokens = 0;
        std::uint16_t depth = 0; // bytes so far, this one included
        std::uint8_t byte = 0;
    };
    std::span<const Node> nodes() const { return m_nodes; }
    std::span<const TokenId> tokens(const Node &node) const
    {
        return std::span(m_tokens).subspan(node.firstToken, node.tokens);
    }
    /// The node where these bytes lead, and its place; nullptr: there is none.
    const Node *find(std::string_view bytes) const;
    /// The longest token that the text begins with; −1: none.
    TokenId longest(std::string_view text) const;

    std::string_view bytes(TokenId id) const
    {
        const auto at = static_cast<std::size_t>(id);
        return std::string_view(m_bytes).substr(m_begins[at], m_begins[at + 1] - m_begins[at]);
    }
    std::size_t size() const { return m_begins.size() - 1; } // tokens of the vocabulary
    std::size_t words() const { return m_ends.size(); }      // of TokenBits
    const TokenBits &ends() const { return m_ends; }         // tokens that end a reply

private:
    std::string m_bytes;
    std::vector<std::uint32_t> m_begins;
    std::vector<TokenId> m_tokens; // by their bytes
    std::vector<Node> m_nodes;
    TokenBits m_ends;
};

} // namespace fireside::constrain
