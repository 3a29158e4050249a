#include "engine/constrain/regex_reader.h"

#include "engine/constrain/regex_tree.h"
#include "engine/core/error.h"

#include <algorithm>
#include <map>
#include <set>

namespace fireside::constrain {
namespace {

/// Nondeterministic, over characters; ^ and $ are steps that can only be taken at the ends.
class RegexNfa
{
public:
    RegexNfa(const RegexTree &tree, RegexMatch match, const GrammarLimits &limits)
        : m_tree(tree)
        , m_limits(limits)
    {
        const Id start = state(), end = state();
        if (match == RegexMatch::Search) {
            m_states[start].chars.push_back({CharSet::all(), start});
            m_states[end].chars.push_back({CharSet::all(), end});
        }
        build(static_cast<Id>(tree.nodes.size() - 1), start, end);
    }

    CharDfa determinised();

private:
    using Id = std::uint32_t;
    enum class When : std::uint8_t { Always, AtBegin, AtEnd };
    struct Free
    {
        When when;
        Id target;
    };
    struct State
    {
        std::vector<std::pair<CharSet, Id>> chars{};
        std::vector<Free> free{};
    };
    using Set = std::vector<Id>; // sorted

    Id state()
    {
        if (m_states.size() > 4 * m_limits.states)
            throwBadInput("a regular expression needs more than " +
                          std::to_string(4 * m_limits.states) + " states");
        m_states.emplace_back();
        return static_cast<Id>(m_states.size() - 1);
    }
    void link(Id from, Id to, When when = When::Always)
    {
        m_states[from].free.push_back({when, to});
    }
    void build(Id nodeId, Id from, Id to);
    void buildRepeat(const RegexNode &node, Id from, Id to);
    Set closed(Set set, bool atBegin, bool atEnd);
    bool accepts(const Set &set, bool atBegin)
    {
        const Set all = closed(set, atBegin, true);
        return std::binary_search(all.begin(), all.end(), Id{1});
    }
    void spend(std::size_t steps)
    {
        m_steps += steps;
        if (m_steps > m_limits.steps)
            throwBadInput("a regular expression takes more than " + std::to_string(m_limits.steps) +
                          " steps to prepare");
    }

    const RegexTree &m_tree;
    const GrammarLimits &m_limits;
    std::vector<State> m_states; // 0: start, 1: end
    std::vector<bool> m_reached; // by closed(), which leaves it all false
    std::size_t m_steps = 0;
};

void RegexNfa::build(Id nodeId, Id from, Id to)
{
    const RegexNode &node = m_tree.nodes[nodeId];
    switch (node.kind) {
    case RegexNode::Kind::Chars:
        m_states[from].chars.push_back({node.chars, to});
        break;
    case RegexNode::Kind::Begin:
        link(from, to, When::AtBegin);
        break;
    case RegexNode::Kind::End:
        link(from, to, When::AtEnd);
        break;
    case RegexNode::Kind::Choice:
        for (const Id part : node.parts)
            build(part, from, to);
        break;
    case RegexNode::Kind::Sequence:
        for (const Id part : node.parts) {
            const Id next = state();
            build(part, from, next);
            from = next;
        }
        link(from, to);
        break;
    case RegexNode::Kind::Repeat:
        buildRepeat(node, from, to);
        break;
    }
}

void RegexNfa::buildRepeat(const RegexNode &node, Id from, Id to)
{
    // States of its own at both ends: loops must not reach what else begins or ends there.
    const auto once = [&](Id at) {
        const Id begin = state(), end = state();
        link(at, begin);
        build(node.parts[0], begin, end);
        return std::pair(begin, end);
    };
    for (std::uint32_t i = 0; i < node.min; ++i)
        from = once(from).second;
    if (node.max == kUnlimited) {
        const auto [begin, end] = once(from);
        link(end, begin);
        link(end, to);
    }
    link(from, to);
    for (std::uint32_t i = node.min; node.max != kUnlimited && i < node.max; ++i) {
        from = once(from).second;
        link(from, to);
    }
}

RegexNfa::Set RegexNfa::closed(Set set, bool atBegin, bool atEnd)
{
    m_reached.resize(m_states.size());
    for (const Id id : set)
        m_reached[id] = true;
    std::size_t steps = 0;
    for (std::size_t at = 0; at < set.size(); ++at) { // grows on the way
        const std::vector<Free> &all = m_states[set[at]].free;
        steps += 1 + all.size();
        for (const Free &free : all)
            if ((free.when != When::AtBegin || atBegin) && (free.when != When::AtEnd || atEnd) &&
                !m_reached[free.target]) {
                m_reached[free.target] = true;
                set.push_back(free.target);
            }
    }
    for (const Id id : set)
        m_reached[id] = false;
    spend(steps);
    std::sort(set.begin(), set.end());
    return set;
}

CharDfa RegexNfa::determinised()
{
    const Set start = closed({0}, true, false);
    std::map<Set, Id> known;
    std::vector<Set> sets{start}; // the first is at the beginning and none of the others
    std::vector<CharDfa::State> states;
    for (std::size_t at = 0; at < sets.size(); ++at) {
        if (sets.size() > m_limits.states)
            throwBadInput("a regular expression needs more than " +
                          std::to_string(m_limits.states) + " states");
        CharDfa::State made{.edges = {}, .accepts = accepts(sets[at], at == 0)};
        // Between two neighbouring cuts all characters go the same way.
        std::map<char32_t, std::vector<std::pair<Id, bool>>> cuts;
        for (const Id id : sets[at])
            for (const auto &[chars, target] : m_states[id].chars) {
                spend(chars.ranges().size());
                for (const CharRange &range : chars.ranges()) {
                    cuts[range.low].push_back({target, true});
                    cuts[range.high + 1].push_back({target, false});
                }
            }
        std::multiset<Id> open;
        for (auto cut = cuts.begin(); cut != cuts.end(); ++cut) {
            for (const auto &[target, begins] : cut->second)
                if (begins)
                    open.insert(target);
            for (const auto &[target, begins] : cut->second)
                if (!begins)
                    open.erase(open.find(target));
            if (open.empty() || std::next(cut) == cuts.end())
                continue;
            spend(open.size());
            Set next(open.begin(), open.end());
            next.erase(std::unique(next.begin(), next.end()), next.end());
            next = closed(std::move(next), false, false);
            const auto [found, added] = known.emplace(next, static_cast<Id>(sets.size()));
            if (added)
                sets.push_back(next);
            made.edges.push_back({cut->first, std::next(cut)->first - 1, found->second});
        }
        states.push_back(std::move(made));
    }
    return CharDfa(std::move(states));
}

} // namespace

CharDfa readRegex(std::string_view pattern, RegexMatch match, const GrammarLimits &limits)
{
    const RegexTree tree = readRegexTree(pattern, limits);
    return RegexNfa(tree, match, limits).determinised();
}

Grammar readRegexGrammar(std::string_view pattern, const GrammarLimits &limits)
{
    Grammar grammar(limits);
    const RuleId root = grammar.addRule("regular expression");
    grammar.define(root,
                   grammar.dfa(readRegex(pattern, RegexMatch::Whole, limits), CharEncoding::Plain));
    grammar.setRoot(root);
    return grammar;
}

} // namespace fireside::constrain
