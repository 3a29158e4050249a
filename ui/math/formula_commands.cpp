#include "ui/math/formula_parser.h"

#include "ui/math/command_table.h"
#include "ui/math/symbols.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace fireside {

namespace {

constexpr QChar kNoDelimiter = QLatin1Char('.');

FormulaNode spaceOf(double em)
{
    return {.kind = FormulaNode::Kind::Space, .amount = em, .text = {}};
}

} // namespace

const MathCommand *mathCommand(QStringView name)
{
    const auto *const found =
        std::find_if(std::begin(kMathCommands), std::end(kMathCommands),
                     [name](const MathCommand &c) { return QLatin1String(c.name) == name; });
    return found == std::end(kMathCommands) ? nullptr : found;
}

QStringList mathCommandNames()
{
    QStringList names;
    for (const MathCommand &command : kMathCommands)
        names.append(QString::fromLatin1(command.name));
    return names;
}

void FormulaParser::command(Node &row, QStringView name, Until until)
{
    using Action = MathCommand::Action;
    if (mathSymbol(name)) {
        row.parts.push_back(symbol(name));
        return;
    }
    const MathCommand *found = mathCommand(name);
    if (!found)
        throw NotUnderstood();
    switch (found->action) {
    case Action::Limits:
        if (row.parts.empty() || row.parts.back().cls != MathClass::Op)
            throw NotUnderstood();
        row.parts.back().limits = MathLimits(found->value);
        return;
    case Action::Infix: {
        Node above;
        std::swap(above.parts, row.parts);
        row.parts.push_back(fraction(*found, std::move(above), this->row(until)));
        return;
    }
    case Action::Ignored:
        for (int i = 0; i < found->value; ++i)
            rawArgument();
        return;
    case Action::Space:
        row.parts.push_back(spaceOf(found->value / 18.0));
        return;
    default:
        row.parts.push_back(structure(*found, until));
    }
}

FormulaNode FormulaParser::structure(const MathCommand &command, Until until)
{
    using Action = MathCommand::Action;
    switch (command.action) {
    case Action::Name:
        return {.kind = Node::Kind::Name,
                .cls = MathClass::Op,
                .limits = MathLimits(command.value),
                .text = QString::fromUtf16(command.text)};
    case Action::Fraction: {
        Node above = argument();
        return fraction(command, std::move(above), argument());
    }
    case Action::Root:
        return root();
    case Action::Accent:
    case Action::Brace:
        return accent(command);
    case Action::Alphabet:
    case Action::Switch:
        return inOtherAlphabet(command, until);
    case Action::Words:
        return words(command);
    case Action::Big:
        return bigDelimiter(command);
    case Action::Left:
        return fence();
    case Action::Begin:
        return environment();
    case Action::Colour:
        return colour(command, until);
    case Action::Above:
        return above(command);
    case Action::Arrow:
        return arrow(command);
    case Action::Not:
        return negated();
    case Action::Lines:
        return lines();
    case Action::Modulo:
        return modulo(command);
    default:
        return layoutCommand(command, until);
    }
}

/// Commands that say how something looks.
FormulaNode FormulaParser::layoutCommand(const MathCommand &command, Until until)
{
    using Action = MathCommand::Action;
    Node node;
    switch (command.action) {
    case Action::Style:
        node = {.kind = Node::Kind::Styled, .style = MathStyle(command.value)};
        node.parts.push_back(row(until));
        return node;
    case Action::Length:
        return spaceOf(length(rawArgument()));
    case Action::Framed:
        node.kind = Node::Kind::Framed;
        break;
    case Action::Struck:
        node.kind = Node::Kind::Struck;
        break;
    case Action::Phantom:
        node.kind = Node::Kind::Phantom;
        break;
    case Action::Smashed:
        optionalArgument();
        node.kind = Node::Kind::Smashed;
        break;
    case Action::Operator: {
        const bool starred = takeIf(u"*");
        const Alphabet outer = std::exchange(m_alphabet, Alphabet::Upright);
        node.parts.push_back(argument());
        m_alphabet = outer;
        node.cls = MathClass::Op;
        node.limits = starred ? MathLimits::InDisplay : MathLimits(command.value);
        return node;
    }
    case Action::Class:
        node.cls = MathClass(command.value);
        break;
    case Action::Tag: {
        const bool bare = takeIf(u"*");
        const QString text = rawArgument();
        node.kind = Node::Kind::Tag;
        node.text = bare ? text : QLatin1Char('(') + text + QLatin1Char(')');
        return node;
    }
    default: // \right, \end and \middle without their beginnings
        throw NotUnderstood();
    }
    node.text = QString::fromUtf16(command.text);
    node.parts.push_back(argument());
    return node;
}

