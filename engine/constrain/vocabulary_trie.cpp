#include "engine/constrain/vocabulary_trie.h"

#include <algorithm>
#include <numeric>

namespace fireside::constrain {
namespace {

constexpr std::size_t kLongestToken = 1024; // bytes; longer ones are never allowed

std::size_t commonPrefix(std::string_view a, std::string_view b)
{
    const auto ends = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    return static_cast<std::size_t>(ends.first - a.begin());
}

} // namespace

VocabularyTrie::VocabularyTrie(const Tokenizer &tokenizer)
    : m_begins{0}
    , m_ends((tokenizer.size() + 63) / 64)
{
    for (std::size_t i = 0; i < tokenizer.size(); ++i) {
        const auto id = static_cast<TokenId>(i);
        if (tokenizer.endsGeneration(id))
            setBit(m_ends, id);
        else if (!tokenizer.isControl(id) && !tokenizer.isMarker(id))
            m_bytes += tokenizer.bytes(id);
        m_begins.push_back(static_cast<std::uint32_t>(m_bytes.size()));
        const std::size_t length = m_begins[i + 1] - m_begins[i];
        if (length > 0 && length <= kLongestToken)
            m_tokens.push_back(id);
    }
    std::sort(m_tokens.begin(), m_tokens.end(),
              [&](TokenId a, TokenId b) { return bytes(a) < bytes(b); });
    std::vector<std::uint32_t> path; // open nodes
    std::string_view last;
    const auto close = [&](std::size_t depth) {
        for (; path.size() > depth; path.pop_back())
            m_nodes[path.back()].end = static_cast<std::uint32_t>(m_nodes.size());
    };
    for (std::size_t i = 0; i < m_tokens.size(); ++i) {
        const std::string_view text = bytes(m_tokens[i]);
        close(commonPrefix(last, text));
        for (std::size_t depth = path.size(); depth < text.size(); ++depth) {
            path.push_back(static_cast<std::uint32_t>(m_nodes.size()));
            m_nodes.push_back({.firstToken = static_cast<std::uint32_t>(i),
                               .depth = static_cast<std::uint16_t>(depth + 1),
                               .byte = static_cast<std::uint8_t>(text[depth])});
        }
        ++m_nodes[path.back()].tokens;
        last = text;
    }
    close(0);
}

const VocabularyTrie::Node *VocabularyTrie::find(std::string_view text) const
{
    std::size_t at = 0, end = m_nodes.size();
    const Node *found = nullptr;
    for (const char byte : text) {
        while (at < end && m_nodes[at].byte != static_cast<std::uint8_t>(byte))
            at = m_nodes[at].end;
        if (at >= end)
            return nullptr;
        found = &m_nodes[at];
        end = found->end;
        ++at;
    }
    return found;
}

TokenId VocabularyTrie::longest(std::string_view text) const
{
    TokenId best = -1;
    std::size_t at = 0, end = m_nodes.size();
    for (const char byte : text) {
        while (at < end && m_nodes[at].byte != static_cast<std::uint8_t>(byte))
            at = m_nodes[at].end;
        if (at >= end)
            break;
        if (m_nodes[at].tokens > 0)
            best = m_tokens[m_nodes[at].firstToken];
        end = m_nodes[at].end;
        ++at;
    }
    return best;
}

} // namespace fireside::constrain
