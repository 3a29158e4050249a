#pragma once
#include "engine/constrain/local_masks.h"

#include <memory>
#include <string>
#include <unordered_map>

namespace fireside::constrain {

/// A grammar made ready for a vocabulary: to be used by any number of replies, on any threads.
class TokenGrammar
{
public:
    TokenGrammar(const Grammar &grammar, std::shared_ptr<const VocabularyTrie> vocabulary);

    const Automaton &automaton() const { return m_automaton; }
    const VocabularyTrie &vocabulary() const { return *m_vocabulary; }
    LocalMasks &masks() const { return m_masks; }
    /// What is taken another way than the source says.
    const std::vector<std::string> &notes() const { return m_notes; }

private:
    std::shared_ptr<const VocabularyTrie> m_vocabulary;
    std::vector<std::string> m_notes;
    const Automaton m_automaton;
    mutable LocalMasks m_masks;
};

/// Follows one reply and says which tokens may come next. For one thread.
class Constraint
{
public:
    explicit Constraint(std::shared_ptr<const TokenGrammar> grammar);

    /// A bit for each token of the vocabulary; those that end a reply where it is complete. Valid
    /// until the next call of any function.
    std::span<const std::uint64_t> allowed();
    /// Whether the token may come next, without making all of the mask.
    bool allows(TokenId id);
    /// Goes on; Error(Internal) where the token is not allowed.
    void accept(TokenId id);
    bool isComplete() const { return m_machine.hasEnded(m_at); } // the reply may end here
    bool isFinished() const { return isComplete() && !m_machine.canRead(m_at); } // it must

    /// Tokens that can only be these, as the tokenizer writes them in running text. The last is
    /// left to the model where a longer one may stand in its place.
    std::vector<TokenId> forced(const Tokenizer &tokenizer);

    /// For tests: how often a mask had to be put together.
    std::size_t masksMade() const { return m_made; }

private:
    using ConfigId = Machine::ConfigId;
    TokenBits assemble();
    void addRests(const LocalMask &mask, ConfigId after, std::uint32_t fewest, std::uint32_t most,
                  TokenBits &bits);
    std::string forcedBytes();
    std::vector<TokenId> tokensOf(const std::string &bytes, const Tokenizer &tokenizer) const;
    bool mayBeLonger(TokenId id, ConfigId before);

    std::shared_ptr<const TokenGrammar> m_grammar;
    Machine m_machine;
    ConfigId m_at;
    std::vector<TokenId> m_recent; // the last few tokens
    std::unordered_map<ConfigId, TokenBits> m_kept;
    std::size_t m_made = 0;
};

} // namespace fireside::constrain
