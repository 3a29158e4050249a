#include "engine/core/error.h"
#include "engine/generate/session.h"

#include <algorithm>
#include <array>
#include <numeric>

// Drafting: a head of the model guesses the tokens to come from the final rows of those that are
// there, and the model checks all guesses in one pass, arXiv 2404.19737 section 3.
namespace fireside {

bool Session::canDraft() const
{
    return m_model.config().drafts > 0 && !m_cache.states().any();
}

/// Computes tokens one of which at least follows others, and gives the best one after the last.
TokenId Session::appendForDrafts(std::span<const TokenId> ids,
                                 const std::function<void(int)> &progress,
                                 const std::stop_token &stop)
{
    const auto hidden = static_cast<std::size_t>(m_model.config().hidden);
    const auto chunk = static_cast<std::size_t>(m_model.maxRows());
    std::array<TokenId, 1> best{-1};
    for (std::size_t done = 0; done < ids.size();) {
        const std::size_t count = std::min(chunk, ids.size() - done);
        const std::array row{static_cast<std::int32_t>(count - 1)};
        const std::size_t before = m_drafts.rows.size();
        if (before == 0)
            m_drafts.seen = m_tokens.size(); // rows between were never there
        std::vector<float> rows(before + count * hidden);
        std::copy(m_drafts.rows.begin(), m_drafts.rows.end(), rows.begin());
        done += count;
        Model::Output output{.hidden = std::span(rows).subspan(before)};
        if (done == ids.size()) {
            output.rows = row;
            output.greedy = best;
        }
        pass(ids.subspan(done - count, count), output, stop);
        m_drafts.rows = std::move(rows);
        showToHead(stop);
        if (progress)
            progress(static_cast<int>(done));
    }
    return best[0];
}

/// All rows but the last, whose following token nobody knows yet, go into the head's cache.
void Session::showToHead(const std::stop_token &stop)
{
    const auto hidden = static_cast<std::size_t>(m_model.config().hidden);
    const auto most = static_cast<std::size_t>(m_model.maxRows());
    const std::span<const float> rows = m_drafts.rows;
    std::size_t shown = 0;
    while (m_drafts.seen + 1 < m_tokens.size()) {
        const std::size_t count = std::min(most, m_tokens.size() - 1 - m_drafts.seen);
        runHead(m_drafts.seen, std::span(m_tokens).subspan(m_drafts.seen + 1, count),
                rows.subspan(shown * hidden, count * hidden), {}, stop);
        m_drafts.seen += count;
        shown += count;
    }
    m_drafts.rows.erase(m_drafts.rows.begin(),
                        m_drafts.rows.end() - static_cast<std::ptrdiff_t>(hidden));
}

/// One pass through the head, for the tokens that follow `rows`, the first of which is the one
/// after `past` tokens.
void Session::runHead(std::size_t past, std::span<const TokenId> following,
                      std::span<const float> rows, const Model::Output &output,
                      const std::stop_token &stop)
{
    std::vector<std::int32_t> positions(following.size());
    std::iota(positions.begin(), positions.end(), static_cast<std::int32_t>(past));
    const std::array item{BatchItem{.cache = m_cache.layers(),
                                    .firstRow = 0,
                                    .rows = static_cast<std::int64_t>(following.size()),
                                    .past = static_cast<std::int64_t>(past)}};
    try {
        m_model.draft(0, {following, positions, item}, rows, output, stop);
    } catch (...) {
        m_drafts.rows.clear();
        throw;
    }
}

/// So many tokens after `last`, each from the row that the head gave for the one before.
std::vector<TokenId> Session::guess(TokenId last, std::size_t count, const std::stop_token &stop)
{
    const std::size_t tokens = m_tokens.size();
    m_cache.reserve(m_model, tokens + count + 1, tokens);
    std::vector<TokenId> following(
        m_tokens.begin() + static_cast<std::ptrdiff_t>(m_drafts.seen + 1), m_tokens.end());
    following.push_back(last);
    std::vector<float> rows = m_drafts.rows;
    std::vector<float> next(static_cast<std::size_t>(m_model.config().hidden));
    std::vector<TokenId> guesses;
    std::size_t past = m_drafts.seen;
    while (guesses.size() < count) {
        const std::array row{static_cast<std::int32_t>(following.size() - 1)};
        std::array<TokenId, 1> best{-1};
        runHead(past, following, rows, {.rows = row, .greedy = best, .hidden = next}, stop);
        past += following.size();
        guesses.push_back(best[0]);
        following.assign(1, best[0]);
        rows = next;
    }
    m_drafts.seen = tokens; // rows of guesses are written again
    return guesses;
}

std::vector<TokenId> Session::appendDrafted(std::span<const TokenId> ids, int most,
                                            const std::function<void(int)> &progress,
                                            std::stop_token stop)
{
    if (!canDraft())
        throwUnsupported(m_model.config().drafts > 0
                             ? "not supported: drafting with recurrent layers, which cannot go back"
                             : "the model was loaded without heads for drafting");
    const std::size_t tokens = m_tokens.size();
    const auto room = static_cast<std::size_t>(capacity()) -
                      std::min(static_cast<std::size_t>(capacity()), tokens + 1);
    const std::size_t count =
        std::min({static_cast<std::size_t>(std::max(most, 0)), room,
                  static_cast<std::size_t>(std::min(kMaxOutputRows, m_model.maxRows()) - 1)});
    if (ids.size() != 1 || m_drafts.rows.empty() || count == 0 || ids[0] < 0 ||
        ids[0] >= m_model.config().vocabulary)
        return {appendForDrafts(ids, progress, stop)};

    std::vector<TokenId> all{ids[0]};
    for (const TokenId id : guess(ids[0], count, stop))
        all.push_back(id);
    std::vector<std::int32_t> rows(all.size());
    std::iota(rows.begin(), rows.end(), 0);
    std::vector<TokenId> best(all.size(), -1);
    const auto hidden = static_cast<std::size_t>(m_model.config().hidden);
    std::vector<float> states(all.size() * hidden);
    pass(all, {.rows = rows, .greedy = best, .hidden = states}, stop);
    std::size_t right = 0;
    while (right < count && all[right + 1] == best[right])
        ++right;
    m_tokens.resize(tokens + 1 + right);
    states.resize((right + 1) * hidden);
    m_drafts.rows = std::move(states);
    best.resize(right + 1);
    if (progress)
        progress(1);
    return best;
}

} // namespace fireside
