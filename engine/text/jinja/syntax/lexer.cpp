#include "engine/text/jinja/syntax/lexer.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/text/jinja/values/literals.h"
#include "engine/text/jinja/values/text_tools.h"

#include <algorithm>
#include <array>

namespace fireside::jinja {

namespace {

constexpr std::size_t MaxSourceBytes = 4'000'000;

std::string normalizeNewlines(std::string_view source)
{
    std::string out;
    out.reserve(source.size());
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] != '\r') {
            out += source[i];
            continue;
        }
        out += '\n';
        if (i + 1 < source.size() && source[i + 1] == '\n')
            ++i;
    }
    if (!out.empty() && out.back() == '\n')
        out.pop_back();
    return out;
}

bool isNameByte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

class Lexer
{
public:
    explicit Lexer(std::string_view source)
        : m_source(normalizeNewlines(source))
    {
        for (std::size_t i = 0; i < m_source.size(); ++i) {
            if (m_source[i] == '\n')
                m_lineStarts.push_back(i + 1);
        }
    }

    std::vector<Token> run()
    {
        while (m_at < m_source.size())
            lexText();
        push(TokenKind::End, m_source.size());
        return std::move(m_tokens);
    }

private:
    /// Tokens come in order, so the column is counted on from the last one: linear in all even for
    /// a template that is one long line.
    Position position(std::size_t offset) const
    {
        const auto next = std::upper_bound(m_lineStarts.begin(), m_lineStarts.end(), offset);
        const std::size_t start = *(next - 1);
        if (m_countedTo < start || m_countedTo > offset) {
            m_countedTo = start;
            m_column = 1;
        }
        const std::string_view passed = std::string_view(m_source).substr(m_countedTo);
        m_column += static_cast<int>(countCharacters(passed.substr(0, offset - m_countedTo)));
        m_countedTo = offset;
        return {static_cast<int>(next - m_lineStarts.begin()), m_column};
    }

    Token &push(TokenKind kind, std::size_t offset, std::string text = {})
    {
        Token token;
        token.kind = kind;
        token.at = position(offset);
        token.text = std::move(text);
        m_tokens.push_back(std::move(token));
        return m_tokens.back();
    }

    [[noreturn]] void fail(std::size_t offset, const std::string &message) const
    {
        throwSyntaxError(position(offset), message);
    }

    char peek(std::size_t offset) const
    {
        return offset < m_source.size() ? m_source[offset] : '\0';
    }
    bool startsWith(std::size_t offset, std::string_view text) const
    {
        return m_source.compare(offset, text.size(), text) == 0;
    }

    /// Offset of the next {%, {{ or {#.
    std::size_t findOpening(std::size_t from) const
    {
        for (std::size_t at = m_source.find('{', from); at != std::string::npos;
             at = m_source.find('{', at + 1)) {
            const char next = peek(at + 1);
            if (next == '%' || next == '{' || next == '#')
                return at;
        }
        return std::string::npos;
    }

    /// Pushes source[begin, end) as text, cut as the tag that follows asks for.
    void pushData(std::size_t begin, std::size_t end, char sign, bool isVariable)
    {
        std::string_view text = std::string_view(m_source).substr(begin, end - begin);
        if (sign == '-') {
            text = text.substr(0, stripSpace(text, false, true).end);
        } else if (sign != '+' && !isVariable) {
            const std::size_t lineStart = text.rfind('\n') + 1; // 0 when there is none
            const bool atLineStart = lineStart > 0 || begin == 0 || m_source[begin - 1] == '\n';
            const std::string_view lead = text.substr(lineStart);
            if (atLineStart && stripSpace(lead, false, true).end == 0)
                text = text.substr(0, lineStart);
        }
        if (!text.empty())
            push(TokenKind::Data, begin, std::string(text));
    }

    void skipSpace()
    {
        const std::string_view rest = std::string_view(m_source).substr(m_at);
        m_at += stripSpace(rest, true, false).begin;
    }

