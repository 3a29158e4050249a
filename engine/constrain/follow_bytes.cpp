#include "engine/constrain/follow_bytes.h"

#include <algorithm>
#include <iterator>

namespace fireside::constrain {
namespace {

using Kind = Automaton::Call::Kind;

/// Adds the one set to the other; whether it grew.
bool grow(FollowBytes::Classes &set, const FollowBytes::Classes &more)
{
    const FollowBytes::Classes before = set;
    set |= more;
    return set != before;
}

} // namespace

FollowBytes::FollowBytes(const Automaton &automaton)
{
    findBodies(automaton);
    findFirst(automaton);
    m_afterBody.resize(m_bodies.size());
    m_afterCall.resize(automaton.callCount());
    while (addAfter(automaton)) {
    }
}

/// Their nodes lie together, one body behind the other.
void FollowBytes::findBodies(const Automaton &automaton)
{
    m_bodies.emplace(0, 0);
    m_bodies.emplace(automaton.start(), 0);
    for (std::uint32_t id = 0; id < automaton.callCount(); ++id) {
        const Automaton::Call &call = automaton.call(id);
        m_bodies.emplace(call.start, 0);
        if (call.kind == Kind::Group)
            m_bodies.emplace(call.separator, 0);
    }
    std::uint32_t number = 0;
    for (auto &[first, body] : m_bodies)
        body = number++;
    m_bodyOf.resize(automaton.size());
    for (auto body = m_bodies.begin(); body != m_bodies.end(); ++body) {
        const auto next = std::next(body);
        const std::size_t end = next == m_bodies.end() ? automaton.size() : next->first;
        std::fill(m_bodyOf.begin() + body->first,
                  m_bodyOf.begin() + static_cast<std::ptrdiff_t>(end), body->second);
    }
}

void FollowBytes::findFirst(const Automaton &automaton)
{
    const std::size_t nodes = automaton.size();
    m_mayEnd.resize(nodes);
    m_first.resize(nodes);
    for (NodeId id = 0; id < nodes; ++id)
        for (std::size_t c = 0; c < automaton.classes(); ++c)
            m_first[id][c] = automaton.next(id, static_cast<std::uint8_t>(c)) != kNoNode;
    for (bool changed = true; changed;) {
        changed = false;
        for (auto id = static_cast<NodeId>(nodes); id-- > 0;)
            changed = addFirst(automaton, id) || changed;
    }
}

bool FollowBytes::addFirst(const Automaton &automaton, NodeId id)
{
    const Automaton::Node &node = automaton.node(id);
    Classes first = m_first[id];
    bool mayEnd = m_mayEnd[id] || node.item >= 0;
    for (const Automaton::CallEdge &edge : automaton.calls(node)) {
        const Automaton::Call &call = automaton.call(edge.call);
        first |= m_first[call.start];
        if (call.kind == Kind::Group && m_mayEnd[call.start])
            first |= m_first[call.separator]; // an item may be empty
        if (!maySkip(call))
            continue;
        first |= m_first[edge.target];
        mayEnd = mayEnd || m_mayEnd[edge.target];
    }
    const bool changed = grow(m_first[id], first) || mayEnd != m_mayEnd[id];
    m_mayEnd[id] = mayEnd;
    return changed;
}

/// One round; whether anything was added.
bool FollowBytes::addAfter(const Automaton &automaton)
{
    bool changed = false;
    for (NodeId id = 0; id < automaton.size(); ++id)
        for (const Automaton::CallEdge &edge : automaton.calls(automaton.node(id))) {
            Classes &after = m_afterCall[edge.call];
            changed = grow(after, m_first[edge.target]) || changed;
            if (m_mayEnd[edge.target])
                changed = grow(after, m_afterBody[m_bodyOf[id]]) || changed;
        }
    for (std::uint32_t id = 0; id < automaton.callCount(); ++id) {
        const Automaton::Call &call = automaton.call(id);
        Classes after = m_afterCall[id];
        if (call.kind != Kind::Rule) // it may come once more
            after |= m_first[call.start];
        if (call.kind == Kind::Group) {
            after |= m_first[call.separator];
            changed = grow(m_afterBody[m_bodies.at(call.separator)], after) || changed;
        }
        changed = grow(m_afterBody[m_bodies.at(call.start)], after) || changed;
    }
    return changed;
}

} // namespace fireside::constrain
