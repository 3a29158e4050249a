#pragma once
#include "engine/constrain/grammar.h"

#include <array>
#include <bitset>
#include <cstdint>
#include <span>
#include <vector>

namespace fireside::constrain {

using NodeId = std::uint32_t;
using ItemSet = std::bitset<kMostItems>;
inline constexpr NodeId kNoNode = 0xFFFFFFFF;

/// A grammar as a pushdown automaton over bytes. Each body – of a rule, of what is repeated with a
/// count, of a group's items, of a separator – is deterministic in itself; what is left open is
/// whether to go on or to call, which a Machine follows in parallel. Immutable.
class Automaton
{
public:
    /// Error(BadInput) for a grammar that nothing fulfils, that calls itself before it reads
    /// anything, or that is beyond its limits.
    explicit Automaton(const Grammar &grammar);

    struct Call
    {
        enum class Kind : std::uint8_t { Rule, Repeat, Group };
        Kind kind = Kind::Rule;
        NodeId start = 0;     // of the body
        NodeId separator = 0; // Group
        std::uint32_t min = 0, max = 0;
        ItemSet required{}, repeatable{}; // Group
        bool anyOrder = true;
        bool nullable = false; // it may read nothing
        std::uint32_t items = 0;
    };
    struct CallEdge
    {
        std::uint32_t call = 0;
        NodeId target = 0;
        bool last = false; // nothing but the end comes after it
    };
    struct Node
    {
        std::uint32_t firstCall = 0, calls = 0; // of callEdges
        std::int32_t item = -1;                 // ≥ 0: the body may end here, with this item
        std::uint32_t reach = 0;                // of a group's items: its place in reach()
        bool grouped = false;
        bool reads = false;         // there are bytes to read
        std::int16_t onlyByte = -1; // the one that can be read; −1: none or several
    };

    NodeId start() const { return m_start; }
    const Node &node(NodeId id) const { return m_nodes[id]; }
    std::size_t size() const { return m_nodes.size(); }
    std::span<const CallEdge> calls(const Node &node) const
    {
        return std::span(m_callEdges).subspan(node.firstCall, node.calls);
    }
    const Call &call(std::uint32_t id) const { return m_calls[id]; }
    std::size_t callCount() const { return m_calls.size(); }
    /// Bytes that no node tells apart are a class.
    std::uint8_t classOf(std::uint8_t byte) const { return m_classes[byte]; }
    std::size_t classes() const { return m_classCount; }
    NodeId next(NodeId node, std::uint8_t byteClass) const
    {
        return m_next[std::size_t{node} * m_classCount + byteClass];
    }
    /// Items that can still be what is being read.
    const ItemSet &reach(const Node &node) const { return m_reach[node.reach]; }
    const GrammarLimits &limits() const { return m_limits; }

private:
    friend class AutomatonBuilder;
    GrammarLimits m_limits;
    NodeId m_start = 0;
    std::vector<Node> m_nodes;
    std::vector<CallEdge> m_callEdges;
    std::vector<Call> m_calls;
    std::array<std::uint8_t, 256> m_classes{};
    std::size_t m_classCount = 0;
    std::vector<NodeId> m_next; // [nodes, classes]
    std::vector<ItemSet> m_reach;
};

} // namespace fireside::constrain
