#pragma once
#include "engine/text/rules/byte_level.h"
#include "engine/text/tokenizer.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fireside {

/// What a token is for; the order of GGUF's tokenizer.ggml.token_type, which starts at 1.
enum class TokenKind : std::uint8_t { Normal = 1, Unknown, Control, UserDefined, Unused, Byte };

/// The token table of a model: id ↔ text and what each token is for. Texts are stored as the file
/// writes them (byte-level characters, "▁" for spaces, "<0x41>" for bytes), valid UTF-8 or not.
class Vocabulary
{
public:
    static constexpr std::size_t kMaxTokens = std::size_t{1} << 24;

    void reserve(std::size_t tokens, std::size_t textBytes);
    /// Appends a token and returns its id. An empty text takes an id but is never found.
    TokenId add(std::string_view text, TokenKind kind);
    void setKind(TokenId id, TokenKind kind);
    /// Keeps a token out of all text that is not trusted (see isReachable).
    void setTrustedOnly(TokenId id);
    /// Builds the index; nothing may be added afterwards. Returns the two ids of a text that is
    /// there twice, the lower first.
    std::optional<std::pair<TokenId, TokenId>> finish();

    std::size_t size() const { return m_tokens.size(); }
    bool contains(std::int64_t id) const
    {
        return id >= 0 && static_cast<std::uint64_t>(id) < m_tokens.size();
    }
    std::string_view text(TokenId id) const
    {
        const Token &token = m_tokens[static_cast<std::size_t>(id)];
        return std::string_view(m_texts).substr(token.begin, token.length);
    }
    TokenKind kind(TokenId id) const { return m_tokens[static_cast<std::size_t>(id)].kind; }
    bool isControl(TokenId id) const
    {
        return kind(id) == TokenKind::Control || kind(id) == TokenKind::Unknown;
    }

    std::optional<TokenId> find(std::string_view text) const;
    /// The same among the tokens that ordinary text may turn into: no control tokens, bytes, or
    /// tokens reserved for trusted text.
    std::optional<TokenId> findReachable(std::string_view text) const;
    bool isReachable(TokenId id) const;
    /// Many at once, -1 for texts that are none: what memory is slow to give is asked for early.
    void findAll(std::span<const std::string_view> texts, std::span<TokenId> ids) const;
    std::size_t longestText() const { return m_longest; } // bytes

private:
    struct Token
    {
        std::uint32_t begin = 0, length = 0;
        TokenKind kind = TokenKind::Normal;
        bool trustedOnly = false;
    };
    /// A text as the index compares it: all of a short one, a hash of a long one.
    struct Key
    {
        std::uint64_t word = 0;
        std::uint32_t length = 0;
        bool operator==(const Key &) const = default;
    };
    struct Slot
    {
        Key key;
        TokenId id = -1; // free
    };
    static Key keyOf(std::string_view text);
    std::size_t slotOf(const Key &key) const
    {
        return ((key.word ^ key.length) * 0x9E3779B97F4A7C15u >> 32) & (m_slots.size() - 1);
    }
    /// The slot that holds the text, else the free one where it would be.
    std::size_t probe(std::string_view text, const Key &key, std::size_t slot) const;

    std::vector<Token> m_tokens;
    std::string m_texts;
    std::vector<Slot> m_slots; // open addressing, a power of two of them
    std::size_t m_longest = 0;
};

/// True for texts shaped like a protocol marker, <think> or [INST] or <|im_end|>, but not for the
/// HTML elements that some vocabularies hold as whole tokens.
bool looksLikeMarker(std::string_view text);

/// True for the texts with which known model families end a reply (<|eot_id|>, <|im_end|>, …).
bool isEndMarkerText(std::string_view text);

} // namespace fireside
