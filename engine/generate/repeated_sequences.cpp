#include "engine/generate/repeated_sequences.h"

#include <algorithm>

namespace fireside {

const std::vector<std::pair<TokenId, std::size_t>> &
RepeatedSequences::find(std::span<const TokenId> tokens, const std::function<bool(TokenId)> &breaks)
{
    m_found.clear();
    const std::size_t size = tokens.size();
    const auto back = [&](std::size_t i) { return tokens[size - 1 - i]; };
    std::size_t longest = 0; // as the last tokens reach
    while (longest < size && !breaks(back(longest)))
        ++longest;
    if (longest == 0)
        return m_found;
    m_same.assign(size, 0);
    std::size_t left = 0, right = 0; // the match that reaches furthest
    for (std::size_t i = 1; i < size; ++i) {
        std::size_t same = i < right ? std::min(right - i, m_same[i - left]) : 0;
        while (i + same < size && back(same) == back(i + same))
            ++same;
        m_same[i] = same;
        if (i + same > right) {
            left = i;
            right = i + same;
        }
        if (same > 0 && !breaks(back(i - 1)))
            m_found.emplace_back(back(i - 1), std::min(same, longest));
    }
    // The longest of each token.
    std::sort(m_found.begin(), m_found.end(), [](const auto &a, const auto &b) {
        return a.first != b.first ? a.first < b.first : a.second > b.second;
    });
    m_found.erase(std::unique(m_found.begin(), m_found.end(),
                              [](const auto &a, const auto &b) { return a.first == b.first; }),
                  m_found.end());
    return m_found;
}

} // namespace fireside
