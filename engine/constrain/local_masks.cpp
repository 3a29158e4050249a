#include "engine/constrain/local_masks.h"

#include <algorithm>

namespace fireside::constrain {

/// One walk over the vocabulary from a configuration whose stack ends with the body.
class LocalMasks::Walk
{
public:
    Walk(Machine &machine, const VocabularyTrie &vocabulary, bool repeats)
        : m_machine(machine)
        , m_vocabulary(vocabulary)
        , m_repeats(repeats)
    {}

    LocalMask run(Machine::ConfigId start)
    {
        const auto nodes = m_vocabulary.nodes();
        std::vector<Machine::ConfigId> path{start};
        for (std::size_t at = 0; at < nodes.size();) {
            const VocabularyTrie::Node &node = nodes[at];
            const Machine::ConfigId config = m_machine.step(path[node.depth - 1u], node.byte);
            while (!m_left.empty() && m_left.back().depth >= node.depth)
                m_left.pop_back();
            if (config == Machine::kDead && m_left.empty()) {
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
                        m_left.push_back({node.depth, thread.frame});
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
        std::uint32_t repetitions;
    };
    struct Beyond
    {
        std::string_view rest;
        LocalMask::Ending ending;
    };

    void take(const VocabularyTrie::Node &node, Machine::ConfigId config)
    {
        const bool stays = config != Machine::kDead;
        if (stays) {
            const std::uint32_t begun = m_repeats ? repetitions(config) : 0;
            for (const TokenId id : m_vocabulary.tokens(node))
                m_inside.push_back({begun, id});
        }
        if (stays && !m_repeats)
            return;
        for (const Left &left : m_left)
            for (const TokenId id : m_vocabulary.tokens(node))
                m_beyond.push_back(
                    {m_vocabulary.bytes(id).substr(left.depth), {id, left.repetitions}});
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
        std::stable_sort(m_inside.begin(), m_inside.end(),
                         [](const auto &a, const auto &b) { return a.first < b.first; });
        for (const auto &[begun, id] : m_inside) {
            if (mask.levels.empty())
                mask.levels.push_back({begun, TokenBits(m_vocabulary.words())});
            else if (mask.levels.back().repetitions != begun)
                mask.levels.push_back({begun, mask.levels.back().tokens});
            setBit(mask.levels.back().tokens, id);
        }
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
    const bool m_repeats;
    std::vector<Left> m_left;
    std::vector<std::pair<std::uint32_t, TokenId>> m_inside;
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
    LocalMask mask = Walk(local, m_vocabulary, repeats).run(start);
    return m_masks.emplace(std::move(key), std::move(mask)).first->second;
}

std::size_t LocalMasks::made() const
{
    const std::scoped_lock lock(m_mutex);
    return m_masks.size();
}

} // namespace fireside::constrain
