#include "engine/constrain/char_dfa.h"

#include "engine/constrain/grammar.h"
#include "engine/core/error.h"
#include "engine/text/unicode.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fireside::constrain {
namespace {

void checkStates(std::size_t count, const GrammarLimits &limits)
{
    if (count > limits.states)
        throwBadInput("a pattern, or what is asked of one text together, needs more than " +
                      std::to_string(limits.states) + " states");
}

void appendEdge(std::vector<CharDfa::Edge> &edges, CharDfa::Edge edge)
{
    if (!edges.empty() && edges.back().target == edge.target && edges.back().high + 1 == edge.low)
        edges.back().high = edge.high;
    else
        edges.push_back(edge);
}

} // namespace

CharDfa::CharDfa(std::vector<State> states)
    : m_states(std::move(states))
{
    trim();
}

CharDfa CharDfa::anything()
{
    return CharDfa({{.edges = {{0, kLastCharacter, 0}}, .accepts = true}});
}

CharDfa CharDfa::ofLength(std::uint32_t min, std::uint32_t max, const GrammarLimits &limits)
{
    if (min > max)
        return {};
    const std::size_t last = max == kUnlimited ? min : max;
    checkStates(last, limits);
    std::vector<State> states(last + 1);
    for (std::size_t i = 0; i <= last; ++i) {
        states[i].accepts = i >= min;
        if (i < last || max == kUnlimited)
            states[i].edges = {
                {0, kLastCharacter, static_cast<std::uint32_t>(std::min(i + 1, last))}};
    }
    return CharDfa(std::move(states));
}

CharDfa CharDfa::ofTexts(const std::vector<std::string> &texts)
{
    std::vector<std::map<char32_t, std::uint32_t>> next(1);
    std::vector<bool> accepts(1);
    for (const std::string &text : texts) {
        std::uint32_t at = 0;
        for (std::size_t i = 0; i < text.size();) {
            const Utf8Step step = decodeUtf8(text, i);
            i += step.length;
            const auto fresh = static_cast<std::uint32_t>(next.size());
            const auto [edge, added] = next[at].emplace(step.codepoint, fresh);
            at = edge->second;
            if (added) {
                next.emplace_back();
                accepts.push_back(false);
            }
        }
        accepts[at] = true;
    }
    std::vector<State> states(next.size());
    for (std::size_t i = 0; i < next.size(); ++i) {
        states[i].accepts = accepts[i];
        for (const auto &[c, target] : next[i])
            appendEdge(states[i].edges, {c, c, target});
    }
    return texts.empty() ? CharDfa() : CharDfa(std::move(states));
}

CharDfa CharDfa::multiplesOf(std::uint32_t divisor)
{
    std::vector<State> states(divisor + 1); // where it starts, then one for each rest
    for (std::uint32_t rest = 0; rest < divisor; ++rest) {
        State &state = states[rest + 1];
        state.accepts = rest == 0;
        for (std::uint32_t digit = 0; digit < 10; ++digit)
            state.edges.push_back(
                {U'0' + digit, U'0' + digit,
                 static_cast<std::uint32_t>((std::uint64_t{rest} * 10 + digit) % divisor + 1)});
    }
    states[0].edges = states[1].edges;
    states[0].edges.insert(states[0].edges.begin(), {U'-', U'-', 1});
    return CharDfa(std::move(states));
}

CharDfa CharDfa::both(const CharDfa &other, const GrammarLimits &limits) const
{
    if (isEmpty() || other.isEmpty())
        return {};
    using Pair = std::pair<std::uint32_t, std::uint32_t>;
    std::map<Pair, std::uint32_t> known{{{0, 0}, 0}};
    std::vector<Pair> pairs{{0, 0}};
    std::vector<State> states;
    for (std::size_t at = 0; at < pairs.size(); ++at) {
        checkStates(pairs.size(), limits);
        const State &a = m_states[pairs[at].first], &b = other.m_states[pairs[at].second];
        State joined{.edges = {}, .accepts = a.accepts && b.accepts};
        for (std::size_t i = 0, k = 0; i < a.edges.size() && k < b.edges.size();) {
            const Edge &x = a.edges[i], &y = b.edges[k];
            const char32_t low = std::max(x.low, y.low), high = std::min(x.high, y.high);
            if (low <= high) {
                const Pair pair{x.target, y.target};
                const auto fresh = static_cast<std::uint32_t>(pairs.size());
                const auto [found, added] = known.emplace(pair, fresh);
                if (added)
                    pairs.push_back(pair);
                appendEdge(joined.edges, {low, high, found->second});
            }
            x.high < y.high ? ++i : ++k;
        }
        states.push_back(std::move(joined));
    }
    return CharDfa(std::move(states));
}

