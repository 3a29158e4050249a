#pragma once
#include "engine/constrain/follow_bytes.h"
#include "engine/constrain/machine.h"
#include "engine/constrain/vocabulary_trie.h"

#include <map>
#include <mutex>
#include <unordered_map>

namespace fireside::constrain {

/// What is known of all tokens from some nodes of one body on, whatever called it: those that stay
/// inside of what the body says are allowed or not for good; of those that go beyond its end with
/// what may come there, the rest must be read by whatever does.
struct LocalMask
{
    /// Tokens that begin at most so many repetitions besides the current one. Only where the body
    /// is a repetition there are several.
    struct Level
    {
        std::uint32_t repetitions = 0;
        TokenBits tokens;
    };
    std::vector<Level> levels; // rising, each with the tokens of those before

    /// The rests of the others as a tree, each node directly before its descendants.
    struct Rest
    {
        std::uint32_t end = 0;
        std::uint32_t first = 0, count = 0; // of endings
        std::uint16_t depth = 0;
        std::uint8_t byte = 0;
    };
    struct Ending
    {
        TokenId token = 0;
        std::uint32_t repetitions = 0; // complete when the body was left
    };
    std::vector<Rest> rests;
    std::vector<Ending> endings;
    std::size_t longestRest = 0; // bytes
};

/// Local masks of an automaton for a vocabulary, made when they are first asked for and kept. Safe
/// to use from several threads.
class LocalMasks
{
public:
    LocalMasks(const Automaton &automaton, const VocabularyTrie &vocabulary)
        : m_automaton(automaton)
        , m_follow(automaton)
        , m_vocabulary(vocabulary)
    {}

    /// Of nodes that stand on one frame of a machine, in rising order. Valid as long as this.
    const LocalMask &of(const std::vector<NodeId> &nodes, const Machine::Frame &frame,
                        const Machine &machine);
    /// Makes the masks of states that almost any byte may follow, which take longest by far.
    void prepare();
    std::size_t made() const;

private:
    struct Key
    {
        std::vector<NodeId> nodes;
        std::uint32_t call, seen, count;
        auto operator<=>(const Key &) const = default;
    };
    class Walk;

    const Automaton &m_automaton;
    const FollowBytes m_follow;
    const VocabularyTrie &m_vocabulary;
    mutable std::mutex m_mutex;
    std::unordered_map<ItemSet, std::uint32_t> m_seenIds;
    std::map<Key, LocalMask> m_masks;
};

} // namespace fireside::constrain
