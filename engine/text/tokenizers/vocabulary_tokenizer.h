#pragma once
#include "engine/text/rules/decoder.h"
#include "engine/text/rules/normalizer.h"
#include "engine/text/rules/pre_tokenizer.h"
#include "engine/text/tokenizer.h"
#include "engine/text/tokenizers/bpe_merge.h"
#include "engine/text/tokenizers/special_tokens.h"
#include "engine/text/tokenizers/vocabulary.h"

namespace fireside {

class TokenTrie;

/// What becomes of bytes that are no UTF-8.
enum class InvalidBytes {
    Apart,    // they are words of their own, of bytes
    Replaced, // U+FFFD stands for them
    Within    // the model works on bytes: there are no rules that they could disturb
};

/// What every kind of tokenizer has besides its way of making tokens of a word.
struct TokenizerCommon
{
    Vocabulary vocabulary; // finished
    SpecialTokens special;
    Normalizer normalizer;
    PreTokenizer preTokenizer;
    std::vector<TokenId> prefix, suffix; // put around a text when special tokens are added
    std::optional<TokenId> bos, eos, unknown;
    std::vector<TokenId> endMarkers; // besides those known by their text
    bool stripFirstSpace = false;    // decode drops one space at the very start
    std::optional<Decoder> decoder;  // else tokens are their bytes
    InvalidBytes invalid = InvalidBytes::Apart;
};

/// Base of the tokenizers over a Vocabulary: control tokens, framing, words, decoding.
class VocabularyTokenizer : public Tokenizer
{
public:
    explicit VocabularyTokenizer(TokenizerCommon common);

    std::vector<TokenId> encode(const MarkedText &text, bool addSpecial) const override;
    std::string bytes(TokenId id, bool control = false) const override;
    std::string decode(std::span<const TokenId> ids, bool control = false) const override;
    std::size_t size() const override { return m_common.vocabulary.size(); }
    std::optional<TokenId> find(std::string_view tokenText) const override;
    bool isControl(TokenId id) const override;
    bool isMarker(TokenId id) const override;
    bool endsGeneration(TokenId id) const override;
    std::optional<TokenId> bos() const override { return m_common.bos; }
    std::optional<TokenId> eos() const override { return m_common.eos; }
    std::optional<TokenId> unknown() const override { return m_common.unknown; }
    std::string bosText() const override;
    std::string eosText() const override;

protected:
    /// Near the middle of a word of valid UTF-8 that is too long to be worked on whole: where a
    /// character begins.
    static std::size_t middleOf(std::string_view word);
    /// Appends the tokens of a word of valid UTF-8.
    virtual void encodeWord(std::string_view word, MergeWorker &worker,
                            std::vector<TokenId> &out) const = 0;
    /// The same for a run of bytes that are no UTF-8, where they are kept apart.
    virtual void encodeInvalid(std::string_view, MergeWorker &, std::vector<TokenId> &) const {}
    /// Cuts words further, where that changes no token.
    virtual void refine(PreTokenizer::Words &) const {}
    /// What a token that is no control token stands for, where no decoder says it.
    virtual std::string ordinaryBytes(TokenId id) const;

    const Vocabulary &vocabulary() const { return m_common.vocabulary; }
    /// The tokens that ordinary text may become.
    void addReachable(TokenTrie &trie) const;

private:
    /// Tokens of a non-empty text without special tokens, any bytes. `first`: it starts the input.
    void encodeOrdinary(std::string_view text, bool first, std::vector<TokenId> &out) const;
    void encodeValid(std::string_view text, bool atStart, bool first, MergeWorker &worker,
                     std::vector<TokenId> &out) const;

    TokenizerCommon m_common;
    std::vector<bool> m_ends; // by id
};

} // namespace fireside
