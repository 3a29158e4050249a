#include "engine/constrain/local_masks.h"

#include <algorithm>
#include <iterator>

namespace fireside::constrain {
namespace {

constexpr std::size_t kMostPrepared = 6; // masks; each costs as much as some 50 ordinary tokens
constexpr int kManyBytes = 80; // that may come next, more than continue a character of UTF-8

} // namespace

/// One walk over the vocabulary from a configuration whose stack ends with the body.
class LocalMasks::Walk
{
public:
    Walk(Machine &machine, const VocabularyTrie &vocabulary, const FollowBytes::Classes &after,
         bool repeats)
        : m_machine(machine)
        , m_vocabulary(vocabulary)
        , m_after(after)
        , m_repeats(repeats)
    {}

    LocalMask run(Machine::ConfigId start)
    {
        const auto nodes = m_vocabulary.nodes();
        std::vector<Machine::ConfigId> path{start};
        for (std::size_t at = 0; at < nodes.size();) {
            const VocabularyTrie::Node &node = nodes[at];
            const Machine::ConfigId config = m_machine.step(path[node.depth - 1u], node.byte);
            const bool goesBeyond = noteLeft(node);
            if (config == Machine::kDead && !goesBeyond) {
                at = node.end;
                continue;
            }
            path.resize(node.depth + 1u);
            path[node.depth] = config;
            if (node.tokens > 0)
                take(node, config);
            if (m_machine.hasEnded(config))
                for (const Machine::Thread &thread : m_machine.threads(config))
                    if (thread.node == Machine::kEnded)
                        m_left.push_back({node.depth, false, thread.frame});
            ++at;
        }
        LocalMask mask;
        makeLevels(mask);
        makeRests(mask);
        return mask;
    }

private:
    struct Left // the body ended after so many bytes
    {
        std::uint16_t depth;
        bool follows; // the next byte may come after it
        std::uint32_t repetitions;
    };
    struct Beyond
    {
        std::string_view rest;
        LocalMask::Ending ending;
    };

    /// Forgets the ends of other branches; whether any of those left goes on with this node.
    bool noteLeft(const VocabularyTrie::Node &node)
    {
        while (!m_left.empty() && m_left.back().depth >= node.depth)
            m_left.pop_back();
        bool any = false;
        for (Left &left : m_left) {
            if (left.depth + 1u == node.depth)
                left.follows = m_after[m_machine.automaton().classOf(node.byte)];
            any = any || left.follows;
        }
        return any;
    }

    void takeInside(std::span<const TokenId> ids, Machine::ConfigId config)
    {
        const std::uint32_t begun = m_repeats ? repetitions(config) : 0;
        if (m_level >= m_levels.size() || m_levels[m_level].repetitions != begun) {
            const auto known =
                std::find_if(m_levels.begin(), m_levels.end(),
                             [&](const LocalMask::Level &it) { return it.repetitions == begun; });
            m_level = static_cast<std::size_t>(known - m_levels.begin());
            if (known == m_levels.end())
                m_levels.push_back({begun, TokenBits(m_vocabulary.words())});
        }
        for (const TokenId id : ids)
            setBit(m_levels[m_level].tokens, id);
    }

    void take(const VocabularyTrie::Node &node, Machine::ConfigId config)
    {
        const bool stays = config != Machine::kDead;
        if (stays)
            takeInside(m_vocabulary.tokens(node), config);
        if (stays && !m_repeats)
            return;
        for (const Left &left : m_left) {
            if (!left.follows)
                continue;
            for (const TokenId id : m_vocabulary.tokens(node))
                m_beyond.push_back(
                    {m_vocabulary.bytes(id).substr(left.depth), {id, left.repetitions}});
        }
    }

    /// How many repetitions there must be room for.
    std::uint32_t repetitions(Machine::ConfigId config)
    {
        if (const auto known = m_counts.find(config); known != m_counts.end())
            return known->second;
        std::uint32_t fewest = kUnlimited;
        for (const Machine::Thread &thread : m_machine.threads(config))
            fewest = std::min(fewest, thread.node == Machine::kEnded
                                          ? thread.frame
                                          : m_machine.frameOf(thread.frame).relative + 1);
        m_counts.emplace(config, fewest);
        return fewest;
    }

    void makeLevels(LocalMask &mask)
    {
        std::sort(m_levels.begin(), m_levels.end(),
                  [](const auto &a, const auto &b) { return a.repetitions < b.repetitions; });
        for (std::size_t i = 1; i < m_levels.size(); ++i)
            for (std::size_t word = 0; word < m_vocabulary.words(); ++word)
                m_levels[i].tokens[word] |= m_levels[i - 1].tokens[word];
        mask.levels = std::move(m_levels);
    }

