#include "engine/generate/session.h"

#include "engine/core/error.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

namespace fireside {
namespace {

std::vector<std::int32_t> positionsFrom(std::size_t past, std::size_t count)
{
    std::vector<std::int32_t> positions(count);
    std::iota(positions.begin(), positions.end(), static_cast<std::int32_t>(past));
    return positions;
}

const Model &withCache(const Model &model)
{
    if (model.config().encoder)
        throwUnsupported("the model is an embedding model: it cannot chat");
    return model;
}

} // namespace

Session::Session(const Model &model, int capacity, DType kvType)
    : m_model(withCache(model))
    , m_cache(model, capacity, kvType)
    , m_heads(static_cast<std::size_t>(model.config().drafts))
{}

Session::~Session()
{
    try {
        m_model.settle();
    } catch (...) { // the device is lost or hangs; whoever uses it next is told
    }
}

void Session::truncate(std::size_t length)
{
    if (length >= m_tokens.size())
        return;
    m_tokens.resize(m_cache.states().goBack(length));
    forgetDrafts();
}

bool Session::servesUpTo(std::size_t tokens) const
{
    return m_tokens.empty() || m_longContext == m_model.config().needsLongContext(tokens);
}

void Session::turnKeysFor(std::size_t more, const std::stop_token &stop)
{
    const std::size_t all = m_tokens.size() + more;
    const bool serves = servesUpTo(all) || all > static_cast<std::size_t>(capacity());
    const std::vector<TokenId> again = serves ? std::vector<TokenId>() : m_tokens;
    if (!serves)
        truncate(0);
    if (m_tokens.empty())
        m_longContext = m_model.config().needsLongContext(all);
    if (!again.empty() && canDraft())
        appendForDrafts(again, {}, stop);
    else if (!again.empty())
        chunks(again, {}, {}, stop);
}

void Session::checkpoint()
{
    if (m_tokens.empty())
        return;
    m_cache.states().begin();
    m_cache.states().save(m_tokens.size());
}

void Session::passed(std::span<const TokenId> ids)
{
    took(ids);
    keepStates();
}

void Session::took(std::span<const TokenId> ids)
{
    m_tokens.insert(m_tokens.end(), ids.begin(), ids.end());
    if (!m_heads.empty())
        m_heads.front().rows.clear(); // who has them says so
}

/// Now and then a copy, to go back to.
void Session::keepStates()
{
    constexpr std::size_t kBetweenCheckpoints = 512;
    if (m_tokens.size() >= m_cache.states().lastSaved() + kBetweenCheckpoints)
        checkpoint();
}

void Session::failed()
{
    if (!m_heads.empty())
        m_heads.front().rows.clear();
    m_tokens.resize(m_cache.states().goBack(m_tokens.size()));
}

std::unique_ptr<Session> Session::fork() const
{
    auto other = std::make_unique<Session>(m_model, capacity(), m_cache.type());
    other->become(*this, m_tokens.size());
    return other;
}

void Session::become(const Session &other, std::size_t length)
{
    truncate(0);
    const std::size_t count = other.reusable(length);
    const bool all = count == other.m_tokens.size();
    m_cache.copyFrom(other.m_cache, m_model, count, all);
    m_tokens.assign(other.m_tokens.begin(),
                    other.m_tokens.begin() + static_cast<std::ptrdiff_t>(count));
    m_longContext = other.m_longContext;
    if (all)
        m_heads = other.m_heads;
    else
        m_heads.assign(m_heads.size(), {});
}

std::size_t Session::reusable(std::size_t length) const
{
    if (length >= m_tokens.size())
        return m_tokens.size();
    return needsStates() ? m_cache.states().savedBefore(length) : length;
}

std::size_t Session::promptPass(std::size_t left, std::size_t most) const
{
    // The last pass begins at a multiple of kAligned, so that prompts of other lengths divide their
    // common beginning in the same way. Shorter prompts are not worth another pass.
    constexpr std::size_t kAligned = 64, kMinBefore = 128;
    const std::size_t rows = std::min(left, most), past = m_tokens.size();
    if (!needsStates() || left == 0)
        return rows;
    const std::size_t last = (past + left - 1) / kAligned * kAligned;
    return last >= past + kMinBefore ? std::min(rows, last - past) : rows;
}

std::vector<std::size_t> Session::keptStates(std::size_t from)
{
    m_model.settle();
    checkpoint();
    std::vector<std::size_t> at = m_cache.states().savedAt();
    std::erase_if(at, [from](std::size_t tokens) { return tokens <= from; });
    return at;
}

KeptTokens Session::keep(std::size_t from, std::size_t end, std::span<const std::size_t> states)
{
    m_model.settle();
    const auto begin = m_tokens.begin();
    KeptTokens kept{.from = from,
                    .tokens = {begin + static_cast<std::ptrdiff_t>(from),
                               begin + static_cast<std::ptrdiff_t>(end)}};
    kept.rows.resize((end - from) * m_cache.tokenBytes());
    m_cache.read(m_model, from, end - from, kept.rows);
    for (const std::size_t at : states)
        if (at > from && at <= end)
            kept.states.push_back({at, m_cache.states().read(at)});
    return kept;
}

void Session::restore(const KeptTokens &kept, std::size_t end, std::size_t total)
{
    const std::size_t past = m_tokens.size();
    const bool rising = kept.from <= past && past < end && end <= kept.end();
    if (!rising || end > static_cast<std::size_t>(capacity()) ||
        kept.rows.size() != kept.tokens.size() * m_cache.tokenBytes())
        throw Error(ErrorKind::Internal, "kept tokens " + std::to_string(kept.from) + " to " +
                                             std::to_string(kept.end()) + " do not bring " +
                                             std::to_string(past) + " to " + std::to_string(end));
    try {
        m_model.settle();
        m_cache.reserve(m_model, end, past);
        m_cache.write(m_model, past, end - past, kept.rows, kept.tokens.size(), past - kept.from);
        const auto state =
            std::find_if(kept.states.begin(), kept.states.end(),
                         [end](const KeptTokens::State &one) { return one.tokens == end; });
        if (state != kept.states.end())
            m_cache.states().restore(end, state->bytes);
    } catch (...) {
        m_tokens.clear();
        m_cache.states().goBack(0);
        forgetDrafts();
        throw;
    }
    if (past == 0)
        m_longContext = m_model.config().needsLongContext(total);
    const auto first = kept.tokens.begin() + static_cast<std::ptrdiff_t>(past - kept.from);
    m_tokens.insert(m_tokens.end(), first, first + static_cast<std::ptrdiff_t>(end - past));
    m_heads.assign(m_heads.size(), {}); // they have not seen these tokens
}

void Session::checkIds(std::span<const TokenId> ids, const Model &model)
{
    const std::int64_t vocabulary = model.config().vocabulary;
    for (const TokenId id : ids)
        if (id < 0 || id >= vocabulary)
            throwBadInput("token " + std::to_string(id) + " is outside the vocabulary of " +
                          std::to_string(vocabulary));
}

void Session::pass(std::span<const TokenId> ids, const Model::Output &output, std::stop_token stop)
{
    checkIds(ids, m_model);
    if (m_tokens.size() + ids.size() > static_cast<std::size_t>(capacity()))
        throwBadInput("the context of " + std::to_string(capacity()) + " tokens is full");
    m_cache.reserve(m_model, m_tokens.size() + ids.size(), m_tokens.size());
    const auto positions = positionsFrom(m_tokens.size(), ids.size());
    const std::array item{BatchItem{.cache = m_cache.layers(),
                                    .firstRow = 0,
                                    .rows = static_cast<std::int64_t>(ids.size()),
                                    .past = static_cast<std::int64_t>(m_tokens.size())}};
    m_cache.states().begin();
    try {
        Model::Output all = output;
        all.longContext = m_longContext;
        m_model.run({ids, positions, item}, all, stop);
    } catch (...) {
        failed();
        throw;
    }
    passed(ids);
}

void Session::passes(std::span<const TokenId> ids, Model::Output last,
                     const std::function<void(int)> &progress, std::stop_token stop)
{
    turnKeysFor(ids.size(), stop);
    chunks(ids, std::move(last), progress, stop);
}

/// Chunks that several devices work on at the same time; how many of the ids they are. With states
/// only some: between two copies of these no device may be ahead of the others.
std::size_t Session::overlapped(std::span<const TokenId> ids, const Model::Output &last,
                                const std::function<void(std::size_t)> &progress,
                                const std::stop_token &stop)
{
    constexpr std::size_t kMostWithStates = 8;
    const auto chunk = static_cast<std::size_t>(m_model.maxRows());
    const std::size_t most = m_cache.states().any() ? kMostWithStates : ids.size();
    const std::size_t past = m_tokens.size(), room = static_cast<std::size_t>(capacity()) - past;
    const std::size_t count = std::min({ids.size(), room, most * chunk});
    if (!m_model.overlapsChunks() || count <= chunk || ids.size() > room)
        return 0;
    checkIds(ids.first(count), m_model);
    const auto positions = positionsFrom(past, count);
    std::vector<BatchItem> items; // one for each chunk
    for (std::size_t from = 0; from < count; from += chunk)
        items.push_back({.cache = m_cache.layers(),
                         .firstRow = 0,
                         .rows = static_cast<std::int64_t>(std::min(chunk, count - from)),
                         .past = static_cast<std::int64_t>(past + from)});
    std::vector<Model::Chunk> all;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto rows = static_cast<std::size_t>(items[i].rows);
        const bool ends = i * chunk + rows == ids.size();
        all.push_back({{ids.subspan(i * chunk, rows), std::span(positions).subspan(i * chunk, rows),
                        std::span(&items[i], 1)},
                       ends ? last : Model::Output{}});
        all.back().output.longContext = m_longContext;
    }
    m_cache.states().begin();
    try {
        const auto done = [&](std::size_t i) {
            took(all[i].batch.ids);
            progress(i * chunk + all[i].batch.ids.size());
        };
        m_model.runChunks(all, done, stop);
    } catch (...) {
        failed();
        throw;
    }
    keepStates();
    return count;
}

