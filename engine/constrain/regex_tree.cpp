#include "engine/constrain/regex_tree.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/text/unicode.h"

#include <algorithm>
#include <optional>
#include <string>

namespace fireside::constrain {
namespace {

const CharSet kDigits{{'0', '9'}};
const CharSet kWord{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
const CharSet kLineEnds{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}};
const CharSet kSpaces{{'\t', '\r'},     {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680},
                      {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
                      {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};

class RegexReader
{
public:
    RegexReader(std::string_view pattern, const GrammarLimits &limits)
        : m_text(pattern)
        , m_limits(limits)
    {
        if (!isValidUtf8(pattern))
            throwBadInput("a regular expression is no UTF-8");
        if (pattern.size() > limits.sourceBytes)
            throwBadInput("a regular expression is longer than " +
                          std::to_string(limits.sourceBytes) + " bytes");
    }

    RegexTree read()
    {
        choice();
        if (!atEnd())
            fail("a bracket closes that none opened");
        return std::move(m_tree);
    }

private:
    using Id = std::uint32_t;

    [[noreturn]] void fail(const std::string &what) const
    {
        throwBadInput("regular expression " + fireside::quoted(std::string(m_text)) + ", byte " +
                      std::to_string(m_at) + ": " + what);
    }
    [[noreturn]] void refuse(const std::string &what) const
    {
        throwUnsupported("regular expression " + fireside::quoted(std::string(m_text)) + ", byte " +
                         std::to_string(m_at) + ": " + what + " cannot be constrained to");
    }
    bool atEnd() const { return m_at == m_text.size(); }
    char peek() const { return atEnd() ? '\0' : m_text[m_at]; }
    bool take(std::string_view text)
    {
        if (!m_text.substr(m_at).starts_with(text))
            return false;
        m_at += text.size();
        return true;
    }
    char32_t character()
    {
        const Utf8Step step = decodeUtf8(m_text, m_at);
        m_at += step.length;
        return step.codepoint;
    }

    Id add(RegexNode node)
    {
        if (m_tree.nodes.size() >= m_limits.exprs)
            fail("more than " + std::to_string(m_limits.exprs) + " parts");
        m_tree.nodes.push_back(std::move(node));
        return static_cast<Id>(m_tree.nodes.size() - 1);
    }
    Id chars(CharSet set) { return add({.kind = RegexNode::Kind::Chars, .chars = std::move(set)}); }

    Id choice()
    {
        if (++m_nesting > m_limits.nesting)
            fail("brackets are nested more than " + std::to_string(m_limits.nesting) + " deep");
        RegexNode node{.kind = RegexNode::Kind::Choice};
        do
            node.parts.push_back(sequence());
        while (take("|"));
        --m_nesting;
        return add(std::move(node));
    }

    Id sequence()
    {
        RegexNode node{.kind = RegexNode::Kind::Sequence};
        while (!atEnd() && peek() != '|' && peek() != ')')
            node.parts.push_back(term());
        return add(std::move(node));
    }

    Id term()
    {
        const Id part = atom();
        std::uint32_t min = 0, max = 0;
        if (!quantifier(min, max))
            return part;
        const auto kind = m_tree.nodes[part].kind;
        if (kind == RegexNode::Kind::Begin || kind == RegexNode::Kind::End)
            fail("nothing to repeat");
        take("?"); // lazily: the same texts
        if (min > max)
            fail("repetition from a larger to a smaller number");
        if (min > m_limits.repeats || (max != kUnlimited && max > m_limits.repeats))
            fail("more than " + std::to_string(m_limits.repeats) + " repetitions");
        return add({.kind = RegexNode::Kind::Repeat, .min = min, .max = max, .parts = {part}});
    }

    bool quantifier(std::uint32_t &min, std::uint32_t &max)
    {
        const auto is = [&](std::string_view sign, std::uint32_t low, std::uint32_t high) {
            min = low;
            max = high;
            return take(sign);
        };
        if (is("*", 0, kUnlimited) || is("+", 1, kUnlimited) || is("?", 0, 1))
            return true;
        const std::size_t start = m_at;
        if (!take("{"))
            return false;
        const auto low = number();
        std::optional<std::uint32_t> high = low;
        if (low && take(","))
            high = peek() == '}' ? std::optional(kUnlimited) : number();
        if (!low || !high || !take("}")) {
            m_at = start;
            fail("'{' begins no repetition; as a character it is written \\{");
        }
        min = *low;
        max = *high;
        return true;
    }

    std::optional<std::uint32_t> number()
    {
        const std::size_t start = m_at;
        std::uint64_t value = 0;
        for (; peek() >= '0' && peek() <= '9'; ++m_at)
            value = std::min<std::uint64_t>(value * 10 + static_cast<std::uint64_t>(peek() - '0'),
                                            kUnlimited - 1);
        return m_at > start ? std::optional(static_cast<std::uint32_t>(value)) : std::nullopt;
    }

    Id atom()
    {
        if (take("^"))
            return add({.kind = RegexNode::Kind::Begin});
        if (take("$"))
            return add({.kind = RegexNode::Kind::End});
        if (take("."))
            return chars(kLineEnds.complement());
        if (peek() == '(')
            return bracket();
        if (take("["))
            return chars(characterClass());
        if (peek() == '*' || peek() == '+' || peek() == '?' || peek() == '{')
            fail("nothing to repeat");
        if (take("\\"))
            return chars(escape(false));
        const char32_t c = character();
        return chars({{c, c}});
    }

    Id bracket()
    {
        for (const std::string_view look : {"(?=", "(?!", "(?<=", "(?<!"})
            if (m_text.substr(m_at).starts_with(look))
                refuse("look-around " + std::string(look) + "…)");
        if (take("(?<")) {
            while (!atEnd() && peek() != '>')
                ++m_at;
            if (!take(">"))
                fail("a group's name does not end");
        } else if (!take("(?:")) {
            take("(");
            if (peek() == '?')
                refuse("the group (?" + std::string(m_text.substr(m_at + 1, 1)));
        }
        const Id inside = choice();
        if (!take(")"))
            fail("a bracket is not closed");
        return inside;
    }

    /// After "[".
    CharSet characterClass()
    {
        const bool negated = take("^");
        CharSet set;
        while (!take("]")) {
            if (atEnd())
                fail("a class of characters does not end");
            const CharSet low = classAtom();
            if (peek() == '-' && m_at + 1 < m_text.size() && m_text[m_at + 1] != ']') {
                ++m_at;
                const CharSet high = classAtom();
                if (low.count() != 1 || high.count() != 1 ||
                    low.ranges()[0].low > high.ranges()[0].low)
                    fail("a range of characters that is none");
                set.add(low.ranges()[0].low, high.ranges()[0].low);
            } else {
                set.add(low);
            }
        }
        return negated ? set.complement() : set;
    }

    CharSet classAtom()
    {
        if (take("\\"))
            return escape(true);
        const char32_t c =
            atEnd() ? (fail("a class of characters does not end"), U' ') : character();
        return {{c, c}};
    }

    /// After a backslash.
    CharSet escape(bool inClass)
    {
        if (atEnd())
            fail("a backslash at the end");
        const char32_t c = character();
        const auto one = [](char32_t it) { return CharSet{{it, it}}; };
        switch (c) {
        case 'd':
            return kDigits;
        case 'D':
            return kDigits.complement();
        case 'w':
            return kWord;
        case 'W':
            return kWord.complement();
        case 's':
            return kSpaces;
        case 'S':
            return kSpaces.complement();
        case 't':
            return one('\t');
        case 'n':
            return one('\n');
        case 'r':
            return one('\r');
        case 'v':
            return one('\v');
        case 'f':
            return one('\f');
        case 'x':
            return one(hex(2));
        case 'u':
            return one(unicode());
        case 'c':
            return one(control());
        case 'p':
        case 'P':
            refuse("the Unicode property \\p{…}");
        case 'k':
            refuse("a back reference");
        case 'B':
            refuse("a word boundary");
        case 'b':
            if (!inClass)
                refuse("a word boundary");
            return one('\b');
        case '0':
            return one(0);
        default:
            break;
        }
        if (c >= '1' && c <= '9')
            refuse("a back reference");
        if (c < 0x80 && CharSet{{'A', 'Z'}, {'a', 'z'}}.contains(c))
            fail("unknown escape");
        return one(c);
    }

    char32_t hex(int digits)
    {
        char32_t value = 0;
        for (int i = 0; i < digits; ++i, ++m_at)
            value = value * 16 + hexDigit();
        return value;
    }
    char32_t hexDigit() const
    {
        const char c = peek();
        if (c >= '0' && c <= '9')
            return static_cast<char32_t>(c - '0');
        const char low = static_cast<char>(c | 0x20);
        if (low < 'a' || low > 'f')
            fail("expected a hexadecimal digit");
        return static_cast<char32_t>(low - 'a' + 10);
    }
    char32_t unicode()
    {
        if (take("{")) {
            char32_t value = 0;
            for (; peek() != '}'; ++m_at)
                if ((value = value * 16 + hexDigit()) > kLastCharacter)
                    fail("no such character");
            ++m_at;
            return value;
        }
        const char32_t first = hex(4);
        if (first >= 0xD800 && first <= 0xDBFF && take("\\u")) {
            const char32_t second = hex(4);
            if (second < 0xDC00 || second > 0xDFFF)
                fail("half of a surrogate pair");
            return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        }
        if (first >= 0xD800 && first <= 0xDFFF)
            fail("half of a surrogate pair");
        return first;
    }
    char32_t control()
    {
        const char c = peek();
        if (!CharSet{{'A', 'Z'}, {'a', 'z'}}.contains(static_cast<unsigned char>(c)))
            fail("expected a letter after \\c");
        ++m_at;
        return static_cast<char32_t>(c & 0x1F);
    }

    std::string_view m_text;
    const GrammarLimits &m_limits;
    std::size_t m_at = 0;
    int m_nesting = 0;
    RegexTree m_tree;
};

} // namespace

RegexTree readRegexTree(std::string_view pattern, const GrammarLimits &limits)
{
    return RegexReader(pattern, limits).read();
}

} // namespace fireside::constrain