    void makeRests(LocalMask &mask)
    {
        std::sort(m_beyond.begin(), m_beyond.end(), [](const Beyond &a, const Beyond &b) {
            return a.rest != b.rest ? a.rest < b.rest : a.ending.repetitions < b.ending.repetitions;
        });
        std::vector<std::uint32_t> path;
        std::string_view last;
        const auto close = [&](std::size_t depth) {
            for (; path.size() > depth; path.pop_back())
                mask.rests[path.back()].end = static_cast<std::uint32_t>(mask.rests.size());
        };
        for (const Beyond &beyond : m_beyond) {
            const auto same =
                std::mismatch(last.begin(), last.end(), beyond.rest.begin(), beyond.rest.end());
            close(static_cast<std::size_t>(same.first - last.begin()));
            for (std::size_t depth = path.size(); depth < beyond.rest.size(); ++depth) {
                path.push_back(static_cast<std::uint32_t>(mask.rests.size()));
                mask.rests.push_back({.first = static_cast<std::uint32_t>(mask.endings.size()),
                                      .depth = static_cast<std::uint16_t>(depth + 1),
                                      .byte = static_cast<std::uint8_t>(beyond.rest[depth])});
            }
            ++mask.rests[path.back()].count;
            mask.endings.push_back(beyond.ending);
            mask.longestRest = std::max(mask.longestRest, beyond.rest.size());
            last = beyond.rest;
        }
        close(0);
    }

    Machine &m_machine;
    const VocabularyTrie &m_vocabulary;
    const FollowBytes::Classes &m_after;
    const bool m_repeats;
    std::vector<Left> m_left;
    std::vector<LocalMask::Level> m_levels;
    std::size_t m_level = 0; // the one of the last token
    std::vector<Beyond> m_beyond;
    std::unordered_map<Machine::ConfigId, std::uint32_t> m_counts;
};

const LocalMask &LocalMasks::of(const std::vector<NodeId> &nodes, const Machine::Frame &frame,
                                const Machine &machine)
{
    using Kind = Automaton::Call::Kind;
    const std::scoped_lock lock(m_mutex);
    const bool plain = frame.call == Machine::kReturn;
    const bool repeats = !plain && m_automaton.call(frame.call).kind == Kind::Repeat;
    const ItemSet &seen = machine.seen(frame.seen);
    const std::uint32_t seenId =
        m_seenIds.emplace(seen, static_cast<std::uint32_t>(m_seenIds.size())).first->second;
    Key key{nodes, frame.call, seenId, repeats ? 0 : frame.count};
    if (const auto known = m_masks.find(key); known != m_masks.end())
        return known->second;
    Machine local(m_automaton);
    Machine::FrameId on = Machine::kBottom;
    if (!plain)
        on = local.frame({.call = frame.call,
                          .count = repeats ? 0 : frame.count,
                          .seen = local.seenId(seen),
                          .depth = 1,
                          .free = repeats});
    std::vector<Machine::Thread> threads;
    for (const NodeId node : nodes)
        threads.push_back({node, on});
    const Machine::ConfigId start = local.exactly(std::move(threads));
    FollowBytes::Classes after;
    if (!plain)
        after = m_follow.afterCall(frame.call);
    else
        for (const NodeId node : nodes)
            after |= m_follow.afterBodyOf(node);
    LocalMask mask = Walk(local, m_vocabulary, after, repeats).run(start);
    return m_masks.emplace(std::move(key), std::move(mask)).first->second;
}

void LocalMasks::prepare()
{
    using Kind = Automaton::Call::Kind;
    std::map<NodeId, std::uint32_t> bodies{{0, Machine::kReturn}}; // their first nodes, and calls
    for (std::uint32_t id = 0; id < m_automaton.callCount(); ++id)
        bodies.emplace(m_automaton.call(id).start,
                       m_automaton.call(id).kind == Kind::Rule ? Machine::kReturn : id);
    const Machine machine(m_automaton);
    std::size_t prepared = 0;
    for (NodeId node = 0; node < m_automaton.size() && prepared < kMostPrepared; ++node) {
        const std::uint32_t call = std::prev(bodies.upper_bound(node))->second;
        if (call != Machine::kReturn && m_automaton.call(call).kind == Kind::Group)
            continue; // their masks depend on the items that were seen
        int bytes = 0;
        for (int byte = 0; byte < 256; ++byte) {
            const std::uint8_t byteClass = m_automaton.classOf(static_cast<std::uint8_t>(byte));
            bytes += m_automaton.next(node, byteClass) != kNoNode ? 1 : 0;
        }
        if (bytes < kManyBytes)
            continue;
        of({node}, {.call = call}, machine);
        ++prepared;
    }
}

std::size_t LocalMasks::made() const
{
    const std::scoped_lock lock(m_mutex);
    return m_masks.size();
}

} // namespace fireside::constrain
