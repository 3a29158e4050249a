// Colours, frames, strokes and room that is left empty.
#include "ui/math/formula_layout.h"

#include <algorithm>

namespace fireside {

MathBox FormulaLayout::decorated(const FormulaNode &node, MathContext context) const
{
    using Kind = FormulaNode::Kind;
    switch (node.kind) {
    case Kind::Delimiter: {
        static constexpr double kSizes[] = {1.2, 1.8, 2.4, 3.0}; // em
        const auto step = std::size_t(std::clamp(node.amount, 1.0, 4.0)) - 1;
        return delimiter(node.text.at(0), kSizes[step] * em(context), context);
    }
    case Kind::Styled:
        return this->node(node.parts[0], context.inStyle(node.style));
    case Kind::Coloured:
        return coloured(node, context);
    case Kind::Framed:
        return framed(node, context);
    case Kind::Struck:
        return struck(node, context);
    case Kind::Smashed: {
        MathBox box = this->node(node.parts[0], context);
        box.ascent = box.descent = 0;
        return box;
    }
    default: {
        MathBox box = this->node(node.parts[0], context); // a phantom
        box.marks.clear();
        if (!node.text.contains(QLatin1Char('h')))
            box.width = 0;
        if (!node.text.contains(QLatin1Char('v')))
            box.ascent = box.descent = 0;
        return box;
    }
    }
}

MathBox FormulaLayout::coloured(const FormulaNode &node, MathContext context) const
{
    MathBox body = this->node(node.parts[0], context);
    if (node.background.isValid()) {
        const double pad = 0.15 * em(context);
        MathBox result;
        MathMark back;
        back.rect = QRectF(0, -body.ascent - pad, body.width + 2 * pad, body.height() + 2 * pad);
        back.colour = node.background;
        result.marks.push_back(back);
        result.ascent = body.ascent + pad;
        result.descent = body.descent + pad;
        const double width = body.width;
        result.put(std::move(body), pad, 0);
        result.width = width + 2 * pad;
        return result;
    }
    for (MathMark &mark : body.marks) {
        if (!mark.colour.isValid())
            mark.colour = node.colour;
    }
    return body;
}

MathBox FormulaLayout::framed(const FormulaNode &node, MathContext context) const
{
    MathBox body = this->node(node.parts[0], context);
    const double pad = 0.3 * em(context), line = px(MathConstant::FractionRuleThickness, context);
    MathBox result;
    const double width = body.width + 2 * (pad + line);
    const double top = body.ascent + pad + line, bottom = body.descent + pad + line;
    result.put(std::move(body), pad + line, 0);
    result.putRect(QRectF(0, -top, width, line));
    result.putRect(QRectF(0, bottom - line, width, line));
    result.putRect(QRectF(0, -top, line, top + bottom));
    result.putRect(QRectF(width - line, -top, line, top + bottom));
    result.width = width;
    result.ascent = top;
    result.descent = bottom;
    return result;
}

MathBox FormulaLayout::struck(const FormulaNode &node, MathContext context) const
{
    MathBox body = this->node(node.parts[0], context);
    MathMark stroke;
    stroke.stroke = 1.4 * px(MathConstant::FractionRuleThickness, context);
    const double top = -body.ascent, bottom = body.descent, right = body.width;
    const bool both = node.text == QLatin1String("x");
    if (both || node.text == QLatin1String("/")) {
        stroke.path.moveTo(0, bottom);
        stroke.path.lineTo(right, top);
    }
    if (both || node.text == QLatin1String("\\")) {
        stroke.path.moveTo(0, top);
        stroke.path.lineTo(right, bottom);
    }
    if (node.text == QLatin1String("-")) {
        stroke.path.moveTo(0, (top + bottom) / 2);
        stroke.path.lineTo(right, (top + bottom) / 2);
    }
    body.marks.push_back(std::move(stroke));
    return body;
}

} // namespace fireside
