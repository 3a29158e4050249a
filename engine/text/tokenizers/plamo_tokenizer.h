#pragma once
#include "engine/text/tokenizers/byte_tokens.h"
#include "engine/text/tokenizers/token_trie.h"
#include "engine/text/tokenizers/vocabulary_tokenizer.h"

namespace fireside {

/// PLaMo 2's tokenizer: a unigram model whose scores are rounded to ten-thousandths; of equal ways
/// the one whose first token is longer. Characters that are in no way become byte tokens.
class PlamoTokenizer : public VocabularyTokenizer
{
public:
    struct Parts
    {
        TokenizerCommon common;
        std::vector<double> scores; // by token id
    };
    explicit PlamoTokenizer(Parts parts); // Error(BadInput) when a byte has no token

    std::string_view kind() const override { return "PLaMo 2"; }

protected:
    void encodeWord(std::string_view word, MergeWorker &worker,
                    std::vector<TokenId> &out) const override;
    void encodeInvalid(std::string_view bytes, MergeWorker &,
                       std::vector<TokenId> &out) const override
    {
        m_bytes.append(bytes, out);
    }

private:
    std::vector<std::int64_t> m_costs; // by token id
    TokenTrie m_trie;
    ByteTokens m_bytes;
};

} // namespace fireside
