#include "engine/generate/next_token.h"

#include "engine/generate/reply_constraint.h"

#include <algorithm>

namespace fireside {

std::size_t reusePrefix(Session &session, std::span<const TokenId> prompt, bool drafts,
                        std::optional<int> most)
{
    const auto tokens = session.tokens();
    const auto end = std::mismatch(tokens.begin(), tokens.end(), prompt.begin(), prompt.end());
    auto shared = static_cast<std::size_t>(end.first - tokens.begin());
    if (drafts) // the head is to know them as well
        shared = std::min(shared, session.draftedTokens());
    if (most)
        shared = std::min(shared, static_cast<std::size_t>(std::max(*most, 0)));
    if (!session.servesUpTo(prompt.size()))
        shared = 0;
    session.truncate(std::min(shared, prompt.size() - 1));
    return session.tokens().size();
}

NextToken::NextToken(Sampler &sampler, int drafts)
    : m_sampler(sampler)
    , m_constrained(sampler)
    , m_drafts(sampler.needs() == Sampler::Needs::Best ? drafts : 0)
{
    if (sampler.needs() == Sampler::Needs::Candidates)
        m_best.resize(static_cast<std::size_t>(sampler.candidates()));
}

bool NextToken::isConstrained() const
{
    return m_constraint != nullptr && m_constraint->holds();
}

void NextToken::prepare()
{
    if (isConstrained())
        m_constraint->allowed();
}

TokenId NextToken::after(Session &session, std::span<const TokenId> ids,
                         const std::function<void(int)> &progress, const std::stop_token &stop,
                         std::int64_t more)
{
    if (isConstrained()) {
        ++m_used;
        return m_constrained.after(session, ids, m_constraint->allowed(), progress, stop);
    }
    if (m_drafts > 0)
        return drafted(session, ids, progress, stop, more);
    const Session::Next next{guess(), more};
    switch (m_sampler.needs()) {
    case Sampler::Needs::Best:
        return session.appendGreedy(ids, progress, stop, &next);
    case Sampler::Needs::Candidates:
        session.appendTop(ids, m_best, progress, stop, m_sampler.foreseeable() ? &next : nullptr);
        return from(std::span<const Candidate>(m_best), session, stop);
    case Sampler::Needs::Logits:
        break;
    }
    m_logits.resize(static_cast<std::size_t>(session.model().config().vocabulary));
    session.append(ids, m_logits, progress, stop);
    return from(std::span<float>(m_logits), session.tokens());
}

TokenId NextToken::from(std::span<float> logits, std::span<const TokenId> recent)
{
    ++m_used;
    if (isConstrained())
        return m_constrained.from(logits, m_constraint->allowed(), recent);
    return m_sampler.sample(logits, recent);
}

std::size_t NextToken::candidates(std::size_t vocabulary) const
{
    const auto own = static_cast<std::size_t>(m_sampler.candidates());
    return isConstrained() ? std::max(own, std::min(ConstrainedDraw::kCandidates, vocabulary))
                           : own;
}

TokenId NextToken::from(std::span<const Candidate> best, Session &session,
                        const std::stop_token &stop)
{
    ++m_used;
    if (isConstrained())
        return m_constrained.from(best, m_constraint->allowed(), session, stop);
    return m_sampler.sample(best.first(static_cast<std::size_t>(m_sampler.candidates())),
                            session.tokens());
}

std::optional<NextIds> NextToken::foreseen() const
{
    const Sampler::Needs needs = m_sampler.needs();
    if (isConstrained() || needs == Sampler::Needs::Logits ||
        (needs == Sampler::Needs::Candidates && !m_sampler.foreseeable()))
        return {};
    return m_sampler.ahead();
}

void NextToken::forget(Session &session)
{
    if (!m_known.empty())
        session.truncate(session.tokens().size() - m_known.size());
    m_known.clear();
}

void NextToken::moved(const Session &session)
{
    m_known.clear();
    m_drafts = session.canDraft() ? m_drafts : 0;
}

/// Where the session holds what follows already, that is taken.
TokenId NextToken::drafted(Session &session, std::span<const TokenId> ids,
                           const std::function<void(int)> &progress, const std::stop_token &stop,
                           std::int64_t more)
{
    TokenId token = -1;
    if (ids.size() == 1 && !m_known.empty()) {
        token = m_known.front();
        m_known.erase(m_known.begin());
        ++m_right;
        return token;
    }
    forget(session);
    const auto most =
        static_cast<int>(std::min<std::int64_t>(m_drafts, std::max<std::int64_t>(more, 0)));
    m_known = session.appendDrafted(ids, most, progress, stop);
    token = m_known.front();
    m_known.erase(m_known.begin());
    return token;
}

/// How the device predicts the draws; the result is always what the sampler draws.
NextIds NextToken::guess()
{
    constexpr std::size_t kNumbers = 256, kFewest = 128;
    NextIds next = m_sampler.ahead();
    if (m_sampler.needs() != Sampler::Needs::Candidates)
        return next;
    if (m_used + kFewest > m_numbers.size()) {
        m_numbers.resize(kNumbers);
        m_sampler.upcoming(m_numbers);
        m_used = 0;
    }
    next.draws = std::span(m_numbers).subspan(m_used);
    return next;
}

} // namespace fireside
