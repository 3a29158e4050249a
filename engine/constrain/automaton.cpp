#include "engine/constrain/automaton.h"

#include "engine/constrain/nfa.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <algorithm>
#include <map>

namespace fireside::constrain {

/// Makes the bodies of an Nfa deterministic, one after the other, by sets of its states.
class AutomatonBuilder
{
public:
    AutomatonBuilder(const Grammar &grammar, Automaton &out)
        : m_grammar(grammar)
        , m_nfa(grammar)
        , m_out(out)
        , m_marks(m_nfa.states().size())
    {}

    void build()
    {
        m_out.m_limits = m_grammar.limits();
        m_out.m_reach.emplace_back();
        findClasses();
        for (const Nfa::Body &body : m_nfa.bodies())
            m_starts.push_back(determinise(body));
        m_out.m_start = m_starts[0];
        for (const Nfa::Call &call : m_nfa.calls())
            m_out.m_calls.push_back(callFrom(call));
        for (Automaton::CallEdge &edge : m_out.m_callEdges) {
            const Automaton::Node &target = m_out.m_nodes[edge.target];
            edge.last = target.item >= 0 && !target.reads && target.calls == 0 && !target.grouped;
        }
        findNullable();
        for (Automaton::Call &call : m_out.m_calls)
            call.nullable = isNullable(call);
        refuseLeftRecursion();
    }

private:
    using Set = std::vector<Nfa::StateId>;

    void spend(std::size_t steps)
    {
        m_steps += steps;
        if (m_steps > m_grammar.limits().steps)
            throwBadInput("the grammar takes more than " +
                          std::to_string(m_grammar.limits().steps) + " steps to prepare");
    }

    void findClasses()
    {
        std::array<bool, 257> begins{};
        begins[0] = true;
        for (const Nfa::State &state : m_nfa.states())
            for (const Nfa::ByteEdge &edge : state.bytes) {
                begins[edge.bytes.low] = true;
                begins[std::size_t{edge.bytes.high} + 1] = true;
            }
        std::size_t count = 0;
        for (std::size_t byte = 0; byte < 256; ++byte) {
            count += begins[byte];
            m_out.m_classes[byte] = static_cast<std::uint8_t>(count - 1);
        }
        m_out.m_classCount = count;
    }

    Set closed(Set set)
    {
        ++m_mark;
        Set all;
        while (!set.empty()) {
            const Nfa::StateId at = set.back();
            set.pop_back();
            if (m_marks[at] == m_mark)
                continue;
            m_marks[at] = m_mark;
            const Nfa::State &state = m_nfa.states()[at];
            if (!state.bytes.empty() || !state.calls.empty() || state.item >= 0)
                all.push_back(at);
            set.insert(set.end(), state.free.begin(), state.free.end());
        }
        spend(all.size() + 1);
        std::sort(all.begin(), all.end());
        return all;
    }

    NodeId nodeOf(Set set, std::vector<Set> &sets, std::map<Set, NodeId> &known)
    {
        const auto first = static_cast<NodeId>(m_out.m_nodes.size() - sets.size());
        const auto fresh = static_cast<NodeId>(first + sets.size());
        const auto [found, added] = known.emplace(std::move(set), fresh);
        if (added) {
            if (m_out.m_nodes.size() >= m_grammar.limits().nodes)
                throwBadInput("the grammar needs more than " +
                              std::to_string(m_grammar.limits().nodes) + " nodes");
            sets.push_back(found->first);
            m_out.m_nodes.emplace_back();
            m_out.m_next.resize(m_out.m_nodes.size() * m_out.m_classCount, kNoNode);
        }
        return found->second;
    }

    NodeId determinise(const Nfa::Body &body)
    {
        std::vector<Set> sets;
        std::map<Set, NodeId> known;
        const NodeId first = nodeOf(closed({body.start}), sets, known);
        for (std::size_t at = 0; at < sets.size(); ++at) {
            const Set set = sets[at];
            const auto id = static_cast<NodeId>(first + at);
            m_out.m_nodes[id].grouped = body.grouped;
            for (const Nfa::StateId state : set)
                markEnd(m_out.m_nodes[id], m_nfa.states()[state].item);
            byteEdges(id, set, sets, known);
            callEdges(id, set, sets, known);
        }
        if (body.grouped)
            findReach(first);
        return first;
    }

