#include "engine/constrain/schema/json_text.h"

#include "engine/constrain/regex_reader.h"

#include <cmath>

namespace fireside::constrain {
namespace {

constexpr std::uint32_t kDeepestIndent = 32; // columns

} // namespace

ExprId JsonText::space()
{
    if (!m_space) {
        if (m_options.compact)
            m_space = m_grammar.empty();
        else
            m_space = m_grammar.choice(
                {m_grammar.empty(), m_grammar.text(" "),
                 m_grammar.sequence(
                     {m_grammar.text("\n"),
                      m_grammar.repeat(m_grammar.chars({{' ', ' '}}), 0, kDeepestIndent)})});
    }
    return *m_space;
}

ExprId JsonText::colon()
{
    if (!m_colon)
        m_colon = m_options.compact ? m_grammar.text(":")
                                    : m_grammar.sequence({m_grammar.text(":"),
                                                          m_grammar.optional(m_grammar.text(" "))});
    return *m_colon;
}

ExprId JsonText::comma()
{
    if (!m_comma)
        m_comma = m_grammar.sequence({space(), m_grammar.text(","), space()});
    return *m_comma;
}

/// Surrogates only as pairs.
ExprId JsonText::character()
{
    if (m_character)
        return *m_character;
    const auto set = [&](std::string_view ascii) { return m_grammar.chars(CharSet::of(ascii)); };
    const ExprId hex = set("0123456789abcdefABCDEF"), d = set("dD");
    const ExprId high = m_grammar.sequence({d, set("89abAB"), hex, hex});
    const ExprId low = m_grammar.sequence({d, set("cdefCDEF"), hex, hex});
    const ExprId plain =
        m_grammar.choice({m_grammar.sequence({set("0123456789abcefABCEF"), hex, hex, hex}),
                          m_grammar.sequence({d, set("01234567"), hex, hex})});
    m_character = m_grammar.choice(
        {m_grammar.chars(CharSet{{0, 0x1F}, {'"', '"'}, {'\\', '\\'}}.complement()),
         m_grammar.sequence(
             {m_grammar.text("\\"),
              m_grammar.choice(
                  {set("\"\\/bfnrt"),
                   m_grammar.sequence(
                       {m_grammar.text("u"),
                        m_grammar.choice({plain, m_grammar.sequence(
                                                     {high, m_grammar.text("\\u"), low})})})})})});
    return *m_character;
}

ExprId JsonText::shared(std::optional<RuleId> &rule, const char *name, ExprId (JsonText::*make)())
{
    if (!rule) {
        rule = m_grammar.addRule(name, true);
        m_grammar.define(*rule, (this->*make)());
    }
    return m_grammar.call(*rule);
}

ExprId JsonText::string()
{
    return shared(m_string, "any string", &JsonText::makeString);
}
ExprId JsonText::number()
{
    return shared(m_number, "any number", &JsonText::makeNumber);
}
ExprId JsonText::integer()
{
    return shared(m_integer, "any integer", &JsonText::makeInteger);
}
ExprId JsonText::value()
{
    return shared(m_value, "any value", &JsonText::makeValue);
}
ExprId JsonText::object()
{
    return shared(m_object, "any object", &JsonText::makeObject);
}
ExprId JsonText::array()
{
    return shared(m_array, "any list", &JsonText::makeArray);
}

ExprId JsonText::makeString()
{
    return m_grammar.sequence(
        {m_grammar.text("\""), m_grammar.repeat(character(), 0), m_grammar.text("\"")});
}

ExprId JsonText::string(CharDfa dfa)
{
    return m_grammar.sequence({m_grammar.text("\""),
                               m_grammar.dfa(std::move(dfa), CharEncoding::JsonString),
                               m_grammar.text("\"")});
}

/// Not so large that readers would take it for infinite.
ExprId JsonText::makeNumber()
{
    return m_grammar.dfa(readRegex("-?(0|[1-9][0-9]{0,19})(\\.[0-9]{1,20})?"
                                   "([eE][+-]?(0|[1-9][0-9]?|1[0-9]{2}|2[0-7][0-9]))?",
                                   RegexMatch::Whole, m_grammar.limits()),
                         CharEncoding::Plain);
}

ExprId JsonText::makeInteger()
{
    return m_grammar.dfa(readRegex("-?(0|[1-9][0-9]{0,19})", RegexMatch::Whole, m_grammar.limits()),
                         CharEncoding::Plain);
}

ExprId JsonText::makeValue()
{
    return m_grammar.choice({string(), number(), object(), array(), m_grammar.text("true"),
                             m_grammar.text("false"), m_grammar.text("null")});
}

ExprId JsonText::makeObject()
{
    const ExprId member = m_grammar.sequence({string(), colon(), value()});
    return m_grammar.sequence(
        {m_grammar.text("{"), space(),
         m_grammar.optional(m_grammar.sequence(
             {member, m_grammar.repeat(m_grammar.sequence({comma(), member}), 0), space()})),
         m_grammar.text("}")});
}

ExprId JsonText::makeArray()
{
    return m_grammar.sequence(
        {m_grammar.text("["), space(),
         m_grammar.optional(m_grammar.sequence(
             {value(), m_grammar.repeat(m_grammar.sequence({comma(), value()}), 0), space()})),
         m_grammar.text("]")});
}

ExprId JsonText::key(const std::string &name)
{
    return m_grammar.sequence({m_grammar.text(Json(name).dump()), colon()});
}

ExprId JsonText::literal(const Json &value)
{
    if (value.is_object()) {
        Group group{.separator = comma(), .anyOrder = m_options.anyOrder};
        for (const auto &[name, member] : value.items())
            group.items.push_back({m_grammar.sequence({key(name), literal(member)}), true, false});
        return m_grammar.sequence({m_grammar.text("{"), space(), m_grammar.group(std::move(group)),
                                   space(), m_grammar.text("}")});
    }
    if (value.is_array()) {
        std::vector<ExprId> parts{m_grammar.text("["), space()};
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (i > 0)
                parts.push_back(comma());
            parts.push_back(literal(value[i]));
        }
        parts.insert(parts.end(), {space(), m_grammar.text("]")});
        return m_grammar.sequence(std::move(parts));
    }
    const std::string text = value.dump();
    constexpr double kExact = 9e15;
    if (value.is_number_float() && std::abs(value.get<double>()) < kExact &&
        value.get<double>() == std::floor(value.get<double>())) // 1.0 is 1
        return m_grammar.choice(
            {m_grammar.text(text),
             m_grammar.text(std::to_string(static_cast<long long>(value.get<double>())))});
    return m_grammar.text(text);
}

} // namespace fireside::constrain
