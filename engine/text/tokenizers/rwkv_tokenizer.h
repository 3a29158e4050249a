#pragma once
#include "engine/text/tokenizers/token_trie.h"
#include "engine/text/tokenizers/vocabulary_tokenizer.h"

namespace fireside {

/// RWKV's "World" tokenizer: again and again the longest token that the rest of the bytes begins
/// with. Texts of the vocabulary are bytes.
class RwkvTokenizer : public VocabularyTokenizer
{
public:
    explicit RwkvTokenizer(TokenizerCommon common);
    std::string_view kind() const override { return "RWKV"; }

protected:
    void encodeWord(std::string_view word, MergeWorker &worker,
                    std::vector<TokenId> &out) const override;

private:
    TokenTrie m_trie;
};

/// The bytes of a token as GGUF files write them for this tokenizer: \n, \x1f and the like.
std::string unescapedRwkvToken(std::string_view text);

} // namespace fireside