    static void markEnd(Automaton::Node &node, std::int32_t item)
    {
        if (item < 0)
            return;
        if (node.item >= 0 && node.item != item)
            throwInternal("two items of a group end alike");
        node.item = item;
    }

    void byteEdges(NodeId id, const Set &set, std::vector<Set> &sets, std::map<Set, NodeId> &known)
    {
        const std::size_t classes = m_out.m_classCount;
        m_buckets.resize(classes);
        for (Set &bucket : m_buckets)
            bucket.clear();
        for (const Nfa::StateId state : set)
            for (const Nfa::ByteEdge &edge : m_nfa.states()[state].bytes)
                for (std::size_t c = m_out.m_classes[edge.bytes.low];
                     c <= m_out.m_classes[edge.bytes.high]; ++c)
                    m_buckets[c].push_back(edge.target);
        std::size_t live = 0, only = 0;
        for (std::size_t c = 0; c < classes; ++c) {
            if (m_buckets[c].empty())
                continue;
            std::sort(m_buckets[c].begin(), m_buckets[c].end());
            m_buckets[c].erase(std::unique(m_buckets[c].begin(), m_buckets[c].end()),
                               m_buckets[c].end());
            const NodeId target = c > 0 && m_buckets[c] == m_buckets[c - 1]
                                      ? m_out.m_next[id * classes + c - 1]
                                      : nodeOf(closed(m_buckets[c]), sets, known);
            m_out.m_next[id * classes + c] = target;
            ++live;
            only = c;
        }
        Automaton::Node &node = m_out.m_nodes[id];
        node.reads = live > 0;
        const auto byte = std::find(m_out.m_classes.begin(), m_out.m_classes.end(), only);
        const bool alone = live == 1 && std::count(byte, m_out.m_classes.end(), *byte) == 1;
        node.onlyByte =
            alone ? static_cast<std::int16_t>(byte - m_out.m_classes.begin()) : std::int16_t{-1};
    }

    void callEdges(NodeId id, const Set &set, std::vector<Set> &sets, std::map<Set, NodeId> &known)
    {
        std::map<std::uint32_t, Set> targets;
        for (const Nfa::StateId state : set)
            for (const Nfa::CallEdge &edge : m_nfa.states()[state].calls)
                targets[edge.call].push_back(edge.target);
        std::vector<Automaton::CallEdge> edges;
        for (auto &[call, states] : targets)
            edges.push_back({call, nodeOf(closed(std::move(states)), sets, known), false});
        m_out.m_nodes[id].firstCall = static_cast<std::uint32_t>(m_out.m_callEdges.size());
        m_out.m_nodes[id].calls = static_cast<std::uint32_t>(edges.size());
        m_out.m_callEdges.insert(m_out.m_callEdges.end(), edges.begin(), edges.end());
    }

