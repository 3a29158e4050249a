// Passes over several sessions of one model.
#include "engine/core/error.h"
#include "engine/generate/session.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace fireside {

/// Cuts parts into as few passes as can take them.
class SessionBatch
{
public:
    SessionBatch(std::span<const BatchPart> parts, std::stop_token stop)
        : m_parts(parts)
        , m_stop(std::move(stop))
    {}

    /// The next parts that one pass takes; false: there are none.
    bool next();
    std::size_t first() const { return m_first; }
    std::span<const BatchPart> parts() const { return m_parts.subspan(m_first, m_count); }
    std::size_t wanted() const { return m_rows.size(); }
    /// Calls each(part, number of its row among those that are wanted).
    template <typename Each>
    void forWanted(const Each &each) const
    {
        for (std::size_t i = 0, row = 0; i < m_count; ++i)
            if (m_parts[m_first + i].wanted)
                each(m_first + i, row++);
    }
    /// What is wanted in `output`, whose rows are set here. `next` may run ahead, unless other
    /// passes come between.
    void run(Model::Output output, const Session::Next *next = nullptr);

private:
    bool joins(const BatchPart &part, std::size_t rows, std::size_t wanted) const;
    bool isLong(const BatchPart &part) const
    {
        const Session &s = *part.session;
        return s.model().config().needsLongContext(s.tokens().size() + part.ids.size());
    }
    void addItem(const BatchPart &part, std::size_t firstRow);

    const std::span<const BatchPart> m_parts;
    const std::stop_token m_stop;
    std::size_t m_first = 0, m_count = 0;
    std::vector<std::int32_t> m_rows; // of the pass, that are wanted
    std::vector<TokenId> m_ids;
    std::vector<std::int32_t> m_positions;
    std::vector<BatchItem> m_items;
};

/// Whether the pass can take this part, too: rows, results, and keys that are turned alike.
bool SessionBatch::joins(const BatchPart &part, std::size_t rows, std::size_t wanted) const
{
    const Model &model = m_parts[m_first].session->model();
    return rows + part.ids.size() <= static_cast<std::size_t>(model.maxRows()) &&
           wanted + part.wanted <= static_cast<std::size_t>(kMaxOutputRows) &&
           isLong(part) == isLong(m_parts[m_first]);
}

bool SessionBatch::next()
{
    m_first += m_count;
    m_count = 0;
    m_rows.clear();
    std::size_t rows = 0;
    for (std::size_t i = m_first; i < m_parts.size(); ++i, ++m_count) {
        const BatchPart &part = m_parts[i];
        if (m_count > 0 && !joins(part, rows, m_rows.size()))
            break;
        rows += part.ids.size();
        if (part.wanted)
            m_rows.push_back(static_cast<std::int32_t>(rows) - 1);
    }
    return m_count > 0;
}

void SessionBatch::addItem(const BatchPart &part, std::size_t firstRow)
{
    Session &s = *part.session;
    const std::size_t count = part.ids.size();
    if (&s.model() != &m_parts.front().session->model())
        throwInternal("a batch over two models");
    if (s.tokens().size() + count > static_cast<std::size_t>(s.capacity()))
        throwBadInput("the context of " + std::to_string(s.capacity()) + " tokens is full");
    s.turnKeysFor(count, m_stop);
    const std::size_t past = s.tokens().size();
    s.m_cache.reserve(s.model(), past + count, past);
    if (count > 1)
        s.checkpoint(); // where an edit of the prompt begins
    s.m_cache.states().begin();
    m_items.push_back({s.m_cache.layers(), static_cast<std::int64_t>(firstRow),
                       static_cast<std::int64_t>(count), static_cast<std::int64_t>(past)});
    m_positions.resize(firstRow + count);
    std::iota(m_positions.begin() + static_cast<std::ptrdiff_t>(firstRow), m_positions.end(),
              static_cast<std::int32_t>(past));
}

