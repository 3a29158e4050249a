#pragma once
#include "engine/text/tokenizers/vocabulary_tokenizer.h"

namespace fireside {

/// Whole words: each is a token or unknown.
class WordLevelTokenizer : public VocabularyTokenizer
{
public:
    using VocabularyTokenizer::VocabularyTokenizer;
    std::string_view kind() const override { return "WordLevel"; }

protected:
    void encodeWord(std::string_view word, MergeWorker &, std::vector<TokenId> &out) const override
    {
        if (const auto id = vocabulary().findReachable(word))
            out.push_back(*id);
        else if (unknown())
            out.push_back(*unknown());
    }
};

} // namespace fireside
