#pragma once
#include "engine/generate/constrained_draw.h"
#include "engine/generate/sampler.h"
#include "engine/generate/session.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace fireside {

class ReplyConstraint;

/// Keeps what the session shares with the prompt, or less where it cannot go back so exactly; at
/// least one token is left to compute, because its logits are needed. Gives the tokens kept, no
/// more than `most`.
std::size_t reusePrefix(Session &session, std::span<const TokenId> prompt, bool drafts,
                        std::optional<int> most = {});

/// Computes tokens and draws the next one; as little as the sampler needs leaves the device.
class NextToken
{
public:
    /// drafts: tokens that are guessed at once, where the sampler lets them be
    NextToken(Sampler &sampler, int drafts);

    /// Where it holds, only what it allows is drawn. It must outlive this.
    void constrain(ReplyConstraint &constraint) { m_constraint = &constraint; }
    /// The next token is constrained.
    bool isConstrained() const;
    /// Error(Unsupported) where nothing that is allowed can be written: to be asked before a pass
    /// over several sessions, whose others are not to suffer.
    void prepare();

    /// more: how many passes may follow this one. After an error nothing was drawn.
    TokenId after(Session &session, std::span<const TokenId> ids,
                  const std::function<void(int)> &progress, const std::stop_token &stop,
                  std::int64_t more);
    /// How many of the best a pass over several sessions should give, where it does not give
    /// logits.
    std::size_t candidates(std::size_t vocabulary) const;
    /// Draws from what a pass over several sessions gave: logits [vocab], which change, or the best
    /// in falling order, at least candidates() of them. Where those that are allowed do not decide
    /// the draw, the session's last position is computed once more.
    TokenId from(std::span<float> logits, std::span<const TokenId> recent);
    TokenId from(std::span<const Candidate> best, Session &session, const std::stop_token &stop);

    /// How a device can foresee the next draws, but for the numbers that they will use; nothing
    /// where it cannot.
    std::optional<NextIds> foreseen() const;
    void upcoming(std::span<float> numbers) const { m_sampler.upcoming(numbers); }

    /// Tokens of the session that nobody asked for go.
    void forget(Session &session);
    /// To another session, which may lack the head for drafting.
    void moved(const Session &session);
    bool drafts() const { return m_drafts > 0; }
    int guessedRight() const { return m_right; }

private:
    TokenId drafted(Session &session, std::span<const TokenId> ids,
                    const std::function<void(int)> &progress, const std::stop_token &stop,
                    std::int64_t more);
    NextIds guess();

    Sampler &m_sampler;
    ReplyConstraint *m_constraint = nullptr;
    ConstrainedDraw m_constrained;
    std::vector<float> m_logits;
    std::vector<Candidate> m_best;
    std::vector<float> m_numbers; // that the next draws use
    std::size_t m_used = 0;       // of them
    int m_drafts = 0, m_right = 0;
    std::vector<TokenId> m_known; // what follows, all but the last in the session
};

} // namespace fireside
