#pragma once
#include "engine/text/tokenizers/vocabulary_tokenizer.h"

#include <array>

namespace fireside {

/// Byte-level byte-pair encoding (Radford et al. 2019): text is cut into words by rules, each word
/// starts as its bytes, and neighbours join in the order of the merge list. Any bytes can be
/// encoded; valid UTF-8 comes back unchanged (unless a normaliser changes it).
class BpeTokenizer : public VocabularyTokenizer
{
public:
    struct Parts
    {
        TokenizerCommon common;
        MergeTable merges;
        bool wholeWordsFirst = false; // a word that is a token is taken whole, merges or not
    };
    explicit BpeTokenizer(Parts parts);

    std::string_view kind() const override { return "byte-level BPE"; }

protected:
    void encodeWord(std::string_view word, MergeWorker &worker,
                    std::vector<TokenId> &out) const override;
    void encodeInvalid(std::string_view bytes, MergeWorker &worker,
                       std::vector<TokenId> &out) const override
    {
        encodeWord(bytes, worker, out); // each run is one word
    }
    std::string ordinaryBytes(TokenId id) const override;

private:
    MergeTable m_merges;
    bool m_wholeWordsFirst;
    std::array<TokenId, 256> m_byteTokens; // -1: the vocabulary lacks the byte
};

} // namespace fireside