FormulaNode FormulaParser::fraction(const MathCommand &command, Node above, Node below) const
{
    Node node{.kind = Node::Kind::Fraction, .cls = MathClass::Inner, .amount = 1};
    node.forced = command.value > 0;
    node.style = MathStyle(std::max(0, command.value - 1));
    QString text = QString::fromUtf16(command.text);
    if (text.startsWith(QLatin1Char('-'))) {
        node.amount = 0;
        text.remove(0, 1);
    }
    node.delimiters = text;
    node.parts.push_back(std::move(above));
    node.parts.push_back(std::move(below));
    return node;
}

FormulaNode FormulaParser::root()
{
    Node node{.kind = Node::Kind::Radical};
    Node degree = optionalArgument();
    node.parts.push_back(argument());
    node.parts.push_back(std::move(degree));
    return node;
}

FormulaNode FormulaParser::accent(const MathCommand &command)
{
    Node node{.kind = Node::Kind::Accent};
    node.stretched = command.value & 1;
    node.below = command.value & 2;
    node.text = QString::fromUtf16(command.text);
    if (command.action == MathCommand::Action::Brace) {
        node.cls = MathClass::Op;
        node.limits = MathLimits::Always;
    }
    node.parts.push_back(argument());
    return node;
}

FormulaNode FormulaParser::inOtherAlphabet(const MathCommand &command, Until until)
{
    const Alphabet outer = std::exchange(m_alphabet, Alphabet(command.value));
    Node node = command.action == MathCommand::Action::Switch ? row(until) : argument();
    m_alphabet = outer;
    return node;
}

/// Words with formulas between dollar signs.
FormulaNode FormulaParser::words(const MathCommand &command)
{
    const QString text = rawArgument();
    Node result;
    const QStringList pieces = text.split(QLatin1Char('$'));
    if (pieces.size() % 2 == 0)
        throw NotUnderstood();
    for (qsizetype i = 0; i < pieces.size(); ++i) {
        if (pieces[i].isEmpty())
            continue;
        if (i % 2) {
            FormulaParser inner(pieces[i]);
            inner.m_depth = m_depth + 1;
            result.parts.push_back(inner.row(Until::End));
            continue;
        }
        static const QRegularExpression kEscaped(QStringLiteral(R"(\\([#$%&_{} ]))"));
        QString words = pieces[i];
        words.replace(QStringLiteral("~"), QStringLiteral(" "));
        words.replace(kEscaped, QStringLiteral("\\1"));
        if (words.contains(QLatin1Char('\\')))
            throw NotUnderstood();
        words.remove(QLatin1Char('{')).remove(QLatin1Char('}'));
        words.replace(QRegularExpression(QStringLiteral("\\s+")), QStringLiteral(" "));
        Node node{.kind = Node::Kind::Words, .text = words};
        node.bold = command.value & 1;
        node.italic = command.value & 2;
        node.mono = command.value & 4;
        result.parts.push_back(std::move(node));
    }
    return result;
}

QChar FormulaParser::delimiter()
{
    const char32_t c = delimiterCharacter(take());
    if (c == 0)
        throw NotUnderstood();
    return QChar(char16_t(c));
}

FormulaNode FormulaParser::bigDelimiter(const MathCommand &command)
{
    static constexpr MathClass kClasses[] = {MathClass::Ord, MathClass::Open, MathClass::Close,
                                             MathClass::Rel};
    Node node{.kind = Node::Kind::Delimiter, .cls = kClasses[command.value % 4]};
    node.amount = command.value / 4;
    node.text = delimiter();
    return node;
}

FormulaNode FormulaParser::fence()
{
    Node node{.kind = Node::Kind::Fence, .cls = MathClass::Inner};
    node.delimiters = delimiter();
    for (bool more = true; more;) {
        node.parts.push_back(row(Until::Right));
        more = take() == u"\\middle";
        node.delimiters += delimiter();
    }
    return node;
}

