#pragma once
#include "engine/generate/sampler.h"
#include "engine/generate/session.h"

#include <functional>
#include <span>
#include <stop_token>
#include <vector>

namespace fireside {

/// Draws only tokens of a mask, as the sampler would if there were no others. Where the device
/// picks candidates, the best ones mostly hold enough of the mask; else their position is computed
/// once more, for all logits.
class ConstrainedDraw
{
public:
    static constexpr std::size_t kCandidates = 256; // what devices pick quickly

    explicit ConstrainedDraw(Sampler &sampler)
        : m_sampler(sampler)
    {}

    /// Appends ids; allowed: a bit for each token of the vocabulary.
    TokenId after(Session &session, std::span<const TokenId> ids,
                  std::span<const std::uint64_t> allowed, const std::function<void(int)> &progress,
                  const std::stop_token &stop);
    /// From the best of the position after the session's last token, in falling order, which a pass
    /// over several sessions gave.
    TokenId from(std::span<const Candidate> best, std::span<const std::uint64_t> allowed,
                 Session &session, const std::stop_token &stop);
    /// From logits [vocab], which change.
    TokenId from(std::span<float> logits, std::span<const std::uint64_t> allowed,
                 std::span<const TokenId> recent);
    int fullPasses() const { return m_full; } // for all logits, after candidates were too few

private:
    Sampler &m_sampler;
    std::vector<Candidate> m_best, m_left;
    std::vector<float> m_logits;
    int m_full = 0;
};

} // namespace fireside
