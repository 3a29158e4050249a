#pragma once
#include "engine/text/tokenizers/byte_tokens.h"
#include "engine/text/tokenizers/joined_pairs.h"
#include "engine/text/tokenizers/vocabulary_tokenizer.h"

namespace fireside {

/// Byte-pair encoding of characters. SentencePiece's (Kudo and Richardson 2018) has "▁" for spaces
/// and byte tokens (<0x41>) for characters without a token; the older one (Sennrich et al. 2016)
/// marks what goes on with a word or ends it.
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
        bool spacesAreMarked = true;  // "▁" decodes to a space
        bool wholeLineBreaks = false; // a word of line breaks that is a token is taken whole
        std::string continuing;       // put before each character of a word but the first
        std::string ending;           // put behind the last
    };
    explicit SpmTokenizer(Parts parts);

    std::string_view kind() const override { return "BPE of characters"; }

protected:
    void encodeWord(std::string_view word, MergeWorker &worker,
                    std::vector<TokenId> &out) const override;
    void encodeInvalid(std::string_view bytes, MergeWorker &worker,
                       std::vector<TokenId> &out) const override;
    void refine(PreTokenizer::Words &words) const override;
    std::string ordinaryBytes(TokenId id) const override;

private:
    bool takenWhole(std::string_view word) const;
    void pushCharacters(std::string_view word, MergeWorker &worker) const;

    MergeTable m_merges;
    std::vector<std::uint32_t> m_ranks;
    bool m_byteFallback, m_fuseUnknown, m_wholeWordsFirst, m_spacesAreMarked, m_wholeLineBreaks;
    std::string m_continuing, m_ending;
    ByteTokens m_bytes;
    JoinedPairs m_joined;
    bool m_dropsUnknown; // what has no token leaves no gap
    bool m_cutsAnywhere; // else before "▁" alone: runs of unknown characters must stay together
};

} // namespace fireside
