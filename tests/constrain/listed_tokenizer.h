#pragma once
#include "engine/text/tokenizer.h"

#include <string>
#include <utility>
#include <vector>

namespace fireside::test {

/// These tokens and one more, which ends a reply.
class ListedTokenizer final : public Tokenizer
{
public:
    explicit ListedTokenizer(std::vector<std::string> tokens)
        : m_tokens(std::move(tokens))
    {
        m_tokens.emplace_back();
    }
    std::vector<TokenId> encode(const MarkedText &, bool) const override { return {}; }
    std::string bytes(TokenId id, bool) const override
    {
        return m_tokens[static_cast<std::size_t>(id)];
    }
    std::string decode(std::span<const TokenId>, bool) const override { return {}; }
    std::size_t size() const override { return m_tokens.size(); }
    std::optional<TokenId> find(std::string_view) const override { return {}; }
    bool isControl(TokenId) const override { return false; }
    bool endsGeneration(TokenId id) const override
    {
        return id + 1 == static_cast<TokenId>(size());
    }
    std::optional<TokenId> bos() const override { return {}; }
    std::optional<TokenId> eos() const override { return {}; }
    std::string bosText() const override { return {}; }
    std::string eosText() const override { return {}; }

private:
    std::vector<std::string> m_tokens;
};

} // namespace fireside::test