    /// For the nodes from `first` on, those of a group's items.
    void findReach(NodeId first)
    {
        std::vector<ItemSet> reach(m_out.m_nodes.size() - first);
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t i = reach.size(); i-- > 0;) {
                const auto id = static_cast<NodeId>(first + i);
                const Automaton::Node &node = m_out.m_nodes[id];
                ItemSet now = reach[i];
                if (node.item >= 0)
                    now.set(static_cast<std::size_t>(node.item));
                for (std::size_t c = 0; c < m_out.m_classCount; ++c)
                    if (const NodeId next = m_out.m_next[id * m_out.m_classCount + c];
                        next != kNoNode)
                        now |= reach[next - first];
                for (const Automaton::CallEdge &edge : m_out.calls(node))
                    now |= reach[edge.target - first];
                changed = changed || now != reach[i];
                reach[i] = now;
                spend(m_out.m_classCount / 8);
            }
        }
        for (std::size_t i = 0; i < reach.size(); ++i) {
            if (reach[i] != m_out.m_reach.back())
                m_out.m_reach.push_back(reach[i]);
            m_out.m_nodes[first + i].reach = static_cast<std::uint32_t>(m_out.m_reach.size() - 1);
        }
    }

    Automaton::Call callFrom(const Nfa::Call &call) const
    {
        using Kind = Automaton::Call::Kind;
        Automaton::Call out{.start = m_starts[call.body]};
        if (call.rule)
            return out;
        const Expr &expr = m_grammar.expr(call.expr);
        out.kind = expr.kind == ExprKind::Group ? Kind::Group : Kind::Repeat;
        out.min = expr.min;
        out.max = expr.max;
        if (out.kind == Kind::Repeat)
            return out;
        const Group &group = m_grammar.groupOf(expr);
        out.separator = m_starts[call.separator];
        out.min = group.min;
        out.max = group.max;
        out.anyOrder = group.anyOrder;
        out.items = static_cast<std::uint32_t>(group.items.size());
        for (std::size_t i = 0; i < group.items.size(); ++i) {
            out.required[i] = group.items[i].required;
            out.repeatable[i] = group.items[i].repeatable;
        }
        return out;
    }

    bool isNullable(const Automaton::Call &call) const
    {
        const bool body = m_nullable[call.start];
        if (call.kind == Automaton::Call::Kind::Group)
            return call.min == 0 && call.required.none();
        return body || (call.kind == Automaton::Call::Kind::Repeat && call.min == 0);
    }

    /// Nodes from which their body can end without reading anything.
    void findNullable()
    {
        m_nullable.resize(m_out.m_nodes.size());
        for (bool changed = true; changed;) {
            changed = false;
            for (NodeId id = static_cast<NodeId>(m_out.m_nodes.size()); id-- > 0;) {
                const Automaton::Node &node = m_out.m_nodes[id];
                if (m_nullable[id])
                    continue;
                const auto edges = m_out.calls(node);
                const bool now =
                    node.item >= 0 || std::any_of(edges.begin(), edges.end(), [&](const auto &e) {
                        return m_nullable[e.target] && isNullable(m_out.m_calls[e.call]);
                    });
                changed = changed || now;
                m_nullable[id] = now;
                spend(1);
            }
        }
    }

    /// The bodies that can be entered from a node before anything is read.
    std::vector<NodeId> entered(NodeId from) const
    {
        std::vector<NodeId> nodes{from}, bodies;
        for (std::size_t at = 0; at < nodes.size(); ++at)
            for (const Automaton::CallEdge &edge : m_out.calls(m_out.m_nodes[nodes[at]])) {
                const Automaton::Call &call = m_out.m_calls[edge.call];
                bodies.push_back(call.start);
                if (isNullable(call) &&
                    std::find(nodes.begin(), nodes.end(), edge.target) == nodes.end())
                    nodes.push_back(edge.target);
            }
        return bodies;
    }

    void refuseLeftRecursion()
    {
        enum : std::uint8_t { Fresh, Open, Done };
        std::vector<std::uint8_t> seen(m_out.m_nodes.size(), Fresh);
        std::vector<std::pair<NodeId, std::vector<NodeId>>> stack;
        for (std::size_t body = 0; body < m_starts.size(); ++body) {
            if (seen[m_starts[body]] != Fresh)
                continue;
            seen[m_starts[body]] = Open;
            stack.push_back({m_starts[body], entered(m_starts[body])});
            while (!stack.empty()) {
                auto &[id, left] = stack.back();
                if (left.empty()) {
                    seen[id] = Done;
                    stack.pop_back();
                    continue;
                }
                const NodeId next = left.back();
                left.pop_back();
                spend(1);
                if (seen[next] == Open)
                    throwBadInput("the rule " + fireside::quoted(m_nfa.bodies()[body].name) +
                                  ", or one it begins with, calls itself before it reads anything");
                if (seen[next] == Fresh) {
                    seen[next] = Open;
                    stack.push_back({next, entered(next)});
                }
            }
        }
    }

    const Grammar &m_grammar;
    const Nfa m_nfa;
    Automaton &m_out;
    std::vector<NodeId> m_starts; // of bodies
    std::vector<bool> m_nullable; // by node
    std::vector<std::uint32_t> m_marks;
    std::uint32_t m_mark = 0;
    std::vector<Set> m_buckets; // by class
    std::size_t m_steps = 0;
};

Automaton::Automaton(const Grammar &grammar)
{
    AutomatonBuilder(grammar, *this).build();
}

} // namespace fireside::constrain