/// All of ids; the last row gives `last`, whose rows are set here.
void Session::chunks(std::span<const TokenId> ids, Model::Output last,
                     const std::function<void(int)> &progress, const std::stop_token &stop)
{
    // Once for all of a prompt; one that is too long fails in the chunk that no longer fits.
    m_cache.reserve(m_model,
                    std::min(m_tokens.size() + ids.size(), static_cast<std::size_t>(capacity())),
                    m_tokens.size());
    const bool prompt = ids.size() > 1;
    if (prompt)
        checkpoint(); // where an edit of it begins
    const auto chunk = static_cast<std::size_t>(m_model.maxRows());
    const bool ends = !last.logits.empty() || !last.greedy.empty() || !last.topIds.empty();
    std::array<std::int32_t, 1> row{}; // of the last pass
    if (ends)
        last.rows = row;
    const auto tell = [&](std::size_t done) {
        if (progress)
            progress(static_cast<int>(done));
    };
    for (std::size_t done = 0; done < ids.size();) {
        const auto told = [&, done](std::size_t more) { tell(done + more); };
        const std::size_t left = ids.size() - done;
        // Up to the pass that a prompt ends with; where nothing is asked for, more of it follows.
        const std::size_t now = ends && prompt ? promptPass(left, left) : left;
        row[0] = static_cast<std::int32_t>((now - 1) % chunk);
        const Model::Output output = now == left ? last : Model::Output{};
        std::size_t count = overlapped(ids.subspan(done, now), output, told, stop);
        if (count == 0) {
            count = std::min(chunk, now);
            pass(ids.subspan(done, count), count == left ? last : Model::Output{}, stop);
            tell(done + count);
        }
        if (count == now && count < left)
            checkpoint(); // before the pass that the prompt ends with
        done += count;
    }
    if (prompt)
        checkpoint();
}

