#pragma once
#include "engine/constrain/automaton.h"

#include <bitset>
#include <map>
#include <vector>

namespace fireside::constrain {

/// Which bytes may come right after a body of an automaton has ended, whoever called it: the FIRST
/// and FOLLOW sets of parsing, over bytes. Never too few; more than can be where counts, or the
/// items of a group that were seen, would say so. Immutable.
class FollowBytes
{
public:
    using Classes = std::bitset<256>; // of bytes, as Automaton::classOf() counts them

    explicit FollowBytes(const Automaton &automaton);

    const Classes &afterBodyOf(NodeId node) const { return m_afterBody[m_bodyOf[node]]; }
    const Classes &afterCall(std::uint32_t call) const { return m_afterCall[call]; }

private:
    void findBodies(const Automaton &automaton);
    void findFirst(const Automaton &automaton);
    bool addFirst(const Automaton &automaton, NodeId id);
    bool addAfter(const Automaton &automaton);
    /// Whether there may be nothing to read in it.
    bool maySkip(const Automaton::Call &call) const
    {
        return call.nullable || m_mayEnd[call.start];
    }

    std::vector<std::uint32_t> m_bodyOf;      // by node
    std::map<NodeId, std::uint32_t> m_bodies; // by their first nodes
    std::vector<bool> m_mayEnd;               // by node: its body, before anything more is read
    std::vector<Classes> m_first;             // by node
    std::vector<Classes> m_afterBody, m_afterCall;
};

} // namespace fireside::constrain