CharDfa CharDfa::complement() const
{
    std::vector<State> states = m_states;
    const auto rest = static_cast<std::uint32_t>(states.size()); // where no text is accepted
    states.push_back({});
    for (State &state : states) {
        std::vector<Edge> edges;
        char32_t next = 0;
        for (const Edge &edge : state.edges) {
            if (edge.low > next)
                appendEdge(edges, {next, edge.low - 1, rest});
            appendEdge(edges, edge);
            next = edge.high + 1;
        }
        if (next <= kLastCharacter)
            appendEdge(edges, {next, kLastCharacter, rest});
        state.edges = std::move(edges);
        state.accepts = !state.accepts;
    }
    return CharDfa(std::move(states));
}

CharDfa CharDfa::either(const CharDfa &other, const GrammarLimits &limits) const
{
    return complement().both(other.complement(), limits).complement();
}

CharDfa CharDfa::without(const CharDfa &other, const GrammarLimits &limits) const
{
    return both(other.complement(), limits);
}

bool CharDfa::accepts(std::string_view text) const
{
    if (isEmpty())
        return false;
    std::uint32_t at = 0;
    for (std::size_t i = 0; i < text.size();) {
        const Utf8Step step = decodeUtf8(text, i);
        i += step.length;
        const auto &edges = m_states[at].edges;
        const auto edge =
            std::lower_bound(edges.begin(), edges.end(), step.codepoint,
                             [](const Edge &e, std::uint32_t letter) { return e.high < letter; });
        if (step.state != Utf8State::Valid || edge == edges.end() || edge->low > step.codepoint)
            return false;
        at = edge->target;
    }
    return m_states[at].accepts;
}

/// Drops states that the start does not reach or that reach no accepting one.
void CharDfa::trim()
{
    const std::size_t count = m_states.size();
    std::vector<std::vector<std::uint32_t>> before(count);
    for (std::size_t i = 0; i < count; ++i)
        for (const Edge &edge : m_states[i].edges)
            before[edge.target].push_back(static_cast<std::uint32_t>(i));
    std::vector<bool> useful(count);
    std::vector<std::uint32_t> work;
    for (std::uint32_t i = 0; i < count; ++i)
        if (m_states[i].accepts)
            work.push_back(i);
    while (!work.empty()) {
        const std::uint32_t at = work.back();
        work.pop_back();
        if (useful[at])
            continue;
        useful[at] = true;
        work.insert(work.end(), before[at].begin(), before[at].end());
    }
    if (count == 0 || !useful[0])
        return m_states.clear();
    constexpr std::uint32_t kUnknown = 0xFFFFFFFF;
    std::vector<std::uint32_t> place(count, kUnknown), order{0};
    place[0] = 0;
    for (std::size_t at = 0; at < order.size(); ++at)
        for (const Edge &edge : m_states[order[at]].edges)
            if (useful[edge.target] && place[edge.target] == kUnknown) {
                place[edge.target] = static_cast<std::uint32_t>(order.size());
                order.push_back(edge.target);
            }
    std::vector<State> kept(order.size());
    for (std::size_t at = 0; at < order.size(); ++at) {
        kept[at].accepts = m_states[order[at]].accepts;
        for (const Edge &edge : m_states[order[at]].edges)
            if (useful[edge.target])
                appendEdge(kept[at].edges, {edge.low, edge.high, place[edge.target]});
    }
    m_states = std::move(kept);
}

} // namespace fireside::constrain
