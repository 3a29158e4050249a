#pragma once
#include "ui/math/math_box.h"
#include "ui/math/math_font.h"

namespace fireside {

/// How a formula is set.
struct FormulaLook
{
    double em = 16; // px: size of the mathematical font
    bool display = false;
    QFont words = {}; // for \text, and characters that the mathematical font lacks
};

/// Sets a formula by the rules of The TeXbook's appendix G, with the distances of the font's table
/// MATH (OpenType 1.9, "MATH – The Mathematical Typesetting Table").
MathBox layOutFormula(const FormulaNode &formula, const FormulaLook &look,
                      const MathFont &font = MathFont::system());

/// Size and whether scripts are kept low.
struct MathContext
{
    MathStyle style = MathStyle::Text;
    bool cramped = false;

    bool display() const { return style == MathStyle::Display; }
    MathContext script(bool below) const;
    MathContext fraction(bool below) const;
    MathContext inStyle(MathStyle other) const { return {other, cramped}; }
    MathContext crampedOne() const { return {style, true}; }
};

/// Em of space between neighbours of these classes.
double spaceBetween(MathClass left, MathClass right, MathStyle style);

class FormulaLayout
{
public:
    FormulaLayout(const MathFont &font, const FormulaLook &look)
        : m_font(font)
        , m_look(look)
    {}
    MathBox node(const FormulaNode &node, MathContext context) const;

private:
    // formula_layout.cpp: rows and leaves
    MathBox row(const FormulaNode &node, MathContext context) const;
    MathBox symbol(const FormulaNode &node, MathContext context) const;
    MathBox words(const QString &text, const QFont &font, double pixels) const;
    MathBox styledWords(const FormulaNode &node, MathContext context) const;
    MathBox name(const FormulaNode &node, MathContext context) const;
    MathBox table(const FormulaNode &node, MathContext context) const;
    double em(MathContext context) const;
    double px(MathConstant constant, MathContext context) const
    {
        return m_font[constant] * em(context);
    }

    // glyph_layout.cpp: glyphs and those that grow
    MathBox glyphBox(quint32 glyph, double pixels) const;
    MathBox character(char32_t c, double pixels) const;
    MathBox grown(char32_t c, double least, double pixels, bool upright) const;
    MathBox assembled(const QList<GlyphPart> &parts, double least, double pixels,
                      bool upright) const;
    MathBox scaled(quint32 glyph, double least, double pixels, bool upright) const;
    MathBox delimiter(QChar c, double least, MathContext context) const;

    // structure_layout.cpp: fractions, roots, scripts, accents, fences
    MathBox fraction(const FormulaNode &node, MathContext context) const;
    MathBox radical(const FormulaNode &node, MathContext context) const;
    MathBox scripts(const FormulaNode &node, MathContext context) const;
    bool isRaised(const FormulaNode &node) const;
    MathBox limits(MathBox base, const FormulaNode &node, MathContext context) const;
    MathBox accent(const FormulaNode &node, MathContext context) const;
    MathBox line(const FormulaNode &node, MathContext context) const;
    MathBox fence(const FormulaNode &node, MathContext context) const;
    MathBox arrow(const FormulaNode &node, MathContext context) const;
    MathBox framed(const FormulaNode &node, MathContext context) const;
    MathBox struck(const FormulaNode &node, MathContext context) const;
    MathBox coloured(const FormulaNode &node, MathContext context) const;
    MathBox decorated(const FormulaNode &node, MathContext context) const;

    const MathFont &m_font;
    const FormulaLook &m_look;
};

} // namespace fireside
