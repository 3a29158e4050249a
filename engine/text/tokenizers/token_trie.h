#pragma once
#include "engine/text/tokenizer.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace fireside {

/// Texts of tokens, byte by byte, for finding all tokens that a text begins with. One hash table
/// holds the edges of all nodes.
class TokenTrie
{
public:
    using Node = std::uint32_t;
    static constexpr Node kRoot = 0, kNone = 0xFFFFFFFF;

    TokenTrie();
    /// The last of equal texts counts. Throws Error(BadInput) when the texts are too much together.
    void insert(std::string_view text, TokenId id);

    Node child(Node node, char byte) const
    {
        const std::uint32_t key = keyOf(node, byte);
        for (std::size_t i = slotOf(key);; i = (i + 1) & m_mask) {
            if (m_slots[i].child == 0)
                return kNone;
            if (m_slots[i].key == key)
                return m_slots[i].child;
        }
    }
    Node walk(Node from, std::string_view text) const;
    TokenId token(Node node) const { return m_tokens[node]; } // -1: none ends here

private:
    struct Slot
    {
        std::uint32_t key = 0;
        Node child = 0; // the root is nobody's: a free slot
    };
    static std::uint32_t keyOf(Node node, char byte)
    {
        return node << 8 | static_cast<unsigned char>(byte);
    }
    std::size_t slotOf(std::uint32_t key) const
    {
        return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15u >> 40) & m_mask;
    }
    void put(Slot slot);

    std::vector<Slot> m_slots; // a power of two, at most half full
    std::size_t m_mask;
    std::vector<TokenId> m_tokens; // by node
};

} // namespace fireside
