#include "ui/math/formula_layout.h"

#include <QTextLayout>

#include <algorithm>

namespace fireside {

namespace {

using Kind = FormulaNode::Kind;
constexpr double kThin = 3.0 / 18, kMedium = 4.0 / 18, kThick = 5.0 / 18;

/// The TeXbook, page 170: 1 thin, 2 medium, 3 thick; negative: not in scripts.
constexpr int kSpaces[8][8] = {{0, 1, -2, -3, 0, 0, 0, -1},     {1, 1, 0, -3, 0, 0, 0, -1},
                               {-2, -2, 0, 0, -2, 0, 0, -2},    {-3, -3, 0, 0, -3, 0, 0, -3},
                               {0, 0, 0, 0, 0, 0, 0, 0},        {0, 1, -2, -3, 0, 0, 0, -1},
                               {-1, -1, 0, -1, -1, -1, -1, -1}, {-1, 1, -2, -3, -1, 0, -1, -1}};

/// A group of one part is that part.
const FormulaNode &innermost(const FormulaNode &node)
{
    const FormulaNode *inner = &node;
    while (inner->kind == Kind::Row && inner->parts.size() == 1 && inner->cls == MathClass::Ord)
        inner = &inner->parts[0];
    return *inner;
}

bool hasClass(const FormulaNode &node)
{
    return node.kind != Kind::Space && node.kind != Kind::Tag;
}

/// Signs without two sides to join are ordinary (appendix G, rules 5 and 6).
std::vector<MathClass> classesOf(const std::vector<FormulaNode> &parts)
{
    std::vector<MathClass> classes;
    int before = -1;
    for (const FormulaNode &part : parts) {
        classes.push_back(part.cls);
        if (!hasClass(part))
            continue;
        const int at = int(classes.size()) - 1;
        const MathClass last = before < 0 ? MathClass::Open : classes[std::size_t(before)];
        const bool opens = last == MathClass::Bin || last == MathClass::Op ||
                           last == MathClass::Rel || last == MathClass::Open ||
                           last == MathClass::Punct;
        const bool ends = part.cls == MathClass::Rel || part.cls == MathClass::Close ||
                          part.cls == MathClass::Punct;
        if (part.cls == MathClass::Bin && opens)
            classes.back() = MathClass::Ord;
        else if (ends && last == MathClass::Bin && before >= 0)
            classes[std::size_t(before)] = MathClass::Ord;
        before = at;
    }
    if (before >= 0 && classes[std::size_t(before)] == MathClass::Bin)
        classes[std::size_t(before)] = MathClass::Ord;
    return classes;
}

} // namespace

double spaceBetween(MathClass left, MathClass right, MathStyle style)
{
    const int space = kSpaces[int(left)][int(right)];
    const bool script = style == MathStyle::Script || style == MathStyle::ScriptScript;
    if (space < 0 && script)
        return 0;
    constexpr double kEm[] = {0, kThin, kMedium, kThick};
    return kEm[std::abs(space)];
}

MathContext MathContext::script(bool below) const
{
    const bool small = style == MathStyle::Script || style == MathStyle::ScriptScript;
    return {small ? MathStyle::ScriptScript : MathStyle::Script, cramped || below};
}

MathContext MathContext::fraction(bool below) const
{
    if (style == MathStyle::Display)
        return {MathStyle::Text, cramped || below};
    return script(below);
}

MathBox layOutFormula(const FormulaNode &formula, const FormulaLook &look, const MathFont &font)
{
    const FormulaLayout layout(font, look);
    MathBox box = layout.node(formula, {look.display ? MathStyle::Display : MathStyle::Text});
    box.width = std::max(0.0, box.width); // of negative spaces alone: it takes no room
    return box;
}

double FormulaLayout::em(MathContext context) const
{
    return m_look.em * m_font.scriptScale(context.style);
}

MathBox FormulaLayout::node(const FormulaNode &node, MathContext context) const
{
    switch (node.kind) {
    case Kind::Row:
        return row(node, context);
    case Kind::Symbol:
        return symbol(node, context);
    case Kind::Name:
        return name(node, context);
    case Kind::Words:
    case Kind::Tag:
        return styledWords(node, context);
    case Kind::Space: {
        MathBox box;
        box.width = node.amount * em(context);
        return box;
    }
    case Kind::Scripts:
        return scripts(node, context);
    case Kind::Fraction:
        return fraction(node, context);
    case Kind::Radical:
        return radical(node, context);
    case Kind::Accent:
        return accent(node, context);
    case Kind::Fence:
        return fence(node, context);
    case Kind::Table:
        return table(node, context);
    case Kind::Arrow:
        return arrow(node, context);
    default:
        return decorated(node, context);
    }
}

MathBox FormulaLayout::row(const FormulaNode &node, MathContext context) const
{
    if (const FormulaNode &inner = innermost(node); &inner != &node)
        return this->node(inner, context);
    MathBox result;
    const std::vector<MathClass> classes = classesOf(node.parts);
    int before = -1;
    double x = 0;
    for (std::size_t i = 0; i < node.parts.size(); ++i) {
        if (hasClass(node.parts[i])) {
            if (before >= 0)
                x += spaceBetween(classes[std::size_t(before)], classes[i], context.style) *
                     em(context);
            before = int(i);
        }
        MathBox part = this->node(node.parts[i], context);
        const double width = part.width;
        result.put(std::move(part), x, 0);
        x += width;
    }
    result.width = std::max(0.0, x);
    return result;
}

MathBox FormulaLayout::symbol(const FormulaNode &node, MathContext context) const
{
    const char32_t c = node.text.toUcs4().value(0);
    const double size = em(context);
    if (!node.large)
        return character(c, size);
    MathBox box = context.display() ? grown(c, m_font.leastDisplayOperator() * size, size, true)
                                    : character(c, size);
    // Large operators stand around the axis.
    const double axis = px(MathConstant::AxisHeight, context);
    MathBox result;
    const double down = (box.ascent - box.descent) / 2 - axis;
    const double italic = box.italic;
    result.put(std::move(box), 0, down);
    result.italic = italic;
    result.descent = std::max(0.0, result.descent);
    return result;
}

MathBox FormulaLayout::words(const QString &text, const QFont &font, double pixels) const
{
    QFont sized = font;
    sized.setPixelSize(std::max(1, int(pixels + 0.5)));
    QTextLayout layout(text, sized);
    layout.beginLayout();
    const QTextLine line = layout.createLine();
    layout.endLayout();
    MathBox box;
    if (!line.isValid())
        return box;
    box.width = line.naturalTextWidth();
    // White space at the end is room, too.
    for (auto i = text.size(); i > 0 && text[i - 1] == QLatin1Char(' '); --i)
        box.width = std::max(box.width, line.cursorToX(int(text.size())));
    box.ascent = line.ascent() * 0.85;
    box.descent = line.descent() * 0.85;
    for (const QGlyphRun &run : layout.glyphRuns()) {
        MathMark mark;
        mark.glyphs = run;
        QList<QPointF> places = run.positions();
        for (QPointF &place : places)
            place -= QPointF(0, line.ascent());
        mark.glyphs.setPositions(places);
        box.marks.push_back(std::move(mark));
    }
    return box;
}

MathBox FormulaLayout::styledWords(const FormulaNode &node, MathContext context) const
{
    QFont font = m_look.words;
    if (node.bold)
        font.setBold(true);
    if (node.italic)
        font.setItalic(true);
    if (node.mono)
        font.setFamily(QStringLiteral("monospace"));
    const double size = m_look.words.pixelSize() * em(context) / m_look.em;
    MathBox text = words(node.text, font, size);
    if (node.kind != Kind::Tag)
        return text;
    MathBox result;
    result.put(std::move(text), 2 * em(context), 0);
    return result;
}

/// Upright letters of the mathematical font; a space between words is thin.
MathBox FormulaLayout::name(const FormulaNode &node, MathContext context) const
{
    MathBox result;
    double x = 0;
    for (const QChar c : node.text) {
        if (c == QLatin1Char(' ')) {
            x += kThin * em(context);
            continue;
        }
        MathBox letter = character(c.unicode(), em(context));
        const double width = letter.width;
        result.put(std::move(letter), x, 0);
        x += width;
    }
    return result;
}

} // namespace fireside
