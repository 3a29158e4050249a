#include "engine/constrain/grammar.h"

#include "engine/core/error.h"

#include <algorithm>

namespace fireside::constrain {

ExprId Grammar::add(Expr expr)
{
    if (m_exprs.size() >= m_limits.exprs)
        throwBadInput("the grammar has more than " + std::to_string(m_limits.exprs) + " parts");
    m_exprs.push_back(std::move(expr));
    return static_cast<ExprId>(m_exprs.size() - 1);
}

ExprId Grammar::text(std::string bytes)
{
    return add({.kind = ExprKind::Text, .text = std::move(bytes)});
}

ExprId Grammar::chars(CharSet set)
{
    return add({.kind = ExprKind::Chars, .chars = std::move(set)});
}

ExprId Grammar::sequence(std::vector<ExprId> parts)
{
    return parts.size() == 1 ? parts[0]
                             : add({.kind = ExprKind::Sequence, .parts = std::move(parts)});
}

ExprId Grammar::choice(std::vector<ExprId> parts)
{
    return parts.size() == 1 ? parts[0]
                             : add({.kind = ExprKind::Choice, .parts = std::move(parts)});
}

ExprId Grammar::repeat(ExprId part, std::uint32_t min, std::uint32_t max)
{
    if (min > m_limits.repeats || (max != kUnlimited && max > m_limits.repeats))
        throwBadInput("something is to be repeated more than " + std::to_string(m_limits.repeats) +
                      " times");
    if (min > max)
        return nothing();
    if (max == 0)
        return empty();
    if (min == 1 && max == 1)
        return part;
    return add({.kind = ExprKind::Repeat, .min = min, .max = max, .parts = {part}});
}

ExprId Grammar::call(RuleId rule)
{
    return add({.kind = ExprKind::Rule, .target = rule});
}

ExprId Grammar::group(Group group)
{
    if (group.items.size() > kMostItems)
        throwUnsupported("not supported: " + std::to_string(group.items.size()) +
                         " properties of one object, " + std::to_string(kMostItems) +
                         " at most are");
    m_groups.push_back(std::move(group));
    return add(
        {.kind = ExprKind::Group, .target = static_cast<std::uint32_t>(m_groups.size() - 1)});
}

ExprId Grammar::dfa(CharDfa dfa, CharEncoding encoding)
{
    if (dfa.isEmpty())
        return nothing();
    m_dfas.push_back(std::move(dfa));
    return add({.kind = ExprKind::Dfa,
                .encoding = encoding,
                .target = static_cast<std::uint32_t>(m_dfas.size() - 1)});
}

ExprId Grammar::embed(const Grammar &other)
{
    const auto exprs = static_cast<ExprId>(m_exprs.size());
    const auto rules = static_cast<RuleId>(m_rules.size());
    const auto groups = static_cast<std::uint32_t>(m_groups.size());
    const auto dfas = static_cast<std::uint32_t>(m_dfas.size());
    for (Expr expr : other.m_exprs) {
        for (ExprId &part : expr.parts)
            part += exprs;
        if (expr.kind == ExprKind::Rule)
            expr.target += rules;
        else if (expr.kind == ExprKind::Group)
            expr.target += groups;
        else if (expr.kind == ExprKind::Dfa)
            expr.target += dfas;
        add(std::move(expr));
    }
    for (Group group : other.m_groups) {
        for (Group::Item &item : group.items)
            item.expr += exprs;
        group.separator += exprs;
        m_groups.push_back(std::move(group));
    }
    m_dfas.insert(m_dfas.end(), other.m_dfas.begin(), other.m_dfas.end());
    for (Rule rule : other.m_rules) {
        if (rule.expr)
            *rule.expr += exprs;
        m_rules.push_back(std::move(rule));
    }
    notes.insert(notes.end(), other.notes.begin(), other.notes.end());
    return call(rules + other.m_root);
}

RuleId Grammar::addRule(std::string name, bool shared)
{
    m_rules.push_back({std::move(name), {}, shared});
    return static_cast<RuleId>(m_rules.size() - 1);
}

bool Grammar::isFulfillable(const Expr &expr, const std::vector<bool> &known) const
{
    const auto is = [&](ExprId id) { return known[id]; };
    switch (expr.kind) {
    case ExprKind::Text:
    case ExprKind::Dfa:
        return true;
    case ExprKind::Chars:
        return !expr.chars.empty();
    case ExprKind::Sequence:
        return std::all_of(expr.parts.begin(), expr.parts.end(), is);
    case ExprKind::Choice:
        return std::any_of(expr.parts.begin(), expr.parts.end(), is);
    case ExprKind::Repeat:
        return expr.min == 0 || is(expr.parts[0]);
    case ExprKind::Rule:
        return m_rules[expr.target].expr && is(*m_rules[expr.target].expr);
    case ExprKind::Group:
        break;
    }
    const Group &group = groupOf(expr);
    std::size_t there = 0, required = 0;
    bool repeats = false;
    for (const Group::Item &item : group.items) {
        required += item.required;
        there += is(item.expr);
        repeats = repeats || (is(item.expr) && item.repeatable);
        if (item.required && !is(item.expr))
            return false;
    }
    return required <= group.max && (there >= group.min || repeats) &&
           (there + repeats < 2 || is(group.separator));
}

std::vector<bool> Grammar::fulfillable() const
{
    std::vector<bool> known(m_exprs.size());
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < m_exprs.size(); ++i)
            if (!known[i] && isFulfillable(m_exprs[i], known))
                changed = known[i] = true;
    }
    return known;
}

} // namespace fireside::constrain
