#include "engine/constrain/gbnf_reader.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/text/unicode.h"

#include <algorithm>
#include <map>
#include <string>

namespace fireside::constrain {
namespace {

class GbnfReader
{
public:
    GbnfReader(std::string_view source, const GrammarLimits &limits)
        : m_text(source)
        , m_grammar(limits)
    {
        if (source.size() > limits.sourceBytes)
            throwBadInput("a grammar is longer than " + std::to_string(limits.sourceBytes) +
                          " bytes");
        if (!isValidUtf8(source))
            throwBadInput("a grammar is no UTF-8");
    }

    Grammar read()
    {
        for (space(true); !atEnd(); space(true))
            rule();
        const auto root = m_rules.find("root");
        if (root == m_rules.end() || !m_grammar.rules()[root->second].expr)
            throwBadInput("the grammar has no rule 'root'");
        for (const Rule &rule : m_grammar.rules())
            if (!rule.expr)
                throwBadInput("the grammar has no rule " + fireside::quoted(rule.name) +
                              ", which others use");
        m_grammar.setRoot(root->second);
        return std::move(m_grammar);
    }

private:
    [[noreturn]] void fail(const std::string &what) const
    {
        const auto line = 1 + std::count(m_text.begin(),
                                         m_text.begin() + static_cast<std::ptrdiff_t>(m_at), '\n');
        throwBadInput("grammar, line " + std::to_string(line) + ": " + what);
    }
    bool atEnd() const { return m_at >= m_text.size(); }
    char peek() const { return atEnd() ? '\0' : m_text[m_at]; }
    bool take(std::string_view text)
    {
        if (!m_text.substr(m_at).starts_with(text))
            return false;
        m_at += text.size();
        return true;
    }
    void space(bool lines)
    {
        while (!atEnd()) {
            if (peek() == '#') {
                while (!atEnd() && peek() != '\n' && peek() != '\r')
                    ++m_at;
            } else if (peek() == ' ' || peek() == '\t' ||
                       (lines && (peek() == '\n' || peek() == '\r'))) {
                ++m_at;
            } else {
                return;
            }
        }
    }
    static bool isNameByte(char c)
    {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_';
    }
    std::string name()
    {
        const std::size_t start = m_at;
        while (isNameByte(peek()))
            ++m_at;
        if (m_at == start)
            fail("expected the name of a rule");
        return std::string(m_text.substr(start, m_at - start));
    }
    RuleId ruleOf(const std::string &name)
    {
        const auto [found, added] = m_rules.emplace(name, 0);
        if (added)
            found->second = m_grammar.addRule(name);
        return found->second;
    }

    void rule()
    {
        const std::string called = name();
        space(false);
        if (!take("::="))
            fail("expected ::= after " + fireside::quoted(called));
        space(true);
        const RuleId id = ruleOf(called);
        if (m_grammar.rules()[id].expr)
            fail("a second rule " + fireside::quoted(called));
        m_grammar.define(id, choice(false));
        if (!atEnd() && peek() != '\n' && peek() != '\r')
            fail("did not expect " + fireside::quoted(m_text.substr(m_at, 1)));
    }

    /// Whether another alternative follows, on this line or a later one.
    bool takeBar(bool nested)
    {
        const std::size_t start = m_at;
        space(true);
        if (take("|")) {
            space(true);
            return true;
        }
        if (!nested)
            m_at = start;
        return false;
    }

    ExprId choice(bool nested)
    {
        if (++m_nesting > m_grammar.limits().nesting)
            fail("brackets are nested too deep");
        std::vector<ExprId> parts;
        do
            parts.push_back(sequence(nested));
        while (takeBar(nested));
        --m_nesting;
        return m_grammar.choice(std::move(parts));
    }

    ExprId sequence(bool nested)
    {
        std::vector<ExprId> parts;
        for (space(nested); !atEnd(); space(nested)) {
            ExprId part = 0;
            if (take("\""))
                part = text();
            else if (take("["))
                part = m_grammar.chars(characterClass());
            else if (take("."))
                part = m_grammar.chars(CharSet::all());
            else if (take("("))
                part = bracket();
            else if (isNameByte(peek()))
                part = m_grammar.call(ruleOf(name()));
            else if (peek() == '<' || peek() == '!')
                throwUnsupported("not supported: tokens in a grammar, such as <think> or <[1000]>");
            else
                break;
            parts.push_back(repeated(part, nested));
        }
        return m_grammar.sequence(std::move(parts));
    }

