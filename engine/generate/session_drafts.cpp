#include "engine/core/error.h"
#include "engine/generate/session.h"

#include <algorithm>
#include <array>
#include <numeric>

// Drafting: heads of the model guess the tokens to come from the final rows of those that are
// there, and the model checks all guesses in one pass, arXiv 2404.19737 section 3. Of several heads
// each takes the rows of the one before it, arXiv 2412.19437 section 2.2.
namespace fireside {

bool Session::canDraft() const
{
    return m_model.config().drafts > 0 && !m_cache.states().any();
}

std::size_t Session::draftedTokens() const
{
    return m_heads.empty() ? 0 : m_heads.back().seen;
}

/// After tokens went: head k's row of token i is right as long as token i + k + 1 is there.
void Session::forgetDrafts()
{
    if (m_heads.empty())
        return;
    const std::size_t left = m_tokens.size();
    DraftHead &first = m_heads.front();
    if (!first.rows.empty() && left > first.seen) { // the last one's row is known
        first.rows.resize((left - first.seen) * static_cast<std::size_t>(m_model.config().hidden));
        return;
    }
    first.rows.clear();
    DraftHead &last = m_heads.back();
    last.seen = std::min(last.seen, left - std::min(left, m_heads.size()));
}

/// Computes tokens one of which at least follows others, and gives the best one after the last.
TokenId Session::appendForDrafts(std::span<const TokenId> ids,
                                 const std::function<void(int)> &progress,
                                 const std::stop_token &stop)
{
    const auto hidden = static_cast<std::size_t>(m_model.config().hidden);
    const auto chunk = static_cast<std::size_t>(m_model.maxRows());
    DraftHead &head = m_heads.front();
    if (head.rows.empty()) {
        const std::size_t seen = draftedTokens();
        const std::vector<TokenId> again(m_tokens.begin() + static_cast<std::ptrdiff_t>(seen),
                                         m_tokens.end());
        m_tokens.resize(seen);
        m_heads.assign(m_heads.size(), {.seen = seen, .rows = {}});
        if (!again.empty())
            appendForDrafts(again, {}, stop);
    }
    std::array<TokenId, 1> best{-1};
    for (std::size_t done = 0; done < ids.size();) {
        const std::size_t count = std::min(chunk, ids.size() - done);
        const std::array row{static_cast<std::int32_t>(count - 1)};
        const std::size_t before = head.rows.size();
        std::vector<float> rows(before + count * hidden);
        std::copy(head.rows.begin(), head.rows.end(), rows.begin());
        done += count;
        Model::Output output{.hidden = std::span(rows).subspan(before)};
        if (done == ids.size()) {
            output.rows = row;
            output.greedy = best;
        }
        pass(ids.subspan(done - count, count), output, stop);
        head.rows = std::move(rows);
        showToHeads(stop);
        if (progress)
            progress(static_cast<int>(done));
    }
    return best[0];
}

/// All rows whose following tokens are known go into the heads' caches, and on to the next head.
void Session::showToHeads(const std::stop_token &stop)
{
    const auto hidden = static_cast<std::size_t>(m_model.config().hidden);
    const auto most = static_cast<std::size_t>(m_model.maxRows());
    for (std::size_t k = 0; k < m_heads.size(); ++k) {
        DraftHead &head = m_heads[k];
        DraftHead *const next = k + 1 < m_heads.size() ? &m_heads[k + 1] : nullptr;
        std::size_t shown = 0;
        while (head.seen + k + 1 < m_tokens.size()) {
            const std::size_t count = std::min(most, m_tokens.size() - k - 1 - head.seen);
            std::vector<float> own(next != nullptr ? count * hidden : 0);
            runHead(k, head.seen, std::span(m_tokens).subspan(head.seen + k + 1, count),
                    std::span(head.rows).subspan(shown * hidden, count * hidden), {.hidden = own},
                    stop);
            if (next != nullptr)
                next->rows.insert(next->rows.end(), own.begin(), own.end());
            head.seen += count;
            shown += count;
        }
        head.rows.erase(head.rows.begin(),
                        head.rows.begin() + static_cast<std::ptrdiff_t>(shown * hidden));
    }
}

/// One pass through a head, for the tokens that it joins with `rows`, those of the tokens from
/// `past` on.
void Session::runHead(std::size_t head, std::size_t past, std::span<const TokenId> following,
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
        Model::Output all = output;
        all.longContext = m_longContext;
        m_model.draft(static_cast<std::int64_t>(head), {following, positions, item}, rows, all,
                      stop);
    } catch (...) {
        m_heads.front().rows.clear();
        throw;
    }
}

