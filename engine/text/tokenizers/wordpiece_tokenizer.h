#pragma once
#include "engine/text/tokenizers/token_trie.h"
#include "engine/text/tokenizers/vocabulary_tokenizer.h"

namespace fireside {

/// WordPiece (Schuster and Nakajima 2012, Devlin et al. 2018): of each word the longest token it
/// begins with, then the longest of those that go on with a word. A word that cannot be made is
/// unknown as a whole.
class WordPieceTokenizer : public VocabularyTokenizer
{
public:
    struct Parts
    {
        TokenizerCommon common;
        std::string beginning;       // what tokens at the beginning of a word begin with: "", "▁"
        std::string continuing;      // … and those that go on with one: "##", ""
        std::size_t longestWord = 0; // in characters; longer words are unknown. 0: no limit
    };
    explicit WordPieceTokenizer(Parts parts);

    std::string_view kind() const override { return "WordPiece"; }

protected:
    void encodeWord(std::string_view word, MergeWorker &worker,
                    std::vector<TokenId> &out) const override;

private:
    std::size_t m_longestWord;
    TokenTrie m_trie;
    TokenTrie::Node m_first, m_next; // where tokens at the beginning of a word and in it start
};

} // namespace fireside