void Session::append(std::span<const TokenId> ids, std::span<float> logits,
                     const std::function<void(int)> &progress, std::stop_token stop)
{
    passes(ids, {.logits = logits}, progress, std::move(stop));
}

Model::Output Session::followedBy(const Next *next, Model::Output output) const
{
    if (next == nullptr || m_cache.states().any())
        return output;
    output.next = &next->choice;
    output.maxAhead = next->most;
    output.goesOn = next->goesOn ? &next->goesOn : nullptr;
    return output;
}

TokenId Session::appendGreedy(std::span<const TokenId> ids,
                              const std::function<void(int)> &progress, std::stop_token stop,
                              const Next *next)
{
    std::array<std::int32_t, 1> best{-1};
    passes(ids, followedBy(next, {.greedy = best}), progress, std::move(stop));
    return best[0];
}

void Session::appendTop(std::span<const TokenId> ids, std::span<Candidate> best,
                        const std::function<void(int)> &progress, std::stop_token stop,
                        const Next *next)
{
    std::vector<float> logits(best.size());
    std::vector<std::int32_t> tokens(best.size(), -1);
    passes(ids, followedBy(next, {.topLogits = logits, .topIds = tokens}), progress,
           std::move(stop));
    for (std::size_t i = 0; i < best.size(); ++i)
        best[i] = {tokens[i], logits[i]};
}

void Session::appendAll(std::span<const TokenId> ids, std::vector<float> &logits,
                        std::stop_token stop)
{
    const auto vocabulary = static_cast<std::size_t>(m_model.config().vocabulary);
    logits.resize(ids.size() * vocabulary);
    turnKeysFor(ids.size(), stop);
    const auto chunk = static_cast<std::size_t>(kMaxOutputRows);
    for (std::size_t done = 0; done < ids.size();) {
        const std::size_t count = std::min(chunk, ids.size() - done);
        const auto rows = positionsFrom(0, count);
        pass(ids.subspan(done, count),
             {.rows = rows,
              .logits = std::span(logits).subspan(done * vocabulary, count * vocabulary)},
             stop);
        done += count;
    }
}

std::vector<float> Session::appendRows(std::span<const TokenId> ids, std::stop_token stop)
{
    const auto hidden = static_cast<std::size_t>(m_model.config().hidden);
    std::vector<float> rows(ids.size() * hidden);
    turnKeysFor(ids.size(), stop);
    const auto chunk = static_cast<std::size_t>(m_model.maxRows());
    for (std::size_t done = 0; done < ids.size();) {
        const std::size_t count = std::min(chunk, ids.size() - done);
        pass(ids.subspan(done, count),
             {.hidden = std::span(rows).subspan(done * hidden, count * hidden)}, stop);
        done += count;
    }
    return rows;
}

} // namespace fireside
