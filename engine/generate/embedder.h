#pragma once
#include "engine/model/model.h"
#include "engine/text/tokenizer.h"

#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace fireside {

/// "mean", "cls", "last", "none" (all rows) or "rank"; nullopt for another word.
std::optional<EmbeddingForm> embeddingForm(std::string_view word);
const char *toString(EmbeddingForm form);

/// What sequences of tokens mean to a model, as numbers: one vector for each, all its final rows,
/// or the score of a reranker. Not for several threads at once; the model must outlive it.
class Embedder
{
public:
    /// capacity: the longest sequence; of an encoder never more than its passes and positions take.
    Embedder(const Model &model, int capacity);

    /// What is asked for, else what the model says. Error(Unsupported) where it says what we lack.
    EmbeddingForm formFor(std::optional<EmbeddingForm> asked) const;
    /// The longest sequence that embed() takes.
    std::int64_t mostTokens() const { return m_most; }
    /// For each sequence [hidden], or what dense layers behind the pooling make of it; with Rows
    /// [its tokens, hidden], with Score one number. Encoders take several sequences in one pass.
    /// Error(BadInput) for an empty sequence, one that is too long, an id outside the vocabulary;
    /// Error(Unsupported) for the score of a model without.
    std::vector<std::vector<float>> embed(std::span<const std::vector<TokenId>> sequences,
                                          EmbeddingForm form, std::stop_token stop = {}) const;

private:
    std::vector<std::vector<float>> pooled(std::span<const std::vector<TokenId>> sequences,
                                           EmbeddingForm form, const std::stop_token &stop) const;
    void check(std::span<const std::vector<TokenId>> sequences, EmbeddingForm form) const;
    void pass(std::span<const std::vector<TokenId>> sequences, EmbeddingForm form,
              std::span<std::vector<float>> results, const std::stop_token &stop) const;
    std::vector<float> decoded(std::span<const TokenId> ids, EmbeddingForm form,
                               const std::stop_token &stop) const;

    const Model &m_model;
    std::int64_t m_most;
};

/// What is guessed about vectors of this form, a sentence each. asked: the form was asked for;
/// tokenizer: of the texts, or nullptr where ids are given.
std::vector<std::string> vectorRemarks(const Model &model, EmbeddingForm form, bool asked,
                                       const Tokenizer *tokenizer);

/// values / √Σvalues²; zeros stay.
void normalizeLength(std::span<float> values);

} // namespace fireside
