#include "engine/constrain/nfa.h"

#include "engine/core/error.h"

#include <algorithm>
#include <array>

namespace fireside::constrain {
namespace {

constexpr std::size_t kMostCopied = 200;  // states of a rule
constexpr std::size_t kMostWritten = 128; // states of a repetition that is written out
constexpr std::size_t kManyChars = 64;

} // namespace

Nfa::Nfa(const Grammar &grammar)
    : m_grammar(grammar)
    , m_fulfillable(grammar.fulfillable())
    , m_copied(grammar.rules().size())
    , m_sizes(grammar.size(), 1)
{
    const Rule &root = grammar.rules()[grammar.root()];
    if (!root.expr || !m_fulfillable[*root.expr])
        throwBadInput("no text can fulfil what is asked of the reply");
    orderRules();
    for (const RuleId rule : m_order)
        measure(rule);
    m_copied[grammar.root()] = false;
    callOfRule(grammar.root());
    while (!m_open.empty()) {
        const auto [body, id] = m_open.back();
        m_open.pop_back();
        m_name = m_bodies[body].name;
        const StateId start = m_bodies[body].start;
        const Expr &expr = m_grammar.expr(id);
        if (m_bodies[body].grouped) {
            const Group &group = m_grammar.groupOf(expr);
            for (std::size_t i = 0; i < group.items.size(); ++i) {
                if (!m_fulfillable[group.items[i].expr])
                    continue;
                const StateId end = state();
                m_states[end].item = static_cast<std::int32_t>(i);
                build(group.items[i].expr, start, end);
            }
        } else {
            const StateId end = state();
            m_states[end].item = 0;
            build(id, start, end);
        }
    }
}

/// Depth first. A rule that is called while it is being visited is never copied.
void Nfa::orderRules()
{
    const std::size_t count = m_grammar.rules().size();
    enum : std::uint8_t { Fresh, Open, Done };
    std::vector<std::uint8_t> seen(count, Fresh);
    std::vector<bool> recursive(count);
    struct Visit
    {
        RuleId rule;
        std::vector<ExprId> left;
    };
    std::vector<Visit> stack{{m_grammar.root(), {*m_grammar.rules()[m_grammar.root()].expr}}};
    seen[m_grammar.root()] = Open;
    while (!stack.empty()) {
        Visit &top = stack.back();
        if (top.left.empty()) {
            seen[top.rule] = Done;
            m_copied[top.rule] = !recursive[top.rule] && !m_grammar.rules()[top.rule].shared;
            m_order.push_back(top.rule);
            stack.pop_back();
            continue;
        }
        const Expr &expr = m_grammar.expr(top.left.back());
        top.left.pop_back();
        top.left.insert(top.left.end(), expr.parts.begin(), expr.parts.end());
        if (expr.kind == ExprKind::Group) {
            const Group &group = m_grammar.groupOf(expr);
            for (const Group::Item &item : group.items)
                top.left.push_back(item.expr);
            top.left.push_back(group.separator);
        }
        if (expr.kind != ExprKind::Rule)
            continue;
        const RuleId callee = expr.target;
        if (seen[callee] == Open) {
            recursive[callee] = true;
        } else if (seen[callee] == Fresh && m_grammar.rules()[callee].expr) {
            seen[callee] = Open;
            stack.push_back({callee, {*m_grammar.rules()[callee].expr}});
        }
    }
}

/// How many states the rule's expressions take, callees being known; whether it is worth copying.
void Nfa::measure(RuleId rule)
{
    bool wide = false; // loops over so many characters that their tokens are better kept once
    std::vector<std::pair<ExprId, bool>> stack{{*m_grammar.rules()[rule].expr, false}};
    while (!stack.empty()) {
        const auto [id, ready] = stack.back();
        stack.pop_back();
        const Expr &expr = m_grammar.expr(id);
        if (!ready) {
            stack.push_back({id, true});
            for (const ExprId part : expr.parts)
                stack.push_back({part, false});
            if (expr.kind == ExprKind::Repeat && expr.max > 8) {
                const Expr &part = m_grammar.expr(expr.parts[0]);
                wide = wide || (part.kind == ExprKind::Chars && part.chars.count() > kManyChars) ||
                       part.kind == ExprKind::Choice;
            }
            continue;
        }
        m_sizes[id] = sizeOf(id);
    }
    const std::size_t size = m_sizes[*m_grammar.rules()[rule].expr];
    m_copied[rule] = m_copied[rule] && !wide && size <= kMostCopied;
}

std::size_t Nfa::sizeOf(ExprId id) const
{
    constexpr std::size_t kLarge = 1'000'000;
    const Expr &expr = m_grammar.expr(id);
    std::size_t parts = 1;
    for (const ExprId part : expr.parts)
        parts += m_sizes[part];
    switch (expr.kind) {
    case ExprKind::Text:
        return 1 + expr.text.size();
    case ExprKind::Chars:
        return 1 + expr.chars.ranges().size();
    case ExprKind::Rule:
        return m_copied[expr.target] ? 1 + m_sizes[*m_grammar.rules()[expr.target].expr] : 1;
    case ExprKind::Dfa:
        return 1 + 4 * m_grammar.dfaOf(expr).states().size();
    case ExprKind::Repeat:
        if (isCounted(expr))
            return 1;
        parts *= expr.max == kUnlimited ? expr.min + 1 : expr.max;
        break;
    case ExprKind::Group:
    case ExprKind::Sequence:
    case ExprKind::Choice:
        break;
    }
    return std::min(parts, kLarge);
}

bool Nfa::isCounted(const Expr &expr) const
{
    const std::size_t times = expr.max == kUnlimited ? std::size_t{expr.min} + 1 : expr.max;
    return times > 1 && expr.max != 1 && !(expr.max == kUnlimited && expr.min <= 1) &&
           times * m_sizes[expr.parts[0]] > kMostWritten;
}

Nfa::StateId Nfa::state()
{
    const std::size_t limit = 8 * m_grammar.limits().nodes;
    if (m_states.size() >= limit)
        throwBadInput("the grammar needs more than " + std::to_string(limit) + " states");
    m_states.emplace_back();
    return static_cast<StateId>(m_states.size() - 1);
}

std::uint32_t Nfa::addBody(bool grouped, std::string name)
{
    m_bodies.push_back({state(), grouped, std::move(name)});
    return static_cast<std::uint32_t>(m_bodies.size() - 1);
}

std::uint32_t Nfa::callOfRule(RuleId rule)
{
    const auto [found, added] =
        m_ruleCalls.emplace(rule, static_cast<std::uint32_t>(m_calls.size()));
    if (added) {
        const Rule &called = m_grammar.rules()[rule];
        const std::uint32_t body = addBody(false, called.name);
        m_calls.push_back({.rule = true, .body = body});
        m_open.push_back({body, *called.expr});
    }
    return found->second;
}

std::uint32_t Nfa::callOf(ExprId id)
{
    const auto [found, added] = m_exprCalls.emplace(id, static_cast<std::uint32_t>(m_calls.size()));
    if (!added)
        return found->second;
    const Expr &expr = m_grammar.expr(id);
    const bool group = expr.kind == ExprKind::Group;
    Call call{.expr = id, .body = addBody(group, m_name)};
    m_open.push_back({call.body, group ? id : expr.parts[0]});
    if (group) {
        const ExprId separator = m_grammar.groupOf(expr).separator;
        call.separator = addBody(false, m_name);
        if (m_fulfillable[separator])
            m_open.push_back({call.separator, separator});
    }
    m_calls.push_back(call);
    return found->second;
}

void Nfa::build(ExprId id, StateId from, StateId to)
{
    const Expr &expr = m_grammar.expr(id);
    if (!m_fulfillable[id])
        return;
    switch (expr.kind) {
    case ExprKind::Text:
        return buildText(expr.text, from, to);
    case ExprKind::Chars:
        return buildChars(expr.chars, from, to);
    case ExprKind::Sequence:
        for (const ExprId part : expr.parts) {
            const StateId next = state();
            build(part, from, next);
            from = next;
        }
        m_states[from].free.push_back(to);
        return;
    case ExprKind::Choice:
        for (const ExprId part : expr.parts)
            build(part, from, to);
        return;
    case ExprKind::Repeat:
        if (isCounted(expr) && m_fulfillable[expr.parts[0]]) {
            const std::uint32_t call = callOf(id); // may move the states
            m_states[from].calls.push_back({call, to});
            return;
        }
        return buildRepeat(expr, from, to);
    case ExprKind::Rule:
        if (isCopied(expr.target))
            return build(*m_grammar.rules()[expr.target].expr, from, to);
        {
            const std::uint32_t call = callOfRule(expr.target);
            m_states[from].calls.push_back({call, to});
        }
        return;
    case ExprKind::Group: {
        const std::uint32_t call = callOf(id);
        m_states[from].calls.push_back({call, to});
        return;
    }
    case ExprKind::Dfa:
        return buildDfa(expr, from, to);
    }
}

void Nfa::buildRepeat(const Expr &expr, StateId from, StateId to)
{
    const bool possible = m_fulfillable[expr.parts[0]];
    const auto once = [&](StateId at) {
        const StateId begin = state(), end = state();
        m_states[at].free.push_back(begin);
        build(expr.parts[0], begin, end);
        return std::pair(begin, end);
    };
    for (std::uint32_t i = 0; i < expr.min; ++i)
        from = once(from).second;
    m_states[from].free.push_back(to);
    if (!possible)
        return;
    if (expr.max == kUnlimited) {
        const auto [begin, end] = once(from);
        m_states[end].free.push_back(begin);
        m_states[end].free.push_back(to);
        return;
    }
    for (std::uint32_t i = expr.min; i < expr.max; ++i) {
        from = once(from).second;
        m_states[from].free.push_back(to);
    }
}

void Nfa::buildText(std::string_view bytes, StateId from, StateId to)
{
    std::vector<ByteRange> run;
    for (const char c : bytes)
        run.push_back({static_cast<std::uint8_t>(c), static_cast<std::uint8_t>(c)});
    if (run.empty())
        m_states[from].free.push_back(to);
    else
        buildRun(run, from, to);
}

/// Runs that end alike and lead to the same state share their ends.
void Nfa::buildRun(const std::vector<ByteRange> &run, StateId from, StateId to)
{
    for (std::size_t i = run.size(); i-- > 1;) {
        const std::uint64_t key = (std::uint64_t{to} << 16) | (std::uint64_t{run[i].low} << 8) |
                                  std::uint64_t{run[i].high};
        const auto known = m_suffixes.find(key);
        if (known != m_suffixes.end()) {
            to = known->second;
            continue;
        }
        const StateId before = state();
        m_states[before].bytes.push_back({run[i], to});
        m_suffixes.emplace(key, before);
        to = before;
    }
    m_states[from].bytes.push_back({run[0], to});
}

void Nfa::buildChars(const CharSet &set, StateId from, StateId to)
{
    for (const CharRange &range : set.ranges())
        utf8Runs(range, [&](const std::vector<ByteRange> &run) { buildRun(run, from, to); });
}

/// What JSON must or may write with a backslash, RFC 8259 section 7.
void Nfa::buildEscapes(const CharSet &set, StateId from, StateId to)
{
    constexpr std::array<std::pair<char32_t, char>, 8> kShort{{{'"', '"'},
                                                               {'\\', '\\'},
                                                               {'/', '/'},
                                                               {'\b', 'b'},
                                                               {'\f', 'f'},
                                                               {'\n', 'n'},
                                                               {'\r', 'r'},
                                                               {'\t', 't'}}};
    for (const auto &[c, letter] : kShort)
        if (set.contains(c))
            buildText(std::string{'\\', letter}, from, to);
    for (char32_t c = 0; c < 0x20; ++c) {
        if (!set.contains(c))
            continue;
        const std::string prefix = c < 0x10 ? "\\u000" : "\\u001";
        for (const std::string_view digits : {"0123456789abcdef", "0123456789ABCDEF"})
            buildText(prefix + digits[c % 16], from, to);
    }
}

void Nfa::buildDfa(const Expr &expr, StateId from, StateId to)
{
    const CharDfa &dfa = m_grammar.dfaOf(expr);
    std::vector<StateId> states;
    for (std::size_t i = 0; i < dfa.states().size(); ++i)
        states.push_back(state());
    m_states[from].free.push_back(states[0]);
    for (std::size_t i = 0; i < states.size(); ++i) {
        if (dfa.states()[i].accepts)
            m_states[states[i]].free.push_back(to);
        std::map<std::uint32_t, CharSet> sets;
        for (const CharDfa::Edge &edge : dfa.states()[i].edges)
            sets[edge.target].add(edge.low, edge.high);
        for (const auto &[target, set] : sets) {
            if (expr.encoding == CharEncoding::Plain) {
                buildChars(set, states[i], states[target]);
                continue;
            }
            buildChars(set.without({{0, 0x1F}, {'"', '"'}, {'\\', '\\'}}), states[i],
                       states[target]);
            buildEscapes(set, states[i], states[target]);
        }
    }
}

} // namespace fireside::constrain
