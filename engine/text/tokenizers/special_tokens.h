#pragma once
#include "engine/text/marked_text.h"
#include "engine/text/rules/regex.h"
#include "engine/text/tokenizer.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fireside {

/// A token that is looked for in the text itself, before any splitting or merging.
struct AddedToken
{
    TokenId id = 0;
    std::string text;        // raw UTF-8, never empty
    bool trustedOnly = true; // recognised only where every byte of its text is trusted
    bool leftStrip = false;  // takes the white space before it along
    bool rightStrip = false; // … and after it
    bool singleWord = false; // only between non-word characters
    bool normalized = false; // looked for after those that are not
};

/// Finds added tokens: leftmost first, the longest of those that start there.
class SpecialTokens
{
public:
    struct Piece
    {
        TextRange range;
        std::optional<TokenId> token; // nullopt: ordinary text
    };

    SpecialTokens() = default;
    explicit SpecialTokens(std::vector<AddedToken> tokens);

    /// The whole text as found tokens and the non-empty ordinary texts between them, in order.
    std::vector<Piece> split(const MarkedText &text) const;

private:
    /// Byte trie; a node's children are a linked list, since almost all have one.
    struct Node
    {
        std::int32_t firstChild = -1, nextSibling = -1;
        std::int32_t token = -1; // index into m_tokens
        char byte = 0;
    };
    struct Trie
    {
        std::vector<Node> nodes;
        std::array<std::int32_t, 256> roots;
        Trie() { roots.fill(-1); }
        void insert(const std::string &text, std::int32_t token);
    };
    struct Match
    {
        std::size_t end;
        const AddedToken *token;
    };

    std::optional<Match> matchAt(const Trie &trie, const MarkedText &text, TextRange within,
                                 std::size_t at) const;
    void splitRange(const Trie &trie, const MarkedText &text, TextRange within,
                    std::vector<Piece> &out) const;

    std::vector<AddedToken> m_tokens;
    Trie m_raw, m_normalized;
};

} // namespace fireside
