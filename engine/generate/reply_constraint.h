#pragma once
#include "engine/constrain/constraint.h"
#include "engine/generate/generator.h"

#include <optional>

namespace fireside {

class ReplyStream;

/// A constraint and where it holds in a reply: in the answer, not in thoughts before it, headers or
/// what a budget of thoughts puts in.
class ReplyConstraint
{
public:
    /// Error(BadInput) where the request's grammar was made for a vocabulary of another size.
    static void check(const GenerateRequest &request, std::size_t tokens);
    /// Error(BadInput) where the grammar cannot be followed from its first token on: too many ways
    /// to read one text.
    static void checkStart(const GenerateRequest &request);
    /// Of a request with a grammar that passes check().
    ReplyConstraint(const GenerateRequest &request, const Tokenizer &tokenizer);

    bool holds() const { return m_holds; } // for the next token
    /// The tokens that may come next, with that which begins thoughts where they may still begin.
    /// Error(Unsupported) where there are none: the vocabulary cannot write what must come.
    std::span<const std::uint64_t> allowed();
    /// A token of the reply, which the stream has seen already. put: it was put in, not drawn.
    void took(TokenId id, bool put, const ReplyStream &stream);
    /// What comes next without asking the model; nothing where it has the choice. The white space
    /// between thoughts and answer is put in, the rest counts as drawn.
    struct Forced
    {
        std::vector<TokenId> ids{};
        bool put = false;
    };
    Forced forced(const Tokenizer &tokenizer);
    bool isFinished() const { return m_holds && m_constraint.isFinished(); }

private:
    constrain::Constraint m_constraint;
    std::optional<TokenId> m_thoughts; // what begins them
    std::string m_gap;                 // between them and the answer, to be put in
    bool m_gapDue = false;
    bool m_holds, m_begun = false;
    std::vector<std::uint64_t> m_bits;
};

} // namespace fireside
