#include "engine/text/tokenizers/rwkv_tokenizer.h"

namespace fireside {

RwkvTokenizer::RwkvTokenizer(TokenizerCommon common)
    : VocabularyTokenizer(std::move(common))
{
    addReachable(m_trie);
}

void RwkvTokenizer::encodeWord(std::string_view word, MergeWorker &,
                               std::vector<TokenId> &out) const
{
    for (std::size_t at = 0; at < word.size();) {
        TokenTrie::Node node = TokenTrie::kRoot;
        TokenId longest = -1;
        std::size_t end = at + 1;
        for (std::size_t i = at; i < word.size(); ++i) {
            node = m_trie.child(node, word[i]);
            if (node == TokenTrie::kNone)
                break;
            if (m_trie.token(node) >= 0) {
                longest = m_trie.token(node);
                end = i + 1;
            }
        }
        if (longest >= 0)
            out.push_back(longest);
        else if (unknown())
            out.push_back(*unknown());
        at = end;
    }
}

std::string unescapedRwkvToken(std::string_view text)
{
    const auto digit = [](char c) {
        return static_cast<unsigned>(c >= 'a' ? c - 'a' + 10 : c >= 'A' ? c - 'A' + 10 : c - '0');
    };
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            out.push_back(text[i]);
            continue;
        }
        const char c = text[++i];
        if (c == 'x' && i + 2 < text.size()) {
            out.push_back(static_cast<char>(digit(text[i + 1]) << 4 | (digit(text[i + 2]) & 15)));
            i += 2;
        } else {
            out.push_back(c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c);
        }
    }
    return out;
}

} // namespace fireside
