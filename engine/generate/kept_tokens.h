#pragma once
#include "engine/text/tokenizer.h"

#include <cstddef>
#include <vector>

namespace fireside {

/// Consecutive tokens of a chat as a session computed them, in the host's memory; Session::keep()
/// makes it, Session::restore() takes it.
struct KeptTokens
{
    /// The recurrent states of all layers after the chat's first `tokens` tokens.
    struct State
    {
        std::size_t tokens = 0;
        std::vector<std::byte> bytes{};
        bool operator==(const State &) const = default;
    };
    std::size_t from = 0; // tokens of the chat before them
    std::vector<TokenId> tokens{};
    /// Their keys and values: layer by layer, keys before values, head by head, [tokens] rows of
    /// the cache's type.
    std::vector<std::byte> rows{};
    std::vector<State> states{}; // rising, after tokens in (from, end()]

    std::size_t end() const { return from + tokens.size(); }
    std::size_t bytes() const
    {
        std::size_t sum = rows.size() + tokens.size() * sizeof(TokenId);
        for (const State &state : states)
            sum += state.bytes.size();
        return sum;
    }
    bool operator==(const KeptTokens &) const = default;
};

} // namespace fireside
