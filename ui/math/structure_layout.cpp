#include "ui/math/formula_layout.h"

#include <algorithm>

namespace fireside {

namespace {

using C = MathConstant;

bool isEmpty(const FormulaNode &node)
{
    return node.kind == FormulaNode::Kind::Row && node.parts.empty();
}

/// A base that is one character: its scripts keep their usual distance.
bool isCharacter(const FormulaNode &node)
{
    if (node.kind == FormulaNode::Kind::Row && node.parts.size() == 1)
        return isCharacter(node.parts[0]);
    return node.kind == FormulaNode::Kind::Symbol && !node.large;
}

} // namespace

/// Primes that the font has high up already are no scripts.
bool FormulaLayout::isRaised(const FormulaNode &node) const
{
    for (const FormulaNode &part : node.parts) {
        if (part.text != QStringLiteral("′"))
            return false;
    }
    return !node.parts.empty() && m_font.shape(m_font.glyph(0x2032)).bounds.bottom() < -0.3;
}

/// Rules 15a to 15e.
MathBox FormulaLayout::fraction(const FormulaNode &node, MathContext context) const
{
    const MathContext outer = node.forced ? context.inStyle(node.style) : context;
    const bool display = outer.display(), ruled = node.amount > 0;
    MathBox above = this->node(node.parts[0], outer.fraction(false));
    MathBox below = this->node(node.parts[1], outer.fraction(true));
    const double axis = px(C::AxisHeight, outer);
    const double rule = ruled ? px(C::FractionRuleThickness, outer) : 0;
    double up, down;
    if (ruled) {
        up = px(display ? C::FractionNumeratorDisplayStyleShiftUp : C::FractionNumeratorShiftUp,
                outer);
        down = px(display ? C::FractionDenominatorDisplayStyleShiftDown
                          : C::FractionDenominatorShiftDown,
                  outer);
        const double gapAbove =
            px(display ? C::FractionNumDisplayStyleGapMin : C::FractionNumeratorGapMin, outer);
        const double gapBelow =
            px(display ? C::FractionDenomDisplayStyleGapMin : C::FractionDenominatorGapMin, outer);
        up = std::max(up, axis + rule / 2 + gapAbove + above.descent);
        down = std::max(down, below.ascent + gapBelow + rule / 2 - axis);
    } else {
        up = px(display ? C::StackTopDisplayStyleShiftUp : C::StackTopShiftUp, outer);
        down = px(display ? C::StackBottomDisplayStyleShiftDown : C::StackBottomShiftDown, outer);
        const double gap = px(display ? C::StackDisplayStyleGapMin : C::StackGapMin, outer);
        const double now = up - above.descent + down - below.ascent;
        up += std::max(0.0, gap - now) / 2;
        down += std::max(0.0, gap - now) / 2;
    }
    MathBox body;
    const double side = ruled ? 0.1 * em(outer) : 0;
    const double width = std::max(above.width, below.width) + 2 * side;
    const double aboveAt = (width - above.width) / 2, belowAt = (width - below.width) / 2;
    body.put(std::move(above), aboveAt, -up);
    body.put(std::move(below), belowAt, down);
    if (ruled)
        body.putRect(QRectF(side / 2, -axis - rule / 2, width - side, rule));
    body.width = width;
    if (node.delimiters.size() != 2)
        return body;
    const double least = em(outer) * (display ? 2.39 : 1.01);
    const double high = std::max(least, 2 * std::max(body.ascent - axis, body.descent + axis));
    MathBox result = delimiter(node.delimiters[0], high, outer);
    const double at = result.width;
    result.put(std::move(body), at, 0);
    const double end = result.width;
    result.put(delimiter(node.delimiters[1], high, outer), end, 0);
    return result;
}

/// Rule 11; the sign's top is the rule's.
MathBox FormulaLayout::radical(const FormulaNode &node, MathContext context) const
{
    MathBox body = this->node(node.parts[0], context.crampedOne());
    const double rule = px(C::RadicalRuleThickness, context);
    double gap =
        px(context.display() ? C::RadicalDisplayStyleVerticalGap : C::RadicalVerticalGap, context);
    MathBox sign = grown(0x221A, body.height() + gap + rule, em(context), true);
    gap = std::max(gap, (gap + sign.height() - rule - body.height()) / 2);
    const double top = body.ascent + gap + rule;
    const double down = sign.ascent - top;
    MathBox result;
    double x = 0;
    if (!isEmpty(node.parts[1])) {
        MathBox degree = this->node(node.parts[1], {MathStyle::ScriptScript, context.cramped});
        const double before = px(C::RadicalKernBeforeDegree, context);
        const double raise = m_font.degreeRaise() * sign.height() - (sign.descent + down);
        x = std::max(0.0, before + degree.width + px(C::RadicalKernAfterDegree, context));
        const double at = std::max(0.0, x - px(C::RadicalKernAfterDegree, context) - degree.width);
        const double low = degree.descent;
        result.put(std::move(degree), at, -raise - low);
    }
    const double signWidth = sign.width;
    result.put(std::move(sign), x, down);
    const double width = body.width;
    result.putRect(QRectF(x + signWidth - 0.5 * rule, -top, width + 0.5 * rule, rule));
    result.put(std::move(body), x + signWidth, 0);
    result.width = x + signWidth + width;
    result.ascent = std::max(result.ascent, top + px(C::RadicalExtraAscender, context));
    return result;
}

/// Rules 18a to 18f.
MathBox FormulaLayout::scripts(const FormulaNode &node, MathContext context) const
{
    const FormulaNode &base = node.parts[0];
    MathBox nucleus = this->node(base, context);
    if (node.limits == MathLimits::Always ||
        (node.limits == MathLimits::InDisplay && context.display()))
        return limits(std::move(nucleus), node, context);
    const bool hasBelow = !isEmpty(node.parts[1]), hasAbove = !isEmpty(node.parts[2]);
    MathBox below = this->node(node.parts[1], context.script(true));
    MathBox above = this->node(node.parts[2], context.script(false));
    const bool single = isCharacter(base);
    double up = px(context.cramped ? C::SuperscriptShiftUpCramped : C::SuperscriptShiftUp, context);
    double down = px(C::SubscriptShiftDown, context);
    if (!single) {
        up = std::max(up, nucleus.ascent - px(C::SuperscriptBaselineDropMax, context));
        down = std::max(down, nucleus.descent + px(C::SubscriptBaselineDropMin, context));
    }
    up = std::max(up, above.descent + px(C::SuperscriptBottomMin, context));
    down = std::max(down, below.ascent - px(C::SubscriptTopMax, context));
    if (isRaised(node.parts[2])) {
        above = this->node(node.parts[2], context);
        up = 0;
    } else if (hasBelow && hasAbove) {
        const double least = px(C::SubSuperscriptGapMin, context);
        const double gap = (up - above.descent) - (below.ascent - down);
        if (gap < least) {
            const double lift =
                std::clamp(px(C::SuperscriptBottomMaxWithSubscript, context) - (up - above.descent),
                           0.0, least - gap);
            up += lift;
            down += least - gap - lift;
        }
    }
    // A leaning integral's lower script stands further left; any other base's above further right.
    const bool leaning = base.large;
    const double width = nucleus.width;
    const double aboveAt = width + (leaning ? 0 : nucleus.italic);
    const double belowAt = width - (leaning ? nucleus.italic : 0);
    MathBox result = std::move(nucleus);
    result.glyph = false;
    result.italic = 0;
    if (hasAbove)
        result.put(std::move(above), aboveAt, -up);
    if (hasBelow)
        result.put(std::move(below), belowAt, down);
    result.width += px(C::SpaceAfterScript, context);
    return result;
}

/// Rule 13a.
MathBox FormulaLayout::limits(MathBox base, const FormulaNode &node, MathContext context) const
{
    MathBox below = this->node(node.parts[1], context.script(true));
    MathBox above = this->node(node.parts[2], context.script(false));
    const double lean = base.italic / 2;
    const double width = std::max({base.width, below.width, above.width});
    const double ascent = base.ascent, descent = base.descent;
    MathBox result;
    const double at = (width - base.width) / 2;
    result.put(std::move(base), at, 0);
    if (!isEmpty(node.parts[2])) {
        const double up = ascent + std::max(px(C::UpperLimitGapMin, context) + above.descent,
                                            px(C::UpperLimitBaselineRiseMin, context));
        const double x = (width - above.width) / 2 + lean;
        result.put(std::move(above), x, -up);
    }
    if (!isEmpty(node.parts[1])) {
        const double down = descent + std::max(px(C::LowerLimitGapMin, context) + below.ascent,
                                               px(C::LowerLimitBaselineDropMin, context));
        const double x = (width - below.width) / 2 - lean;
        result.put(std::move(below), x, down);
    }
    result.width = std::max(result.width, width);
    return result;
}

/// \overline and \underline (rules 9 and 10).
MathBox FormulaLayout::line(const FormulaNode &node, MathContext context) const
{
    MathBox body = this->node(node.parts[0], node.below ? context : context.crampedOne());
    const double rule = px(C::OverbarRuleThickness, context);
    const double gap = px(node.below ? C::UnderbarVerticalGap : C::OverbarVerticalGap, context);
    if (node.below) {
        body.putRect(QRectF(0, body.descent + gap, body.width, rule));
        body.descent += gap + 2 * rule;
    } else {
        body.putRect(QRectF(0, -body.ascent - gap - rule, body.width, rule));
        body.ascent += gap + 2 * rule;
    }
    return body;
}

/// Rule 12; arrows and braces are as wide as the body.
MathBox FormulaLayout::accent(const FormulaNode &node, MathContext context) const
{
    const char32_t c = node.text.toUcs4().value(0);
    if (c == 0x305 || c == 0x332)
        return line(node, context);
    MathBox body = this->node(node.parts[0], context.crampedOne());
    const bool combining = c < 0x370 || (c >= 0x20D0 && c < 0x2100);
    if (!node.stretched || combining) {
        MathBox mark = node.stretched ? grown(c, body.width * 0.9, em(context), false)
                                      : character(c, em(context));
        // Combining characters have no width and stand left of their origin.
        const GlyphShape shape = m_font.shape(m_font.glyph(c));
        const bool own = mark.accentAt >= 0 && !node.stretched;
        double middle = own ? mark.accentAt : shape.bounds.center().x() * em(context);
        if (node.stretched && mark.marks.size() == 1 && !mark.marks[0].glyphs.isEmpty())
            middle =
                m_font.shape(mark.marks[0].glyphs.glyphIndexes().value(0)).bounds.center().x() *
                em(context);
        const double target = body.glyph && body.accentAt >= 0 ? body.accentAt : body.width / 2;
        const double rise = std::max(0.0, body.ascent - px(C::AccentBaseHeight, context));
        const double width = body.width;
        mark.width = 0;
        body.put(std::move(mark), target - middle, -rise);
        body.width = width;
        return body;
    }
    MathBox mark = grown(c, body.width, em(context), false);
    const double gap = 0.12 * em(context);
    MathBox result;
    const double width = std::max(body.width, mark.width);
    const double bodyAt = (width - body.width) / 2, markAt = (width - mark.width) / 2;
    const double shift =
        node.below ? body.descent + gap + mark.ascent : -(body.ascent + gap + mark.descent);
    result.put(std::move(body), bodyAt, 0);
    result.put(std::move(mark), markAt, shift);
    return result;
}

/// \left and \right: at least nine tenths of the content (The TeXbook, page 152).
MathBox FormulaLayout::fence(const FormulaNode &node, MathContext context) const
{
    std::vector<MathBox> pieces;
    double most = 0;
    const double axis = px(C::AxisHeight, context);
    for (const FormulaNode &part : node.parts) {
        pieces.push_back(this->node(part, context));
        most = std::max({most, pieces.back().ascent - axis, pieces.back().descent + axis});
    }
    const double least = std::max(2 * most * 0.901, 2 * most - 0.5 * em(context));
    MathBox result = delimiter(node.delimiters[0], least, context);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const double at = result.width;
        result.put(std::move(pieces[i]), at, 0);
        const double end = result.width;
        result.put(delimiter(node.delimiters[qsizetype(i) + 1], least, context), end, 0);
    }
    return result;
}

/// As wide as the texts above and below it.
MathBox FormulaLayout::arrow(const FormulaNode &node, MathContext context) const
{
    MathBox below = this->node(node.parts[0], context.script(true));
    MathBox above = this->node(node.parts[1], context.script(false));
    const double room = 0.7 * em(context), gap = 0.12 * em(context);
    const double least = std::max({below.width + room, above.width + room, 1.5 * em(context)});
    MathBox shaft = grown(node.text.toUcs4().value(0), least, em(context), false);
    const double width = std::max(least, shaft.width);
    const double up = shaft.ascent + gap + above.descent;
    const double down = std::max(shaft.descent, 0.0) + gap + below.ascent;
    MathBox result;
    const double at = (width - shaft.width) / 2;
    result.put(std::move(shaft), at, 0);
    const double aboveAt = (width - above.width) / 2, belowAt = (width - below.width) / 2;
    result.put(std::move(above), aboveAt, -up);
    if (!isEmpty(node.parts[0]))
        result.put(std::move(below), belowAt, down);
    result.width = width;
    return result;
}

} // namespace fireside
