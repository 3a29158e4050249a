#include "ui/math/formula_layout.h"

#include <QTransform>

#include <algorithm>
#include <cmath>

namespace fireside {

MathBox FormulaLayout::glyphBox(quint32 glyph, double pixels) const
{
    const GlyphShape shape = m_font.shape(glyph);
    MathBox box;
    box.glyph = true;
    box.italic = m_font.italic(glyph) * pixels;
    box.width = shape.advance * pixels;
    box.ascent = -shape.bounds.top() * pixels;
    box.descent = shape.bounds.bottom() * pixels;
    const double accent = m_font.accentAt(glyph);
    box.accentAt = accent < 0 ? -1 : accent * pixels;
    MathMark mark;
    mark.glyphs.setRawFont(m_font.sized(pixels));
    mark.glyphs.setGlyphIndexes({glyph});
    mark.glyphs.setPositions({QPointF(0, 0)});
    box.marks.push_back(std::move(mark));
    return box;
}

/// A character that the font lacks is drawn by another font.
MathBox FormulaLayout::character(char32_t c, double pixels) const
{
    if (const quint32 glyph = m_font.glyph(c))
        return glyphBox(glyph, pixels);
    const QString plain = QString::fromUcs4(&c, 1).normalized(QString::NormalizationForm_KC);
    const double ratio = m_look.em > 0 ? m_look.words.pixelSize() / m_look.em : 1;
    MathBox box = words(plain, m_look.words, pixels * ratio);
    box.glyph = true;
    return box;
}

/// The smallest form of at least this height or width.
MathBox FormulaLayout::grown(char32_t c, double least, double pixels, bool upright) const
{
    const quint32 glyph = m_font.glyph(c);
    if (!glyph)
        return character(c, pixels);
    MathBox plain = glyphBox(glyph, pixels);
    const auto enough = [&](const MathBox &box) {
        return (upright ? box.height() : box.width) >= least - 0.01;
    };
    if (enough(plain))
        return plain;
    const GlyphGrowth growth = m_font.growth(glyph, upright);
    for (const GlyphPart &size : growth.sizes) {
        if (size.advance * pixels < least * 0.98)
            continue;
        MathBox box = glyphBox(size.glyph, pixels);
        if (!upright)
            box.width = std::max(box.width, size.advance * pixels);
        return box;
    }
    if (!growth.parts.isEmpty())
        return assembled(growth.parts, least, pixels, upright);
    if (!growth.sizes.isEmpty() && m_font.mathematical() && !upright)
        return glyphBox(growth.sizes.last().glyph, pixels); // a wide hat has its widest form
    return scaled(glyph, least, pixels, upright);
}

/// Parts end to end; extenders are repeated until it is large enough, then the joints are evened.
MathBox FormulaLayout::assembled(const QList<GlyphPart> &parts, double least, double pixels,
                                 bool upright) const
{
    constexpr int kMostRepeats = 200;
    const double want = least / pixels, overlap = 0.02;
    QList<GlyphPart> chain;
    double total = 0, slack = 0;
    for (int repeats = 0; repeats <= kMostRepeats; ++repeats) {
        chain.clear();
        for (const GlyphPart &part : parts) {
            for (int i = 0; i < (part.extender ? repeats : 1); ++i)
                chain.append(part);
        }
        total = slack = 0;
        for (qsizetype i = 0; i < chain.size(); ++i) {
            total += chain[i].advance - (i > 0 ? overlap : 0);
            if (i > 0)
                slack += std::max(0.0, std::min(chain[i - 1].endOverlap, chain[i].startOverlap) -
                                           overlap);
        }
        if (total >= want)
            break;
    }
    const double even = slack > 0 ? std::clamp((total - want) / slack, 0.0, 1.0) : 0;
    MathBox result;
    result.ascent = result.descent = upright ? 0 : -1e9;
    double at = 0;
    for (qsizetype i = 0; i < chain.size(); ++i) {
        if (i > 0) {
            const double most = std::min(chain[i - 1].endOverlap, chain[i].startOverlap);
            at -= overlap + even * std::max(0.0, most - overlap);
        }
        MathBox piece = glyphBox(chain[i].glyph, pixels);
        const GlyphShape shape = m_font.shape(chain[i].glyph);
        if (upright)
            result.put(std::move(piece), 0, -(at + shape.bounds.bottom()) * pixels);
        else
            result.put(std::move(piece), at * pixels, 0);
        at += chain[i].advance;
    }
    if (upright) {
        result.ascent = at * pixels;
        result.descent = 0;
    } else {
        result.width = at * pixels;
    }
    return result;
}

/// For fonts that have no larger forms.
MathBox FormulaLayout::scaled(quint32 glyph, double least, double pixels, bool upright) const
{
    MathBox box = glyphBox(glyph, pixels);
    const double now = upright ? box.height() : box.width;
    const double factor = now > 0 ? least / now : 1;
    const double across = upright ? std::min(1.0 + (factor - 1) * 0.1, 1.4) : 1;
    MathMark mark;
    mark.path = QTransform::fromScale(upright ? across : factor, upright ? factor : 1)
                    .map(m_font.sized(pixels).pathForGlyph(glyph));
    box.marks = {mark};
    box.width *= upright ? across : factor;
    if (upright) {
        box.ascent *= factor;
        box.descent *= factor;
    }
    return box;
}

/// At least as high, around the axis. '.' is nothing with a little room.
MathBox FormulaLayout::delimiter(QChar c, double least, MathContext context) const
{
    MathBox result;
    if (c == QLatin1Char('.')) {
        result.width = 0.12 * em(context);
        return result;
    }
    MathBox box = grown(c.unicode(), least, em(context), true);
    const double down = (box.ascent - box.descent) / 2 - px(MathConstant::AxisHeight, context);
    const double ascent = box.ascent - down, descent = box.descent + down;
    result.put(std::move(box), 0, down);
    result.ascent = ascent;
    result.descent = descent;
    return result;
}

} // namespace fireside