FormulaNode FormulaParser::colour(const MathCommand &command, Until until)
{
    const bool model = takeIf(u"[");
    const QString space =
        model ? m_source.mid(m_at).toString().section(QLatin1Char(']'), 0, 0) : QString();
    if (model)
        m_at = std::min(m_at + space.size() + 1, m_source.size());
    QString name = rawArgument().trimmed();
    if (space == u"HTML")
        name.prepend(QLatin1Char('#'));
    else if (model)
        throw NotUnderstood();
    const QColor colour(name);
    if (!colour.isValid())
        throw NotUnderstood();
    Node node{.kind = Node::Kind::Coloured};
    (command.value == 2 ? node.background : node.colour) = colour;
    node.parts.push_back(command.value > 0 || peek() == u"{" ? argument() : row(until));
    return node;
}

/// \overset{above}{base} and its like.
FormulaNode FormulaParser::above(const MathCommand &command)
{
    Node script = argument();
    Node base = argument();
    Node node{.kind = Node::Kind::Scripts, .limits = MathLimits::Always};
    node.cls = command.value == 2 ? MathClass::Rel : base.cls;
    base.limits = MathLimits::Always;
    node.parts.push_back(std::move(base));
    node.parts.resize(3);
    node.parts[command.value == 1 ? 1 : 2] = std::move(script);
    return node;
}

FormulaNode FormulaParser::arrow(const MathCommand &command)
{
    Node node{.kind = Node::Kind::Arrow, .cls = MathClass::Rel};
    node.text = QString::fromUtf16(command.text);
    node.parts.push_back(optionalArgument());
    node.parts.push_back(argument());
    return node;
}

/// \not before a relation: its crossed form, or a stroke through it.
FormulaNode FormulaParser::negated()
{
    Node base = argument();
    const QString crossed = (base.text + QChar(0x338)).normalized(QString::NormalizationForm_C);
    if (base.kind == Node::Kind::Symbol && crossed.size() == base.text.size()) {
        base.text = crossed;
        return base;
    }
    Node node{.kind = Node::Kind::Struck, .cls = base.cls, .text = QStringLiteral("/")};
    node.parts.push_back(std::move(base));
    return node;
}

/// \substack: centred lines.
FormulaNode FormulaParser::lines()
{
    const QString text = rawArgument();
    const QString whole = text + QStringLiteral("\\end{substack}");
    FormulaParser inner(whole);
    inner.m_depth = m_depth + 1;
    FormulaGrid grid;
    grid.columns.push_back(ColumnSide::Centre);
    grid.gaps.push_back(0);
    grid.style = MathStyle::Script;
    return inner.cells(QStringLiteral("substack"), std::move(grid));
}

FormulaNode FormulaParser::modulo(const MathCommand &command)
{
    const QStringView kind = command.text;
    Node name{.kind = Node::Kind::Name, .text = QStringLiteral("mod")};
    Node result;
    if (kind == u"b") {
        name.cls = MathClass::Bin;
        return name;
    }
    result.parts.push_back(spaceOf(kind == u" " ? 1 : 0.6));
    const bool fenced = kind != u" ";
    if (fenced)
        result.parts.push_back(character(U'('));
    if (kind != u"(") {
        result.parts.push_back(std::move(name));
        result.parts.push_back(spaceOf(6.0 / 18));
    }
    result.parts.push_back(argument());
    if (fenced)
        result.parts.push_back(character(U')'));
    return result;
}

/// In em; units that a page has and a chat has not are their usual size in text of 10 points.
double FormulaParser::length(const QString &text) const
{
    static const QRegularExpression kLength(
        QStringLiteral(R"(^\s*(-?\d*\.?\d+)\s*(em|ex|mu|pt|px|cm|mm|in)\s*$)"));
    const QRegularExpressionMatch match = kLength.match(text);
    if (!match.hasMatch())
        throw NotUnderstood();
    static constexpr std::pair<const char16_t *, double> kUnits[] = {
        {u"em", 1},    {u"ex", 0.43},  {u"mu", 1 / 18.0}, {u"pt", 0.1},
        {u"px", 0.06}, {u"cm", 2.845}, {u"mm", 0.2845},   {u"in", 7.227}};
    for (const auto &[unit, em] : kUnits) {
        if (match.captured(2) == QStringView(unit))
            return std::clamp(match.captured(1).toDouble() * em, -20.0, 60.0);
    }
    throw NotUnderstood();
}

} // namespace fireside
