#include "engine/text/tokenizers/wordpiece_tokenizer.h"

#include <algorithm>

namespace fireside {
namespace {

std::size_t charactersIn(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

} // namespace

WordPieceTokenizer::WordPieceTokenizer(Parts parts)
    : VocabularyTokenizer(std::move(parts.common))
    , m_longestWord(parts.longestWord)
{
    addReachable(m_trie);
    m_first = m_trie.walk(TokenTrie::kRoot, parts.beginning);
    m_next = m_trie.walk(TokenTrie::kRoot, parts.continuing);
}

void WordPieceTokenizer::encodeWord(std::string_view word, MergeWorker &,
                                    std::vector<TokenId> &out) const
{
    const std::size_t before = out.size();
    bool isKnown =
        m_longestWord == 0 || word.size() <= m_longestWord || charactersIn(word) <= m_longestWord;
    for (std::size_t at = 0; isKnown && at < word.size();) {
        TokenTrie::Node node = at == 0 ? m_first : m_next;
        TokenId longest = -1;
        std::size_t end = at;
        for (std::size_t i = at; i < word.size() && node != TokenTrie::kNone; ++i) {
            node = m_trie.child(node, word[i]);
            if (node == TokenTrie::kNone || m_trie.token(node) < 0)
                continue;
            longest = m_trie.token(node);
            end = i + 1;
        }
        isKnown = longest >= 0;
        out.push_back(longest);
        at = end;
    }
    if (isKnown)
        return;
    out.resize(before);
    if (unknown())
        out.push_back(*unknown());
}

} // namespace fireside