void SessionBatch::run(Model::Output output, const Session::Next *next)
{
    if (m_count == m_parts.size())
        output = m_parts.front().session->followedBy(next, output);
    const Model &model = parts().front().session->model();
    m_ids.clear();
    m_positions.clear();
    m_items.clear();
    for (const BatchPart &part : parts()) {
        Session::checkIds(part.ids, model);
        addItem(part, m_ids.size());
        m_ids.insert(m_ids.end(), part.ids.begin(), part.ids.end());
    }
    output.rows = m_rows;
    output.longContext = parts().front().session->m_longContext;
    try {
        model.run({m_ids, m_positions, m_items}, output, m_stop);
    } catch (...) {
        for (const BatchPart &part : parts())
            part.session->failed();
        throw;
    }
    for (const BatchPart &part : parts()) {
        part.session->passed(part.ids);
        if (part.ids.size() > 1)
            part.session->checkpoint();
    }
}

namespace {

std::vector<BatchPart> partsOf(std::span<Session *const> sessions, std::span<const TokenId> ids)
{
    std::vector<BatchPart> parts;
    for (std::size_t i = 0; i < sessions.size(); ++i)
        parts.push_back({sessions[i], ids.subspan(i, 1)});
    return parts;
}

} // namespace

void appendBatch(std::span<const BatchPart> parts, std::vector<std::vector<float>> &logits,
                 std::stop_token stop)
{
    logits.assign(parts.size(), {});
    for (SessionBatch batch(parts, std::move(stop)); batch.next();) {
        const auto vocabulary =
            static_cast<std::size_t>(parts.front().session->model().config().vocabulary);
        std::vector<float> flat(batch.wanted() * vocabulary);
        batch.run({.logits = flat});
        batch.forWanted([&](std::size_t part, std::size_t row) {
            const auto begin = flat.begin() + static_cast<std::ptrdiff_t>(row * vocabulary);
            logits[part].assign(begin, begin + static_cast<std::ptrdiff_t>(vocabulary));
        });
    }
}

std::vector<TokenId> appendBatchGreedy(std::span<const BatchPart> parts, std::stop_token stop,
                                       const Session::Next *next)
{
    std::vector<TokenId> best(parts.size(), -1);
    for (SessionBatch batch(parts, std::move(stop)); batch.next();) {
        std::vector<std::int32_t> chosen(batch.wanted(), -1);
        batch.run({.greedy = chosen}, next);
        batch.forWanted([&](std::size_t part, std::size_t row) { best[part] = chosen[row]; });
    }
    return best;
}

std::vector<std::vector<Candidate>> appendBatchTop(std::span<const BatchPart> parts,
                                                   std::size_t count, std::stop_token stop,
                                                   const Session::Next *next)
{
    std::vector<std::vector<Candidate>> best(parts.size());
    for (SessionBatch batch(parts, std::move(stop)); batch.next();) {
        std::vector<float> logits(batch.wanted() * count);
        std::vector<std::int32_t> tokens(logits.size(), -1);
        batch.run({.topLogits = logits, .topIds = tokens}, next);
        batch.forWanted([&](std::size_t part, std::size_t row) {
            for (std::size_t i = row * count; i < (row + 1) * count; ++i)
                best[part].push_back({tokens[i], logits[i]});
        });
    }
    return best;
}

void appendBatch(std::span<Session *const> sessions, std::span<const TokenId> ids,
                 std::vector<std::vector<float>> &logits, std::stop_token stop)
{
    appendBatch(partsOf(sessions, ids), logits, std::move(stop));
}

std::vector<TokenId> appendBatchGreedy(std::span<Session *const> sessions,
                                       std::span<const TokenId> ids, std::stop_token stop,
                                       const Session::Next *next)
{
    return appendBatchGreedy(partsOf(sessions, ids), std::move(stop), next);
}

} // namespace fireside
