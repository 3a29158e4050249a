#include "engine/generate/constrained_draw.h"

#include "engine/constrain/vocabulary_trie.h"

#include <algorithm>
#include <limits>

namespace fireside {

TokenId ConstrainedDraw::after(Session &session, std::span<const TokenId> ids,
                               std::span<const std::uint64_t> allowed,
                               const std::function<void(int)> &progress,
                               const std::stop_token &stop)
{
    const auto vocabulary = static_cast<std::size_t>(session.model().config().vocabulary);
    if (m_sampler.needs() == Sampler::Needs::Logits) {
        m_logits.resize(vocabulary);
        session.append(ids, m_logits, progress, stop);
        return from(m_logits, allowed, session.tokens());
    }
    m_best.assign(std::min(kCandidates, vocabulary), {});
    session.appendTop(ids, m_best, progress, stop);
    return from(m_best, allowed, session, stop);
}

TokenId ConstrainedDraw::from(std::span<const Candidate> best,
                              std::span<const std::uint64_t> allowed, Session &session,
                              const std::stop_token &stop)
{
    const auto vocabulary = static_cast<std::size_t>(session.model().config().vocabulary);
    m_left.clear();
    for (const Candidate &candidate : best)
        if (candidate.id >= 0 && constrain::hasBit(allowed, candidate.id))
            m_left.push_back(candidate);
    const Candidate &last = best.back();
    if (m_sampler.isEnough(m_left, last.id < 0 || best.size() >= vocabulary
                                       ? -std::numeric_limits<float>::infinity()
                                       : last.logit)) {
        const auto most = static_cast<std::size_t>(m_sampler.candidates());
        if (m_left.size() > most)
            m_left.resize(most);
        return m_sampler.sample(std::span<const Candidate>(m_left), session.tokens());
    }
    ++m_full;
    const std::vector<TokenId> all(session.tokens().begin(), session.tokens().end());
    session.truncate(all.size() - 1);
    m_logits.resize(vocabulary);
    session.append(std::span(all).subspan(session.tokens().size()), m_logits, {}, stop);
    return from(m_logits, allowed, session.tokens());
}

TokenId ConstrainedDraw::from(std::span<float> logits, std::span<const std::uint64_t> allowed,
                              std::span<const TokenId> recent)
{
    for (std::size_t i = 0; i < logits.size(); ++i)
        if (!constrain::hasBit(allowed, static_cast<TokenId>(i)))
            logits[i] = -std::numeric_limits<float>::infinity();
    return m_sampler.sample(logits, recent);
}

} // namespace fireside
