// What is kept of a chat: the tokens and recurrent states that are worth their room.
#include "engine/generate/prefix_cache.h"

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

constexpr double kLeastSeconds = 0.25;                                 // of computing, to be kept
constexpr std::uint64_t kPieceBytes = 64'000'000;                      // of one node
constexpr std::uint64_t kStatesMemoryShare = 4, kStatesDiskShare = 16; // of a chat, at most
constexpr std::size_t kMinStates = 3; // kept of a chat: before its prompt's end, there, at its end

} // namespace

bool PrefixCache::worthKeeping(std::uint64_t bytes, std::size_t tokens,
                               double tokensPerSecond) const
{
    if (tokens == 0 || m_options.always)
        return tokens > 0;
    if (tokensPerSecond <= 0)
        return false;
    const double computing = static_cast<double>(tokens) / tokensPerSecond;
    const double reading = kFileSeconds + static_cast<double>(bytes) / m_readRate;
    return computing >= kLeastSeconds && computing >= 2 * reading;
}

/// The states that are worth their room. Each is read in place of computing the tokens since the
/// one before it, which has to take noticeably longer; so a state of many bytes has many tokens
/// between it and the next. All together have a share of the limits.
std::vector<std::size_t> PrefixCache::worthKeeping(const std::vector<std::size_t> &states,
                                                   std::size_t from, std::uint64_t bytesOfOne,
                                                   double tokensPerSecond) const
{
    if (states.empty() || bytesOfOne == 0)
        return {};
    std::uint64_t room = memoryLimit() / kStatesMemoryShare;
    if (m_diskLimit > 0)
        room = std::min(room, m_diskLimit / kStatesDiskShare);
    const std::size_t most = std::max(static_cast<std::size_t>(room / bytesOfOne), kMinStates);
    const double least = 2 * tokensPerSecond * static_cast<double>(bytesOfOne) / m_readRate;
    std::vector<std::size_t> kept;
    for (const std::size_t at : states)
        if (at == states.back() ||
            static_cast<double>(at - (kept.empty() ? from : kept.back())) >= least)
            kept.push_back(at);
    return RecurrentStates::mostUseful(std::move(kept), most);
}

void PrefixCache::keep(Session &session, const std::string &key, double tokensPerSecond,
                       const std::stop_token &stop)
{
    const std::size_t all = session.tokens().size();
    const std::string fullKey = keyFor(key, session, all);
    if (!session.servesUpTo(all))
        return;
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, stop, [this] { return m_scanned; });
    if (tokensPerSecond > 0)
        m_promptRates[key] = tokensPerSecond;
    const PrefixTree::Way way = m_tree.find(fullKey, session.tokens());
    touch(way);
    for (const PrefixTree::Step &step : way.steps)
        if (const PrefixNode &node = *m_tree.node(step.id); !node.onDisk)
            queue(step.id); // could not be written before
    std::uint64_t parent = way.steps.empty() ? 0 : way.steps.back().id;
    const std::uint64_t ofToken = session.keptTokenBytes(), ofState = session.keptStateBytes();
    if (!worthKeeping(ofToken * (all - way.tokens) + ofState, all - way.tokens, tokensPerSecond))
        return;
    lock.unlock();
    std::vector<std::size_t> states = session.keptStates(way.tokens);
    lock.lock();
    states = worthKeeping(states, way.tokens, ofState, tokensPerSecond);
    const auto piece = static_cast<std::size_t>(std::max<std::uint64_t>(kPieceBytes / ofToken, 1));
    for (std::size_t from = way.tokens, end = 0; from < all; from = end) {
        end = std::min(all, from + piece);
        const auto inPiece = static_cast<std::uint64_t>(
            std::ranges::count_if(states, [&](std::size_t at) { return at > from && at <= end; }));
        const std::uint64_t bytes = ofToken * (end - from) + inPiece * ofState;
        const std::uint64_t limit = memoryLimit();
        const bool room = bytes <= limit && m_changed.wait(lock, stop, [&] {
            return m_waitingBytes + bytes <= limit;
        });
        if (!room || stop.stop_requested())
            return;
        lock.unlock();
        auto kept = std::make_shared<const KeptTokens>(session.keep(from, end, states));
        lock.lock();
        PrefixNode node{.id = prefixId(fullKey, parent, from, kept->tokens),
                        .parent = parent,
                        .key = fullKey,
                        .from = from,
                        .tokens = kept->tokens,
                        .rowBytes = kept->rows.size(),
                        .stateBytes = session.keptStateBytes(),
                        .memory = kept,
                        .used = now()};
        for (const KeptTokens::State &state : kept->states)
            node.states.push_back(state.tokens);
        parent = node.id;
        const std::uint64_t taken = node.bytes();
        if (!m_tree.add(std::move(node)))
            return; // the one before went meanwhile
        m_memoryBytes += taken;
        queue(parent);
        trimMemory();
    }
}

void PrefixCache::queue(std::uint64_t id)
{
    PrefixNode &node = *m_tree.node(id);
    if (m_diskLimit == 0 || node.waiting || !node.memory)
        return;
    node.waiting = true;
    m_waitingBytes += node.bytes();
    m_queue.push_back(id);
    m_changed.notify_all();
}

} // namespace fireside
