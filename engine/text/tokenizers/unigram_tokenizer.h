#pragma once
#include "engine/text/tokenizers/byte_tokens.h"
#include "engine/text/tokenizers/joined_pairs.h"
#include "engine/text/tokenizers/token_trie.h"
#include "engine/text/tokenizers/vocabulary_tokenizer.h"

namespace fireside {

/// The unigram language model (Kudo 2018): the tokens whose scores, logarithms of probabilities,
/// have the highest sum. Characters without a token cost a fixed score; runs of them become byte
/// tokens, or one unknown token.
class UnigramTokenizer : public VocabularyTokenizer
{
public:
    struct Parts
    {
        TokenizerCommon common;
        std::vector<double> scores; // by token id
        double unknownScore = 0;
        bool byteFallback = false;
    };
    explicit UnigramTokenizer(Parts parts);

    std::string_view kind() const override { return "Unigram"; }

protected:
    void encodeWord(std::string_view word, MergeWorker &worker,
                    std::vector<TokenId> &out) const override;
    void encodeInvalid(std::string_view bytes, MergeWorker &worker,
                       std::vector<TokenId> &out) const override;
    void refine(PreTokenizer::Words &words) const override;

private:
    struct Best;
    std::vector<Best> bestPaths(std::string_view word) const;

    std::vector<double> m_scores;
    double m_unknownScore;
    bool m_byteFallback;
    TokenTrie m_trie;
    ByteTokens m_bytes;
    JoinedPairs m_joined;
    bool m_cutsAtMarks = false; // "▁" is a token: what is unknown ends before it
};

} // namespace fireside