    /// After a closing tag: '-' eats all white space, '+' nothing, otherwise one newline goes.
    void finishTag(char sign, bool trimNewline)
    {
        if (sign == '-')
            skipSpace();
        else if (sign != '+' && trimNewline && peek(m_at) == '\n')
            ++m_at;
    }

    void lexText()
    {
        const std::size_t begin = m_at;
        const std::size_t open = findOpening(begin);
        if (open == std::string::npos) {
            push(TokenKind::Data, begin, m_source.substr(begin));
            m_at = m_source.size();
            return;
        }
        const char kind = m_source[open + 1];
        const char next = peek(open + 2);
        const char sign = next == '-' || next == '+' ? next : '\0';
        pushData(begin, open, sign, kind == '{');
        m_at = open + 2 + (sign ? 1 : 0);
        if (kind == '#')
            lexComment(open);
        else if (kind == '{')
            lexTag(open, TokenKind::VariableBegin, TokenKind::VariableEnd, "}}");
        else if (!lexRaw(open))
            lexTag(open, TokenKind::BlockBegin, TokenKind::BlockEnd, "%}");
    }

    void lexComment(std::size_t open)
    {
        const std::size_t begin = m_at;
        const std::size_t close = m_source.find("#}", begin);
        if (close == std::string::npos)
            fail(open, "missing end of comment tag");
        const char sign = close > begin ? m_source[close - 1] : '\0';
        m_at = close + 2;
        finishTag(sign, true);
    }

    /// Matches a block tag holding only `word` at `at`; gives the offset after it and its end sign.
    bool matchWordTag(std::size_t at, std::string_view word, std::size_t &after, char &sign) const
    {
        const auto skip = [&](std::size_t i) {
            return i + stripSpace(std::string_view(m_source).substr(i), true, false).begin;
        };
        at = skip(at);
        if (!startsWith(at, word))
            return false;
        at = skip(at + word.size());
        sign = peek(at) == '-' || peek(at) == '+' ? peek(at) : '\0';
        at += sign ? 1 : 0;
        after = at + 2;
        return startsWith(at, "%}");
    }

    bool lexRaw(std::size_t open)
    {
        std::size_t after = 0;
        char sign = 0;
        if (!matchWordTag(m_at, "raw", after, sign))
            return false;
        m_at = after;
        finishTag(sign, false);
        for (std::size_t at = m_source.find("{%", m_at); at != std::string::npos;
             at = m_source.find("{%", at + 1)) {
            const char next = peek(at + 2);
            const char beginSign = next == '-' || next == '+' ? next : '\0';
            if (!matchWordTag(at + 2 + (beginSign ? 1 : 0), "endraw", after, sign))
                continue;
            pushData(m_at, at, beginSign, false);
            m_at = after;
            finishTag(sign, true);
            return true;
        }
        fail(open, "missing end of raw block");
    }

    void lexTag(std::size_t open, TokenKind begin, TokenKind end, std::string_view close)
    {
        push(begin, open);
        std::vector<char> brackets; // closers still expected
        const bool isBlock = begin == TokenKind::BlockBegin;
        while (true) {
            skipSpace();
            if (m_at >= m_source.size())
                fail(open, isBlock ? "this {% has no %}" : "this {{ has no }}");
            if (brackets.empty()) {
                const char c = m_source[m_at];
                const char sign = c == '-' || (c == '+' && isBlock) ? c : '\0';
                if (startsWith(m_at + (sign ? 1 : 0), close)) {
                    push(end, m_at);
                    m_at += close.size() + (sign ? 1 : 0);
                    finishTag(sign, isBlock);
                    return;
                }
            }
            lexToken(brackets);
        }
    }