    ExprId bracket()
    {
        const ExprId inside = choice(true);
        if (!take(")"))
            fail("a bracket is not closed");
        return inside;
    }

    ExprId repeated(ExprId part, bool nested)
    {
        for (int count = 0;; ++count) {
            if (count > m_grammar.limits().nesting)
                fail("too many signs of repetition");
            const std::size_t start = m_at;
            space(nested);
            if (take("*"))
                part = m_grammar.repeat(part, 0);
            else if (take("+"))
                part = m_grammar.repeat(part, 1);
            else if (take("?"))
                part = m_grammar.optional(part);
            else if (take("{"))
                part = counted(part);
            else {
                m_at = start;
                return part;
            }
        }
    }

    ExprId counted(ExprId part)
    {
        space(false);
        const std::uint32_t min = number();
        std::uint32_t max = min;
        space(false);
        if (take(",")) {
            space(false);
            max = peek() == '}' ? kUnlimited : number();
            space(false);
        }
        if (!take("}"))
            fail("expected } after the numbers of a repetition");
        if (min > max)
            fail("a repetition from a larger to a smaller number");
        return m_grammar.repeat(part, min, max);
    }

    std::uint32_t number()
    {
        std::uint64_t value = 0;
        const std::size_t start = m_at;
        for (; peek() >= '0' && peek() <= '9'; ++m_at)
            value = std::min<std::uint64_t>(value * 10 + static_cast<std::uint64_t>(peek() - '0'),
                                            kUnlimited - 1);
        if (m_at == start)
            fail("expected a number");
        return static_cast<std::uint32_t>(value);
    }

    /// After the quote.
    ExprId text()
    {
        std::string bytes;
        while (!take("\"")) {
            if (atEnd() || peek() == '\n')
                fail("a text does not end");
            appendUtf8(bytes, character());
        }
        return m_grammar.text(std::move(bytes));
    }

    /// After "[".
    CharSet characterClass()
    {
        const bool negated = take("^");
        CharSet set;
        while (!take("]")) {
            if (atEnd() || peek() == '\n')
                fail("a class of characters does not end");
            const char32_t low = character();
            char32_t high = low;
            if (peek() == '-' && m_at + 1 < m_text.size() && m_text[m_at + 1] != ']') {
                ++m_at;
                high = character();
                if (high < low)
                    fail("a range of characters from a larger to a smaller one");
            }
            set.add(low, high);
        }
        return negated ? set.complement() : set;
    }

    char32_t character()
    {
        if (!take("\\")) {
            const Utf8Step step = decodeUtf8(m_text, m_at);
            m_at += step.length;
            return step.codepoint;
        }
        if (atEnd())
            fail("a backslash at the end");
        const char c = m_text[m_at++];
        switch (c) {
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        case 'x':
            return hex(2);
        case 'u':
            return hex(4);
        case 'U':
            return hex(8);
        case '\\':
        case '"':
        case '[':
        case ']':
        case '-':
        case '^':
            return static_cast<unsigned char>(c);
        default:
            break;
        }
        fail("unknown escape " + fireside::quoted("\\" + std::string(1, c)));
    }

    char32_t hex(int digits)
    {
        char32_t value = 0;
        for (int i = 0; i < digits; ++i, ++m_at) {
            const char c = peek();
            const char low = static_cast<char>(c | 0x20);
            if (c >= '0' && c <= '9')
                value = value * 16 + static_cast<char32_t>(c - '0');
            else if (low >= 'a' && low <= 'f')
                value = value * 16 + static_cast<char32_t>(low - 'a' + 10);
            else
                fail("expected " + std::to_string(digits) + " hexadecimal digits");
        }
        if (value > kLastCharacter || (value >= 0xD800 && value <= 0xDFFF))
            fail("no such character");
        return value;
    }

    std::string_view m_text;
    Grammar m_grammar;
    std::size_t m_at = 0;
    int m_nesting = 0;
    std::map<std::string, RuleId> m_rules;
};

} // namespace

Grammar readGbnf(std::string_view source, const GrammarLimits &limits)
{
    return GbnfReader(source, limits).read();
}

} // namespace fireside::constrain
