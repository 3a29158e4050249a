#pragma once
#include "engine/text/tokenizers/joined_pairs.h"
#include "engine/text/tokenizers/vocabulary_tokenizer.h"

#include <array>

namespace fireside {

/// SentencePiece-style byte-pair encoding (Kudo and Richardson 2018): spaces become "▁", a text
/// starts as its characters, and neighbours join. Characters without a token become byte tokens
/// (<0x41>) where the vocabulary has them, else the unknown token.
class SpmTokenizer : public VocabularyTokenizer
{
public:
    struct Parts
    {
        TokenizerCommon common;
        MergeTable merges;                // by rank; empty when `ranks` decides
        std::vector<std::uint32_t> ranks; // by token id: any two neighbours that make a token join
        bool byteFallback = true;
        bool fuseUnknown = true; // one unknown token for a run of unknown characters
        bool wholeWordsFirst = false;
        bool spacesAreMarked = true; // "▁" decodes to a space
    };
    explicit SpmTokenizer(Parts parts);

protected:
    void encodeWord(std::string_view word, MergeWorker &worker,
                    std::vector<TokenId> &out) const override;
    void encodeInvalid(std::string_view bytes, MergeWorker &worker,
                       std::vector<TokenId> &out) const override;
    void refine(PreTokenizer::Words &words) const override;
    std::string ordinaryBytes(TokenId id) const override;

private:
    void collectJoinedPairs();
    bool appendByteTokens(std::string_view bytes, std::vector<TokenId> &out) const;

    MergeTable m_merges;
    std::vector<std::uint32_t> m_ranks;
    bool m_byteFallback, m_fuseUnknown, m_wholeWordsFirst, m_spacesAreMarked;
    std::array<TokenId, 256> m_byteTokens; // -1: none
    JoinedPairs m_joined;
    bool m_cutsAnywhere; // else before "▁" alone: runs of unknown characters must stay together
};

} // namespace fireside