/// One guess of a head, and its rows of all tokens it had not seen. following: what it joins them
/// with, guesses at the end. rows: those of the head before that guesses went into; then its own.
std::vector<float> Session::guessOne(std::size_t head, std::span<const TokenId> following,
                                     std::vector<float> &rows, TokenId &best,
                                     const std::stop_token &stop)
{
    const auto hidden = static_cast<std::size_t>(m_model.config().hidden);
    DraftHead &own = m_heads[head];
    const std::size_t count = following.size();
    std::vector<float> joined = own.rows, given(count * hidden);
    joined.insert(joined.end(), rows.begin(), rows.end());
    const std::array row{static_cast<std::int32_t>(count - 1)};
    runHead(head, own.seen, following, joined, {.rows = row, .greedy = {&best, 1}, .hidden = given},
            stop);
    // What no guess went into stays.
    const std::size_t right = count - std::min(count, head);
    const auto end = static_cast<std::ptrdiff_t>(right * hidden);
    own.seen += right;
    own.rows.erase(own.rows.begin(), own.rows.begin() + end);
    if (head + 1 < m_heads.size()) {
        std::vector<float> &next = m_heads[head + 1].rows;
        next.insert(next.end(), given.begin(), given.begin() + end);
    }
    rows.assign(given.begin() + end, given.end());
    return given;
}

/// So many tokens after `last`: one of each head, then more of the last one, from its own rows.
void Session::guess(TokenId last, std::size_t count, const std::stop_token &stop)
{
    const auto hidden = static_cast<std::size_t>(m_model.config().hidden);
    const std::size_t tokens = m_tokens.size(), from = draftedTokens();
    m_cache.reserve(m_model, tokens + count + 1, tokens);
    std::vector<TokenId> known(m_tokens.begin() + static_cast<std::ptrdiff_t>(from),
                               m_tokens.end());
    known.push_back(last);
    m_guesses.clear();
    std::vector<float> rows, given;
    for (std::size_t k = 0; k < count; ++k) {
        TokenId best = -1;
        if (k < m_heads.size()) {
            const std::size_t seen = m_heads[k].seen;
            given = guessOne(k, std::span(known).subspan(seen + k + 1 - from, tokens - seen), rows,
                             best, stop);
        } else {
            constexpr std::array<std::int32_t, 1> kRow{0};
            std::vector<float> one(hidden);
            runHead(m_heads.size() - 1, tokens + k - m_heads.size(), std::span(known).last(1),
                    std::span(given).last(hidden),
                    {.rows = kRow, .greedy = {&best, 1}, .hidden = one}, stop);
            given = std::move(one);
        }
        m_guesses.push_back(best);
        known.push_back(best);
    }
}

std::vector<TokenId> Session::appendDrafted(std::span<const TokenId> ids, int most,
                                            const std::function<void(int)> &progress,
                                            std::stop_token stop)
{
    if (!canDraft())
        throwUnsupported(m_model.config().drafts > 0
                             ? "not supported: drafting with recurrent layers, which cannot go back"
                             : "the model was loaded without heads for drafting");
    turnKeysFor(ids.size(), stop);
    const std::size_t tokens = m_tokens.size();
    std::int64_t limit = capacity();
    if (const std::int64_t shorter = m_model.config().shortContext; shorter > 0 && !m_longContext)
        limit = std::min(limit, shorter); // guesses do not turn all keys
    const auto room =
        static_cast<std::size_t>(limit) - std::min(static_cast<std::size_t>(limit), tokens + 1);
    const std::size_t count =
        std::min({static_cast<std::size_t>(std::max(most, 0)), room,
                  static_cast<std::size_t>(std::min(kMaxOutputRows, m_model.maxRows()) - 1)});
    if (ids.size() != 1 || m_heads.front().rows.empty() || count == 0 || ids[0] < 0 ||
        ids[0] >= m_model.config().vocabulary)
        return {appendForDrafts(ids, progress, stop)};

    std::vector<TokenId> all{ids[0]};
    guess(ids[0], count, stop);
    all.insert(all.end(), m_guesses.begin(), m_guesses.end());
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
    m_heads.front().rows = std::move(states);
    // Heads that had no turn do not fall behind without end.
    if (m_tokens.size() > draftedTokens() + static_cast<std::size_t>(m_model.maxRows()))
        showToHeads(stop);
    best.resize(right + 1);
    if (progress)
        progress(1);
    return best;
}

} // namespace fireside