    void lexToken(std::vector<char> &brackets)
    {
        const char c = m_source[m_at];
        if (c >= '0' && c <= '9')
            return lexNumber();
        if (isNameByte(c)) {
            const std::size_t begin = m_at;
            while (m_at < m_source.size() && isNameByte(m_source[m_at]))
                ++m_at;
            push(TokenKind::Name, begin, m_source.substr(begin, m_at - begin));
            return;
        }
        if (c == '"' || c == '\'')
            return lexString(c);
        lexOperator(brackets);
    }

    void lexNumber()
    {
        const bool afterDot = !m_tokens.empty() && m_tokens.back().isOperator(".");
        const NumberLiteral number = readNumber(std::string_view(m_source).substr(m_at), !afterDot);
        if (number.tooLarge)
            fail(m_at, "this number does not fit 64 bits");
        Token &token = push(number.isFloat ? TokenKind::Float : TokenKind::Integer, m_at,
                            m_source.substr(m_at, number.length));
        token.integer = number.integer;
        token.number = number.value;
        m_at += number.length;
    }

    void lexString(char quote)
    {
        const std::size_t begin = m_at++;
        while (m_at < m_source.size() && m_source[m_at] != quote)
            m_at += m_source[m_at] == '\\' ? 2 : 1;
        if (m_at >= m_source.size())
            fail(begin, "this string has no end");
        const auto body = std::string_view(m_source).substr(begin + 1, m_at - begin - 1);
        std::string value;
        if (!decodeEscapes(body, value))
            fail(begin, "this string has a malformed escape");
        push(TokenKind::String, begin, std::move(value));
        ++m_at;
    }

    void lexOperator(std::vector<char> &brackets)
    {
        static constexpr std::array<std::string_view, 6> Double = {
            "//", "**", "==", "!=", "<=", ">="};
        static constexpr std::string_view Single = "+-*/%~()[]{}<>=.:|,;";
        for (const auto op : Double) {
            if (startsWith(m_at, op)) {
                push(TokenKind::Operator, m_at, std::string(op));
                m_at += 2;
                return;
            }
        }
        const char c = m_source[m_at];
        if (Single.find(c) == std::string_view::npos)
            fail(m_at, std::string("unexpected character '") + c + "'");
        if (c == '(' || c == '[' || c == '{') {
            brackets.push_back(c == '(' ? ')' : c == '[' ? ']' : '}');
        } else if (c == ')' || c == ']' || c == '}') {
            if (brackets.empty())
                fail(m_at, std::string("unexpected '") + c + "'");
            if (brackets.back() != c)
                fail(m_at,
                     std::string("unexpected '") + c + "', expected '" + brackets.back() + "'");
            brackets.pop_back();
        }
        push(TokenKind::Operator, m_at, std::string(1, c));
        ++m_at;
    }

    std::string m_source;
    std::vector<std::size_t> m_lineStarts{0};
    std::vector<Token> m_tokens;
    std::size_t m_at = 0;
    mutable std::size_t m_countedTo = 0; // m_column is the column of this offset
    mutable int m_column = 1;
};

} // namespace

std::string Token::describe() const
{
    switch (kind) {
    case TokenKind::Data:
        return "template text";
    case TokenKind::BlockBegin:
        return "'{%'";
    case TokenKind::BlockEnd:
        return "the end of the statement";
    case TokenKind::VariableBegin:
        return "'{{'";
    case TokenKind::VariableEnd:
        return "the end of the expression";
    case TokenKind::String:
        return "a string";
    case TokenKind::End:
        return "the end of the template";
    default:
        return fireside::quoted(text);
    }
}

std::vector<Token> tokenize(std::string_view source)
{
    if (source.size() > MaxSourceBytes)
        throwBadInput("The chat template is " + formatBytes(source.size()) +
                      " long; the limit is " + formatBytes(MaxSourceBytes));
    return Lexer(source).run();
}

void throwSyntaxError(Position at, const std::string &message)
{
    throwBadInput("The chat template has a syntax error at line " + std::to_string(at.line) +
                  ", column " + std::to_string(at.column) + ": " + message);
}

} // namespace fireside::jinja
