#include "ui/math/formula_parser.h"

#include "ui/math/symbols.h"

#include <QStringList>

namespace fireside {

namespace {

constexpr int kMostNodes = 6000;

QString textOf(char32_t c)
{
    return QString::fromUcs4(&c, 1);
}

bool isLetter(QChar c)
{
    return (c >= QLatin1Char('a') && c <= QLatin1Char('z')) ||
           (c >= QLatin1Char('A') && c <= QLatin1Char('Z'));
}

} // namespace

std::optional<FormulaNode> parseFormula(QStringView source)
{
    if (source.size() > kLongestFormula || source.trimmed().isEmpty())
        return std::nullopt;
    try {
        return FormulaParser(source).parse();
    } catch (const NotUnderstood &) {
        return std::nullopt;
    }
}

FormulaNode FormulaParser::parse()
{
    return row(Until::End);
}

/// Skips white space and comments.
bool FormulaParser::atEnd()
{
    while (m_at < m_source.size()) {
        if (m_source[m_at] == QLatin1Char('%')) {
            const qsizetype end = m_source.indexOf(QLatin1Char('\n'), m_at);
            m_at = end < 0 ? m_source.size() : end;
        } else if (m_source[m_at].isSpace()) {
            ++m_at;
        } else {
            return false;
        }
    }
    return true;
}

/// A command with its backslash, or one character.
QStringView FormulaParser::peek()
{
    if (atEnd())
        return {};
    qsizetype end = m_at + 1;
    if (m_source[m_at] == QLatin1Char('\\')) {
        while (end < m_source.size() && isLetter(m_source[end]))
            ++end;
        if (end == m_at + 1)
            ++end;
    } else if (m_source[m_at].isHighSurrogate()) {
        ++end;
    }
    return m_source.mid(m_at, std::min(end, m_source.size()) - m_at);
}

QStringView FormulaParser::take()
{
    const QStringView token = peek();
    m_at += token.size();
    return token;
}

bool FormulaParser::takeIf(QStringView token)
{
    if (peek() != token)
        return false;
    take();
    return true;
}

bool FormulaParser::endsRow(QStringView token, Until until) const
{
    switch (until) {
    case Until::End:
        return token.isEmpty();
    case Until::Brace:
        return token == u"}";
    case Until::Bracket:
        return token == u"]";
    case Until::Right:
        return token == u"\\right" || token == u"\\middle";
    case Until::Cell:
        return token == u"&" || token == u"\\\\" || token == u"\\cr" || token == u"\\end";
    }
    return true;
}

/// Up to the token that ends it, which is left.
FormulaNode FormulaParser::row(Until until)
{
    if (++m_depth > kDeepestFormula)
        throw NotUnderstood();
    Node result;
    const Alphabet alphabet = m_alphabet;
    for (;;) {
        const QStringView token = peek();
        if (endsRow(token, until))
            break;
        if (token.isEmpty() || ++m_nodes > kMostNodes)
            throw NotUnderstood();
        item(result, token, until);
    }
    m_alphabet = alphabet;
    --m_depth;
    return result;
}

void FormulaParser::item(Node &row, QStringView token, Until until)
{
    if (token == u"^" || token == u"_" || token == u"'" || token == u"’")
        return script(row, token);
    if (token == u"{") {
        take();
        row.parts.push_back(this->row(Until::Brace));
        take();
        return;
    }
    if (token == u"}" || token == u"&" || token == u"#" || token == u"$")
        throw NotUnderstood();
    take();
    if (token == u"~") {
        row.parts.push_back({.kind = Node::Kind::Space, .amount = 6.0 / 18, .text = {}});
        return;
    }
    if (token[0] == QLatin1Char('\\'))
        return command(row, token.mid(1), until);
    row.parts.push_back(character(token.toUcs4().value(0)));
}

FormulaNode FormulaParser::character(char32_t c) const
{
    if (c == U'-')
        c = 0x2212;
    Node node{.kind = Node::Kind::Symbol, .cls = classOf(c)};
    if (c == U'*')
        c = 0x2217;
    if (c == U':')
        c = 0x2236;
    const bool known = c < 0x250 || (c >= 0x370 && c < 0x400) || (c >= 0x2000 && c < 0x2C00) ||
                       (c >= 0x1D400 && c < 0x1D800);
    if (!known) { // other scripts are shaped as words
        node.kind = Node::Kind::Words;
        node.text = textOf(c);
        return node;
    }
    node.text = textOf(inAlphabet(c, m_alphabet));
    return node;
}

FormulaNode FormulaParser::symbol(QStringView name) const
{
    const MathSymbol *found = mathSymbol(name);
    if (!found)
        throw NotUnderstood();
    const char32_t c = found->character;
    return {.kind = Node::Kind::Symbol,
            .cls = found->cls,
            .limits = found->limits,
            .large = found->large,
            .text = textOf(c < 0x80 ? c : inAlphabet(c, m_alphabet))};
}

/// Puts a script on what stands before it.
void FormulaParser::script(Node &row, QStringView token)
{
    const bool below = token == u"_";
    const bool prime = token != u"_" && token != u"^";
    Node script;
    if (prime) {
        while (takeIf(u"'") || takeIf(u"’"))
            script.parts.push_back({.kind = Node::Kind::Symbol, .text = QStringLiteral("′")});
        if (takeIf(u"^"))
            script.parts.push_back(argument());
    } else {
        take();
        script = argument();
    }
    if (row.parts.empty() || row.parts.back().kind == Node::Kind::Space)
        row.parts.emplace_back();
    Node &base = row.parts.back();
    if (base.kind != Node::Kind::Scripts) {
        Node scripts{.kind = Node::Kind::Scripts, .cls = base.cls, .limits = base.limits};
        scripts.parts.push_back(std::move(base));
        scripts.parts.resize(3);
        base = std::move(scripts);
    }
    Node &place = base.parts[below ? 1 : 2];
    if (!place.parts.empty() || place.kind != Node::Kind::Row)
        throw NotUnderstood(); // a double script
    if (script.kind == Node::Kind::Row && script.parts.empty())
        script = {.kind = Node::Kind::Space, .text = {}};
    place = std::move(script);
}

/// A group, a command with its arguments, or one character.
FormulaNode FormulaParser::argument()
{
    if (++m_depth > kDeepestFormula || ++m_nodes > kMostNodes)
        throw NotUnderstood();
    Node result;
    const QStringView token = peek();
    if (token == u"{") {
        take();
        result = row(Until::Brace);
        take();
    } else if (token.isEmpty() || token == u"}" || token == u"&" || token == u"^" ||
               token == u"_" || token == u"\\\\" || token == u"\\end" || token == u"\\right") {
        throw NotUnderstood();
    } else {
        item(result, token, Until::End);
        if (result.parts.size() == 1) {
            Node only = std::move(result.parts[0]);
            result = std::move(only);
        }
    }
    --m_depth;
    return result;
}

/// What stands between braces, as it is written.
QString FormulaParser::rawArgument()
{
    if (!takeIf(u"{"))
        throw NotUnderstood();
    const qsizetype start = m_at;
    int open = 1;
    for (; m_at < m_source.size(); ++m_at) {
        if (m_source[m_at] == QLatin1Char('\\'))
            ++m_at;
        else if (m_source[m_at] == QLatin1Char('{'))
            ++open;
        else if (m_source[m_at] == QLatin1Char('}') && --open == 0)
            return m_source.mid(start, m_at++ - start).toString();
    }
    throw NotUnderstood();
}

FormulaNode FormulaParser::optionalArgument()
{
    if (!takeIf(u"["))
        return {};
    Node result = row(Until::Bracket);
    take();
    return result;
}

QStringList formulaCommands()
{
    QStringList names = mathSymbolNames() + mathCommandNames();
    names.sort();
    names.removeDuplicates();
    return names;
}

} // namespace fireside
