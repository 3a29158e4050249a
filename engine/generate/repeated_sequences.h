#pragma once
#include "engine/text/tokenizer.h"

#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace fireside {

/// Finds what a text repeats: which tokens would go on with a sequence that came before.
class RepeatedSequences
{
public:
    /// Of each token that followed an earlier occurrence of the last tokens, how many of them
    /// occurred there at most, in rising order of the tokens. Sequences hold no token that
    /// `breaks`, nor go on with one. In time linear in the tokens.
    const std::vector<std::pair<TokenId, std::size_t>> &
    find(std::span<const TokenId> tokens, const std::function<bool(TokenId)> &breaks);

private:
    std::vector<std::size_t> m_same; // Z function of the tokens from the last to the first
    std::vector<std::pair<TokenId, std::size_t>> m_found;
};

} // namespace fireside
