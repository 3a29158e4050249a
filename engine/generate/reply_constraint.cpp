#include "engine/generate/reply_constraint.h"

#include "engine/core/error.h"
#include "engine/generate/reply_stream.h"

#include <algorithm>
#include <utility>

namespace fireside {

void ReplyConstraint::check(const GenerateRequest &request, std::size_t tokens)
{
    const std::size_t size = request.grammar ? request.grammar->vocabulary().size() : 0;
    if (request.grammar && size != tokens)
        throwBadInput("the grammar was made for a vocabulary of " + std::to_string(size) +
                      " tokens, the model's has " + std::to_string(tokens));
}

void ReplyConstraint::checkStart(const GenerateRequest &request)
{
    if (request.grammar)
        constrain::Constraint(request.grammar).allowed(); // kept by the grammar's masks
}

ReplyConstraint::ReplyConstraint(const GenerateRequest &request, const Tokenizer &tokenizer)
    : m_constraint(request.grammar)
    , m_holds(!request.format || !request.inReasoning)
    , m_begun(request.inAnswer)
{
    check(request, tokenizer.size());
    if (!request.format)
        return;
    const ReplyFormat &format = *request.format;
    const auto open = tokenizer.find(format.channels ? "<|channel|>" : format.reasoningOpen);
    if (format.reasons && open && tokenizer.isMarker(*open))
        m_thoughts = open;
    const std::size_t close = format.reasoningEnd.find(format.reasoningClose);
    if (close != std::string::npos)
        m_gap = format.reasoningEnd.substr(close + format.reasoningClose.size());
    if (m_gap.find_first_not_of(" \n\t\r") != std::string::npos)
        m_gap.clear();
}

std::span<const std::uint64_t> ReplyConstraint::allowed()
{
    std::span<const std::uint64_t> bits = m_constraint.allowed();
    if (!m_begun && m_thoughts) {
        m_bits.assign(bits.begin(), bits.end());
        constrain::setBit(m_bits, *m_thoughts);
        bits = m_bits;
    }
    if (std::all_of(bits.begin(), bits.end(), [](std::uint64_t word) { return word == 0; }))
        throwUnsupported("the model's vocabulary has no token for what the reply must go on with");
    return bits;
}

void ReplyConstraint::took(TokenId id, bool put, const ReplyStream &stream)
{
    if (m_holds && !put) {
        if (!m_begun && id == m_thoughts && !m_constraint.allows(id)) {
            m_holds = false;
        } else {
            m_constraint.accept(id);
            m_begun = true;
        }
    }
    if (m_holds || !stream.inAnswer())
        return;
    m_holds = true;
    m_gapDue = !put && !m_gap.empty();
}

ReplyConstraint::Forced ReplyConstraint::forced(const Tokenizer &tokenizer)
{
    if (!m_holds)
        return {};
    if (std::exchange(m_gapDue, false))
        return {tokenizer.encode(MarkedText::trusted(m_gap), false), true};
    return {m_constraint.forced(tokenizer), false};
}

} // namespace fireside
